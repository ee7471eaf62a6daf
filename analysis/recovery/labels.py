"""Official, provisional or unverified: what a reader may compare a score with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from analysis.recovery.composite import Composite, gathered
from analysis.recovery.difficulty import TaskDifficulty
from analysis.recovery.distribution import counts_of
from analysis.recovery.exclusions import retry_findings
from analysis.recovery.quality import WEIGHTS
from analysis.recovery.records import Attempt, Panel, trials_of

LABELS = ("official", "provisional", "unverified")

#: What an official result covers: tasks, and valid trials of each.
OFFICIAL_TASKS, OFFICIAL_TRIALS = 20, 5


@dataclass(frozen=True)
class Label:
    """A label and what keeps it from being official."""

    name: str
    reasons: tuple[str, ...]


def label_of(
    attempts: Sequence[Attempt], runtime: str, panel: Panel, score: Composite, bands: Sequence[TaskDifficulty]
) -> Label:
    """The label of a system's result.

    ``unverified`` without an approved audit; ``provisional`` with one, when anything else is short of an official
    result; both with every reason.
    """
    mine = [one for one in attempts if one.runtime == runtime]
    reasons = [
        *_panel(panel), *_coverage(mine, runtime, panel), *_bands(panel, bands), *gathered(score.missing)
    ]  # fmt: skip
    if any(one.origin == "synthetic" for one in mine):
        reasons.append("the attempts are those of a scripted instrument (synthetic)")
    if panel.memory != "prohibited" and panel.memory != "reset":
        reasons.append("memory across trials is allowed" if panel.memory else "the memory policy is not stated")
    found = retry_findings(mine, panel.retry)
    if found:
        reasons.append(f"{len(found)} findings about exclusions: {found[0]}")
    if panel.entry(runtime).auditor is None:
        return Label("unverified", ("no audit was approved", *reasons))
    return Label("provisional" if reasons else "official", tuple(reasons))


def _panel(panel: Panel) -> list[str]:
    reasons = []
    if panel.frozen is None:
        reasons.append("the panel is not frozen")
    if len(panel.tasks) != OFFICIAL_TASKS or panel.trials != OFFICIAL_TRIALS:
        reasons.append(
            f"the panel asks for {len(panel.tasks)} tasks x {panel.trials} trials, "
            f"not {OFFICIAL_TASKS} x {OFFICIAL_TRIALS}"
        )
    if panel.weights is not None and dict(panel.weights) != WEIGHTS:
        reasons.append("the weights are not the published ones")
    retired = [task.task for task in panel.tasks if task.retired]
    if retired:
        reasons.append(f"retired tasks: {', '.join(retired)}")
    return reasons


def _coverage(mine: Sequence[Attempt], runtime: str, panel: Panel) -> list[str]:
    counts = counts_of(trials_of(mine, runtime))
    short = [f"{task.task} {counts.get(task.task, (0, 0))[1]}" for task in panel.tasks
             if counts.get(task.task, (0, 0))[1] != panel.trials]  # fmt: skip
    if not short:
        return []
    more = f" and {len(short) - 3} more" if len(short) > 3 else ""
    return [f"{len(short)} tasks without exactly {panel.trials} valid trials: {', '.join(short[:3])}{more}"]


def _bands(panel: Panel, bands: Sequence[TaskDifficulty]) -> list[str]:
    reasons = []
    unknown = [one.task for one in bands if one.band is None]
    if unknown:
        reasons.append(f"{len(unknown)} tasks without a difficulty band")
    if any(one.synthetic for one in bands):
        reasons.append("difficulty bands are synthetic: scripted instruments set them")
    easy = [one.task for one in bands if one.band == "Excluded"]
    if easy:
        reasons.append(f"tasks that calibration excludes as too easy: {', '.join(easy)}")
    if panel.mix is not None and not unknown:
        held = {name: sum(one.band == name for one in bands) for name in panel.mix}
        if held != dict(panel.mix):
            reasons.append(f"the mix of bands is {_mix(held)}, not {_mix(dict(panel.mix))}")
    return reasons


def _mix(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())
