"""Judges answers to planning tasks: parses the reply, recomputes the benefit, compares with the proved optimum."""

from __future__ import annotations

import importlib.metadata
import time
from dataclasses import dataclass, field
from typing import Any, Literal

from harness.canonical import digest_json
from harness.errors import InputError
from tasks.interface import Task
from tasks.planning.answer import MalformedAnswer, read_plan
from tasks.planning.instance import RULES, Instance
from tasks.planning.optimum import optimum
from tasks.planning.task import PlanningTask
from verifiers.gate_result import GateResult
from verifiers.place import Place

State = Literal["malformed", "infeasible", "suboptimal", "optimal"]


@dataclass(frozen=True)
class PlanVerdict:
    """What an answer is worth. The planner never learns it."""

    state: State
    plan: tuple[str, ...] | None = None
    """The chosen items, sorted; None for a malformed answer."""
    benefit: int = 0
    """What the plan brings, feasible or not."""
    public: float = 0.0
    """Benefit as a share of the optimum, in [0, 1]; 0 for infeasible and malformed answers."""
    obligations: dict[str, bool | None] = field(default_factory=dict)
    """Per rule, and ``optimal``: whether the plan keeps it; None where there is nothing to judge."""
    detail: str = ""
    """Why it is not optimal."""

    @property
    def strict(self) -> bool:
        """Whether the plan is feasible and no feasible one brings more."""
        return self.state == "optimal"

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return {
            "state": self.state, "plan": None if self.plan is None else list(self.plan), "benefit": self.benefit,
            "public": self.public, "strict": self.strict, "obligations": self.obligations, "detail": self.detail,
        }  # fmt: skip


def judge_answer(instance: Instance, reply: str) -> PlanVerdict:
    """The verdict on a reply; raises ``InfrastructureError`` when the optimum cannot be proved."""
    try:
        plan = read_plan(reply, instance.by_name)
    except MalformedAnswer as malformed:
        nothing = dict.fromkeys((*RULES, "optimal"))
        return PlanVerdict("malformed", obligations=dict(nothing), detail=str(malformed))
    broken, best, benefit = instance.broken(plan), optimum(instance).benefit, instance.benefit(plan)
    obligations: dict[str, bool | None] = {rule: rule not in broken for rule in RULES}
    chosen = tuple(sorted(plan))
    if broken:
        obligations["optimal"] = None
        return PlanVerdict("infeasible", chosen, benefit, 0.0, obligations, "; ".join(broken.values()))
    obligations["optimal"] = benefit == best
    if benefit == best:
        return PlanVerdict("optimal", chosen, benefit, 1.0, obligations)
    return PlanVerdict("suboptimal", chosen, benefit, benefit / best, obligations, f"brings {benefit} of {best}")


def solver_version() -> str:
    """What proves the optimum."""
    return f"scipy {importlib.metadata.version('scipy')}"


def verifier_digest(task: PlanningTask) -> str:
    """SHA-256 over all that a verdict depends on, beside the reply."""
    return digest_json({"rules": 1, "instance": task.instance.digest, "solver": solver_version()})


class Planning:
    """Qualifies planning tasks (a ``VerifierKind``); they have no workspace to set up."""

    def prepare(self, task: Task, sandbox: str) -> Place:
        """Raises ``InputError``: an answer in text is all that a planning task asks for."""
        raise InputError(
            f"{task.id} is a planning task, which has no workspace", mend="name it in a stage of kind planning"
        )

    def known(self, task: Task, sandbox: str) -> tuple[str, str] | None:
        """(release of the solver, digest of the instance)."""
        assert isinstance(task, PlanningTask)
        return solver_version(), task.instance.digest

    def qualify(self, task: Task, sandbox: str) -> GateResult:
        """No-op, reference, wrong plans, other optimal plans, and that the seed makes the instance again."""
        from verifiers.planning_gate import qualify_planning

        assert isinstance(task, PlanningTask)
        began = time.monotonic()
        result = qualify_planning(task, solver_version(), sandbox)
        result.seconds = time.monotonic() - began
        return result
