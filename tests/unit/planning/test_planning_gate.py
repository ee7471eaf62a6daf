"""The gate of planning tasks: what a right verifier makes of them, and that a wrong one does not pass."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import InputError
from tasks.planning.source import Planning as Tasks
from tasks.planning.task import PlanningTask
from tasks.registry import load_task
from verifiers import planning_gate
from verifiers.gate_result import GateResult
from verifiers.kinds import gate_task, known_place, prepare_place
from verifiers.planning import PlanVerdict, judge_answer


def qualified(result: GateResult) -> bool:
    return result.qualified and not result.complaints()


@pytest.mark.parametrize("task", Tasks().ids())
def test_every_task_of_the_cohort_is_qualified(task: str) -> None:
    result = gate_task(task, "none")
    assert qualified(result)
    assert {m["name"]: m["rejected"] for m in result.mutations} == {
        f"breaks-{rule}": True for rule in ("budget", "requirement", "conflict", "optimal")
    }
    assert (result.python, result.base_digest) == known_place(load_task(task), "none")


def test_some_tasks_have_other_optimal_plans_and_they_are_accepted() -> None:
    found = gate_task("planning-small-1", "none").alternatives
    assert found == [{"name": "optimal-1", "accepted": True}]


def judging(monkeypatch: pytest.MonkeyPatch, wrong: Any) -> GateResult:
    """The gate of a task whose verifier says ``wrong(verdict)`` of every answer."""
    monkeypatch.setattr(planning_gate, "judge_answer", lambda *given: wrong(judge_answer(*given)))
    return gate_task("planning-small-1", "none")


def test_a_verifier_that_passes_all_or_nothing_is_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even an optimal plan passes; then, every plan does."""
    none = judging(monkeypatch, lambda verdict: PlanVerdict("suboptimal", verdict.plan))
    assert not none.reference and not none.qualified and none.flake_rate == 1
    every = judging(monkeypatch, lambda verdict: PlanVerdict("optimal", verdict.plan))
    assert not every.base and not every.qualified
    assert not any(m["rejected"] for m in every.mutations)


@pytest.mark.parametrize("rule", ["budget", "requirement", "conflict"])
def test_a_verifier_that_forgets_one_rule_is_found_out(monkeypatch: pytest.MonkeyPatch, rule: str) -> None:
    def forgetful(verdict: PlanVerdict) -> PlanVerdict:
        broken = {one for one, kept in verdict.obligations.items() if kept is False}
        return PlanVerdict("optimal", verdict.plan, public=1.0) if broken == {rule} else verdict

    result = judging(monkeypatch, forgetful)
    assert [m["name"] for m in result.mutations if not m["rejected"]] == [f"breaks-{rule}"]


def test_a_planning_task_has_no_workspace() -> None:
    with pytest.raises(InputError, match="no workspace"):
        prepare_place(load_task("planning-small-1"))


def test_tasks_are_told_apart_by_their_parts() -> None:
    one, other = load_task("planning-small-1"), load_task("planning-small-3")
    assert isinstance(one, PlanningTask) and (one.kind, one.family) == ("planning", "small")
    assert one.digest == load_task("planning-small-1").digest != other.digest
    assert one.verdict_digest != other.verdict_digest
    assert one.issue.count("\n| P") == 10
