"""The score of one entry as JSON: what ``restartlab score --json`` prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from analysis.errors import InputError
from analysis.intervals import wilson
from analysis.recovery.composite import Composite, composite
from analysis.recovery.difficulty import BANDS, TaskDifficulty, difficulty
from analysis.recovery.distribution import Spread, pass_hat, spread
from analysis.recovery.exclusions import reasons
from analysis.recovery.gap import gap
from analysis.recovery.labels import Label, label_of
from analysis.recovery.quality import CAPS, Quality, quality
from analysis.recovery.records import DIMENSIONS, VALID, Attempt, Panel, PanelTask
from analysis.recovery.rounding import mean, round2


@dataclass(frozen=True)
class Scored:
    """An entry, scored: everything that its documents and pages say is computed from this."""

    runtime: str
    attempts: tuple[Attempt, ...]
    everyone: tuple[Attempt, ...]
    panel: Panel
    score: Composite
    spread: Spread
    bands: tuple[TaskDifficulty, ...]
    label: Label

    @property
    def trials(self) -> list[Attempt]:
        """Valid trials."""
        return [one for one in self.attempts if one.valid]


def scored(attempts: Sequence[Attempt], runtime: str, panel: Panel) -> Scored:
    """Scores a system's attempts; those of others are looked at for the asymmetry of exclusions only.

    Raises:
        InputError: nothing to score, a task outside the panel or in another family, two valid trials of one number.
    """
    mine = tuple(one for one in attempts if one.runtime == runtime)
    if not mine:
        known = ", ".join(sorted({one.runtime for one in attempts})) or "none"
        raise InputError(f"there are no attempts of {runtime!r}", mend=f"systems there are: {known}")
    _check(attempts, panel)
    trials = [one for one in mine if one.valid]
    score = composite(trials, panel)
    bands = tuple(difficulty(task.task, panel.calibration) for task in panel.tasks)
    label = label_of(attempts, runtime, panel, score, bands)
    return Scored(runtime, mine, tuple(attempts), panel, score, spread(trials, panel.trials), bands, label)


def _check(attempts: Sequence[Attempt], panel: Panel) -> None:
    families = {task.task: task.family for task in panel.tasks}
    seen = set()
    for one in attempts:
        if one.task not in families:
            raise InputError(f"{one.name}: the task is not in the panel", mend="name the panel that it belongs to")
        if one.family != families[one.task]:
            raise InputError(f"{one.name}: family {one.family!r} is {families[one.task]!r} in the panel",
                             mend="a task belongs to one family")  # fmt: skip
        key = one.runtime, one.task, one.trial
        if one.valid and key in seen:
            raise InputError(f"{one.name} stands twice as a valid trial", mend="number each trial once")
        if one.valid:
            seen.add(key)


def score_document(one: Scored) -> dict[str, Any]:
    """The entry's numbers; qualities are on 0..100, rates and intervals are fractions, null is unavailable."""
    return {
        "label": one.label.name,
        "panel": one.panel.edition,
        "trials": one.score.valid,
        "excluded": len(one.attempts) - one.score.valid,
        "quality": one.score.quality,
        "reliability": one.score.reliability,
        "efficiency": one.score.efficiency,
        "crs": one.score.crs,
        "tasks": [_task(one, task) for task in one.panel.tasks],
        "dimensions": dimension_rows(one.trials),
        "caps": cap_counts(one),
        "difficulty": _difficulty(one),
    }


def _task(one: Scored, task: PanelTask) -> dict[str, Any]:
    mine = [attempt for attempt in one.attempts if attempt.task == task.task]
    trials = [attempt for attempt in mine if attempt.valid]
    passes = sum(trial.strict_pass for trial in trials)
    qualities = [_quality(trial, one.panel).final for trial in trials]
    ends = [float(end) for end in wilson(passes, len(trials), 0.05)] if trials else None
    band = next((row for row in one.bands if row.task == task.task), None)
    return {
        "task": task.task, "family": task.family, "trials": len(trials), "wanted": one.panel.trials, "passes": passes,
        "attempts": len(mine), "excluded": dict(reasons(mine)),
        "statuses": {name: sum(trial.status == name for trial in trials) for name in VALID},
        "quality": round2(mean(qualities)) if qualities else None, "qualities": qualities,
        "rate": passes / len(trials) if trials else None, "interval": ends,
        "pass_hat": [pass_hat(passes, len(trials), k) for k in range(1, len(trials) + 1)],
        "missing": [f"trial {lack.trial}: {lack.what}" for lack in one.score.missing if lack.task == task.task],
        "difficulty": band.band if band else None, "exposures": task.exposures, "retired": task.retired,
    }  # fmt: skip


def _quality(trial: Attempt, panel: Panel) -> Quality:
    assert trial.dimensions is not None
    return quality(trial.dimensions, trial.flags, panel.weights)


def dimension_rows(trials: Sequence[Attempt]) -> dict[str, Any]:
    """Mean of each dimension, and the gap between visible function and strict recovery."""
    rows: dict[str, Any] = {}
    for letter, name in DIMENSIONS.items():
        values = [trial.dimensions[letter] for trial in trials if trial.dimensions is not None]
        rows[letter] = {"name": name, "mean": float(mean(values)), "least": min(values),
                        "full": sum(value >= 1 for value in values)}  # fmt: skip
    return {**rows, "gap": asdict(gap(trials))}


def cap_counts(one: Scored) -> dict[str, dict[str, int]]:
    """By cap: trials to which it applied, and whose quality it lowered."""
    found = [_quality(trial, one.panel) for trial in one.trials]
    return {
        name: {"applied": sum(name in row.caps for row in found), "binding": sum(row.binding == name for row in found)}
        for name in CAPS
    }


def _difficulty(one: Scored) -> dict[str, Any]:
    tasks = {row.task: asdict(row) | {"within": list(row.within), "best": list(row.best)} for row in one.bands}
    for row in tasks.values():
        row["interval"] = None if row["interval"] is None else list(row["interval"])
        del row["task"]
    systems = [
        {"name": each.name, "harness": each.harness, "synthetic": each.synthetic, "tasks": len(each.passes),
         "trials": sum(trials for _, trials in each.passes.values())}
        for each in one.panel.calibration
    ]  # fmt: skip
    return {
        "counts": {name: sum(row.band == name for row in one.bands) for name in BANDS},
        "unavailable": sum(row.band is None for row in one.bands),
        "synthetic": any(row.synthetic for row in one.bands), "systems": systems, "tasks": tasks,
    }  # fmt: skip
