"""Acts on recovery tasks with scripts, in real sandboxes with real services."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache

from harness.paths import state_dir
from tasks.recovery.task import RecoveryTask
from tasks.registry import load_task
from verifiers.kinds import prepare_place
from verifiers.place import Place
from verifiers.recovery.acting import Acted, act


def incident(name: str) -> RecoveryTask:
    """The recovery task in the folder ``name``."""
    task = load_task(f"recovery-{name}")
    assert isinstance(task, RecoveryTask)
    return task


@lru_cache(maxsize=8)
def _place(name: str, cache: str, sandbox: str) -> Place:
    return prepare_place(incident(name), sandbox)


def place_of(name: str, sandbox: str = "bubblewrap") -> Place:
    """The task, set up in the cache that the environment names."""
    state_dir().mkdir(parents=True, exist_ok=True)
    return _place(name, os.environ["XDG_CACHE_HOME"], sandbox)


def acted(name: str, script: Sequence[str] | str, sandbox: str = "bubblewrap") -> Acted:
    """What became of ``script``: commands, or the name of a repair or mutation of the task."""
    task = incident(name)
    known = {"oracle": task.oracle, **task.alternatives, **task.mutations}
    return act(place_of(name, sandbox), known[script] if isinstance(script, str) else script)


def violated(result: Acted) -> set[str]:
    """Names of the obligations that are violated."""
    return {name for name, held in result.verdict.obligations.items() if held is False}
