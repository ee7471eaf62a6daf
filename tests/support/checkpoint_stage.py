"""A checkpoint stage on the tiny laboratory, drawn from the attempts of its stage ``tiny``."""

from __future__ import annotations

from typing import Any

from tiny_lab import TinyLab

#: Attempts fail more often than not, and go wrong in every way.
SLOW = {
    "hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 0.08}],
    "malformed": 0.2, "malformed_after_malformed": 0.5, "submit": 0.08, "destroy": 0.1,
}  # fmt: skip
ACTIONS = [
    {"name": "restart", "workspace": "reset", "context": "reset"},
    {"name": "continue", "workspace": "keep", "context": "keep"},
    {"name": "rejuvenate", "workspace": "keep", "context": "summary"},
]


def checkpoint_changes(**changes: Any) -> dict[str, Any]:
    """Keys of a checkpoint stage that a plain one does not have, or has otherwise."""
    plan = {
        "source": {"stage": "tiny", "runtime": "scripted"}, "select": {"rule": "end-of-failed"}, "most_per_task": 2,
        "budget": 12,
        "actions": ACTIONS, "compare": {"restart": "restart", "continue": "continue"},
    } | changes  # fmt: skip
    return {
        "kind": "checkpoint", "repeats": 2, "arms": [{"name": action["name"]} for action in plan["actions"]],
        "checkpoint": plan,
        "analysis": {
            "budget": 8, "alpha": 0.05, "method": "fisher", "family": "checkpoints", "expansion_rule": "None.",
        },
    }  # fmt: skip


def runtimes(law: dict[str, Any]) -> dict[str, Any]:
    """Keys of a stage whose scripted agent has this law; ``nop`` looks at the state of the workspace and gives up."""
    scripted = {"agent": "scripted", "model": {"kind": "scripted", "scale": 1.0, "law": law}}
    sets = {"scripted": ["scripted"], "nop": ["nop"]}
    return {"runtimes": {"scripted": scripted, "nop": {"agent": "nop"}}, "sets": sets}


def write_stages(lab: TinyLab, **changes: Any) -> None:
    """Writes and freezes ``tiny``, whose attempts mostly fail, and ``tinychecks``, a checkpoint stage on them."""
    lab.write_stage("tiny", **runtimes(SLOW), repeats=6)
    lab.write_stage("tinychecks", **runtimes(SLOW) | checkpoint_changes(**changes))
    for stage in ("tiny", "tinychecks"):
        freeze(lab, stage)


def freeze(lab: TinyLab, stage: str) -> None:
    """Freezes a stage."""
    done = lab.run("freeze", stage)
    assert done.returncode == 0, done.stderr
