"""The datasets that this run was given, as a source of tasks."""

from __future__ import annotations

from harness.errors import InputError
from harness.paths import dataset_places
from tasks.swebench.dataset import Damaged, load_dataset
from tasks.swebench.task import SwebenchTask


class Swebench:
    """Instances of all datasets of ``RESTARTLAB_DATASETS`` (a ``TaskSource``)."""

    def ids(self) -> list[str]:
        return list(self._tasks())

    def load(self, task_id: str) -> SwebenchTask:
        return self._tasks()[task_id]

    def damaged(self) -> list[Damaged]:
        """Records that are no instances."""
        return [damaged for place in dataset_places() for damaged in load_dataset(place).damaged]

    def _tasks(self) -> dict[str, SwebenchTask]:
        found: dict[str, SwebenchTask] = {}
        for place in dataset_places():
            for instance in load_dataset(place).instances.values():
                task = SwebenchTask(instance, place)
                known = found.setdefault(task.id, task)
                if known is not task and known.digest != task.digest:
                    raise InputError(
                        f"{instance.instance_id!r} stands in two datasets and differs", file=place, key="instance_id",
                        mend=f"leave out this dataset or {known.root.parent}",
                    )  # fmt: skip
        return found
