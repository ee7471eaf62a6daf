"""What may be measured, what it comes to, and what a cap does to it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.recovery.measurement import amount, contradictions, dimensions
from analysis.recovery.quality import CAPS, WEIGHTS, base_quality, quality
from analysis.recovery.records import DIMENSIONS, FLAGS
from analysis.recovery.rounding import exact, mean, round2

SHARES = st.fixed_dictionaries(dict.fromkeys(DIMENSIONS, st.floats(0, 1)))
RAISED = st.frozensets(st.sampled_from(FLAGS))
GOOD = dict.fromkeys(DIMENSIONS, 0.5)


@pytest.mark.parametrize("letter", DIMENSIONS)
@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "missing"), (math.nan, "nan"), (math.inf, "inf"), (-math.inf, "-inf"), ("0.5", "'0.5'"), (True, "True"),
     (False, "False"), ([0.5], "list"), ({}, "dict"), (10**400, "too large")],
)  # fmt: skip
def test_what_is_no_measurement_is_refused_by_name(letter: str, value: object, said: str) -> None:
    for mode in ("strict", "compat"):
        with pytest.raises(InputError) as refused:
            dimensions({**GOOD, letter: value}, mode, file="trials.jsonl", row=3)
        text = str(refused.value)
        assert f"dimensions.{letter}" in text and said in text and "trials.jsonl, row 3" in text
    missing = {other: 0.5 for other in DIMENSIONS if other != letter}
    with pytest.raises(InputError, match=rf"dimensions\.{letter} is missing"):
        dimensions(missing)


@pytest.mark.parametrize("value", [-0.001, 1.001, 7, -1e300])
def test_out_of_range_is_refused_or_clamped_with_a_note(value: float) -> None:
    with pytest.raises(InputError, match=r"dimensions\.D is .* outside \[0, 1\]"):
        dimensions({**GOOD, "D": value})
    found, notes = dimensions({**GOOD, "D": value}, "compat")
    assert found["D"] == (0 if value < 0 else 1) and len(notes) == 1 and "dimensions.D" in notes[0]


@pytest.mark.parametrize("given_", [None, [], "F", 3, {**GOOD, "X": 0.5}, {**GOOD, "f": 0.5}])
def test_other_shapes_are_refused(given_: Any) -> None:
    with pytest.raises(InputError, match="dimension"):
        dimensions(given_)


@pytest.mark.parametrize("value", [math.nan, math.inf, "1", True, -0.01])
def test_an_amount_is_a_number_or_unknown(value: object) -> None:
    with pytest.raises(InputError, match="cost_usd"):
        amount("cost_usd", value)
    assert amount("cost_usd", None) is None and amount("cost_usd", 0) == 0


@given(SHARES, RAISED)
def test_quality_is_the_base_under_the_lowest_cap(shares: dict[str, float], flags: frozenset[str]) -> None:
    found = quality(shares, flags)
    applicable = {*flags, *(["low_function"] if shares["F"] < 0.5 else [])}
    assert set(found.caps) == applicable
    lowest = min((CAPS[name] for name in applicable), default=100)
    assert found.final == min(found.base, lowest) or abs(found.final - min(found.base, lowest)) <= 0.005
    assert 0 <= found.final <= found.base <= 100
    assert (found.binding is not None) == (base_quality(shares) > exact(lowest))
    if found.binding:
        assert found.final == CAPS[found.binding] == lowest


@given(SHARES, st.sampled_from(list(DIMENSIONS)), st.floats(0, 1), RAISED)
def test_quality_never_falls_when_a_dimension_rises(
    shares: dict[str, float], letter: str, more: float, flags: frozenset[str]
) -> None:
    better = {**shares, letter: max(shares[letter], more)}
    assert quality(better, flags).final >= quality(shares, flags).final


@given(SHARES, RAISED, st.sampled_from(FLAGS))
def test_a_flag_never_raises_quality(shares: dict[str, float], flags: frozenset[str], flag: str) -> None:
    assert quality(shares, flags | {flag}).final <= quality(shares, flags).final


def test_unknown_flags_are_refused() -> None:
    with pytest.raises(InputError, match="'major'"):
        quality(GOOD, {"major"})


def test_a_strict_pass_is_not_derived_but_contradictions_are_told() -> None:
    low = {**GOOD, "F": 0.49}
    assert contradictions(True, low, frozenset({"restart_failure"})) == [
        "strict pass with the flag restart_failure", "strict pass with F = 0.49, below 0.5",
    ]  # fmt: skip
    assert contradictions(True, GOOD, frozenset()) == contradictions(False, low, frozenset(FLAGS)) == []


@given(st.integers(-(10**9), 10**9), st.integers(0, 4))
def test_rounding_is_that_of_school(whole: int, places: int) -> None:
    """Independent of decimal: halves away from zero, by whole numbers."""
    value = whole / 10**places
    number = Fraction(whole, 10**places)
    cents = abs(number) * 100
    up = math.floor(cents + Fraction(1, 2))
    assert round2(value) == pytest.approx(math.copysign(up, whole) / 100, abs=1e-9)
    assert round2(number) == round2(value)


@given(st.lists(st.floats(0, 100), min_size=1))
def test_a_mean_does_not_depend_on_the_order(values: list[float]) -> None:
    assert mean(values) == mean(sorted(values))
    assert float(min(values)) <= float(mean(values)) <= float(max(values))


def test_published_weights_are_exact() -> None:
    assert sum(exact(weight) for weight in WEIGHTS.values()) == 1
