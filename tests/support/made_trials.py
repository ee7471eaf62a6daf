"""Trial records and editions for tests: 20 tasks x 5 trials of systems with known chances, made from a seed."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

DIMENSIONS = "FSDIEM"
FLAGS = ("catastrophic", "major_safety", "restart_failure")
TASKS = [f"task_{number:02}" for number in range(20)]


def family_of(task: str) -> str:
    return f"family_{int(task[-2:]) % 6}"


def record(task: str = "task_00", runtime: str = "a", trial: int = 1, **changes: Any) -> dict[str, Any]:
    """A strict pass with everything measured."""
    return {
        "task": task, "family": family_of(task), "trial": trial, "runtime": runtime, "status": "strict_pass",
        "dimensions": dict.fromkeys(DIMENSIONS, 1.0), "flags": dict.fromkeys(FLAGS, False), "strict_pass": True,
        "cost_usd": 0.5, "runtime_s": 100.0, "recovery_call": 7, "harm_call": None, "obligations": [],
        "exclusion": None, "reviewer": None, **changes,
    }  # fmt: skip


def failure(task: str = "task_00", runtime: str = "a", trial: int = 1, **changes: Any) -> dict[str, Any]:
    """A genuine failure: nothing works, nothing was harmed."""
    shares = {"F": 0.25, "S": 1.0, "D": 0.0, "I": 1.0, "E": 0.5, "M": 1.0}
    base = {"status": "genuine_failure", "strict_pass": False, "dimensions": shares, "recovery_call": None}
    return record(task, runtime, trial, **{**base, **changes})


def lost(task: str = "task_00", runtime: str = "a", trial: int = 1, **changes: Any) -> dict[str, Any]:
    """An attempt lost to infrastructure."""
    base = {
        "status": "infrastructure_failure", "strict_pass": False, "dimensions": None, "recovery_call": None,
        "cost_usd": None, "runtime_s": None, "exclusion": "provider_outage", "reviewer": "R. Viewer",
    }  # fmt: skip
    return record(task, runtime, trial, **{**base, **changes})


def made(runtime: str = "a", chance: float = 0.5, seed: int = 1, trials: int = 5) -> list[dict[str, Any]]:
    """All 20 tasks; each trial passes with about ``chance``, some fail in telling ways, some are lost first."""
    rng = random.Random(f"{runtime} {seed}")
    found = []
    for task in TASKS:
        mine = min(1.0, max(0.0, chance + rng.uniform(-0.4, 0.4)))
        for trial in range(1, trials + 1):
            if rng.random() < 0.04:
                found.append(lost(task, runtime, trial))
            if rng.random() < mine:
                shares = {**dict.fromkeys("FSDI", 1.0), "E": rng.choice([0.5, 0.75, 1.0]), "M": rng.choice([0.5, 1.0])}
                cost, seconds = round(rng.uniform(0.2, 2.4), 4), round(rng.uniform(60, 900), 2)
                found.append(record(task, runtime, trial, dimensions=shares, cost_usd=cost, runtime_s=seconds))
            else:
                found.append(_failed(rng, task, runtime, trial))
    return found


def _failed(rng: random.Random, task: str, runtime: str, trial: int) -> dict[str, Any]:
    kind = rng.choice(["fragile", "unsafe", "destroyed", "nothing", "timeout"])
    shares = {letter: rng.choice([0.25, 0.5, 0.75, 1.0]) for letter in DIMENSIONS}
    raised, status = dict.fromkeys(FLAGS, False), "genuine_failure"
    if kind == "fragile":
        shares |= {"F": 1.0, "D": 0.0}
        raised["restart_failure"] = True
    elif kind == "unsafe":
        shares |= {"F": 1.0, "I": 0.5}
        raised["major_safety"] = True
    elif kind == "destroyed":
        shares |= {"S": 0.0}
        raised["catastrophic"] = True
    else:
        shares |= {"F": 0.25}
        status = "timeout" if kind == "timeout" else status
    harm = rng.randint(1, 20) if raised["major_safety"] or raised["catastrophic"] else None
    return failure(task, runtime, trial, dimensions=shares, flags=raised, status=status, harm_call=harm,
                   cost_usd=round(rng.uniform(0.5, 3), 4), runtime_s=round(rng.uniform(200, 1200), 2))  # fmt: skip


def panel_data(**changes: Any) -> dict[str, Any]:
    """An edition of 20 tasks x 5 trials with everything stated; not frozen, not audited."""
    passes = {task: [1 if number < 14 else 3 if number < 18 else 4, 5] for number, task in enumerate(TASKS)}
    return {
        "schema": 1, "edition": "made-1", "trials": 5,
        "tasks": [{"task": task, "family": family_of(task), "exposures": 0} for task in TASKS],
        "cost_usd": {"target": 0.5, "maximum": 2.5}, "runtime_s": {"target": 120, "maximum": 1000}, "memory": "reset",
        "retry": {"exclusions": ["provider_outage", "host_failure"], "max_attempts": 3},
        "mix": {"Hard": 14, "Medium": 4, "Easy": 2},
        "calibration": [{"name": "calibrator", "harness": "harness-1", "synthetic": False, "passes": passes}],
        "entries": {
            "a": {
                "id": "entry-1", "track": "native", "system": {"model": "model-1", "provider": "provider-1"},
                "withheld": ["trajectories: hold protected task content"],
            }
        },
        **changes,
    }  # fmt: skip


def audited(data: dict[str, Any], *runtimes: str) -> dict[str, Any]:
    """The edition with its audit of the runtimes approved."""
    entries = {name: dict(entry) for name, entry in data["entries"].items()}
    for name in runtimes or ("a",):
        entries.setdefault(name, {})["audit"] = {"auditor": "A. Uditor", "date": "2026-11-30"}
    return {**data, "entries": entries}


def frozen(data: dict[str, Any]) -> dict[str, Any]:
    """The edition, frozen."""
    from harness.scoring.panel import PanelData

    return {**data, "frozen": {"date": "2026-11-30", "digest": PanelData.model_validate(data).digest}}


def write_panel(path: Path, data: dict[str, Any]) -> Path:
    path.write_text(yaml.safe_dump(data, sort_keys=False), encoding="utf-8")
    return path


def write_trials(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return path
