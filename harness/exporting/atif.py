"""Writes tries as ATIF trajectories, Harbor's Agent Trajectory Interchange Format (its RFC 0001), one file each."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from harness.collection.recovery import trajectory_file
from harness.exporting.atif_steps import steps
from harness.paths import state_dir
from harness.recorder import read_lines
from harness.store.blobs import Blobs
from harness.store.records import Attempt, AttemptView, TryView
from harness.temporary import temporary_file

#: The oldest version that has all the fields written here.
VERSION = "ATIF-v1.7"
_TOTALS = {
    "prompt_tokens": "total_prompt_tokens", "completion_tokens": "total_completion_tokens",
    "cached_tokens": "total_cached_tokens",
}  # fmt: skip


def write_attempt(
    view: AttemptView, folder: Path, agent: str, redact: Callable[[Any], Any]
) -> tuple[list[Path], list[str]]:
    """Writes every ended try of an attempt into ``folder``; the files, and what was left out with why.

    Args:
        agent: the agent that the attempt's runtime names.
        redact: takes credentials out of JSON data.

    Raises:
        BlobError: a trajectory is torn; its file is not written.
    """
    written, left_out = [], []
    for one in view.tries:
        name = f"{view.attempt.id[:12]} try {one.facts['number']}"
        if one.facts["state"] == "running":
            left_out.append(f"{name}: still running")
            continue
        path = folder / file_name(view.attempt, one.facts["number"])
        found = steps(trajectory_lines(one.facts), language_model=view.attempt.origin != "synthetic")
        first = next(found, None)
        if first is None:
            left_out.append(f"{name}: nothing was recorded of it")
            continue
        with temporary_file(folder) as (stream, fresh):
            _write(stream, view.attempt, one, agent, _chained(first, found), redact)
            stream.flush()
            fresh.chmod(0o644)
            fresh.replace(path)
        written.append(path)
    return written, left_out


def file_name(attempt: Attempt, number: int) -> str:
    """``TASK.RUNTIME.ARM.REPEAT.tryN.ID.json``; the id keeps apart what odd names would not."""
    words = [attempt.task, attempt.runtime, attempt.arm, str(attempt.repeat)]
    plain = [re.sub(r"[^A-Za-z0-9_-]", "_", word)[:60] for word in words]
    return ".".join([*plain, f"try{number}", attempt.id[:12], "json"])


def _chained(first: dict[str, Any], rest: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield first
    yield from rest


def trajectory_lines(facts: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The recorded lines of a try, of which ``facts`` are the columns; raises ``BlobError`` while they are read."""
    if facts["trajectory"]:
        yield from read_lines(_split(Blobs(state_dir() / "blobs").chunks(facts["trajectory"])))
        return
    name = (facts["environment"] or {}).get("trajectory_file")
    path = trajectory_file(name) if name else None
    if path and path.exists():
        with open(path, "rb") as stream:
            yield from read_lines(stream)


def _split(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Lines of a stream that comes in pieces."""
    pending: list[bytes] = []
    for chunk in chunks:
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            yield b"".join([*pending, line, b"\n"])
            pending.clear()
        pending.append(rest)


def _write(
    out: IO[bytes], attempt: Attempt, one: TryView, agent: str, found: Iterable[dict[str, Any]],
    redact: Callable[[Any], Any],
) -> None:  # fmt: skip
    """One JSON document, its steps written as they come."""

    def dumped(value: Any) -> bytes:
        text = json.dumps(redact(value), ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace")

    name = f"{attempt.id}-{one.facts['number']}"
    head = {"schema_version": VERSION, "session_id": name, "trajectory_id": name, "agent": _agent(attempt, one, agent)}
    out.write(dumped(head)[:-1] + b', "steps": [')
    totals: dict[str, int] = {}
    count = 0
    for count, step in enumerate(found, 1):
        for key, total in _TOTALS.items():
            if key in step.get("metrics", {}):
                totals[total] = totals.get(total, 0) + step["metrics"][key]
        out.write((b",\n" if count > 1 else b"\n") + dumped({"step_id": count, **step}))
    final = {**totals, "total_steps": count}
    if one.facts["cost_usd"] is not None:
        final["total_cost_usd"] = one.facts["cost_usd"]
    tail = {"final_metrics": final, "extra": {"restartlab": _extra(attempt, one)}}
    out.write(b"\n], " + dumped(tail)[1:] + b"\n")


def _agent(attempt: Attempt, one: TryView, agent: str) -> dict[str, Any]:
    outcome, environment = one.facts["outcome"] or {}, one.facts["environment"] or {}
    versions = environment.get("packages") or {}
    release = (outcome.get("plugins") or {}).get(f"agents.{agent}")
    name = "mini-swe-agent" if agent == "default" else agent
    version = release or (versions.get("mini-swe-agent") if agent == "default" else environment.get("restartlab"))
    found: dict[str, Any] = {"name": name, "version": str(version or "unknown")}
    if outcome.get("model_returned"):
        found["model_name"] = outcome["model_returned"]
    return found | {"extra": {"runtime": attempt.runtime, "restartlab": environment.get("restartlab")}}


def _extra(attempt: Attempt, one: TryView) -> dict[str, Any]:
    """The try's row of the event table, and the audit's findings."""
    row: dict[str, Any] = {
        "stage": attempt.stage, "digest": attempt.digest, "origin": attempt.origin, "task": attempt.task,
        "runtime": attempt.runtime, "arm": attempt.arm, "repeat": attempt.repeat, "try": one.facts["number"],
        "horizon": attempt.horizon,
    }  # fmt: skip
    columns = ("event", "call", "action", "reason", "calls", "cost_usd", "wall_s", "unpassed_at", "repassed_at")
    row |= {name: one.facts[name] for name in (*columns, "valid", "exclusion")}
    return {**row, "findings": list(one.findings)}
