"""When a job counts as hung."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.engines.hung import GATE_SECONDS, Silence, silence_limit


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The monotonic clock; its only element is the time."""
    now = [100.0]
    monkeypatch.setattr("harness.engines.hung.time.monotonic", lambda: now[0])
    return now


def test_a_file_that_grows_is_progress(tmp_path: Path, clock: list[float]) -> None:
    path = tmp_path / "t.jsonl"
    silence = Silence(10.0, path, _since=clock[0])
    clock[0] += 9
    assert not silence.too_long()
    path.write_text("one\n")
    clock[0] += 9
    assert not silence.too_long()
    clock[0] += 10
    assert not silence.too_long()
    clock[0] += 0.1
    assert silence.too_long()


def test_a_job_without_a_file_has_its_whole_time(clock: list[float]) -> None:
    silence = Silence(10.0, None, _since=clock[0])
    clock[0] += 10
    assert not silence.too_long()
    clock[0] += 1
    assert silence.too_long()


def test_a_gate_has_hours() -> None:
    assert silence_limit(("gate", ("task", "bubblewrap"))) == GATE_SECONDS
