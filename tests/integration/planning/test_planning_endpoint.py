"""Episodes against a real HTTP endpoint: what is asked, and what each answer or failure comes to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from chat_server import SERVED, ChatServer, Step, completion, error, slow, text, tool
from planning_lab import SIZE, TASKS, planning_stage

from harness.attempt import Lost, Unit, run_try
from harness.paths import PROJECT
from harness.plan import expand
from harness.protocol.schema import Protocol
from harness.recorder import read_trajectory
from harness.store.records import TryResult
from tasks.planning.answer import write_plan
from tasks.planning.optimum import optimum
from tasks.planning.task import PlanningTask
from tasks.registry import load_task

TASK = "planning-tiny-6"
#: After every failed request comes the next one at once.
RETRY = {"max_tries": 2, "wait_seconds_max": 0}


class Episodes:
    """Runs episodes of ``planning-tiny-6`` in this process."""

    def __init__(self, server: ChatServer, root: Path):
        self._server, self._root = server, root
        task = load_task(TASK)
        assert isinstance(task, PlanningTask)
        self.task, self.best = task, write_plan(optimum(task.instance).plan)

    def __call__(self, *steps: Step, arm: str = "retry", limits: dict[str, Any] | None = None) -> TryResult | Lost:
        self._server.script(*steps)
        model = {
            "kind": "litellm", "name": "openai/unheard-of", "api_base": self._server.url, "temperature": 0.5,
            "price": {"input_per_million": 1.0, "output_per_million": 2.0},
        }  # fmt: skip
        data = planning_stage(retry=RETRY, runtimes={"endpoint": {"agent": "direct", "model": model}})
        data |= {"sets": {"all": ["endpoint"]}, "default_set": "all"}
        data["limits"] = data["limits"] | (limits or {})
        protocol = Protocol.model_validate(data)
        (attempt,) = (
            one for one in expand(protocol, "0" * 64, ["endpoint"])
            if (one.task, one.arm, one.repeat) == (TASK, arm, 1)
        )  # fmt: skip
        self.file = self._root / "try.jsonl"
        self.file.unlink(missing_ok=True)
        return run_try(Unit(protocol, attempt, self.task.digest, self.file))

    @property
    def lines(self) -> list[dict[str, Any]]:
        return list(read_trajectory(self.file.read_bytes()))


@pytest.fixture
def episodes(server: ChatServer, warm: None, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Episodes:
    (tmp_path / "tasks" / "planning").mkdir(parents=True)
    cohort = {"sizes": {"tiny": SIZE}, "seeds": {"tiny": list(TASKS.values())}}
    (tmp_path / "tasks" / "planning" / "cohort.yaml").write_text(yaml.safe_dump(cohort))
    monkeypatch.setenv("RESTARTLAB_TASKS", str(tmp_path / "tasks"))
    monkeypatch.setenv("RESTARTLAB_PROTOCOLS", str(PROJECT / "protocols"))
    return Episodes(server, tmp_path)


def noted(result: TryResult | Lost) -> tuple[Any, ...]:
    """(event, call, reason, public, strict, provenance)."""
    assert isinstance(result, TryResult), result
    found = result.outcome["planning"]
    return (result.event, result.call, result.reason, found["public"], found["strict"], found["provenance"])


def test_the_question_has_no_tools_and_the_answer_is_judged(episodes: Episodes, server: ChatServer) -> None:
    result = episodes(text(f"Let me see.\n{episodes.best}"))
    assert noted(result) == ("verified", 1, None, 1.0, 1, "native_verifier_observed")
    (request,) = server.requests
    assert "tools" not in request and request["temperature"] == 0.5
    assert [one["role"] for one in request["messages"]] == ["system", "user", "assistant", "user"]
    assert episodes.task.issue.strip() in request["messages"][1]["content"]
    assert request["messages"][3]["content"] == "Try again."
    assert result.cost_usd == pytest.approx(1000e-6 + 2 * 100e-6)
    assert result.outcome["model_returned"] == SERVED
    kinds = [line["type"] for line in episodes.lines]
    assert kinds == ["start", *["message"] * 4, "call", "message", "verdict", "end"]


def test_replace_asks_in_a_new_conversation(episodes: Episodes, server: ChatServer) -> None:
    result = episodes(text("PLAN: none"), arm="replace")
    assert noted(result) == ("terminal", 1, "suboptimal_plan", 0.0, 0, "native_verifier_observed")
    (request,) = server.requests
    assert [one["role"] for one in request["messages"]] == ["system", "user"]
    assert request["messages"][1]["content"].endswith("\n\nStart anew.")


@pytest.mark.parametrize(
    "step",
    [text("I would choose P01."), text(""), completion({"content": None}), tool(("bash", '{"command": "PLAN: none"}'))],
    ids=["no plan", "empty", "nothing", "a tool that was not offered"],
)
def test_a_reply_without_a_plan_is_a_protocol_failure(episodes: Episodes, step: Step) -> None:
    assert noted(episodes(step)) == ("terminal", 1, "malformed_answer", 0.0, 0, "model_protocol_failure")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (error(400, "maximum context length is 10 tokens", "context_length_exceeded"), "context_overflow"),
        (error(400, "refused", "content_filter"), "refusal"),
    ],
)
def test_a_request_that_is_refused_for_good_is_an_outcome(episodes: Episodes, step: Step, reason: str) -> None:
    assert noted(episodes(step)) == ("terminal", 1, reason, 0.0, 0, "model_protocol_failure")


def test_an_outage_loses_the_try(episodes: Episodes, server: ChatServer) -> None:
    result = episodes(error(500))
    assert isinstance(result, Lost)
    assert (result.exclusion, result.calls) == ("provider_outage", 0)
    assert result.outcome["failed_requests"] == {"server_error": 2}
    recovered = episodes(error(500), text(episodes.best))
    assert noted(recovered)[0] == "verified" and len(server.requests) == 2


def test_a_response_that_takes_too_long_is_cut_off(episodes: Episodes) -> None:
    result = episodes(slow(30, text(episodes.best)), limits={"wall_seconds": 1.0})
    assert noted(result) == ("censored", 0, "wall_limit", 0.0, 0, "invalid_adapter_attempt")
    assert result.calls == 0


def test_a_changed_task_is_not_asked(episodes: Episodes, server: ChatServer) -> None:
    episodes.task = PlanningTask(TASK, "tiny", load_task("planning-tiny-19").instance)  # type: ignore[attr-defined]
    result = episodes(text(episodes.best))
    assert isinstance(result, Lost) and result.exclusion == "task_changed"
    assert server.requests == []
