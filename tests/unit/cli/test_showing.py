"""``show``: an attempt as lines of text, whatever its agent wrote."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

from harness.cli.showing import attempt_lines
from harness.recorder import Recorder
from harness.sandbox.interface import Result
from harness.store.blobs import Blobs
from harness.store.records import Attempt, AttemptView, TryView
from verifiers.verdict import Verdict

EVIL = "\x1b]52;c;cm0=\x07\x9b2J\u202e\rdone\b"
SHOWN = "\\x1b]52;c;cm0=\\x07\\x9b2J\\u202e\\x0ddone\\x08"


def trajectory(path: Path) -> bytes:
    with Recorder(path) as recorder:
        recorder.write("start", attempt="a")
        recorder.write("message", message={"role": "user", "content": "the issue"})
        recorder.write("call", call=1, parsed=False, cost_usd=None)
        recorder.write("call", call=2, parsed=True, cost_usd=0.0125)
        recorder.write("message", message={"role": "assistant", "content": f"I think\n{EVIL}"})
        output = "\n".join(f"line {n}" for n in range(1, 6)).encode() + b"\xff" + EVIL.encode() + b"\n"
        result = Result(0, output, 0.5, truncated_bytes=9, background_left=True)
        recorder.action(2, 0, f"cat <<'X'\n{EVIL}\nX\n", result)
        recorder.verdict(2, 0, "a" * 64, Verdict("fail", "b" * 64, detail=f"failed: {EVIL}", cached=True))
        recorder.action(2, 1, "sleep 9", Result(-1, b"", 60.0, timed_out=True, limit="seconds"))
        recorder.verdict(2, 1, "a" * 64, Verdict("pass", "b" * 64))
        recorder.write("end", event="verified", call=2, reason=None)
    return path.read_bytes()


def view(**facts: Any) -> AttemptView:
    attempt = Attempt("c" * 64, "tiny", "d" * 64, "tiny-1", "luna", "baseline", 3, 60, "collected")
    known = {
        "state": "done", "event": "verified", "call": 2, "action": 1, "reason": None, "valid": True, "exclusion": None,
        "calls": 2, "wall_s": 61.25, "cost_usd": 0.0125, "outcome": {}, "trajectory": None, "started_at": "today",
        "environment": {"trajectory_file": "one.jsonl"}, **facts,
    }  # fmt: skip
    findings = ({"kind": "test_changed", "path": f"tests/{EVIL}.py"},)
    return AttemptView(attempt, (TryView(known, (), findings),))


def test_an_attempt_call_by_call(state: Path) -> None:
    digest = Blobs(state / "blobs").put(trajectory(state / "made"))
    shown = list(attempt_lines(view(trajectory=digest), 3))
    assert shown == [
        f"attempt {'c' * 64}",
        "  stage tiny, task tiny-1, runtime luna (collected)",
        "  arm baseline, repeat 3, horizon 60 calls",
        "",
        "try 1: verified at call 2; counted; 2 calls, 61.2 s, $0.01",
        f"  audit: test_changed tests/{SHOWN}.py",
        "  -- call 1  (malformed response)",
        "  -- call 2  $0.0125",
        f"     I think {SHOWN}",
        "     $ cat <<'X'",
        f"       {SHOWN}",
        "       X",
        "     | line 1",
        "     | line 2",
        "     | line 3",
        "     | ... 2 more lines (--full)",
        "     = returned 0, background processes left, 9 bytes dropped after 0.50 s",
        f"     verdict: fail (known state): failed: {SHOWN}",
        "     $ sleep 9",
        "     = limit on seconds after 60.00 s",
        "     verdict: pass   <== first pass",
        "  -- end: verified",
    ]
    full = list(attempt_lines(view(trajectory=digest), None))
    assert f"     | line 5\ufffd{SHOWN}" in full
    short = list(attempt_lines(view(trajectory=digest), 1))
    assert "       ... 2 more lines" in short
    for lines in (shown, full, short):
        characters = {character for text in lines for character in text}
        assert not any(unicodedata.category(character) == "Cc" or character == "\u202e" for character in characters)


def test_a_running_try_is_shown_as_far_as_it_is(state: Path) -> None:
    path = state / "tries" / "one.jsonl"
    running = view(state="running", event=None, call=None, valid=None, calls=None, wall_s=None, cost_usd=None)
    nothing_yet = ["try 1: running since today", f"  audit: test_changed tests/{SHOWN}.py"]
    assert list(attempt_lines(running, 3))[4:] == nothing_yet
    data = trajectory(path)
    path.write_bytes(data[: data.index(b'"end"')])
    shown = list(attempt_lines(running, 3))
    assert shown[4] == "try 1: running since today"
    assert shown[-1] == "     verdict: pass"


@pytest.mark.parametrize("present", [True, False])
def test_an_excluded_try_says_why(state: Path, present: bool) -> None:
    digest = Blobs(state / "blobs").put(b"")
    facts = {"event": "censored", "valid": False, "exclusion": "provider_outage", "wall_s": None, "cost_usd": None}
    outcome = {"detail": f"no answer {EVIL}"}
    shown = list(attempt_lines(view(**facts, outcome=outcome, trajectory=digest if present else "e" * 64), 3))
    assert shown[4] == "try 1: censored at call 2; excluded: provider_outage; 2 calls, unknown time, cost unknown"
    assert shown[5] == f"  why: no answer {SHOWN}"
    assert any("is missing" in text for text in shown) == (not present)


def test_an_attempt_without_a_try() -> None:
    assert list(attempt_lines(AttemptView(view().attempt, ()), 3))[-1] == "  no try yet"
