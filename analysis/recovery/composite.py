"""The composite of an entry, by staged rounding: each component to two decimals, then their weighted sum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from analysis.errors import InputError
from analysis.recovery.efficiency import efficiency, missing
from analysis.recovery.quality import quality
from analysis.recovery.records import Attempt, Panel
from analysis.recovery.rounding import exact, mean, round2

#: Published weights of quality, reliability and efficiency.
COMPOSITE = {"quality": 0.80, "reliability": 0.15, "efficiency": 0.05}


class Lack(NamedTuple):
    """What a strict pass lacks for its efficiency."""

    task: str
    trial: int
    what: str


def gathered(lacking: Sequence[Lack], shown: int = 3) -> list[str]:
    """What is missing, a line a kind, with how many strict passes lack it and the first of them."""
    kinds: dict[str, list[Lack]] = {}
    for lack in lacking:
        kinds.setdefault(lack.what, []).append(lack)
    return [
        f"{what}, in {len(lacks)} strict {'pass' if len(lacks) == 1 else 'passes'}: "
        + ", ".join(f"{lack.task} trial {lack.trial}" for lack in lacks[:shown])
        + (" ..." if len(lacks) > shown else "")
        for what, lacks in kinds.items()
    ]


@dataclass(frozen=True)
class Composite:
    """An entry's numbers on 0..100, two decimals.

    Args:
        quality: pooled mean over valid trials.
        task_quality: mean over tasks of their mean quality; the same only where all tasks have equally many trials.
        efficiency: None when a strict pass lacks its cost, runtime or target: then there is no composite either.
        missing: what is lacking, by trial.
    """

    valid: int
    passes: int
    quality: float
    task_quality: float
    reliability: float
    efficiency: float | None
    crs: float | None
    missing: tuple[Lack, ...]


def crs(
    quality: float, reliability: float, efficiency: float, weights: Mapping[str, float] = COMPOSITE
) -> float:  # fmt: skip
    """The composite score of three components that are rounded already."""
    parts = {"quality": quality, "reliability": reliability, "efficiency": efficiency}
    return round2(sum((exact(weights[name]) * exact(value) for name, value in parts.items()), Fraction(0)))


def aggregate(
    qualities: Sequence[float], passes: int, efficiencies: Sequence[float | Fraction]
) -> tuple[float, float, float]:
    """(quality, reliability, efficiency) over valid trials, each rounded; efficiency is 0 if nothing passed.

    Raises:
        InputError: no trial.
    """
    if not qualities:
        raise InputError("there is no valid trial to score", mend="an entry without valid trials has no score")
    eta = round2(mean(efficiencies)) if efficiencies else 0.0
    return round2(mean(qualities)), round2(Fraction(100 * passes, len(qualities))), eta


def composite(trials: Sequence[Attempt], panel: Panel, weights: Mapping[str, float] = COMPOSITE) -> Composite:
    """Scores the valid trials of one entry, as they are: coverage is the label's business, and nothing is rescaled.

    Raises:
        InputError: no trial, or one that is not valid, or of a task outside the panel.
    """
    tasks = {task.task: task for task in panel.tasks}
    for trial in trials:
        if not trial.valid or trial.dimensions is None:
            raise InputError(f"{trial.name} is {trial.status}, no valid trial", mend="leave excluded attempts out")
        if trial.task not in tasks:
            raise InputError(f"task {trial.task!r} is not in the panel", mend="name the panel that it belongs to")
    qualities = [trial_quality(trial, panel) for trial in trials]
    passed = [trial for trial in trials if trial.strict_pass]
    lacking = tuple(Lack(one.task, one.trial, what) for one in passed for what in missing(one, tasks[one.task]))
    etas = [] if lacking else [efficiency(one, tasks[one.task]) for one in passed]
    pooled, reliability, eta = aggregate(qualities, len(passed), etas)
    by_task: dict[str, list[float]] = {}
    for trial, value in zip(trials, qualities, strict=True):
        by_task.setdefault(trial.task, []).append(value)
    return Composite(
        valid=len(trials), passes=len(passed), quality=pooled,
        task_quality=round2(mean([mean(values) for values in by_task.values()])), reliability=reliability,
        efficiency=None if lacking else eta, crs=None if lacking else crs(pooled, reliability, eta, weights),
        missing=lacking,
    )  # fmt: skip


def trial_quality(trial: Attempt, panel: Panel) -> float:
    """Final quality of a valid trial under the panel's weights."""
    assert trial.dimensions is not None
    return quality(trial.dimensions, trial.flags, panel.weights).final
