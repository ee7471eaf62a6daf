"""The shipped stage, what a planning stage must be, the conversations, and the scripted planner's chances."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml
from planning_instances import KNOWN
from planning_lab import MESSAGES, SIZE, planning_stage
from tiny_lab import TinyLab, make_lab, stage_data

from harness.errors import InputError
from harness.paths import PROJECT
from harness.plan import expand
from harness.planning.checkpoints import require_failed_answers
from harness.planning.conversation import conversation
from harness.planning.planner import chances_at, outcome, scripted_reply
from harness.protocol.load import load_tasks, parse_protocol
from harness.protocol.planning import Chances, PlannerModel
from harness.protocol.prompts import Prompts
from harness.protocol.recovery import RecoveryAction
from harness.protocol.runtime import require_credentials, resolve_runtimes
from harness.protocol.schema import Protocol
from harness.yamlfile import load_yaml
from tasks.planning.first import FAULTS
from tasks.planning.source import Planning
from tasks.planning.task import PlanningTask
from verifiers.planning import judge_answer

SHIPPED = PROJECT / "protocols" / "planning24.yaml"
TASK = PlanningTask("planning-known-1", "known", KNOWN)


@pytest.fixture(scope="module")
def planning24() -> Protocol:
    return parse_protocol(load_yaml(SHIPPED), SHIPPED)


def test_the_shipped_stage_has_the_promised_attempts(planning24: Protocol) -> None:
    default = resolve_runtimes(planning24)
    require_credentials(planning24, default, {})
    plan = expand(planning24, "0" * 64, default)
    assert len(plan) == 24 * 3 * 8
    assert {attempt.origin for attempt in plan} == {"synthetic"}
    assert planning24.tasks == Planning().ids()


def test_the_shipped_answers_failed_and_in_known_ways(planning24: Protocol) -> None:
    tasks = load_tasks(planning24)
    require_failed_answers(planning24, tasks)
    assert planning24.planning is not None
    found: dict[str, list[str]] = {}
    for name, answer in planning24.planning.answers.items():
        task = tasks[name]
        assert isinstance(task, PlanningTask)
        kept = judge_answer(task.instance, answer).obligations
        found.setdefault(task.size, []).append(",".join(rule for rule, holds in kept.items() if holds is False))
    assert found == {size: list(FAULTS) for size in ("small", "medium", "large")}


def test_harder_sizes_are_solved_less_often(planning24: Protocol) -> None:
    model = planning24.runtimes["scripted"].model
    assert isinstance(model, PlannerModel)
    for sizes in model.chances.values():
        assert sizes["small"].optimal > sizes["medium"].optimal > sizes["large"].optimal


PLANNER = {"retry": {"tiny": {"optimal": 0.5}}}
BROKEN: dict[str, tuple[dict[str, Any], str, str]] = {
    "no section": ({"planning": None}, "planning", "needs it"),
    "a sandbox": ({"sandbox": {"kind": "bubblewrap", "network": False}}, "sandbox.kind", "needs it"),
    "several calls": ({"horizon": 2}, "horizon", "one response"),
    "other arms": ({"arms": [{"name": "retry"}, {"name": "verify"}]}, "arms", "are not the actions"),
    "an analysis plan": ({"analysis": stage_data()["analysis"]}, "analysis", "about restarts"),
    "an agent with a workspace": (
        {"runtimes": {"scripted": {"agent": "default", "model": {"kind": "local", "name": "x", "temperature": 0.0,
         "max_tokens": 1}}}, "sets": {"scripted": ["scripted"]}}, "runtimes.scripted.agent", "needs a workspace",
    ),
    "an action without chances": (
        {"runtimes": {"scripted": {"agent": "scripted", "model": {"kind": "planner", "chances": PLANNER}}},
         "sets": {"scripted": ["scripted"]}}, "runtimes.scripted.model.chances", "nothing of the action 'verify'",
    ),
    "a scripted agent of repairs": (
        {"runtimes": {"scripted": stage_data()["runtimes"]["scripted"]}, "sets": {"scripted": ["scripted"]}},  # type: ignore[index]
        "runtimes.scripted.model", "takes planner, not scripted",
    ),
    "chances above one": (
        {"runtimes": {"scripted": {"agent": "scripted", "model": {"kind": "planner", "chances": {
            name: {"tiny": {"optimal": 0.9, "malformed": 0.2}} for name in MESSAGES}}}},
         "sets": {"scripted": ["scripted"]}}, "runtimes.scripted.model.chances.retry.tiny", "sum to 1.1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("changes", "key", "what"), BROKEN.values(), ids=BROKEN)
def test_what_is_no_planning_stage(changes: dict[str, Any], key: str, what: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_protocol(planning_stage() | changes, Path("tinyplan.yaml"))
    assert (caught.value.key, what in str(caught.value)) == (key, True), str(caught.value)


@pytest.mark.parametrize(
    ("change", "what"),
    [({"planning-tiny-6": None}, "has no first answer"), ({"planning-x-1": "PLAN: P01"}, "is not a task")],
)
def test_every_task_has_one_answer(change: dict[str, Any], what: str) -> None:
    data = planning_stage()
    data["planning"]["answers"] = {k: v for k, v in (data["planning"]["answers"] | change).items() if v}
    with pytest.raises(InputError, match=what):
        parse_protocol(data, Path("tinyplan.yaml"))


@pytest.mark.parametrize("planner", [False, True], ids=["direct", "planner"])
def test_what_only_planning_stages_have(planner: bool) -> None:
    model = {"kind": "planner", "chances": PLANNER} if planner else {"kind": "litellm", "name": "openai/x"}
    runtimes = {"scripted": {"agent": "scripted" if planner else "direct", "model": model}}
    with pytest.raises(InputError, match=r"planning tasks only|takes scripted, not planner"):
        parse_protocol(stage_data(runtimes=runtimes, sets={"scripted": ["scripted"]}), Path("tiny.yaml"))
    with pytest.raises(InputError, match="has none"):
        parse_protocol(stage_data(sandbox={"kind": "none", "network": False}), Path("tiny.yaml"))


def test_stages_and_tasks_are_of_one_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab: TinyLab = make_lab(tmp_path, tmp_path / "cache")
    (lab.root / "tasks" / "planning").mkdir()
    cohort = {"sizes": {"tiny": SIZE}, "seeds": {"tiny": [6, 19]}}
    (lab.root / "tasks" / "planning" / "cohort.yaml").write_text(yaml.safe_dump(cohort))
    monkeypatch.setenv("RESTARTLAB_TASKS", str(lab.root / "tasks"))
    path = Path("tiny.yaml")
    with pytest.raises(InputError, match="planning-tiny-6 is of kind planning, the stage of kind collect"):
        load_tasks(parse_protocol(stage_data(tasks=["planning-tiny-6"]), path))
    data = planning_stage()
    data["runtimes"]["scripted"]["model"]["chances"] = {
        name: {"huge": {"optimal": 0.5}} for name in MESSAGES
    }
    with pytest.raises(InputError, match="nothing of the size 'tiny'"):
        load_tasks(parse_protocol(data, Path("tinyplan.yaml")))


@pytest.mark.parametrize(("answer", "what"), [("PLAN: A, C", "is optimal already"), ("A, C", "holds no plan")])
def test_a_checkpoint_is_a_plan_that_failed(answer: str, what: str) -> None:
    data = planning_stage(tasks=["planning-known-1"])
    data["planning"]["answers"] = {"planning-known-1": answer}
    with pytest.raises(InputError, match=what):
        require_failed_answers(parse_protocol(data, Path("tinyplan.yaml")), {"planning-known-1": TASK})


def told(workspace: str, context: str, message: str | None = "Go.") -> list[tuple[str, str]]:
    action = RecoveryAction(name="x", workspace=workspace, context=context, message=message)  # type: ignore[arg-type]
    prompts = Prompts("You plan.", "<{{ task }}>", "", "", "", "")
    return [(m["role"], m["content"]) for m in conversation(prompts, TASK, "Hm.\nPLAN: B", action)]


def test_actions_as_conversations() -> None:
    system, question = ("system", "You plan."), f"<{TASK.issue}>"
    assert told("keep", "keep") == [system, ("user", question), ("assistant", "Hm.\nPLAN: B"), ("user", "Go.")]
    assert told("reset", "reset") == told("reset", "keep") == [system, ("user", f"{question}\n\nGo.")]
    assert told("keep", "reset") == [system, ("user", f"{question}\n\nYour plan so far is\n\nPLAN: B\n\nGo.")]
    assert told("keep", "summary") == told("keep", "reset")
    assert told("reset", "reset", None) == [system, ("user", question)]


def test_replies_come_as_declared() -> None:
    """Ten thousand draws against the chances, at five standard deviations; and every reply is what it was drawn as."""
    chances = Chances(optimal=0.3, infeasible=0.2, malformed=0.1)
    rng = Random(7)
    counts = Counter(outcome(rng, chances) for _ in range(10_000))
    for kind, chance in {"optimal": 0.3, "infeasible": 0.2, "malformed": 0.1, "suboptimal": 0.4}.items():
        assert abs(counts[kind] - 10_000 * chance) < 5 * (10_000 * chance * (1 - chance)) ** 0.5
        sure = {name: float(name == kind) for name in ("optimal", "infeasible", "malformed")}
        model = PlannerModel(kind="planner", chances={"retry": {"known": Chances(**sure)}})
        replies = {scripted_reply(model, TASK, "retry", seed) for seed in range(30)}
        assert len(replies) > 1
        assert {judge_answer(KNOWN, reply).state for reply in replies} == {kind}
        assert scripted_reply(model, TASK, "retry", 3) == scripted_reply(model, TASK, "retry", 3)


def test_spread_moves_tasks_apart_around_the_declared_chance() -> None:
    common = Chances(optimal=0.3, infeasible=0.2, malformed=0.1)
    model = PlannerModel(kind="planner", spread=1.0, chances={"retry": {"s": common}, "verify": {"s": common}})
    moved = [chances_at(model, f"planning-s-{seed}", "s", "retry") for seed in range(400)]
    assert len({one.optimal for one in moved}) > 350
    assert all(0 < one.optimal < 0.7001 and (one.infeasible, one.malformed) == (0.2, 0.1) for one in moved)
    median = sorted(one.optimal for one in moved)[200]
    assert 0.24 < median < 0.36
    assert chances_at(model, "planning-s-1", "s", "retry") != chances_at(model, "planning-s-1", "s", "verify")
    assert chances_at(model.model_copy(update={"spread": 0.0}), "t", "s", "retry").optimal == pytest.approx(0.3)
    never = PlannerModel(kind="planner", spread=9.0, chances={"retry": {"s": Chances(optimal=0.0)}})
    assert chances_at(never, "t", "s", "retry").optimal == 0
