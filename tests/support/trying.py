"""Runs one try of one attempt in this process, with an endpoint as its model."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from chat_server import ChatServer, Step
from tiny_lab import repair, stage_data

from harness.attempt import Lost, Unit, run_try
from harness.models.patches import heredoc
from harness.plan import expand
from harness.protocol.schema import Protocol
from harness.recorder import read_trajectory
from harness.store.records import TryResult
from tasks.registry import load_task


def applying(patch: str) -> str:
    """A command that takes back whatever was changed and applies ``patch``."""
    return "git checkout -q -- . && " + heredoc("git apply --whitespace=nowarn", patch, "PATCH")


#: Commands on the tiny task: its reference, a repair that is wrong, one that breaks the import, none.
RIGHT, WRONG, BROKEN = (applying(repair(body)) for body in ("2 * n", "0", "("))
BACK = "git checkout -q -- ."


def endpoint_protocol(
    url: str,
    *,
    task: str = "tiny-1",
    horizon: int = 8,
    after_pass: str = "stop",
    on_unverified_submit: str = "terminal",
    max_tries: int = 2,
    retry: dict[str, Any] | None = None,
    limits: dict[str, Any] | None = None,
    model: dict[str, Any] | None = None,
) -> Protocol:
    """A stage with the runtime ``endpoint``; dictionaries add to their sections. Retries come at once."""
    settings = {"kind": "litellm", "name": "openai/unheard-of", "api_base": url, **(model or {})}
    data = stage_data(
        tasks=[task], horizon=horizon,
        verification={"after_pass": after_pass, "on_unverified_submit": on_unverified_submit},
        retry={"max_tries": max_tries, "wait_seconds_max": 0, **(retry or {})},
        runtimes={"endpoint": {"agent": "default", "model": settings}}, sets={"all": ["endpoint"]}, default_set="all",
    )  # fmt: skip
    data["limits"] = {**data["limits"], **(limits or {})}  # type: ignore[dict-item]
    return Protocol.model_validate(data)


@dataclass
class Tried:
    """What became of a try."""

    result: TryResult | Lost
    lines: list[dict[str, Any]]
    requests: list[dict[str, Any]] = field(default_factory=list)

    @property
    def end(self) -> tuple[str, int, str | None]:
        """(event, call, reason)."""
        assert isinstance(self.result, TryResult), self.result
        return self.result.event, self.result.call, self.result.reason

    @property
    def lost(self) -> tuple[str, int]:
        """(exclusion, calls)."""
        assert isinstance(self.result, Lost), self.result
        return self.result.exclusion, self.result.calls

    @property
    def verdicts(self) -> list[tuple[int, int, str | None]]:
        """(call, action, state) of every action."""
        return [(one.call, one.action, one.verdict_state) for one in self.result.actions]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["type"] == kind]


def make_unit(protocol: Protocol, trajectory: Path, **changes: Any) -> Unit:
    """The first attempt of a protocol with the runtime ``endpoint``, unless the changes say otherwise."""
    attempt = changes.pop("attempt", None) or expand(protocol, "0" * 64, ["endpoint"])[0]
    facts = {"task_digest": load_task(attempt.task).digest, "trajectory": trajectory}
    return Unit(protocol, attempt, **{**facts, **changes})


@dataclass
class Trier:
    """Tries attempts against a scripted endpoint; the environment names tasks, cache and state."""

    server: ChatServer
    folder: Path

    def __call__(self, *steps: Step, changed: dict[str, Any] | None = None, **settings: Any) -> Tried:
        """One try that is answered with ``steps``; settings go to ``endpoint_protocol``, ``changed`` to the unit."""
        self.server.script(*steps)
        trajectory = self.folder / f"{len(list(self.folder.glob('*.jsonl')))}.jsonl"
        result = run_try(make_unit(endpoint_protocol(self.server.url, **settings), trajectory, **(changed or {})))
        return Tried(result, list(read_trajectory(trajectory.read_bytes())), self.server.requests)


if __name__ == "__main__":  # a try in a process of its own, to be killed: URL TRAJECTORY
    print(json.dumps(str(run_try(make_unit(endpoint_protocol(sys.argv[1]), Path(sys.argv[2]))))))
