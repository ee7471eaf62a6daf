"""The part of the page on monitor stages: what an alarm was worth on tasks that it was not tuned on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, percent, points

Document = Mapping[str, Any]


def monitors_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """Opportunity, calibration, discrimination, regret, success and cost, each apart; None without a monitor stage."""
    if not document["monitors"]:
        return None
    blocks: list[Block] = [
        Text(
            "Thresholds were chosen on calibration attempts, which nobody acted on, and frozen before the first "
            "held-out attempt. The held-out tasks were tried in three arms: left alone, restarted once at the "
            "calibrated fixed time, restarted once at the monitor's alarm. What monitoring takes comes out of the same "
            "budget."
        ),
        *(Picture(one, "Success, gains promised and found, what an attempt cost.") for one in figures["monitors"]),
    ]
    for one in document["monitors"]:
        blocks += _runtime(one)
    return Section("monitors", "Monitors", blocks)


def _runtime(one: Document) -> Iterator[Block]:
    who = f"{one['stage']}, {one['runtime']}"
    if one["refused"]:
        yield Text(f"{who}: not tested. {one['refused']}.", warning=True)
    elif one["unfinished"]:
        yield Text(f"{who}: an early look, {one['unfinished']} attempts are not finished.", warning=True)
    if one["opportunity"]:
        yield _opportunity(one, who)
    if not one["success"]:
        return
    yield from (_calibration(one, who), _reliability(one, who), _discrimination(one, who), _regret(one, who))
    yield from (_success(one, who), _cost(one, who))


def _opportunity(one: Document, who: str) -> Table:
    rows = [
        [row["group"], str(row["t"]), f"{row['live_cells']} of {row['tasks']}",
         *(points(row[name]) for name in ("restart_minus_continue", "task_oracle", "perfect_alarm"))]
        for row in one["opportunity"]
    ]  # fmt: skip
    head = ["tasks", "call", "live tasks", "restart all, points", "better per task, points", "perfect alarm, points"]
    return Table(f"Opportunity, {who}: what any alarm could gain, on attempts that nobody acted on", head, rows,
                 [one["origin"]])  # fmt: skip


def _calibration(one: Document, who: str) -> Table:
    rows = [
        [row["arm"], row["monitor"], "no alarm ever" if row["threshold"] is None else f"{row['threshold']:g}",
         points(row["promised"]), *_estimate(row["replayed"], points), *_estimate(row["realised"], points)]
        for row in one["calibration"]["arms"]
    ]  # fmt: skip
    head = ["arm", "monitor", "threshold", "promised, points", "rule on held-out continuations", "95 %",
            "arm against continuation", "95 %"]  # fmt: skip
    return Table(f"Calibration, {who}: gain where the threshold was chosen, and on held-out tasks", head, rows,
                 [one["origin"]], left=2)  # fmt: skip


def _reliability(one: Document, who: str) -> Table:
    rows = [
        [group["group"], f"{row['from']:g}", str(group["attempts"]), percent(group["failing"])]
        for row in one["calibration"]["reliability"]
        for group in row["groups"]
    ]
    head = ["tasks", "highest score, from", "attempts", "failing, %"]
    return Table(f"What a score means, {who}: failing continuations by highest score", head, rows, [one["origin"]])


def _discrimination(one: Document, who: str) -> Table:
    rows = [
        [group["arm"], group["group"], str(row["t"]), str(row["live"]),
         *(cell for name in ("tau", "phi", "auroc") for cell in _estimate(row[name], percent)),
         *(percent(row[name]["value"]) for name in ("restartability", "continuation"))]
        for group in one["discrimination"]
        for row in group["times"]
    ]  # fmt: skip
    head = ["arm", "tasks", "call", "live", "alarms on failures, %", "95 %", "on successes, %", "95 %", "AUROC, %",
            "95 %", "restart p, %", "continue q, %"]  # fmt: skip
    return Table(f"Discrimination, {who}, beside the restartability that it cannot change", head, rows,
                 [one["origin"]], left=2, folded=len(rows) > 20)  # fmt: skip


def _regret(one: Document, who: str) -> Table:
    rows = [[row["arm"], str(row["t"]), *_estimate(row, points)] for row in one["regret"]]
    head = ["arm", "call", "regret, points", "95 %"]
    return Table(f"Action-value regret, {who}: success lost by the worse action, task and call being known", head, rows,
                 [one["origin"]], folded=len(rows) > 20)  # fmt: skip


def _success(one: Document, who: str) -> Table:
    rows = [[row["arm"], str(row["tasks"]), *_estimate(row, percent)] for row in one["success"]["arms"]]
    rows += [
        [f"{row['of']} − {row['against']}", str(row["tasks"]), *_estimate(row, points)]
        for row in one["success"]["contrasts"]
    ]
    head = ["arm", "held-out tasks", "success, % or points", "95 %"]
    return Table(f"Success, {who}: verified within {one['budget']} calls, mean over tasks", head, rows, [one["origin"]])


def _cost(one: Document, who: str) -> Table:
    def number(value: float | None, form: str) -> str:
        return "unknown" if value is None else form.format(value)

    rows = [
        [row["arm"], str(row["attempts"]), percent(row["acted_on"]), number(row["agent_calls"], "{:.1f}"),
         number(row["monitor_calls"], "{:.2f}"), number(row["agent_usd"], "{:.4f}"),
         number(row["monitor_usd"], "{:.4f}"), number(row["wall_s"], "{:.1f}"), number(row["monitor_s"], "{:.3f}")]
        for row in one["cost"]
    ]  # fmt: skip
    head = ["arm", "attempts", "acted on, %", "agent's calls", "monitor's calls", "agent, US $", "monitor, US $",
            "seconds in all", "of them monitor"]  # fmt: skip
    caption = f"Cost, {who}: means per held-out attempt; where nobody acted, the monitor's money bought a record only"
    return Table(caption, head, rows, [one["origin"]])


def _estimate(found: Mapping[str, float | None], word: Any) -> list[str]:
    """The value and its interval."""
    low, high = found["low"], found["high"]
    return [word(found["value"]), "–" if low is None or high is None else between([low, high])]
