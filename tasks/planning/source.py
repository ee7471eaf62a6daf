"""The planning cohort as a source of tasks."""

from __future__ import annotations

from harness.errors import InputError
from tasks.planning.cohort import Cohort, cohort_file, load_cohort
from tasks.planning.generate import generate
from tasks.planning.task import PlanningTask


class Planning:
    """Tasks ``planning-SIZE-SEED`` (a ``TaskSource``)."""

    def ids(self) -> list[str]:
        cohort = load_cohort()
        return list(_places(cohort)) if cohort else []

    def load(self, task_id: str) -> PlanningTask:
        cohort = load_cohort()
        assert cohort is not None
        size, seed = _places(cohort)[task_id]
        try:
            return PlanningTask(task_id, size, generate(size, cohort.sizes[size], seed))
        except ValueError as error:
            mend = "ask for fewer pairs, or more items"
            raise InputError(str(error), file=cohort_file(), key=f"sizes.{size}", mend=mend) from None


def _places(cohort: Cohort) -> dict[str, tuple[str, int]]:
    return {f"planning-{size}-{seed}": (size, seed) for size, seeds in cohort.seeds.items() for seed in seeds}
