"""What a reset and a verdict of recovery tasks cost: wanted are at most 1 s and 5 s for each task."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results, shown_time

from harness.paths import state_dir
from tasks.recovery.source import RecoveryTasks
from tasks.recovery.task import RecoveryTask
from verifiers.kinds import prepare_place
from verifiers.recovery.acting import Scene, scene
from verifiers.recovery.verifier import RecoveryVerifier

pytestmark = pytest.mark.needs_bwrap

_GROUP = "recovery tasks"
_ROUNDS = 3


def _verdict_seconds(task: RecoveryTask, stage: Scene) -> float:
    """Seconds of a verdict on the state that ``stage`` is in."""
    assert isinstance(stage.place.verifier, RecoveryVerifier)
    layer, processes = stage.look()
    running = [s.name for s in task.contract.services if any(s.program in line for line in processes.values())]
    found = stage.place.verifier.states.judge(layer, stage.content.__getitem__, running)
    assert found.state == "judged", found.detail
    return found.seconds


def _measure(task: RecoveryTask) -> tuple[list[float], list[float], list[float]]:
    """Seconds of resets, of verdicts on the broken state, of verdicts on the repaired one."""
    place = prepare_place(task)
    resets, broken, repaired = [], [], []
    for _ in range(_ROUNDS):
        started = time.perf_counter()
        with scene(place) as stage:
            resets.append(time.perf_counter() - started)
            broken.append(_verdict_seconds(task, stage))
            for command in task.oracle:
                stage.sandbox.run(command)
            repaired.append(_verdict_seconds(task, stage))
    return resets, broken, repaired


def test_resets_and_verdicts(benchmark: Any, results: Results, bench_state: Path) -> None:
    state_dir().mkdir(parents=True, exist_ok=True)
    names = RecoveryTasks().ids()
    measured = benchmark.pedantic(lambda: {n: _measure(RecoveryTasks().load(n)) for n in names}, rounds=1)
    for index, what in enumerate(("reset and boot", "verdict on the broken state", "verdict on the repaired state")):
        times = {name: sorted(found[index])[_ROUNDS // 2] for name, found in measured.items()}
        slowest = max(times, key=lambda name: times[name])
        results.time(_GROUP, f"{what} (median task of {len(names)})", list(times.values()))
        results.value(_GROUP, f"{what}, slowest task", f"{shown_time(times[slowest])} ({slowest})")
