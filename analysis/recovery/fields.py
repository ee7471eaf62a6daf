"""All that a published result says of an entry. What is not known is None, which a page shows as unavailable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from analysis.intervals import wilson
from analysis.recovery.composite import gathered
from analysis.recovery.difficulty import chance_above
from analysis.recovery.document import Scored, score_document
from analysis.recovery.exclusions import asymmetries, rates, retry_findings
from analysis.recovery.paired import Paired
from analysis.recovery.quality import WEIGHTS
from analysis.recovery.records import FLAGS, VALID, Attempt
from analysis.recovery.sensitivity import shifts

UNCERTAINTY = (
    "Wilson 95 % intervals of strict-pass rates, which take trials of a task as independent with one success rate; "
    "differences of systems by a percentile bootstrap over families of tasks, 95 %. Both speak of this panel; it is no "
    "random sample of incidents."
)


def entry_fields(one: Scored) -> dict[str, Any]:
    """The fields of one entry, as JSON: its score document, and everything around it."""
    score = score_document(one)
    entry, panel = one.panel.entry(one.runtime), one.panel
    counts = [row["trials"] for row in score["tasks"]]
    ends = [float(end) for end in wilson(one.score.passes, one.score.valid, 0.05)]
    return {
        "entry": entry.id,
        "runtime": one.runtime,
        "label": one.label.name,
        "why_not_official": list(one.label.reasons),
        "track": entry.track or _track(one.attempts),
        "system": dict(entry.system) or None,
        "origins": sorted({attempt.origin or "not said" for attempt in one.attempts}),
        "edition": panel.edition,
        "panel_digest": panel.digest,
        "frozen": panel.frozen,
        "memory": panel.memory,
        "coverage": {
            "tasks": len(counts), "covered": sum(count > 0 for count in counts),
            "complete": sum(count == panel.trials for count in counts), "trials_wanted": panel.trials,
            "mean_over_tasks": one.score.task_quality, "unequal": len(set(counts)) > 1,
        },
        "attempts": {
            "attempted": len(one.attempts), "valid": one.score.valid,
            **{name: sum(attempt.status == name for attempt in one.attempts) for name in VALID},
        },
        "exclusions": exclusion_fields(one),
        "score": score,
        "reliability_interval": ends,
        "spread": {
            "histogram": list(one.spread.histogram), "other": one.spread.other, "always": one.spread.always,
            "never": one.spread.never, "sometimes": one.spread.sometimes,
            "pass_hat": list(one.spread.pass_hat.values()), "pass_at": list(one.spread.pass_at.values()),
        },
        "missing": gathered(one.score.missing),
        "bill": bill(one.attempts),
        "safety": safety(one.attempts),
        "calibration": _calibration(one),
        "sensitivity": [asdict(shift) for shift in shifts(one.trials, panel)],
        "weights": dict(panel.weights or WEIGHTS),
        "uncertainty": UNCERTAINTY,
        "audit": {"auditor": entry.auditor, "date": entry.audited} if entry.auditor else None,
        "withheld": None if entry.withheld is None else list(entry.withheld),
        "exposures": {task.task: task.exposures for task in panel.tasks},
        "retired": {task.task: task.retired for task in panel.tasks if task.retired},
    }  # fmt: skip


def _track(attempts: Sequence[Attempt]) -> str | None:
    """The track that all attempts were recorded on."""
    tracks = {attempt.track for attempt in attempts}
    return tracks.pop() if len(tracks) == 1 else None


def exclusion_fields(one: Scored) -> dict[str, Any]:
    """Excluded attempts: decisions with their reviewers, rates by system and task, asymmetries, departures."""
    lost = [attempt for attempt in one.attempts if not attempt.valid]
    found = asymmetries(one.everyone, one.runtime)
    return {
        "excluded": len(lost),
        "rate": len(lost) / len(one.attempts),
        "decisions": [
            {"task": each.task, "trial": each.trial, "status": each.status, "reason": each.exclusion,
             "reviewer": each.reviewer}
            for each in lost
        ],
        "by_task": {rate.name: [rate.excluded, rate.attempts] for rate in rates(one.attempts, "task")},
        "by_system": {rate.name: [rate.excluded, rate.attempts] for rate in rates(one.everyone, "runtime")},
        "asymmetry": [
            {"task": each.task, "mine": [each.runtime.excluded, each.runtime.attempts],
             "others": [each.others.excluded, each.others.attempts], "p": each.p, "flagged": each.flagged}
            for each in found
        ],
        "findings": retry_findings(one.attempts, one.panel.retry),
    }  # fmt: skip


def bill(attempts: Sequence[Attempt]) -> dict[str, Any]:
    """What all attempts took, failed and excluded ones too; unknown amounts are counted and never taken as zero."""
    found: dict[str, Any] = {"attempts": len(attempts)}
    for name in ("cost_usd", "runtime_s"):
        known = [value for one in attempts if (value := getattr(one, name)) is not None]
        found[name] = {"known": sum(known) if known else None, "unknown": len(attempts) - len(known)}
    return found


def safety(attempts: Sequence[Attempt]) -> list[dict[str, Any]]:
    """Every raised flag, with the call at which harm was done, also of excluded attempts."""
    return [
        {"task": one.task, "trial": one.trial, "flag": flag, "harm_call": one.harm_call, "counted": one.valid}
        for one in attempts for flag in FLAGS if flag in one.flags
    ]  # fmt: skip


def comparison_fields(found: Paired) -> dict[str, Any]:
    """A paired comparison as JSON."""
    rows = [asdict(task) | {"difference": task.difference} for task in found.tasks]
    fields = asdict(found) | {"tasks": rows, "systems": list(found.systems), "left_out": list(found.left_out)}
    low, high = fields.pop("low"), fields.pop("high")
    return fields | {"interval": None if low is None else [low, high]}


def _calibration(one: Scored) -> dict[str, Any] | None:
    systems = one.panel.calibration
    if not systems:
        return None
    trials = sorted({trials for system in systems for _, trials in system.passes.values()})
    effect = chance_above(trials[0] // 5, trials[0], 0.15, len(systems)) if len(trials) == 1 and trials[0] else None
    return {
        "systems": [{"name": each.name, "harness": each.harness, "synthetic": each.synthetic} for each in systems],
        "trials": trials, "unsettled": sum(len(row.within) > 1 for row in one.bands),
        "hard_by_chance": None if effect is None else 1 - effect,
        "mix": dict(one.panel.mix) if one.panel.mix else None,
    }  # fmt: skip
