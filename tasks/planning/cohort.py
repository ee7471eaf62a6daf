"""The planning tasks that stages can name: sizes and seeds, as ``planning/cohort.yaml`` of the task directory lists."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.paths import task_dir
from harness.yamlfile import load_yaml, validation_error
from tasks.planning.generate import Size, generate
from tasks.planning.greedy import greedy_plan
from tasks.planning.optimum import optimum
from tasks.planning.wrong import wrong_plans

SizeName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*$")]
Seed = Annotated[int, Field(ge=1, strict=True)]


class Cohort(BaseModel):
    """Content of ``cohort.yaml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sizes: Annotated[dict[SizeName, Size], Field(min_length=1)]
    """Parameters of each size."""
    seeds: dict[SizeName, list[Seed]]
    """Seeds of each size; task ``planning-SIZE-SEED`` each."""

    @model_validator(mode="after")
    def _known_sizes(self) -> Self:
        for name, seeds in self.seeds.items():
            if name not in self.sizes:
                raise ValueError(f"seeds of {name!r}, which is none of the sizes")
            if len(set(seeds)) < len(seeds):
                raise ValueError(f"a seed of {name!r} stands twice")
        return self


def cohort_file() -> Path:
    """Where the list is."""
    return task_dir() / "planning" / "cohort.yaml"


def load_cohort() -> Cohort | None:
    """The list; None where the task directory has none. Raises ``InputError`` when it is damaged."""
    path = cohort_file()
    try:
        changed = path.stat().st_mtime_ns
    except OSError:
        return None
    return _read(path, changed)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Cohort:
    try:
        return Cohort.model_validate(load_yaml(path))
    except ValidationError as error:
        raise validation_error(error, path) from None


def why_not(name: str, size: Size, seed: int) -> str | None:
    """Why the rule of the cohort passes a seed over; None when it takes it.

    A task must be worth asking (taking the best ratio first is not enough) and able to tell wrong from right (a wrong
    plan of each kind exists).
    """
    instance = generate(name, size, seed)
    if instance.benefit(greedy_plan(instance)) == optimum(instance).benefit:
        return "Taking the best ratio first is optimal."
    lacking = {"budget", "requirement", "conflict", "optimal"} - set(wrong_plans(instance))
    return f"No wrong plan breaks the {' and the '.join(sorted(lacking))} alone." if lacking else None


def chosen(name: str, size: Size, count: int) -> Iterator[tuple[int, str | None]]:
    """Seeds 1, 2, ... until ``count`` are taken, each with why it is not, or None."""
    seed = taken = 0
    while taken < count:
        seed += 1
        reason = why_not(name, size, seed)
        taken += reason is None
        yield seed, reason
