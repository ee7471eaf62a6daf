"""The page of recovery scores: one section per entry with all fields of a published result, missing ones shown so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import SYNTHETIC, Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, listed, percent, points

#: What stands where a published result lacks a field.
UNAVAILABLE = "unavailable"

Fields = Mapping[str, Any]


def recovery_page(
    entries: Sequence[Fields], comparisons: Sequence[Fields], figures: Sequence[Sequence[Drawing]]
) -> list[Section]:
    """All sections: a summary, a section per entry, the comparisons."""
    found = [Section("summary", "Summary", _summary(entries))]
    for number, (fields, drawings) in enumerate(zip(entries, figures, strict=True), 1):
        found.append(Section(f"entry-{number}", f"Entry {fields['runtime']}", entry_blocks(fields, drawings)))
    if comparisons:
        found.append(Section("comparisons", "Paired comparisons", [b for one in comparisons for b in _compared(one)]))
    return found


def _summary(entries: Sequence[Fields]) -> list[Block]:
    rows = [
        [one["runtime"], one["label"], _known(one["track"]), _number(one["score"]["crs"]),
         _number(one["score"]["quality"]), _number(one["score"]["reliability"]), _number(one["score"]["efficiency"]),
         f"{one['coverage']['complete']} of {one['coverage']['tasks']}"]
        for one in sorted(entries, key=lambda one: (_order(one["label"]), one["runtime"]))
    ]  # fmt: skip
    head = ["entry", "label", "track", "CRS", "quality", "reliability", "efficiency", "complete tasks"]
    blocks: list[Block] = []
    synthetic = [one["runtime"] for one in entries if "synthetic" in one["origins"]]
    if synthetic:
        blocks.append(Text(f"{SYNTHETIC}: {', '.join(synthetic)}. Such numbers say nothing about any model.",
                           warning=True))  # fmt: skip
    blocks.append(Text(
        "Official results cover the whole frozen panel and passed an audit. Provisional and unverified ones are listed "
        "apart: they are not ranked with official ones, and nothing is scaled up to make an incomplete panel whole."
    ))  # fmt: skip
    blocks.append(Table("Entries by label; quality, reliability, efficiency and CRS on 0 to 100", head, rows,
                        sorted({origin for one in entries for origin in one["origins"]}), left=3))  # fmt: skip
    return blocks


def entry_blocks(fields: Fields, drawings: Sequence[Drawing]) -> list[Block]:
    """An entry's fields, tables and figures."""
    blocks: list[Block] = [Table("Fields of the published result", ["field", "value"], _fields(fields),
                                 fields["origins"], left=2)]  # fmt: skip
    if fields["missing"]:
        blocks.append(Text("No efficiency and no CRS, since measurements of strict passes are missing: "
                           f"{'; '.join(fields['missing'])}.", warning=True))  # fmt: skip
    blocks += [Picture(drawing, "Every attempt is shown; only valid trials are scored.") for drawing in drawings]
    return [*blocks, _tasks(fields), *_exclusions(fields), *_safety(fields), _sensitivity(fields)]


def _fields(one: Fields) -> list[list[str]]:
    score, cover, bill = one["score"], one["coverage"], one["bill"]
    gap, calibration = score["dimensions"]["gap"], one["calibration"]
    tried, excluded = one["attempts"], one["exclusions"]["excluded"]
    return [
        ["entry", _known(one["entry"])],
        ["system", one["runtime"]],
        ["label", one["label"]],
        ["not official because", "; ".join(one["why_not_official"]) or "–"],
        ["track", _known(one["track"])],
        ["system configuration", _named(one["system"])],
        ["edition", _known(one["edition"])],
        ["panel digest", _known(one["panel_digest"])],
        ["frozen", _known(one["frozen"])],
        ["memory across trials", _known(one["memory"])],
        ["coverage", f"{cover['covered']} of {cover['tasks']} tasks, {cover['complete']} with all "
                     f"{cover['trials_wanted']} valid trials"],
        ["attempts", f"{tried['attempted']} attempted, {tried['valid']} valid, {excluded} excluded"],
        ["excluded by reason", _counts(_reasons(score))],
        ["quality", _number(score["quality"]) + (
            f" pooled; {_number(cover['mean_over_tasks'])} as a mean over tasks (counts are unequal)"
            if cover["unequal"] else "")],
        ["dimensions", ", ".join(f"{row['name']} {row['mean']:.3f}" for letter, row in score["dimensions"].items()
                                 if letter != "gap")],
        ["caps", ", ".join(f"{name} applied {row['applied']}, lowered {row['binding']}"
                           for name, row in score["caps"].items())],
        ["reliability", f"{_number(score['reliability'])} %, 95 % interval {between(one['reliability_interval'])} %"],
        ["efficiency", _number(score["efficiency"])],
        ["CRS", _number(score["crs"])],
        ["full bill", f"{_amount(bill['cost_usd'], '${:.2f}')}; {_amount(bill['runtime_s'], '{:.0f} s')} of agent "
                      f"execution, over {bill['attempts']} attempts"],
        ["safety events", str(len(one["safety"]))],
        ["visible function without strict recovery", f"{gap['apparent']} of {gap['functional']} functional trials; "
                                                     f"{gap['fragile']} do not last"],
        ["passes per task", f"all: {one['spread']['always']}, some: {one['spread']['sometimes']}, "
                            f"none: {one['spread']['never']} tasks"],
        ["pass^k, k = 1, 2 …", ", ".join(f"{value:.3f}" for value in one["spread"]["pass_hat"])],
        ["difficulty", _difficulty(score["difficulty"])],
        ["calibration", UNAVAILABLE if calibration is None else _calibration(calibration)],
        ["uncertainty", one["uncertainty"]],
        ["exposures before", _exposures(one["exposures"])],
        ["retired tasks", _named(one["retired"], "none")],
        ["audit", "not approved" if one["audit"] is None else f"{one['audit']['auditor']}, {one['audit']['date']}"],
        ["withheld", UNAVAILABLE if one["withheld"] is None else listed(one["withheld"], "nothing")],
    ]  # fmt: skip


def _tasks(one: Fields) -> Table:
    rows = [
        [row["task"], row["family"], _known(row["difficulty"]), f"{row['passes']} of {row['trials']}",
         UNAVAILABLE if row["interval"] is None else between(row["interval"]), _number(row["quality"]),
         str(row["attempts"]), _counts(row["excluded"])]
        for row in one["score"]["tasks"]
    ]  # fmt: skip
    head = ["task", "family", "difficulty", "strict passes", "95 % interval", "quality", "attempts", "excluded"]
    return Table("Tasks", head, rows, one["origins"], left=3)


def _exclusions(one: Fields) -> list[Block]:
    found = one["exclusions"]
    rows = [[row["task"], str(row["trial"]), row["status"], row["reason"] or UNAVAILABLE, _known(row["reviewer"])]
            for row in found["decisions"]]  # fmt: skip
    blocks: list[Block] = []
    if rows:
        blocks.append(Table("Excluded attempts and who decided", ["task", "trial", "status", "reason", "reviewer"],
                            rows, one["origins"], left=5))  # fmt: skip
    systems = ", ".join(f"{name} {lost} of {count}" for name, (lost, count) in found["by_system"].items())
    blocks.append(Text(f"Excluded attempts by system: {systems}."))
    for row in found["asymmetry"]:
        if row["flagged"]:
            where = f"on {row['task']}" if row["task"] else "over all tasks"
            blocks.append(Text(
                f"Asymmetry {where}: {row['mine'][0]} of {row['mine'][1]} attempts excluded against {row['others'][0]} "
                f"of {row['others'][1]} of others (Fisher's exact p = {row['p']:.2g}).", warning=True,
            ))  # fmt: skip
    blocks += [Text(f"Exclusions: {text}.", warning=True) for text in found["findings"][:10]]
    return blocks


def _safety(one: Fields) -> list[Block]:
    rows = [[row["task"], str(row["trial"]), row["flag"].replace("_", " "), _known(row["harm_call"]),
             "yes" if row["counted"] else "no (excluded)"] for row in one["safety"]]  # fmt: skip
    if not rows:
        return []
    head = ["task", "trial", "event", "at call", "counted"]
    return [Table("Safety events", head, rows, one["origins"], left=3, folded=len(rows) > 30)]


def _sensitivity(one: Fields) -> Table:
    rows = [[row["name"], f"{row['step']:+.2f}", _number(row["quality"]), _number(row["crs"])]
            for row in one["sensitivity"]]  # fmt: skip
    caption = "Secondary: the same trials when one weight is moved and the others give way in proportion"
    return Table(caption, ["weight", "moved by", "quality", "CRS"], rows, one["origins"], left=1, folded=True)


def _compared(one: Fields) -> list[Block]:
    first, second = one["systems"]
    unit = 1 if one["metric"] == "quality" else 100
    interval = one["interval"]
    ends = "no interval, since there is one family" if interval is None else (
        f"95 % [{unit * interval[0]:+.1f}, {unit * interval[1]:+.1f}]"
    )  # fmt: skip
    text = (
        f"{first} minus {second}, {one['metric'].replace('_', ' ')}: {unit * one['mean']:+.1f} points as a mean over "
        f"{len(one['tasks'])} tasks, {ends} by {one['replicates']} resamples of {one['families']} families (seed "
        f"{one['seed']}). Better on {one['better']}, worse on {one['worse']}, equal on {one['equal']}. "
        f"Tasks that only one of them has: {listed(one['left_out'], 'none')}. A difference that is not significant "
        "is no equivalence, and a significant one is no acceptable risk: "
        + "; ".join(f"{name} {_counts(events)}" for name, events in one["safety"].items()) + "."
    )  # fmt: skip
    rows = [[row["task"], row["family"], points(row["difference"] / (1 if unit == 100 else 100), 1),
             f"{row['first_trials']} and {row['second_trials']}"] for row in one["tasks"]]  # fmt: skip
    head = ["task", "family", "difference, points", "valid trials"]
    return [Text(text), Table(f"{first} minus {second}, task by task", head, rows, left=2)]


def _order(label: str) -> int:
    return ("official", "provisional", "unverified").index(label)


def _known(value: Any) -> str:
    return UNAVAILABLE if value is None else str(value)


def _number(value: float | None) -> str:
    return UNAVAILABLE if value is None else f"{value:.2f}"


def _named(values: Mapping[str, Any] | None, none: str = UNAVAILABLE) -> str:
    return "; ".join(f"{name}: {value}" for name, value in values.items()) if values else none


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items()) or "none"


def _reasons(score: Fields) -> dict[str, int]:
    found: dict[str, int] = {}
    for row in score["tasks"]:
        for name, count in row["excluded"].items():
            found[name] = found.get(name, 0) + count
    return found


def _amount(known: Mapping[str, Any], form: str) -> str:
    if known["known"] is None:
        return UNAVAILABLE
    unknown = f" (of {known['unknown']} attempts unknown)" if known["unknown"] else ""
    return form.format(known["known"]) + unknown


def _difficulty(found: Fields) -> str:
    bands = _counts(found["counts"])
    more = f", {found['unavailable']} {UNAVAILABLE}" if found["unavailable"] else ""
    return f"{bands}{more}" + ("; synthetic: scripted instruments set them" if found["synthetic"] else "")


def _calibration(found: Fields) -> str:
    systems = "; ".join(f"{one['name']} ({one['harness']}{', synthetic' if one['synthetic'] else ''})"
                        for one in found["systems"])  # fmt: skip
    chance = found["hard_by_chance"]
    count = len(found["systems"])
    effect = "" if chance is None or count == 1 else (
        f"; the best of {count} equal systems with a rate of 15 % would leave a task Hard with chance "
        f"{percent(chance)} %"
    )  # fmt: skip
    return (f"{systems}; trials of a task: {listed(found['trials'])}; bands that the interval does not settle: "
            f"{found['unsettled']}{effect}")  # fmt: skip


def _exposures(counts: Mapping[str, int | None]) -> str:
    known = [count for count in counts.values() if count is not None]
    if not known:
        return UNAVAILABLE
    several = {str(count): f"{known.count(count)} tasks" for count in sorted(set(known))}
    unknown = f"; of {len(counts) - len(known)} tasks {UNAVAILABLE}" if len(known) < len(counts) else ""
    return _named(several) + unknown
