"""The JSON document of ``restartlab replay``: fractions, unrounded; groups are one runtime and arm each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from analysis.bootstrap import REPLICATES, SEED
from analysis.contrasts import Contrast, policy_contrasts
from analysis.groups import Group
from analysis.replay import replay
from analysis.schedules import Schedule, fixed
from analysis.selection import best_cutoffs, leave_one_task_out, macro_values


@dataclass(frozen=True)
class ReplayPlan:
    """What to replay: one schedule, or ``fixed`` at several cutoffs.

    Args:
        against: the policy that contrasts subtract; None for the longest episodes that the data support, a fixed cutoff
            at the smaller of the budget and the group's smallest horizon.
    """

    budget: int
    schedules: tuple[Schedule, ...]
    release: bool
    against: Schedule | None = None
    replicates: int = REPLICATES
    seed: int = SEED

    @property
    def cutoffs(self) -> list[int | None]:
        """Cutoff of each schedule; None but for ``fixed``."""
        return [one.params.get("cutoff") for one in self.schedules]

    def baseline(self, group: Group) -> Schedule:
        """What the group's contrasts subtract."""
        longest = min(self.budget, *(int(cell.horizon.min()) for cell in group.cells))
        return self.against or fixed(longest, release=self.release)


def replay_document(groups: Sequence[Group], plan: ReplayPlan) -> dict[str, Any]:
    """Values per task, macro values, best cutoffs, leave-one-task-out, contrasts.

    Raises:
        NotIdentified: the data do not support a schedule.
    """
    first = plan.schedules[0]
    params = {"cutoffs": plan.cutoffs} if first.kind == "fixed" else dict(first.params)
    document: dict[str, Any] = {
        "budget": plan.budget,
        "schedule": {"kind": first.kind, "params": params},
        "release": first.release,
        "tasks": [], "macro": [], "best": [], "leave_one_task_out": [], "contrasts": [],
    }  # fmt: skip
    for group in groups:
        _add(document, group, plan)
    return document


def _add(document: dict[str, Any], group: Group, plan: ReplayPlan) -> None:
    name = {"runtime": group.runtime, "arm": group.arm}
    values = replay(group.cells, plan.schedules, plan.budget)
    macro = macro_values(values)
    for cell, row in zip(group.cells, values, strict=True):
        key = cell.key
        here = {"stage": key.stage, "arm": key.arm, "origin": key.origin, "task": key.task, "runtime": key.runtime}
        document["tasks"] += [
            here | {"cutoff": cutoff, "value": float(value)} for cutoff, value in zip(plan.cutoffs, row, strict=True)
        ]
    document["macro"] += [
        name | {"cutoff": cutoff, "value": float(value)} for cutoff, value in zip(plan.cutoffs, macro, strict=True)
    ]
    baseline = plan.baseline(group)
    if plan.schedules[0].kind == "fixed":
        _add_choice(document, group, plan, values, baseline)
    wanted = [one for one in plan.schedules if one != baseline]
    against = {"kind": baseline.kind, "params": dict(baseline.params)}
    found = policy_contrasts(group.cells, wanted, baseline, plan.budget, replicates=plan.replicates, seed=plan.seed)
    document["contrasts"] += [
        name | {"cutoff": one.params.get("cutoff"), "against": against} | contrast_values(contrast)
        for one, contrast in zip(wanted, found, strict=True)
    ]


def _add_choice(
    document: dict[str, Any], group: Group, plan: ReplayPlan, values: NDArray[np.float64], baseline: Schedule
) -> None:
    name = {"runtime": group.runtime, "arm": group.arm}
    cutoffs = [int(one.params["cutoff"]) for one in plan.schedules]
    macro = macro_values(values)
    document["best"].append(name | {"cutoffs": best_cutoffs(macro, cutoffs), "value": float(macro.max())})
    if len(group.tasks) < 2:
        return
    left_out = leave_one_task_out(values, group.tasks, cutoffs)
    reference = float(macro_values(replay(group.cells, [baseline], plan.budget))[0])
    document["leave_one_task_out"].append(
        name
        | {
            "value": left_out.value,
            "difference": left_out.value - reference,
            "against": {"kind": baseline.kind, "params": dict(baseline.params)},
            "folds": [
                {"stage": cell.key.stage, **fold._asdict()}
                for cell, fold in zip(group.cells, left_out.folds, strict=True)
            ],
        }
    )


def contrast_values(contrast: Contrast) -> dict[str, Any]:
    """A contrast as JSON: difference, percentile interval, sign fractions, and how its ends were computed."""
    ends = contrast.interval
    return {
        "difference": contrast.difference,
        "interval": [ends.low, ends.high],
        "positive": ends.positive,
        "negative": ends.negative,
        "ends": "exact" if ends.seed is None else "monte carlo",
        "replicates": ends.replicates,
        "seed": ends.seed,
    }
