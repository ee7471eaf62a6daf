"""The scripted planner: answers with declared chances, so that a panel on its outcomes has a known truth."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from random import Random
from statistics import NormalDist
from typing import Literal

from harness.models.plan import call_rng, pick
from harness.protocol.planning import Chances, PlannerModel
from tasks.planning.answer import MARK, write_plan
from tasks.planning.greedy import filled
from tasks.planning.instance import Instance, Plan
from tasks.planning.optimum import optimal_plans, optimum
from tasks.planning.task import PlanningTask
from tasks.planning.wrong import without_a_leaf, wrong_plans

Outcome = Literal["malformed", "infeasible", "optimal", "suboptimal"]


def chances_at(model: PlannerModel, task: str, size: str, action: str) -> Chances:
    """The chances of an answer to ``task`` under ``action``: those of its size, the optimal one moved by the task's own
    draw of ``spread`` (log odds), and at most what the others leave."""
    common = model.chances[action][size]
    digest = hashlib.sha256(f"{task}:{action}".encode()).digest()
    shift = model.spread * NormalDist().inv_cdf((int.from_bytes(digest[:6]) + 0.5) / 2**48)
    if not 0 < common.optimal < 1:
        return common
    moved = 1 / (1 + math.exp(-(math.log(common.optimal / (1 - common.optimal)) + shift)))
    return common.model_copy(update={"optimal": min(moved, 1 - common.infeasible - common.malformed)})


def outcome(rng: Random, chances: Chances) -> Outcome:
    """One draw."""
    draw = rng.random()
    for kind in ("malformed", "infeasible", "optimal"):
        draw -= getattr(chances, kind)
        if draw < 0:
            return kind  # type: ignore[return-value]
    return "suboptimal"


def scripted_reply(model: PlannerModel, task: PlanningTask, action: str, seed: int) -> str:
    """The answer of one episode; one seed makes one answer."""
    rng = call_rng(seed, 1)
    kind = outcome(rng, chances_at(model, task.id, task.size, action))
    return _REPLIES[kind](rng, task.instance)


def oracle_reply(instance: Instance) -> str:
    """An optimal plan."""
    return f"This is the best plan.\n{write_plan(optimum(instance).plan)}"


def nop_reply() -> str:
    """The empty plan."""
    return f"I choose nothing.\n{write_plan(())}"


def _optimal(rng: Random, instance: Instance) -> str:
    plan = pick(rng, list(optimal_plans(instance, 3)))
    return f"I compared the promising combinations; none that fits brings more.\n{write_plan(plan)}"


def _suboptimal(rng: Random, instance: Instance) -> str:
    """A full plan in an order of its own; where that happens to be optimal, one item less."""
    plan: Plan | None = filled(instance, sorted(instance.by_name, key=lambda _: rng.random()))
    assert plan is not None
    if instance.benefit(plan) == optimum(instance).benefit:
        plan = without_a_leaf(instance, plan)
    return f"I filled the budget step by step.\n{write_plan(plan or ())}"


def _infeasible(rng: Random, instance: Instance) -> str:
    wrong = wrong_plans(instance)
    rules = sorted(set(wrong) - {"optimal"})
    # An instance without any such plan is too loose for a mistake: all items at once is the nearest to one.
    plan = wrong[pick(rng, rules)] if rules else frozenset(instance.by_name)
    return f"These go well together.\n{write_plan(plan)}"


def _malformed(rng: Random, instance: Instance) -> str:
    name = pick(rng, list(instance.by_name))
    return pick(
        rng,
        (
            f"I would take {name} first and see what the budget still allows.",
            f"{MARK} {name}, {name}",
            f"{MARK} {name} and the best of the others",
            "",
        ),
    )


_REPLIES: dict[Outcome, Callable[[Random, Instance], str]] = {
    "optimal": _optimal, "suboptimal": _suboptimal, "infeasible": _infeasible, "malformed": _malformed
}
