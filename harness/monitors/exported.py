"""An exported ATIF trajectory as the lines that it was made from, as far as a monitor may see them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def lines_of_atif(document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Lines as of a recorded trajectory, for ``watch.prefixes``. Outputs are what the agent saw, not the raw ones."""
    row = document["extra"]["restartlab"]
    yield {"type": "start", "task": row["task"], "horizon": row["horizon"]}
    for step in document["steps"]:
        extra = step.get("extra") or {}
        if "intervention" in extra:
            yield {"type": "intervention"}
            continue
        if stated := extra.get("statement"):
            yield {"type": "statement", "answer": step.get("message") or "", "charged": stated.get("charged")}
            continue
        if step.get("source") != "agent" or "call" not in extra:
            role = {"agent": "assistant"}.get(step.get("source", ""), step.get("source"))
            yield {"type": "message", "message": {"role": role, "content": step.get("message")}}
            continue
        cost = (step.get("metrics") or {}).get("cost_usd")
        yield {"type": "call", "call": extra["call"], "parsed": extra.get("parsed"), "cost_usd": cost}
        yield {"type": "message", "message": {"role": "assistant", "content": step.get("message")}}
        yield from _actions(step, extra["call"])


def _actions(step: Mapping[str, Any], call: int) -> Iterator[dict[str, Any]]:
    commands = {one["tool_call_id"]: (one.get("arguments") or {}).get("command") for one in step.get("tool_calls", ())}
    for result in (step.get("observation") or {}).get("results", ()):
        facts = result.get("extra") or {}
        if "action" not in facts:
            continue
        yield {
            "type": "action", "call": call, "action": facts["action"], "seconds": facts.get("seconds") or 0.0,
            "returncode": facts.get("returncode"), "command": str(commands.get(result.get("source_call_id")) or ""),
            "output": result.get("content") or "",
        }  # fmt: skip
        verdict = facts.get("verdict") or {}
        if key := verdict.get("key") or verdict.get("layer"):
            yield {"type": "verdict", "key": key}
