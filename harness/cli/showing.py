"""Renders one attempt's tries and trajectory as lines of text; whatever the agent wrote is made harmless."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.cli.text import harmless, money, one_line
from harness.collection.recovery import trajectory_file
from harness.errors import RestartlabError
from harness.paths import state_dir
from harness.recorder import decode_output, read_trajectory
from harness.store.blobs import Blobs
from harness.store.records import AttemptView, TryView


def attempt_lines(view: AttemptView, lines_of_output: int | None) -> Iterator[str]:
    """The attempt, then each of its tries.

    Args:
        lines_of_output: lines shown of each output; None for all.
    """
    attempt = view.attempt
    yield f"attempt {attempt.id}"
    yield f"  stage {attempt.stage}, task {attempt.task}, runtime {attempt.runtime} ({attempt.origin})"
    yield f"  arm {attempt.arm}, repeat {attempt.repeat}, horizon {attempt.horizon} calls"
    if not view.tries:
        yield "  no try yet"
    for number, one in enumerate(view.tries, 1):
        yield ""
        yield from _try_lines(number, one, lines_of_output)


def _try_lines(number: int, one: TryView, lines_of_output: int | None) -> Iterator[str]:
    facts = one.facts
    if facts["state"] == "running":
        yield f"try {number}: running since {facts['started_at']}"
    else:
        ended = f"{facts['event']} at call {facts['call']}" + (f" ({facts['reason']})" if facts["reason"] else "")
        counted = "counted" if facts["valid"] else f"excluded: {facts['exclusion']}"
        wall = "unknown time" if facts["wall_s"] is None else f"{facts['wall_s']:.1f} s"
        cost = money(facts["cost_usd"], int(facts["cost_usd"] is None))
        yield f"try {number}: {ended}; {counted}; {facts['calls']} calls, {wall}, {cost}"
    detail = (facts.get("outcome") or {}).get("detail")
    if detail:
        yield f"  why: {one_line(str(detail), 300)}"
    if second := (facts.get("outcome") or {}).get("second_verdict"):
        agrees = {True: "agrees", False: "DIFFERS", None: "could not judge"}[second["agrees"]]
        detail = one_line(second["detail"], 200)
        yield f"  second verdict: {second['by']}: {second['state']} ({agrees}) {detail}".rstrip()
    for finding in one.findings:
        yield f"  audit: {finding['kind']} {harmless(finding['path'])} {finding.get('detail', '')}".rstrip()
    try:
        data = _trajectory(facts)
    except RestartlabError as error:
        yield f"  trajectory: {error}"
        return
    passed = (facts["call"], facts["action"]) if facts["event"] == "verified" else None
    yield from _trajectory_lines(data, lines_of_output, passed)


def _trajectory(facts: Any) -> bytes:
    if facts["trajectory"]:
        return Blobs(state_dir() / "blobs").get(facts["trajectory"])
    name = facts["environment"].get("trajectory_file")  # an imported try has none
    path = trajectory_file(name) if name else None
    return path.read_bytes() if path and path.exists() else b""


def _trajectory_lines(data: bytes, lines_of_output: int | None, passed: tuple[int, int] | None) -> Iterator[str]:
    for line in read_trajectory(data):
        kind = line["type"]
        if kind == "call":
            cost = "" if not line["cost_usd"] else f"  ${line['cost_usd']:.4f}"
            yield f"  -- call {line['call']}{'' if line['parsed'] else '  (malformed response)'}{cost}"
        elif kind == "message" and line["message"].get("role") == "assistant" and line["message"].get("content"):
            yield f"     {one_line(str(line['message']['content']), 300)}"
        elif kind == "message" and (said := _malformed_reply(line["message"])):
            yield f"     {one_line(said, 300)}"
        elif kind == "action":
            yield from _action_lines(line, lines_of_output)
        elif kind == "verdict":
            mark = "   <== first pass" if passed == (line["call"], line["action"]) else ""
            known = " (known state)" if line["cached"] else ""
            why = f": {one_line(line['detail'], 120)}" if line.get("detail") else ""
            yield f"     verdict: {line['state']}{known}{why}{mark}"
        elif kind == "intervention":
            instead = f", in place of {line['event']}" if line["event"] else ""
            what = f"{line['action']} (workspace {line['workspace']}, context {line['context']}){instead}"
            yield f"  -- intervention after call {line['call']}: {what}"
        elif kind in ("end", "lost"):
            yield f"  -- {kind}: {one_line(str(line.get('event') or line.get('reason')), 80)}"


def _malformed_reply(message: dict[str, Any]) -> str:
    """What the model said in a reply that did not parse; empty for other messages."""
    extra = message.get("extra") or {}
    if extra.get("interrupt_type") != "FormatError":
        return ""
    try:
        reply = extra["response"]["choices"][0]["message"]
    except (KeyError, IndexError, TypeError):
        return str(extra.get("response", ""))
    calls = [str(call.get("function")) for call in reply.get("tool_calls") or []]
    return " ".join([str(reply.get("content") or ""), *calls]).strip()


def _action_lines(line: dict[str, Any], lines_of_output: int | None) -> Iterator[str]:
    command = harmless(line["command"]).rstrip("\n").split("\n")
    shown = command if lines_of_output is None else command[:lines_of_output]
    yield f"     $ {shown[0]}"
    for more in shown[1:]:
        yield f"       {more}"
    if len(shown) < len(command):
        yield f"       ... {len(command) - len(shown)} more lines"
    output = harmless(decode_output(line).decode("utf-8", "replace")).rstrip("\n")
    lines = output.split("\n") if output else []
    for text in lines if lines_of_output is None else lines[:lines_of_output]:
        yield f"     | {text}"
    if lines_of_output is not None and len(lines) > lines_of_output:
        yield f"     | ... {len(lines) - lines_of_output} more lines (--full)"
    marks = [f"limit on {line['limit']}"] if line["limit"] else [f"returned {line['returncode']}"]
    if line["background_left"]:
        marks.append("background processes left")
    if line["truncated_bytes"]:
        marks.append(f"{line['truncated_bytes']} bytes dropped")
    yield f"     = {', '.join(marks)} after {line['seconds']:.2f} s"
