"""The recovery packages below the task directory, as a source of tasks."""

from __future__ import annotations

from pathlib import Path

from harness.errors import InputError
from harness.paths import task_dir
from tasks.recovery.task import RecoveryTask


def recovery_roots() -> dict[str, Path]:
    """Folder of every package, by task id (``recovery-queue-poison`` is ``recovery/queue-poison``)."""
    return {
        f"recovery-{path.parent.name}": path.parent for path in sorted(task_dir().glob("recovery/*/contract.yaml"))
    }


class RecoveryTasks:
    """A ``tasks.interface.TaskSource``."""

    def ids(self) -> list[str]:
        return list(recovery_roots())

    def load(self, task_id: str) -> RecoveryTask:
        """The package named ``task_id``; raises ``InputError`` when it is damaged or its id differs."""
        task = RecoveryTask(recovery_roots()[task_id])
        if task.id != task_id:
            raise InputError(
                f"id is {task.id!r} but the folder says {task_id!r}", file=task.root / "contract.yaml", key="id",
                mend=f"set id: {task_id}",
            )  # fmt: skip
        return task
