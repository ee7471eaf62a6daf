"""The decision audit of a checkpoint stage: from each frozen state, is restarting better than continuing, or unknown?

The arms are independent: R draws of restart and R of continue from one state, and no attempt is in both. Methods that
pair take draw r of the one with draw r of the other. The family is the stage's checkpoints, fixed before outcomes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.arms import Arms, Design, Pairs
from analysis.certificates import CONTINUE, RESTART, Method, check, method
from analysis.errors import InputError
from analysis.readout.panel import Panel

_DECISIONS = {RESTART: "restart", CONTINUE: "continue", 0: "abstain"}


@dataclass(frozen=True)
class Decision:
    """One checkpoint of one runtime: ``x`` of ``n`` restarts and ``y`` of ``n`` continuations passed.

    The intervals are those that the method compares; None for methods that test the sign only.
    """

    stage: str
    runtime: str
    origin: str
    task: str
    checkpoint: str
    key: str
    n: int
    x: int
    y: int
    p: float
    q: float
    restart_interval: tuple[float, float] | None
    continue_interval: tuple[float, float] | None
    decision: str


@dataclass(frozen=True)
class Opportunity:
    """Changes of mean success against continuing from every checkpoint of a runtime, plug-in fractions.

    ``oracle``: the better action per checkpoint. ``perfect_alarm``: restart exactly the draws that would fail.
    """

    stage: str
    runtime: str
    checkpoints: int
    restart: float
    continue_: float
    restart_minus_continue: float
    oracle: float
    perfect_alarm: float


@dataclass(frozen=True)
class CheckpointAudit:
    """All decisions of one family. ``attainable_n``: draws an arm below which nothing whatever can be certified."""

    restart: str
    continue_: str
    alpha: float
    family: int
    method: str
    design: str
    plan: str
    attainable_n: int
    decisions: tuple[Decision, ...]
    summary: tuple[Opportunity, ...]

    def count(self, decision: str) -> int:
        """How many checkpoints have this decision: restart, continue or abstain."""
        return sum(one.decision == decision for one in self.decisions)


def audit_checkpoints(
    panels: Sequence[Panel],
    restart: str,
    continue_: str,
    *,
    alpha: float = 0.05,
    method_name: str = "fisher",
    family: int | None = None,
    plan: str = "exploratory",
) -> CheckpointAudit:
    """Audits every checkpoint of every panel as one family.

    Args:
        restart, continue_: names of the two actions.
        family: the number of comparisons, if it was fixed larger than the checkpoints.
        plan: what the audit is called: ``protocol`` or ``exploratory``.

    Raises:
        InputError: an unknown action or method, outcomes that are neither 0 nor 1, or a family that is too small.
    """
    used = method(method_name)
    design = Design.PAIRS if Design.INDEPENDENT in used.WHY_NOT else Design.INDEPENDENT
    check(used, design)
    least = sum(len(panel.checkpoints) for panel in panels)
    if family is not None and family < least:
        what = f"a family of {family} comparisons is smaller than the {least} that are made"
        raise InputError(what, file="--family", mend=f"state at least {least}")
    size = family or least
    decisions: list[Decision] = []
    summary = []
    for panel in panels:
        fresh, cont = (outcomes(panel, name) for name in (restart, continue_))
        decisions += _decided(panel, arms_of(fresh, cont, design), used, alpha, size)
        summary.append(_opportunity(panel, fresh, cont))
    return CheckpointAudit(
        restart, continue_, alpha, size, used.NAME, design.value, plan, used.attainable_n(alpha, size),
        tuple(decisions), tuple(summary),
    )  # fmt: skip


def outcomes(panel: Panel, action: str) -> NDArray[np.bool_]:
    """Which draws of an action passed, shape (checkpoints, repeats).

    Raises:
        InputError: the panel has no such action, or a score that is neither 0 nor 1.
    """
    if action not in panel.actions:
        what = f"{action!r} is not an action of {panel.name}"
        raise InputError(what, file="--restart, --continue", mend=f"actions: {', '.join(panel.actions)}")
    scores = panel.evaluate[:, panel.actions.index(action)]
    if not np.isin(scores, (0.0, 1.0)).all():
        what = f"{panel.name} holds scores between 0 and 1, and a certificate is about success"
        raise InputError(what, mend="audit a stage whose verifier says pass or fail; restartlab readout takes scores")
    return scores == 1


def arms_of(fresh: NDArray[np.bool_], cont: NDArray[np.bool_], design: Design) -> Arms:
    """The arms of k checkpoints from outcomes of shape (k, repeats), independent or paired by the draw's number."""
    k, n = fresh.shape
    pairs = None
    if design == Design.PAIRS:
        difference = (fresh.astype(np.int8) - cont.astype(np.int8)).ravel()
        pairs = Pairs(difference, np.arange(k + 1, dtype=np.int64) * n)
    size = np.full(k, n, dtype=np.int64)
    return Arms(design, fresh.sum(axis=1), size, cont.sum(axis=1), size, pairs)


def _decided(panel: Panel, arms: Arms, used: Method, alpha: float, family: int) -> list[Decision]:
    ruling = used.decide(arms, alpha, family)
    tasks, keys = panel.tasks or ("",) * arms.n.size, panel.keys or ("",) * arms.n.size
    rows = []
    for i, name in enumerate(panel.checkpoints):
        n, x, y = int(arms.n[i]), int(arms.x[i]), int(arms.y[i])
        ends = _ends(ruling.restart_interval, i), _ends(ruling.continue_interval, i)
        place = panel.stage, panel.runtime, panel.origin, tasks[i], name, keys[i]
        rows.append(Decision(*place, n, x, y, x / n, y / n, *ends, _DECISIONS[int(ruling.decision[i])]))
    return rows


def _ends(interval: Any, i: int) -> tuple[float, float] | None:
    return None if interval is None else (float(interval.low[i]), float(interval.high[i]))


def _opportunity(panel: Panel, fresh: NDArray[np.bool_], cont: NDArray[np.bool_]) -> Opportunity:
    p, q = fresh.mean(axis=1), cont.mean(axis=1)
    return Opportunity(
        panel.stage, panel.runtime, len(p), float(p.mean()), float(q.mean()), float((p - q).mean()),
        float(np.maximum(p - q, 0).mean()), float(((1 - q) * p).mean()),
    )  # fmt: skip
