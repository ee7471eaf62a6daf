"""A monitor stage on the tiny laboratory: two tasks to calibrate on, one held out, attempts that get stuck."""

from __future__ import annotations

import shutil
from typing import Any

import yaml
from tiny_lab import TinyLab, stage_data

#: Soon done or soon stuck; a stuck attempt repeats a command and never passes.
STICKY = {
    "hazard": [{"from": 1, "value": 0.0}, {"from": 2, "value": 0.4}], "malformed": 0.02, "submit": 0.0, "destroy": 0.0,
    "stall": 0.25,
}  # fmt: skip
RESTART = {"name": "restart", "workspace": "reset", "context": "reset"}
CALIBRATION, HELD_OUT = ["tiny-1", "tiny-2"], ["tiny-3"]


def add_tasks(lab: TinyLab, *numbers: str) -> None:
    """Further tasks with the content of the first."""
    for number in numbers:
        folder = lab.root / "tasks" / "tiny" / number
        shutil.copytree(lab.task, folder)
        spec = yaml.safe_load((folder / "task.yaml").read_text()) | {"id": f"tiny-{number}"}
        (folder / "task.yaml").write_text(yaml.safe_dump(spec, sort_keys=False))


def scripted(law: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The keys that give a stage one scripted runtime."""
    model = {"kind": "scripted", "scale": 1.0, "law": law, **more}
    return {"runtimes": {"scripted": {"agent": "scripted", "model": model}}, "sets": {"scripted": ["scripted"]}}


def monitor_changes(horizon: int = 12, **plan: Any) -> dict[str, Any]:
    """Keys of a monitor stage that a plain one does not have, or has otherwise; ``plan`` replaces keys of monitor."""
    analysis: Any = stage_data()["analysis"]
    return {
        "kind": "monitor", "tasks": [*CALIBRATION, *HELD_OUT], "repeats": 4, "horizon": horizon,
        "arms": [{"name": name} for name in ("continuation", "fixed-time", "monitor")],
        "monitor": {
            "calibration": CALIBRATION, "monitor": "repeated-command", "params": {"window": 8}, "action": RESTART,
            "rule": "largest-gain", **plan,
        },
        "analysis": analysis | {"budget": horizon, "cutoffs": [4, 8, horizon], "times": [4, 8]},
        **scripted(STICKY, cost_per_call_usd=0.01),
    }  # fmt: skip


def write_monitor_stage(lab: TinyLab, stage: str = "tinymonitor", **plan: Any) -> None:
    """Adds the tasks, writes the stage and freezes it."""
    add_tasks(lab, "2", "3")
    lab.write_stage(stage, **monitor_changes(**plan))
    done = lab.run("freeze", stage)
    assert done.returncode == 0, done.stderr
