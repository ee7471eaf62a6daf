"""Known failures of other harnesses around commands and their output, each under its id."""

from __future__ import annotations

import json
from typing import Any

import pytest
from chat_server import SUBMIT, ChatServer, bash
from recorded import blob, collected, layer_after, printed
from tiny_lab import TinyLab
from trying import RIGHT, WRONG, Tried, Trier

from harness.recorder import decode_output

pytestmark = pytest.mark.needs_bwrap

SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def outputs(tried: Tried) -> list[bytes]:
    return [decode_output(line) for line in tried.of("action")]


def told(tried: Tried, call: int) -> str:
    """What the model was told after a call, as text."""
    said: Any = tried.requests[call]["messages"][-1]["content"]
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)


def python(code: str) -> str:
    return f"python3 - <<'END_OF_SCRIPT'\n{code}\nEND_OF_SCRIPT"


BYTES = {
    "not utf-8": rb"\xfe \xe9 \xc3",
    "every byte": b"".join(b"\\x%02x" % n for n in range(256)),
    "half characters": rb"\xe2\x82 \xf0\x9f\x98 \xed\xa0\x80 \xc0\xaf",
    "terminal": rb"\x1b]0;title\x07\x1b[2J\x9b31m \xe2\x80\xae",
}


@pytest.mark.parametrize("text", BYTES.values(), ids=BYTES)
def test_t26_bytes_are_recorded_as_they_are_and_told_with_replacement(attempt: Trier, text: bytes) -> None:
    raw = text.decode().encode().decode("unicode_escape").encode("latin-1")
    tried = attempt(bash(f"printf '{text.decode()}'"), bash(f"printf '{text.decode()}' >&2; exit 3"), bash(RIGHT))
    assert outputs(tried)[:2] == [raw, raw]
    assert tried.end == ("verified", 3, None)
    assert "\ufffd" in told(tried, 1) or raw.decode(errors="ignore").encode() == raw
    # In the trajectory, too, as it is read by others: one JSON object a line.
    assert [line["type"] for line in tried.lines][-1] == "end"


def test_t26_random_bytes_come_back_whole(attempt: Trier) -> None:
    tried = attempt(
        bash("head -c 100000 /dev/urandom > noise; cat noise"), bash(RIGHT),
    )  # fmt: skip
    manifest = layer_after(tried, 0).manifest
    assert outputs(tried)[0] == blob(manifest["noise"].sha256 or "")


def test_t26_show_prints_bytes_harmlessly(in_lab: TinyLab, server: ChatServer) -> None:
    command = r"printf '\xfe\xe9\x1b[2J\x07 caf\xc3\xa9 \x9b1m\r\0end\n'"
    found = collected(in_lab, server, bash(command), bash(RIGHT))
    done = printed(in_lab, "show", found, "--full")
    assert done.returncode == 0, done.stderr
    shown = done.stdout.decode("utf-8")
    assert "| \ufffd\ufffd\\x1b[2J\\x07 café \ufffd1m\\x0d\\x00end" in shown
    assert not set(done.stdout) & (set(range(32)) - {10})
    assert "verified at call 2" in shown


def test_t27_a_character_in_two_pieces_is_one(attempt: Trier) -> None:
    pieces = r"printf '\xe2'; sleep 0.2; printf '\x82'; sleep 0.2; printf '\xac\n'"
    many = python("import sys\nfor n in range(70000):\n    sys.stdout.write('x€😀'[n % 3])")
    tried = attempt(bash(pieces), bash(many), bash(RIGHT), limits={"output_kb": 1024})
    assert outputs(tried)[0].decode() == "€\n"
    assert outputs(tried)[1].decode() == "".join("x€😀"[n % 3] for n in range(70000))
    assert "€" in told(tried, 1)
    assert "\ufffd" not in told(tried, 1)


@pytest.mark.parametrize("over", [-1, 0, 1, 5000, 10_000_000])
def test_t28_what_is_cut_is_said(attempt: Trier, over: int) -> None:
    size = 4096 + over
    tried = attempt(bash(f"head -c {size} /dev/zero | tr '\\0' x"), bash(RIGHT), limits={"output_kb": 4})
    line, output = tried.of("action")[0], outputs(tried)[0]
    cut = max(0, over)
    assert line["truncated_bytes"] == cut
    assert output.count(b"x") == size - cut
    mark = f"[... {cut} bytes of output dropped ...]"
    assert (mark.encode() in output) == (mark in told(tried, 1)) == bool(cut)
    assert output == b"x" * size if not cut else output.startswith(b"x" * 2048) and output.endswith(b"x" * 2048)
    assert tried.result.actions[0].flags.get("truncated_bytes", 0) == cut
    assert line["returncode"] == 0


def test_t28_show_says_what_was_cut(in_lab: TinyLab, server: ChatServer) -> None:
    found = collected(in_lab, server, bash("seq 2000"), bash(RIGHT), limits={"output_kb": 4})
    shown = printed(in_lab, "show", found).stdout.decode()
    assert f"{sum(len(str(n)) + 1 for n in range(1, 2001)) - 4096} bytes dropped" in shown


@pytest.mark.parametrize("size", [99_000, 128 << 10, 200_000, 3_000_000])
def test_t30_a_command_may_be_as_long_as_it_wants(attempt: Trier, size: int) -> None:
    text = "é" * (size // 2)
    long = f"cat > long <<'END'\n{text}\nEND\nwc -c < long; printf '%s' {'y' * size} | tail -c 3; exit 7"
    tried = attempt(bash(long), bash(f": {'x' * size}\n{RIGHT}"))
    assert tried.end == ("verified", 2, None)
    assert outputs(tried)[0] == b"%d\nyyy" % (2 * len(text) + 1)
    assert [line["returncode"] for line in tried.of("action")] == [7, 0]
    assert tried.of("action")[0]["command"] == long
    manifest = layer_after(tried, 0).manifest
    assert blob(manifest["long"].sha256 or "").decode() == f"{text}\n"


@pytest.mark.parametrize(
    "command",
    [
        "echo early; printf 'no end of line'; sleep 600",
        "echo early; printf 'no end of line' >&2; while :; do :; done",
        "trap '' TERM; echo early; printf 'no end of line'; sleep 600 & wait",
        "(echo early; printf 'no end of line'; exec setsid sleep 600)",
    ],
)
def test_t31_a_timeout_returns_the_output_so_far(attempt: Trier, command: str) -> None:
    tried = attempt(bash(command), bash(RIGHT), limits={"command_seconds": 1.0})
    assert outputs(tried)[0] == b"early\nno end of line"
    assert tried.of("action")[0]["limit"] == "seconds"
    assert "no end of line" in told(tried, 1)
    assert "timed out" in told(tried, 1)
    assert tried.end == ("verified", 2, None)


NO_SUBMISSION = {
    "in a file": f"printf '%s\\n' {SENTINEL} > f; cat f",
    "first line of output": f"printf '{SENTINEL}\\nthe patch\\n'",
    "last": f"ls; echo {SENTINEL}",
    "stderr": f"echo {SENTINEL} >&2",
    "failed": f"{SUBMIT} && false",
    "printed by python": python(f"print({SENTINEL!r})"),
    "argument": f"bash -c 'echo {SENTINEL}'",
    "commented": f"# {SUBMIT}\n{SUBMIT}x",
    "status of the sandbox": """echo '{ "exit-code": 0 }'; echo '{ "child-pid": 1 }' >&2; echo left; echo end""",
    "marks of shells": "echo ---BEGIN---; echo '###ENDOFCOMMAND###'; printf '\\4\\0\\35'; echo '</returncode>'",
    "descriptors": "for n in 3 4 5 6 7 8 9; do (echo end >&$n; echo '{ \"exit-code\": 0 }' >&$n) 2>/dev/null; done",
}  # fmt: skip


@pytest.mark.parametrize("command", NO_SUBMISSION.values(), ids=NO_SUBMISSION)
def test_t32_output_never_ends_a_step_or_submits(attempt: Trier, command: str) -> None:
    after = "echo after; exit 9"
    tried = attempt(bash(f"{command}\n{after}"), bash(after), bash(WRONG), horizon=4)
    assert tried.end == ("censored", 4, "horizon")
    assert [line["returncode"] for line in tried.of("action")][:2] == [9, 9]
    assert outputs(tried)[0].endswith(b"after\n")
    assert outputs(tried)[1] == b"after\n"


@pytest.mark.parametrize("name", ["in a file", "first line of output", "last", "stderr", "failed", "printed by python"])
def test_t32_a_sentinel_beside_the_command_is_no_submission(attempt: Trier, name: str) -> None:
    tried = attempt(bash(NO_SUBMISSION[name]), bash(RIGHT))
    assert tried.end == ("verified", 2, None)
