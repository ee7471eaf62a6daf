"""Makes small stages and task packages to test with."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import yaml

TASKS = ("demo-1", "demo-2")

#: A complete stage; ``stage_data`` copies and changes it.
STAGE: dict[str, Any] = {
    "schema": 1,
    "stage": "small",
    "kind": "collect",
    "title": "A small stage",
    "description": "Two tasks, two repeats.",
    "selection": {"rule": "Both there are.", "rejected": [{"task": "demo-3", "reason": "It does not exist."}]},
    "tasks": list(TASKS),
    "repeats": 2,
    "horizon": 30,
    "arms": [{"name": "baseline"}],
    "verification": {"after_pass": "stop", "on_unverified_submit": "terminal"},
    "agent": {"prompts": "mini-swe-agent/benchmarks/swebench", "max_consecutive_format_errors": 3},
    "limits": {
        "command_seconds": 60, "wall_seconds": 3600, "cost_usd": None, "memory_mb": 4096, "processes": 256,
        "disk_mb": 2048, "inodes": 100000, "output_kb": 1024,
    },
    "sandbox": {"kind": "bubblewrap", "network": False},
    "retry": {"max_tries": 5, "wait_seconds_max": 60},
    "runtimes": {
        "scripted": {
            "agent": "scripted",
            "model": {
                "kind": "scripted",
                "law": {"hazard": [{"from": 1, "value": 0.0}, {"from": 4, "value": 0.1}], "malformed": 0.05},
                "laws": {"demo-2": {"malformed": 0.1}},
            },
        },
        "oracle": {"agent": "oracle"},
        "local": {
            "agent": "default",
            "model": {"kind": "local", "name": "smollm2-135m-instruct", "temperature": 0.7, "max_tokens": 256},
        },
        "luna": {
            "agent": "default",
            "model": {
                "kind": "litellm", "name": "openai/gpt-5.6-luna", "temperature": 0.7, "credential": "LUNA_KEY",
                "params": {"top_p": 0.9, "stop": None},
            },
        },
    },
    "sets": {"scripted": ["scripted"], "both": ["oracle", "scripted"], "luna": ["luna"]},
    "default_set": "scripted",
    "analysis": {
        "budget": 30, "cutoffs": [4, 6, 30], "times": [4, 29], "alpha": 0.05, "method": "clopper-pearson",
        "family": "tasks x times", "expansion_rule": "None.",
    },
}  # fmt: skip

DELETE = object()


def stage_data(changes: dict[str, Any] | None = None) -> dict[str, Any]:
    """A copy of ``STAGE`` with values set (or, with ``DELETE``, removed) at dotted paths; numbers index lists."""
    data = copy.deepcopy(STAGE)
    for path, value in (changes or {}).items():
        *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
        here: Any = data
        for part in parents:
            here = here[part]
        if value is DELETE:
            del here[last]
        else:
            here[last] = value
    return data


class Project:
    """A protocol and a task directory below ``root``."""

    def __init__(self, root: Path):
        self.protocols, self.tasks = root / "protocols", root / "tasks"
        self.protocols.mkdir()
        for task in TASKS:
            self.write_task(task)

    def write_stage(self, changes: dict[str, Any] | None = None, *, name: str = "small") -> Path:
        """Writes ``NAME.yaml`` with the changes; the stage key follows the name."""
        data = {**stage_data(changes), "stage": name}
        return self.write_text(yaml.safe_dump(data, sort_keys=False), name=name)

    def write_text(self, text: str | bytes, *, name: str = "small") -> Path:
        """Writes ``NAME.yaml`` as it is given."""
        path = self.protocols / f"{name}.yaml"
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return path

    def write_task(self, task: str) -> Path:
        """Writes a task package that loads; nothing in it is a real bug."""
        family, number = task.split("-")
        root = self.tasks / family / number
        spec = {
            "schema": 1, "id": task, "title": "A demonstration", "family": "demo", "difficulty": "<15 min fix",
            "source": {"package": "demo", "release": "1.0", "pull_request": int(number)},
            "pythons": ["3.11"],
            "obligations": {"works": "It works."},
            "tests": [{"name": "test_works", "kind": "failing", "obligation": "works"}],
            "mutations": [{"name": "half", "obligation": "works", "visible_tests_pass": True, "summary": "Half."}],
            "visible_tests": [],
            "explore": {"files": ["demo.py"], "patterns": ["demo"], "snippets": ["import demo"]},
        }  # fmt: skip
        files = {
            "task.yaml": yaml.safe_dump(spec), "issue.md": "It fails.\n", "reference.patch": "reference\n",
            "hidden/test_hidden.py": "def test_works(): pass\n", "mutations/half.patch": "half\n",
        }  # fmt: skip
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return root
