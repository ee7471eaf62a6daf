"""The gate of a planning task: does its verifier tell the best plans from all others?"""

from __future__ import annotations

from tasks.planning.answer import write_plan
from tasks.planning.instance import Plan
from tasks.planning.optimum import optimal_plans, optimum
from tasks.planning.task import PlanningTask
from tasks.planning.wrong import wrong_plans
from tasks.registry import load_task
from verifiers.gate_result import GateResult
from verifiers.planning import PlanVerdict, judge_answer

REFERENCE_REPEATS = 3
#: Other optimal plans that are tried, as far as there are some.
ALTERNATIVES = 4


def qualify_planning(task: PlanningTask, solver: str, sandbox: str) -> GateResult:
    """Runs all checks; raises ``InfrastructureError`` when the optimum cannot be proved.

    Base and no-op are the two ways to do nothing: the empty plan, and a reply without a plan.
    """
    instance = task.instance
    result = GateResult(
        task=task.id, task_digest=task.digest, family=task.family, python=solver, base_digest=instance.digest,
        sandbox=sandbox, base=False, nop=False, reference=False, flake_rate=1.0,
        reset=load_task(task.id).digest == task.digest,
    )  # fmt: skip

    def judge(label: str, reply: str) -> PlanVerdict:
        verdict = judge_answer(instance, reply)
        result.verdicts[label] = {"state": verdict.state, "detail": verdict.detail, "public": verdict.public}
        return verdict

    def answer(label: str, plan: Plan) -> PlanVerdict:
        return judge(label, write_plan(plan))

    result.base = not answer("the empty plan", frozenset()).strict
    result.nop = judge("no answer", "").state == "malformed"
    best = optimum(instance).plan
    passes = [answer(f"reference {n + 1}", best).strict for n in range(REFERENCE_REPEATS)]
    result.reference, result.flake_rate = all(passes), 1 - sum(passes) / len(passes)
    wrong = wrong_plans(instance)
    for rule in ("budget", "requirement", "conflict", "optimal"):
        # A rule that no plan breaks alone leaves untold whether it is judged at all.
        verdict = answer(f"mutation {rule}", wrong[rule]) if rule in wrong else None
        broken = [] if verdict is None else [one for one, kept in verdict.obligations.items() if kept is False]
        rejected = verdict is not None and not verdict.strict and broken == [rule]
        result.mutations.append({"name": f"breaks-{rule}", "obligation": rule, "rejected": rejected})
    for number, plan in enumerate(list(optimal_plans(instance, ALTERNATIVES + 1))[1:], 1):
        accepted = answer(f"alternative {number}", plan).strict
        result.alternatives.append({"name": f"optimal-{number}", "accepted": accepted})
    return result
