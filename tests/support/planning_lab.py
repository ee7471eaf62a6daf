"""A laboratory with two planning tasks and a stage on them; nothing in it needs a sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import yaml
from tiny_lab import PROJECT, TinyLab, make_lab, stage_data

from tasks.planning.first import first_answer
from tasks.planning.generate import Size, generate

SIZE = {"items": 8, "requirements": 4, "conflicts": 3, "budget_share": 0.5}
#: Id and seed; the first one has two optimal plans.
TASKS = {"planning-tiny-19": 19, "planning-tiny-6": 6}
MESSAGES = {"retry": "Try again.", "verify": "Check the plan.", "replace": "Start anew."}


def action(name: str, state: str) -> dict[str, str]:
    """A recovery action that keeps or resets both answer and conversation."""
    return {"name": name, "workspace": state, "context": state, "message": MESSAGES[name]}


def planning_stage(stage: str = "tinyplan", **changes: Any) -> dict[str, Any]:
    """A valid planning stage on the two tasks."""
    chances = {name: {"tiny": {"optimal": 0.4, "infeasible": 0.2, "malformed": 0.15}} for name in MESSAGES}
    size = Size(**SIZE)
    answers = {
        name: first_answer(generate("tiny", size, seed), fault)
        for (name, seed), fault in zip(TASKS.items(), ("optimal", "budget"), strict=True)
    }
    data = stage_data(
        stage, kind="planning", tasks=list(TASKS), repeats=4, horizon=1,
        arms=[{"name": name} for name in MESSAGES], agent={"prompts": "prompts/planning.yaml",
        "max_consecutive_format_errors": 1}, sandbox={"kind": "none", "network": False},
        planning={
            "answers": answers,
            "actions": [action("retry", "keep"), action("verify", "keep"), action("replace", "reset")],
        },
        runtimes={
            "scripted": {
                "agent": "scripted",
                "model": {"kind": "planner", "spread": 0.5, "chances": chances},
            },
            "oracle": {"agent": "oracle"}, "nop": {"agent": "nop"},
        },
        sets={"scripted": ["scripted"], "all": ["scripted", "oracle", "nop"]},
    )  # fmt: skip
    del data["analysis"]
    return data | changes


def make_planning_lab(root: Path, cache: Path, **changes: Any) -> TinyLab:
    """A laboratory whose stage ``tinyplan`` is frozen, on ``planning-tiny-19`` and ``planning-tiny-6``."""
    lab = make_lab(root, cache)
    shutil.copytree(PROJECT / "protocols" / "prompts", root / "protocols" / "prompts")
    (root / "tasks" / "planning").mkdir()
    cohort = {"sizes": {"tiny": SIZE}, "seeds": {"tiny": list(TASKS.values())}}
    (root / "tasks" / "planning" / "cohort.yaml").write_text(yaml.safe_dump(cohort))
    (root / "protocols" / "tinyplan.yaml").write_text(yaml.safe_dump(planning_stage(**changes), sort_keys=False))
    done = lab.run("freeze", "tinyplan")
    assert done.returncode == 0, done.stderr
    return lab
