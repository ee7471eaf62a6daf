"""The plain view of a collection: a line per event, one a minute at most beside, nothing that a terminal obeys."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from harness.attempt import Lost
from harness.canonical import digest_bytes
from harness.cli import views
from harness.cli.stage_view import Running, screen, totals
from harness.cli.views import PlainView
from harness.store.records import Attempt, CellCount, TryResult

CELL = CellCount("scripted", "tiny-1", "baseline", 4, 1, 1, 0, 0, 2, 0.5, 0)
ATTEMPT = Attempt(digest_bytes(b"x"), "tiny", digest_bytes(b"y"), "tiny-1", "scripted", "baseline", 1, 8, "synthetic")


@pytest.fixture
def view() -> Iterator[PlainView]:
    """A view of a stage that has begun."""
    protocol = SimpleNamespace(stage="tiny", runtimes={"scripted": SimpleNamespace(origin="synthetic")})
    stage: Any = SimpleNamespace(digest=ATTEMPT.digest, protocol=protocol)
    store: Any = SimpleNamespace(counts=lambda stage: [CELL])
    with PlainView() as made:
        made.begin(stage, ("scripted",), store)
        yield made


def said(capsys: pytest.CaptureFixture[str]) -> list[str]:
    text = capsys.readouterr().out
    lines = [re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d (.*)", line) for line in text.splitlines()]
    assert all(lines), text
    return [line[1] for line in lines if line]


def test_it_beats_once_a_minute_and_only_when_nothing_else_was_said(
    view: PlainView, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = views.time.monotonic()
    monkeypatch.setattr(views, "time", SimpleNamespace(monotonic=lambda: clock))
    view._said = clock
    said(capsys)
    beats = 0
    for _ in range(600):  # ten minutes
        clock += 1
        view.tick()
        beats += len(said(capsys))
    assert beats == 10
    view.phase("gating")
    said(capsys)
    clock += 59
    view.tick()
    assert said(capsys) == []


def test_a_beat_says_how_far_it_is_and_what_runs(
    view: PlainView, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(views, "HEARTBEAT_SECONDS", 0.0)
    view.started(ATTEMPT, tmp_path / "absent")
    said(capsys)
    view.tick()
    (line,) = said(capsys)
    assert line.startswith("1/4 attempts, 3 left, $0.50, ")
    assert line.endswith("; running: tiny-1 scripted #1 call 0/8")


def test_whatever_a_loss_says_is_one_harmless_line(view: PlainView, capsys: pytest.CaptureFixture[str]) -> None:
    said(capsys)
    view.ended(ATTEMPT, Lost("sandbox_lost", "\x1b[2Jgone\r\nsecond \u202e line", 1, 0.1, None, {}, ()))
    view.warn("a\x1b]0;title\x07b\nc")
    lines = said(capsys)
    assert len(lines) == 2 and not any(ord(char) < 32 or char == "\u202e" for line in lines for char in line)
    view.ended(ATTEMPT, TryResult("verified", 3, 3, 1.0, action=0))
    assert said(capsys)[0].startswith("2/4 tiny-1 scripted repeat 1 [")


def test_totals_say_rate_and_time_left() -> None:
    assert totals([CELL], 3600.0, 2) == "1/4 attempts, 3 left, $0.50, 1h00m so far, 2 an hour, about 1h30m left"
    assert totals([CELL], None, 0) == "1/4 attempts, 3 left, $0.50"
    done = CellCount("s", "t", "b", 2, 0, 1, 1, 0, 0, None, 2)
    assert totals([done], 1.0, 0) == "2/2 attempts, cost unknown, 1.0s so far"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 30), (80, 12)])
def test_a_screen_fits_its_terminal(width: int, height: int) -> None:
    from rich.console import Console

    cells = [
        CellCount(name, f"sympy-{n}", "baseline", 30, 0, 3, 2, 1, 4, None, 0)
        for name in ("scripted", "a-rather-long-name")
        for n in range(20)
    ]
    running = [Running(f"sympy-{n} scripted #{n}", 60, None, 100.0 * n) for n in range(30)]
    notes = [f"sympy-{n} scripted #1: excluded: {'x' * 200}" for n in range(5)]
    console, total = Console(width=width, height=height, record=True, file=io.StringIO()), totals(cells, 1000.0, 50)
    console.print(
        screen("horizon60  " + "title " * 40, cells, ["scripted"], total, running, notes, (width, height))
    )
    lines = console.export_text().rstrip("\n").split("\n")
    assert len(lines) <= height
    assert max(map(len, lines)) <= width
    assert "more rows" in "".join(lines) and "more running" in "".join(lines)
