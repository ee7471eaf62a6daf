"""Agreement of raters, against published examples and independent sums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.errors import InputError
from analysis.recovery.agreement import agreement, krippendorff, weighted_kappa

#: Four raters, twelve units: the example of Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability".
KRIPPENDORFF = [
    "1 2 3 3 2 1 4 1 2 . . .".split(), "1 2 3 3 2 2 4 1 2 5 . 3".split(),
    ". 3 3 3 2 3 4 2 2 5 1 .".split(), "1 2 3 3 2 4 4 1 2 5 1 .".split(),
]  # fmt: skip
UNITS = [
    {f"r{rater}": float(row[unit]) for rater, row in enumerate(KRIPPENDORFF) if row[unit] != "."} for unit in range(12)
]


@pytest.mark.parametrize(("level", "printed"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alpha_is_that_of_the_published_example(level: str, printed: float) -> None:
    found = krippendorff(UNITS, level)
    assert found is not None and round(found, 3) == printed


def test_weighted_kappa_by_hand() -> None:
    """Two raters, values 0, 0.5, 1: observed disagreement 0.25/4, expected from the margins."""
    pairs = [(0.0, 0.0), (0.5, 1.0), (1.0, 1.0), (0.5, 0.5)]
    expected = sum((a - b) ** 2 for a, _ in pairs for _, b in pairs) / 16
    assert weighted_kappa(pairs) == pytest.approx(1 - (0.25 / 4) / expected)
    assert weighted_kappa([(1.0, 1.0), (1.0, 1.0)]) is None
    assert weighted_kappa([(0.0, 1.0), (1.0, 0.0)]) == pytest.approx(-1)


@given(st.lists(st.tuples(st.sampled_from([0, 0.25, 0.5, 1]), st.sampled_from([0, 0.25, 0.5, 1])), min_size=2))
def test_alpha_of_two_raters_tends_to_kappa_of_pooled_margins(pairs: list[tuple[float, float]]) -> None:
    """Independent: interval alpha of two complete raters from the pooled values, as Scott's pi with n - 1."""
    items = [{"a": a, "b": b} for a, b in pairs]
    pooled = [value for pair in pairs for value in pair]
    n = len(pooled)
    expected = sum((x - y) ** 2 for x in pooled for y in pooled) / (n * (n - 1))
    observed = sum((a - b) ** 2 for a, b in pairs) / len(pairs)
    found = krippendorff(items, "interval")
    assert (found is None) == (expected == 0)
    if found is not None:
        assert found == pytest.approx(1 - observed / expected)


def test_agreement_names_where_raters_are_apart() -> None:
    found = agreement([{"x": 0.0, "y": 1.0}, {"x": 0.5, "y": 0.5}, {"x": 1.0, "y": 0.75, "z": 1.0}, {"z": 0.25}])
    assert found.items == 3 and found.raters == ("x", "y", "z")
    assert found.disagreements == ((0, 1.0), (2, 0.25))
    assert set(found.kappa) == {("x", "y"), ("x", "z"), ("y", "z")}
    assert found.kappa["x", "z"] is None


def test_one_rater_says_nothing() -> None:
    with pytest.raises(InputError, match="two raters"):
        agreement([{"x": 0.5}, {"y": 1.0}])
    with pytest.raises(InputError, match="level"):
        krippendorff(UNITS, "ratio")
