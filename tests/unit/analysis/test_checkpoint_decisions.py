"""Decisions at checkpoints: the certificates on independent arms, checked against scipy, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import fisher_exact

from analysis.arms import Design
from analysis.checkpoints.decisions import arms_of, audit_checkpoints, outcomes
from analysis.checkpoints.document import audit_document
from analysis.errors import InputError
from analysis.readout.panel import Panel, panel_of


def panel(*counts: tuple[int, int], draws: int = 12, **more: object) -> Panel:
    """A panel of restart and continue with so many passes each, the first draws passing."""
    scores = np.zeros((len(counts), 2, draws))
    for c, (x, y) in enumerate(counts):
        scores[c, 0, :x], scores[c, 1, :y] = 1, 1
    made = panel_of(scores, actions=("restart", "continue"))
    return Panel(**{**vars(made), "stage": "checks", "runtime": "scripted", "origin": "synthetic", **more})


@pytest.mark.parametrize("alpha, family", [(0.05, None), (0.05, 10), (0.3, None)])
def test_fisher_is_scipys_one_sided_test_of_the_two_arms(alpha: float, family: int | None) -> None:
    counts = [(12, 0), (0, 12), (10, 3), (3, 10), (6, 6), (9, 3), (12, 12), (0, 0)]
    found = audit_checkpoints([panel(*counts)], "restart", "continue", alpha=alpha, family=family)
    level = alpha / (2 * (family or len(counts)))
    for (x, y), decision in zip(counts, found.decisions, strict=True):
        table = [[x, 12 - x], [y, 12 - y]]
        up, down = (fisher_exact(table, alternative=side).pvalue for side in ("greater", "less"))
        expected = "restart" if up <= level else "continue" if down <= level else "abstain"
        assert decision.decision == expected, (x, y)
        assert (decision.x, decision.y, decision.n) == (x, y, 12)
        assert (decision.p, decision.q) == (x / 12, y / 12)


@pytest.mark.parametrize("name", ["clopper-pearson", "weak-sign", "fisher", "boschloo", "paired-sign", "betting"])
def test_every_certificate_takes_a_panel(name: str) -> None:
    found = audit_checkpoints([panel((40, 0), (0, 40), (20, 20), draws=40)], "restart", "continue", method_name=name)
    assert [one.decision for one in found.decisions] == ["restart", "continue", "abstain"]
    assert found.design == ("pairs" if name in ("paired-sign", "betting") else "independent")
    assert found.attainable_n <= 40
    bounded = name in ("clopper-pearson", "weak-sign")
    assert all((one.restart_interval is not None) == bounded for one in found.decisions)


def test_pairs_go_by_the_number_of_the_draw() -> None:
    fresh, cont = np.array([[1, 0, 1]], dtype=bool), np.array([[0, 0, 1]], dtype=bool)
    arms = arms_of(fresh, cont, Design.PAIRS)
    assert arms.pairs is not None
    assert arms.pairs.difference.tolist() == [1, 0, 0] and arms.pairs.start.tolist() == [0, 3]


def test_all_panels_are_one_family_and_are_summed_up_apart() -> None:
    found = audit_checkpoints([panel((12, 0), (9, 12)), panel((0, 12), runtime="other")], "restart", "continue")
    assert found.family == 3
    first, second = found.summary
    assert (first.checkpoints, first.restart, first.continue_) == (2, 0.875, 0.5)
    assert first.restart_minus_continue == pytest.approx(0.375)
    assert first.oracle == pytest.approx((1 + 0) / 2)
    assert first.perfect_alarm == pytest.approx((1 * 1 + 0 * 0.5) / 2)
    assert second.runtime == "other" and second.restart_minus_continue == -1
    said = audit_document(found)
    assert said["counts"] == {"restart": 1, "continue": 1, "abstain": 1}
    assert said["compare"] == {"restart": "restart", "continue": "continue"}
    assert said["summary"][0]["continue"] == 0.5


def test_what_is_refused() -> None:
    with pytest.raises(InputError, match="not an action"):
        audit_checkpoints([panel((1, 1))], "restart", "retry")
    with pytest.raises(InputError, match="family of 1"):
        audit_checkpoints([panel((1, 1), (1, 1))], "restart", "continue", family=1)
    with pytest.raises(InputError, match="between 0 and 1"):
        scores = np.full((1, 2, 2), 0.5)
        outcomes(panel_of(scores, actions=("restart", "continue")), "restart")
    with pytest.raises(InputError, match="unknown method"):
        audit_checkpoints([panel((1, 1))], "restart", "continue", method_name="guess")
