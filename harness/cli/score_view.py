"""Scores as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from harness.cli.analysing_events import columns, percent

if TYPE_CHECKING:
    from analysis.recovery.document import Scored
    from analysis.recovery.paired import Paired


def number(value: float | None) -> str:
    """A score, or what stands where there is none."""
    return "unavailable" if value is None else f"{value:.2f}"


def entry_lines(one: Scored) -> Iterator[str]:
    """An entry: its label and numbers, its tasks, and what a reader must know about them."""
    from analysis.recovery.fields import entry_fields

    found = entry_fields(one)
    score, panel = found["score"], one.panel
    frozen = f"frozen {panel.frozen}" if panel.frozen else "not frozen"
    edition = f"edition {panel.edition}, {frozen}, digest {panel.digest}" if panel.edition else "no edition"
    yield f"{one.runtime}: {one.label.name} ({edition})"
    for reason in one.label.reasons:
        yield f"  not official: {reason}"
    low, high = (percent(end) for end in found["reliability_interval"])
    yield f"  quality {number(score['quality'])}, reliability {number(score['reliability'])} [{low}, {high}], " \
          f"efficiency {number(score['efficiency'])}, CRS {number(score['crs'])}"  # fmt: skip
    cover = found["coverage"]
    if cover["unequal"]:
        yield f"  trials per task are unequal; quality as a mean over tasks {number(cover['mean_over_tasks'])}"
    yield f"  {found['attempts']['attempted']} attempts: {score['trials']} valid trials ({one.score.passes} strict " \
          f"passes), {score['excluded']} excluded; {cover['complete']} of {cover['tasks']} tasks complete"  # fmt: skip
    yield f"  tasks passed always {one.spread.always}, sometimes {one.spread.sometimes}, never {one.spread.never}; " \
          f"pass^k {', '.join(f'{value:.3f}' for value in one.spread.pass_hat.values())}"  # fmt: skip
    gap = score["dimensions"]["gap"]
    yield f"  works but is no strict pass: {gap['apparent']} of {gap['functional']} functional trials; " \
          f"{gap['fragile']} do not last"  # fmt: skip
    yield "  " + ", ".join(f"{letter} {row['mean']:.3f}" for letter, row in score["dimensions"].items()
                           if letter != "gap")  # fmt: skip
    if found["bill"]["cost_usd"]["unknown"]:
        yield f"  cost unknown of {found['bill']['cost_usd']['unknown']} of {len(one.attempts)} attempts"
    if score["difficulty"]["synthetic"]:
        yield "  difficulty bands are SYNTHETIC: scripted instruments set them"
    for row in found["exclusions"]["asymmetry"]:
        if row["flagged"]:
            yield f"  exclusions are asymmetric ({row['task'] or 'all tasks'}): {row['mine'][0]} of {row['mine'][1]} " \
                  f"against {row['others'][0]} of {row['others'][1]}, p = {row['p']:.2g}"  # fmt: skip
    rows = [["task", "passes", "interval, %", "quality", "excluded", "difficulty"]]
    for row in score["tasks"]:
        ends = "-" if row["interval"] is None else "–".join(percent(end) for end in row["interval"])
        rows.append([row["task"], f"{row['passes']}/{row['trials']}", ends, number(row["quality"]),
                     str(sum(row["excluded"].values())), row["difficulty"] or "unavailable"])  # fmt: skip
    yield from columns(rows, indent="    ")


def comparison_lines(found: Paired) -> Iterator[str]:
    """A paired comparison."""
    unit = 1 if found.metric == "quality" else 100
    first, second = found.systems
    if found.low is None or found.high is None:
        ends = "no interval: one family says nothing about families"
    else:
        ends = f"95 % [{unit * found.low:+.2f}, {unit * found.high:+.2f}] over {found.families} families"
    yield f"{first} - {second}, {found.metric}: {unit * found.mean:+.2f} points over {len(found.tasks)} tasks, {ends}"
    yield f"  better on {found.better}, worse on {found.worse}, equal on {found.equal} tasks"
    for name, events in found.safety.items():
        yield f"  {name}: " + ", ".join(f"{flag} {count}" for flag, count in events.items())
    if found.left_out:
        yield f"  left out, since one of them has no valid trial: {', '.join(found.left_out)}"
    rows = [["task", "difference", "trials"]]
    rows += [[task.task, f"{unit * task.difference:+.2f}", f"{task.first_trials}/{task.second_trials}"]
             for task in found.tasks]  # fmt: skip
    yield from columns(rows, indent="    ")


def agreement_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Agreement of raters."""
    def shown(value: float | None) -> str:
        return "not defined (all ratings are the same)" if value is None else f"{value:.3f}"

    for dimension, row in found["agreement"].items():
        alphas = ", ".join(f"{level} {shown(value)}" for level, value in row["alpha"].items())
        yield f"{dimension}: {row['items']} items judged by two or more of {', '.join(row['raters'])}"
        yield f"  Krippendorff's alpha: {alphas}"
        for pair in row["kappa"]:
            yield f"  weighted kappa {' and '.join(pair['raters'])}: {shown(pair['value'])}"
        for one in row["apart"]:
            yield f"  furthest apart: {one['item']} by {one['range']:.2f}"
