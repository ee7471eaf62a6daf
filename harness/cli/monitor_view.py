"""What ``restartlab monitor`` prints for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.cli.analysing_events import columns, percent

Document = Mapping[str, Any]


def recorded_lines(document: Document) -> Iterator[str]:
    """A monitor on recorded attempts."""
    at = document["threshold"]
    said = "without a threshold, so without alarms" if at is None else f"alarm from score {at:g} on"
    yield (
        f"monitor {document['monitor']}, {said}; budget {document['budget']} calls; 95 % intervals from "
        f"{document['replicates']} resamples of tasks, seed {document['seed']}; in %"
    )
    if document["unmatched"]:
        yield f"{document['unmatched']} recorded attempts are not of the chosen stages, runtimes and arms"
    for one in document["cohorts"]:
        yield (
            f"{one['stage']} {one['runtime']} {one['arm']}{_label(one)}: {one['read']} of {one['attempts']} attempts "
            f"at {one['tasks']} tasks were scored"
        )
        table: list[list[str]] = []
        if rule := one["rule"]:
            table = [
                ["restart at the first alarm", ""],
                ["  attempts with an alarm", shown(rule["alarms"])],
                ["  of all, successes alarmed", shown(rule["false_alarms"])],
                ["  calls of monitoring", plain(rule["asked"]["value"])],
                ["  gain if monitoring were free", shown(rule["free_gain"])],
                ["  gain, monitoring charged", shown(rule["gain"])],
            ]
        for row in one["times"]:
            table += [
                [f"call {row['t']}: {row['live']} live, {row['unread']} unread", ""],
                ["  alarm rate on failures", shown(row["tau"])],
                ["  alarm rate on successes", shown(row["phi"])],
                ["  AUROC", shown(row["auroc"])],
                ["  restartability p", shown(row["restartability"])],
                ["  continuation q", shown(row["continuation"])],
                ["  ceiling (perfect alarm)", shown(row["ceiling"])],
                ["  better action per task", shown(row["task_oracle"])],
                ["  gain, monitoring charged", shown(row["net_gain"])],
            ]
        yield from columns(table) if table else ()


def study_lines(document: Document) -> Iterator[str]:
    """A monitor stage."""
    for one in document["runtimes"]:
        sizes = ", ".join(f"{len(group['tasks'])} {group['group']}" for group in one["tasks"])
        yield (
            f"{document['stage']} {one['runtime']}{_label(one)}: monitor {one['monitor']}, budget {one['budget']} "
            f"calls, tasks: {sizes}; 95 % intervals from {document['replicates']} resamples of tasks, seed "
            f"{document['seed']}; in %"
        )
        if one["frozen"]:
            at, seq = one["frozen"]["frozen_at"], one["frozen"]["ledger_seq"]
            yield f"thresholds frozen at {at}, record {seq} of the ledger"
        if one["refused"]:
            yield f"  not tested yet: {one['refused']}"
        elif one["unfinished"]:
            yield f"  an early look: {one['unfinished']} attempts are not finished"
        yield from columns(list(_table(one)))


def _table(one: Document) -> Iterator[list[str]]:
    yield ["opportunity: restart all, better per task, perfect alarm", ""]
    for row in one["opportunity"]:
        said = " / ".join(percent(row[name]) for name in ("restart_minus_continue", "task_oracle", "perfect_alarm"))
        yield [f"  {row['group']}, call {row['t']}: {row['live_cells']} of {row['tasks']} tasks live", said]
    for row in one["calibration"]["arms"] if one["calibration"] else ():
        at = "no alarm ever" if row["threshold"] is None else f"alarm from {row['threshold']:g} on"
        yield [f"calibration of {row['arm']}: {at}", ""]
        yield ["  gain promised by calibration", percent(row["promised"])]
        yield ["  gain of the rule on held-out continuations", shown(row["replayed"])]
        yield ["  gain of the arm", shown(row["realised"])]
    for group in one["discrimination"]:
        yield [f"discrimination of {group['arm']}, {group['group']}", ""]
        for row in group["times"]:
            said = f"{shown(row['tau'])} / {shown(row['phi'])} / {shown(row['auroc'])}"
            yield [f"  call {row['t']}, alarms on failures / successes / AUROC", said]
    if one["regret"]:
        yield ["action-value regret", ""]
    for row in one["regret"]:
        yield [f"  {row['arm']}, call {row['t']}", shown(row)]
    if one["success"]:
        yield ["success", ""]
        for row in one["success"]["arms"]:
            yield [f"  {row['arm']}", shown(row)]
        for row in one["success"]["contrasts"]:
            yield [f"  {row['of']} - {row['against']}", shown(row)]
    if one["cost"]:
        yield ["cost per attempt: agent + monitoring, calls and US dollars", ""]
    for row in one["cost"]:
        calls = f"{plain(row['agent_calls'])} + {plain(row['monitor_calls'])}"
        dollars = f"{plain(row['agent_usd'], 4)} + {plain(row['monitor_usd'], 4)}"
        acted = f"{percent(row['acted_on'])} % acted on"
        yield [f"  {row['arm']}, {row['attempts']} attempts, {acted}", f"{calls}; {dollars}"]


def shown(found: Mapping[str, float | None]) -> str:
    """An estimate in percent, with its interval."""
    if found["value"] is None:
        return "not defined"
    ends = "" if found["low"] is None else f" [{percent(found['low'])}, {percent(found['high'])}]"
    return percent(found["value"]) + ends


def plain(value: float | None, digits: int = 2) -> str:
    """A number that is no share."""
    return "unknown" if value is None else f"{value:.{digits}f}"


def _label(one: Document) -> str:
    return " (synthetic)" if one["origin"] == "synthetic" else ""
