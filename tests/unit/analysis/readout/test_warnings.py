"""What is said before any number, and how numbers are shown."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.readout.display import half_up, outward
from analysis.readout.document import readout_document
from analysis.readout.panel import Panel, panel_of
from analysis.readout.readout import Settings, readout
from analysis.readout.warnings import warnings_of


def said(panel: Panel, **settings: object) -> list[str]:
    return warnings_of(readout(panel, Settings(replicates=100, **settings)))  # type: ignore[arg-type]


def working() -> np.ndarray:
    scores = np.zeros((4, 3, 8))
    scores[:, 1] = 1
    scores[0, 1, 3] = 0
    return scores


def test_agreement_of_zeros_is_called_that_first() -> None:
    first = said(panel_of(np.zeros((3, 3, 8))))[0]
    assert first == (
        "agreement comes from all-zero ties: every action scored 0 in both blocks in 100 % (k = 1), 100 % (k = 2), "
        "100 % (k = 4) of the matching pairs; nothing worked there, so this is no stable winner"
    )


def test_agreement_of_winners_is_not() -> None:
    assert not any("ties" in text for text in said(panel_of(working())))
    half = np.concatenate([working(), np.zeros((4, 3, 8))])
    assert any("all-zero ties" in text for text in said(panel_of(half)))
    third = np.concatenate([working(), np.zeros((2, 3, 8))])
    assert not any("all-zero ties" in text for text in said(panel_of(third)))


def test_agreement_where_everything_works_is_no_preference_either() -> None:
    assert said(panel_of(np.ones((3, 3, 8))))[0].startswith("agreement comes from all-success ties")


def test_costs_do_not_hide_zeros() -> None:
    from analysis.readout.best_sets import Rule

    panel = panel_of(np.zeros((3, 2, 4)), actions=["retry", "replace"])
    found = readout(panel, Settings(replicates=100, rule=Rule(costs={"replace": 0.1})))
    assert found.measures[0].mean("single") == 1.0
    assert warnings_of(found)[0].startswith("agreement comes from all-zero ties")


def test_provenance_origin_and_undefined_ranks_are_said() -> None:
    panel = panel_of(working())
    assert any("provenance is unavailable" in text for text in said(panel))
    status = np.zeros(panel.shape, np.int8)
    assert not any("provenance" in text or "verifier" in text for text in said(replace(panel, provenance=status)))
    status[0] = 1
    assert "25.0 % of the episodes never reached the verifier" in " ".join(said(replace(panel, provenance=status)))
    assert any(text.startswith("synthetic") for text in said(replace(panel, origin="synthetic")))
    assert any("rank concordance is not defined at k = 1, 2, 4" in text for text in said(panel_of(np.zeros((3, 2, 8)))))
    odd = np.random.default_rng(1).random((4, 3, 8))
    assert any("some ends are not exact" in text for text in said(panel_of(odd), exact=True))


def test_what_is_not_defined_is_null() -> None:
    document = readout_document(readout(panel_of(np.zeros((3, 2, 8))), Settings(replicates=100)))
    assert document["rank_concordance"]["1"] == {"value": None, "low": None, "high": None, "omitted": 1.0}
    assert document["provenance"] is None


@given(st.integers(-4000, 4000), st.sampled_from([7, 16, 48, 96, 144, 2000]))
def test_numbers_are_shown_half_up(numerator: int, denominator: int) -> None:
    exact = Fraction(numerator, denominator)
    shown = Fraction(half_up(exact))
    assert abs(shown - exact) <= Fraction(1, 2000)
    if abs(shown - exact) == Fraction(1, 2000):
        assert abs(shown) > abs(exact)
    assert half_up(numerator / denominator) == half_up(exact)
    low, high = outward(numerator / denominator, numerator / denominator)
    assert Fraction(low) - Fraction(1, 10**11) <= exact <= Fraction(high) + Fraction(1, 10**11)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0625, "0.063"), (0.3125, "0.313"), (-0.0625, "-0.063"), (-1e-9, "0.000"), (0.1 + 0.2, "0.300"),
     (1.0005, "1.001")],
)  # fmt: skip
def test_halves(value: float, text: str) -> None:
    assert half_up(value) == text
