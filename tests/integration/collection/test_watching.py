"""Following a collection from another process, logs without a terminal, and readers that go away."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
from datetime import datetime
from pathlib import Path

import pytest
from tiny_lab import TinyLab, make_lab

pytestmark = pytest.mark.needs_bwrap

LINE = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d) (.+)")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, tiny_cache: Path) -> TinyLab:
    """One attempt of six has finished."""
    lab = make_lab(tmp_path_factory.mktemp("watching") / "lab", tiny_cache)
    lab.write_stage(repeats=6)
    for arguments in (("freeze", "tiny"), ("collect", "tiny", "--limit", "1", "--workers", "1")):
        done = lab.run(*arguments)
        assert done.returncode == 0, done.stderr
    return lab


@pytest.fixture
def begun(original: TinyLab, tmp_path: Path) -> TinyLab:
    """A copy of it."""
    return original.copied(tmp_path / "lab")


def start(lab: TinyLab, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        lab.command(*arguments), env=lab.environment, cwd=lab.root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def log(text: str) -> list[str]:
    """The lines of a log without their times, which must be there and in order."""
    assert "\x1b" not in text
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    assert all(found), text
    times = [datetime.fromisoformat(one[1]) for one in found if one]
    assert times == sorted(times)
    return [one[2] for one in found if one]


def test_collect_logs_a_line_per_attempt_with_its_time(begun: TinyLab) -> None:
    done = begun.run("collect", "tiny", "--workers", "2")
    assert done.returncode == 0, done.stderr
    lines = log(done.stdout.partition("tiny: 5 attempts finished")[0])
    assert len([line for line in lines if re.match(r"[2-6]/6 tiny-1 scripted repeat \d \[[0-9a-f]{10}\]: ", line)]) == 5


def test_watching_ends_when_nothing_is_left(begun: TinyLab) -> None:
    watching = start(begun, "status", "tiny", "--watch", "--every", "0.1")
    assert watching.stdout is not None
    assert "tiny: 1/6 attempts, 5 left, $0.00; nothing runs now" in watching.stdout.readline()
    assert begun.run("collect", "tiny", "--workers", "2").returncode == 0
    out, err = watching.communicate(timeout=60)
    assert (watching.returncode, err) == (0, "")
    lines = log(out)
    ended = [line for line in lines if re.match(r"tiny-1 scripted #\d: (verified|terminal|censored) at call \d", line)]
    assert len(ended) == len(set(ended)) == 5
    assert lines[-1] == "tiny: 6/6 attempts, $0.00; complete"
    assert any("an hour" in line or "so far" in line for line in lines)


def test_watching_a_complete_stage_says_so_and_ends(begun: TinyLab) -> None:
    assert begun.run("collect", "tiny", "--workers", "2").returncode == 0
    done = begun.run("status", "tiny", "--watch")
    assert done.returncode == 0 and len(log(done.stdout)) == 1


def test_an_interrupted_watch_is_no_failure(begun: TinyLab) -> None:
    watching = start(begun, "status", "tiny", "--watch", "--every", "0.1")
    assert watching.stdout is not None and watching.stdout.readline()
    watching.send_signal(signal.SIGINT)
    assert watching.communicate(timeout=30) == ("", "")
    assert watching.returncode == 0


def test_on_a_terminal_it_draws_a_table(begun: TinyLab) -> None:
    ours, theirs = pty.openpty()
    watching = subprocess.Popen(
        begun.command("status", "tiny", "--watch", "--every", "0.1"), cwd=begun.root, stdin=subprocess.DEVNULL,
        env=begun.environment | {"TERM": "xterm", "COLUMNS": "120", "LINES": "30"}, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while b"nothing runs now" not in shown:
        shown += os.read(ours, 4096)
    watching.send_signal(signal.SIGINT)
    assert watching.wait(30) == 0
    os.close(ours)
    text = shown.decode()
    assert "scripted (synthetic)" in text and "1/6" in text and "5 left" in text


def test_watching_goes_with_no_other_view(begun: TinyLab) -> None:
    assert begun.run("status", "tiny", "--watch", "--json").returncode == 2
    assert begun.run("status", "elsewhere", "--watch").returncode == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "tiny"), ("status", "tiny", "--json"), ("status", "tiny", "--attempts"), ("export", "tiny"),
        ("status", "tiny", "--watch", "--every", "0.1"), ("protocols",), ("--help",), ("regrade", "tiny"), ("cleanup",),
        ("completion", "tiny"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_reader_that_goes_away_is_no_failure(begun: TinyLab, arguments: tuple[str, ...]) -> None:
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run(
        begun.command(*arguments), env=begun.environment, cwd=begun.root, stdin=subprocess.DEVNULL, stdout=write,
        stderr=subprocess.PIPE, text=True, timeout=120,
    )  # fmt: skip
    os.close(write)
    assert done.returncode == 0
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr and "Exception" not in done.stderr
