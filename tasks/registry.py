"""All tasks that stages can name: the packages below the task directory, and those of plug-ins."""

from __future__ import annotations

import difflib

from harness import plugins
from harness.errors import InputError
from tasks import package
from tasks.interface import Task, TaskSource
from tasks.planning.source import Planning
from tasks.recovery.source import RecoveryTasks
from tasks.swebench.source import Swebench


def sources() -> list[TaskSource]:
    """Where tasks come from: the task directory, the datasets of this run, the entry points of ``restartlab.tasks``."""
    of_packages = (plugins.load("tasks", name) for name in plugins.offered("tasks"))
    return [package.Packages(), RecoveryTasks(), Planning(), Swebench(), *of_packages]


def source_of(task_id: str) -> str | None:
    """Name of the entry point that brings a task; None for tasks of the project's own sources."""
    for name in plugins.offered("tasks"):
        if task_id in plugins.load("tasks", name).ids():
            return name
    return None


def task_ids() -> list[str]:
    """Ids of all tasks; raises ``InputError`` when two sources have the same id."""
    found: list[str] = []
    for source in sources():
        for task_id in source.ids():
            if task_id in found:
                raise InputError(f"two sources have a task {task_id!r}", mend="rename one of the two")
            found.append(task_id)
    return found


def load_task(task_id: str) -> Task:
    """The task named ``task_id``.

    Raises:
        InputError: there is none, or it is damaged.
    """
    for source in sources():
        if task_id in source.ids():
            return source.load(task_id)
    raise InputError(f"unknown task {task_id!r}", mend=mend_for(task_id, task_ids()))


def mend_for(task_id: str, known: list[str]) -> str:
    """What to do about a task that is not among ``known``."""
    if task_id.startswith("swebench-") and not any(name.startswith("swebench-") for name in known):
        return "name the dataset that holds it: --dataset FILE, or RESTARTLAB_DATASETS=FILE"
    near = difflib.get_close_matches(task_id, known, n=1)
    meant = f"did you mean {near[0]!r}? " if near else ""
    return f"{meant}known tasks: {', '.join(known[:40]) or 'none'}{' ...' if len(known) > 40 else ''}"
