"""What a person sees of a re-execution: a line for each attempt, then a table and what it says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from harness.attempt import Lost
from harness.cli.text import money, one_line, span
from harness.importers.detect import Skipped
from harness.reverify.planning import Assigned
from harness.store.records import TryResult


def skipped_lines(skipped: Sequence[Skipped]) -> Iterator[str]:
    """The files that gave no attempt."""
    for one in skipped:
        yield f"{'damaged' if one.damaged else 'skipped'}: {one_line(one.file, 120)}: {one_line(one.reason, 300)}"


def ended_line(one: Assigned, result: TryResult | Lost, done: int, total: int) -> str:
    """A line for an attempt that was executed."""
    name = f"{done:>4} of {total}  {one.attempt.task} #{one.attempt.repeat}"
    if isinstance(result, Lost):
        why = result.detail.strip().rpartition("\n")[2]  # of a traceback, what it ends with
        return f"{name}: {result.exclusion}: {one_line(why, 200)} ({span(result.wall_s)})"
    said = result.outcome["reverify"]
    shown = "never passed" if said["first_pass_call"] is None else f"first pass at call {said['first_pass_call']}"
    later = "" if said["unpassed_at"] is None else f", unpassed at {said['unpassed_at']} ({said['unpassed']})"
    end = "passes" if said["final_pass"] else f"ends with {said['final_state']}"
    return f"{name}: {shown} of {said['calls']}{later}, {end} ({span(result.wall_s or 0.0)})"


def closing_lines(document: dict[str, Any]) -> Iterator[str]:
    """The table of attempts and the summary."""
    width = max((len(one["task"]) for one in document["attempts"]), default=4)
    yield f"{'task':<{width}}  calls  first  unpass  repass  final  recorded  same rc  same out  excluded"
    for one in document["attempts"]:
        fidelity = one["fidelity"]
        yield (
            f"{one['task']:<{width}}  {one['calls']:>5}  {_cell(one['first_pass_call']):>5}  "
            f"{_cell(one['unpassed_at']):>6}  {_cell(one['repassed_at']):>6}  {_verdict(one['final_pass']):>5}  "
            f"{_verdict(one['recorded_pass']):>8}  {_share(fidelity['returncode']):>7}  "
            f"{_share(fidelity['masked']):>8}  {one['excluded'] or ''}"
        ).rstrip()
    said = document["summary"]
    yield ""
    yield f"{said['executed']} of {said['trajectories']} trajectories executed again, {said['excluded']} excluded"
    if said["compared"]:
        yield f"final verdicts equal to the recorded ones: {said['equal']} of {said['compared']}"
    yield f"passed at some call: {said['passed']}; pass at the end: {said['final_pass']}"
    yield f"lost a pass: {said['unpassed_transient']} for a while, {said['unpassed_final']} for good"
    after, cost = said["cost_after_first_pass"], said["cost_usd"]
    money_said = "cost unknown" if after is None or cost is None else f"{money(after, 0)} of {money(cost, 0)}"
    yield f"after the first pass: {said['calls_after_first_pass']} of {said['calls']} calls, {money_said}"
    yield f"stored as stage {said['stage']}: restartlab status {said['stage']}"


def _cell(value: int | None) -> str:
    return "-" if value is None else str(value)


def _verdict(value: bool | None) -> str:
    return "-" if value is None else "pass" if value else "fail"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.0%}"
