"""Parts of the page about completion and restart policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, listed, names, percent, points

Document = Mapping[str, Any]

_WHO = ("stage", "runtime", "arm")


def completion(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """Completion of one attempt by call; None where no attempt started afresh."""
    if not document["cohorts"]:
        return None
    blocks: list[Block] = []
    for stage, cohorts in _by_stage(document):
        blocks += [
            Picture(drawing, "Bands are pointwise 95 % intervals of a bootstrap of tasks, then attempts.")
            for drawing in figures[f"completion {stage}"]
        ]
        last = max(one["completion"]["through"] for one in cohorts)
        marks = sorted({*range(0, last + 1, max(1, -(-last // 6))), last} - {0}) or [0]
        rows = [[*names(one)[1:], *(_at(one["completion"], mark) for mark in marks)] for one in cohorts]
        caption = f"{stage}: attempts verified by each call, mean over tasks, % [95 % band]"
        head = ["runtime", "arm", *(f"call {mark}" for mark in marks)]
        blocks.append(Table(caption, head, rows, sorted({one["origin"] for one in cohorts}), left=2))
        for one in cohorts:
            beyond = one["completion"]["beyond"]
            if beyond:
                estimate = beyond["incidence"]
                blocks.append(Text(
                    f"{stage}, {one['runtime']}, {one['arm']}: {beyond['refused']}. {estimate['method']}: "
                    f"{percent(estimate['macro'][-1])} % by call {estimate['calls'][-1]}.", warning=True,
                ))  # fmt: skip
    return Section("completion", "Completion", blocks)


def policies(document: Document) -> Section | None:
    """Replay: values of cutoffs, contrasts, best ones, leave-one-task-out, arms; None without fresh attempts."""
    if not document["cohorts"]:
        return None
    blocks: list[Block] = [Text(
        "Exact replay: each episode is a fresh draw of the task's attempts, cut off at the given call, until the "
        "budget is spent; a terminal gives its unused calls to the next episode. Values are means over tasks. "
        "Differences are paired by task; their intervals resample tasks, then attempts."
    )]  # fmt: skip
    for stage, cohorts in _by_stage(document):
        for one in cohorts:
            if "macro" in one["replay"]:
                blocks.append(_values(stage, one))
    blocks += [_choices(document), *_arms(document)]
    for stage, cohorts in _by_stage(document):
        for one in cohorts:
            refused = one["replay"]["refused"]
            if refused:
                which = listed(row["cutoff"] or "one attempt" for row in refused)
                text = f"Not replayed in {stage}, {one['runtime']}, {one['arm']}: {which}. {refused[0]['refused']}."
                known = "; ".join(f"{name.replace('_', ' ')} {_known(value)}" for name, value in
                                  refused[-1]["known"].items())  # fmt: skip
                blocks.append(Text(text + (f" Known of the last one: {known}." if known else ""), warning=True))
    return Section("policies", "Restart policies", blocks)


def _values(stage: str, one: Mapping[str, Any]) -> Table:
    replay = one["replay"]
    contrasts = {row["cutoff"]: row for row in replay["contrasts"]}
    rows = []
    for row in replay["macro"]:
        contrast = contrasts.get(row["cutoff"])
        cells = ["reference", "", "", ""]
        if contrast is not None:
            low, high = contrast["interval"]
            how = "exact" if contrast["seed"] is None else f"seed {contrast['seed']}"
            cells = [points(contrast["difference"]), f"[{points(low)}, {points(high)}]",
                     percent(contrast["positive"]), how]  # fmt: skip
        rows.append([str(row["cutoff"]), percent(row["value"], 2), between(row["interval"]), *cells])
    single = replay["single"]
    said = "not identified" if single is None else f"{percent(single, 2)} %"
    caption = (
        f"{stage}, {one['runtime']}, {one['arm']}: success of repeated cutoffs within {replay['budget']} calls "
        f"({replay['plan']}); one attempt of the whole budget: {said}"
    )
    head = ["cutoff", "success, %", "band", f"minus cutoff {replay['macro'][-1]['cutoff']}, points", "95 % interval",
            "positive, %", "ends"]  # fmt: skip
    return Table(caption, head, rows, [one["origin"]], folded=len(rows) > 20)


def _choices(document: Document) -> Table:
    rows = []
    for one in document["cohorts"]:
        replay = one["replay"]
        if not replay or "best" not in replay:
            continue
        left_out, best = replay["leave_one_task_out"], replay["best"]
        picks = "–"
        if left_out:
            chosen = sorted({fold["cutoff"] for fold in left_out["folds"]})
            picks = listed(f"{c} ({sum(fold['cutoff'] == c for fold in left_out['folds'])})" for c in chosen)
        rows.append([
            *names(one), listed(best["cutoffs"]), picks, percent(best["value"], 2),
            percent(left_out["value"], 2) if left_out else "–", points(left_out["difference"]) if left_out else "–",
        ])  # fmt: skip
    head = [*_WHO, "best in sample", "picked (folds)", "value, %", "left out, %", "minus reference, points"]
    caption = (
        "Choosing a cutoff: the best one in sample flatters itself; leave-one-task-out picks on the other tasks and "
        "scores on the one left out. The reference is the longest cutoff that was replayed"
    )
    return Table(caption, head, rows, document["origins"], left=5)


def _arms(document: Document) -> list[Table]:
    rows = []
    for row in document["arm_contrasts"]:
        if "refused" in row:
            rows.append([*names(row), row["against"]["arm"], "refused", "–", "–"])
        else:
            low, high = row["interval"]
            rows.append([*names(row), row["against"]["arm"], points(row["difference"]),
                         f"[{points(low)}, {points(high)}]", percent(row["positive"])])  # fmt: skip
    if not rows:
        return []
    head = [*_WHO, "minus arm", "difference, points", "95 % interval", "positive, %"]
    return [Table("Arms: one attempt of the whole budget, paired by task", head, rows, document["origins"], left=4)]


def _by_stage(document: Document) -> list[tuple[str, Sequence[Mapping[str, Any]]]]:
    found: list[tuple[str, Sequence[Mapping[str, Any]]]] = []
    for stage in (row["stage"] for row in document["stages"]):
        cohorts = [one for one in document["cohorts"] if one["stage"] == stage and one["completion"]]
        if cohorts:
            found.append((stage, cohorts))
    return found


def _at(found: Mapping[str, Any], call: int) -> str:
    if call > found["through"]:
        return "–"
    curve = found["macro"]["completion"]
    return f"{percent(curve['value'][call])} {between((curve['low'][call], curve['high'][call]), 0)}"


def _known(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
