"""A study in which everything that can be odd is: an event table as CSV, and reports made from it."""

from __future__ import annotations

from pathlib import Path

from analysis.report.study import Choices, StageInfo, Study
from analysis.table import EventTable

HEAD = (
    "stage,digest,origin,task,runtime,arm,repeat,try,horizon,event,call,action,reason,calls,cost_usd,wall_s,"
    "unpassed_at,repassed_at,valid,exclusion"
)

#: Names that would be markup in a page, in Markdown, or in matplotlib.
ODD = "<script>alert(1)</script> a|b $x_1$ [l](u)"

PLAN = {
    "budget": 20, "cutoffs": [5, 10, 20], "times": [5, 10], "alpha": 0.05, "method": "clopper-pearson",
    "expansion_rule": "None.",
}  # fmt: skip


def odd_rows() -> list[str]:
    """Two stages.

    ``made``: a synthetic runtime in two arms, lost tries, a wall-time limit, costs known and unknown, odd names, a
    runtime whose every try was lost. ``made2``: one task.
    """
    rows = []
    for task, passes in (("easy", (3, 4, 5, 6, 20)), (ODD, (9, 12, 0, 0, 18))):
        for arm in ("baseline", "rejuvenate"):
            for repeat, call in enumerate(passes, 1):
                later = min(20, call + 2) if arm == "rejuvenate" and call else call
                event = ("verified", later, "") if call else ("terminal", 7, "repeated_format_error")
                rows.append(_row("made", "synthetic", task, "scripted", arm, repeat, 1, event, f"0.0{repeat}", "60.5"))
    lost = ("censored", 2, "")
    rows.append(_row("made", "synthetic", "easy", "scripted", "baseline", 5, 2, lost, "", "12", "provider_outage"))
    rows.append(_row("made", "collected", "easy", "model", "baseline", 1, 1, ("verified", 8, ""), "0.5", ""))
    rows.append(_row("made", "collected", "easy", "model", "baseline", 2, 1, ("censored", 11, "wall_time"), "", "3600"))
    rows.append(_row("made", "collected", "easy", "gone", "baseline", 1, 1, ("censored", 0, ""), "", "", "killed"))
    rows.append(_row("made2", "imported", "only", "model", "baseline", 1, 1, ("censored", 20, "horizon"), "0", "5"))
    return rows


def odd_table(folder: Path) -> EventTable:
    """The rows as a table read from a file."""
    file = folder / "odd.csv"
    file.write_text("\n".join([HEAD, *odd_rows()]) + "\n", encoding="utf-8")
    return EventTable.read([file])


def odd_study(folder: Path) -> Study:
    """The study of that table; stage ``made`` has a protocol and is not complete."""
    protocol = {"title": "Odd things", "description": "Tests.", "analysis": PLAN,
                "selection": {"rule": "By hand.", "rejected": [{"task": "t", "reason": "too easy"}]}}  # fmt: skip
    made = StageInfo("made", protocol, {"scripted": 20, "model": 2, "gone": 1}, "2026-11-30")
    return Study(odd_table(folder), [made, StageInfo("made2")], Choices(replicates=200))


def _row(
    stage: str, origin: str, task: str, runtime: str, arm: str, repeat: int, number: int,
    event: tuple[str, int, str], cost: str, wall: str, exclusion: str = "",
) -> str:  # fmt: skip
    name, call, reason = event
    valid = "false" if exclusion else "true"
    cells = [stage, "d" * 64, origin, task, runtime, arm, repeat, number, 20, name, call, "", reason, call, cost, wall,
             "", "", valid, exclusion]  # fmt: skip
    return ",".join(map(str, cells))
