"""Parts of the page about recovery-action panels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import Drawing
from analysis.readout.display import half_up
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import listed

Document = Mapping[str, Any]
Panel = Mapping[str, Any]

_FOUR = (("agreement", "agreement"), ("all-zero pairs", "all_zero"), ("held-out success", "held_out_success"))
_NAMES = {"jaccard": "Jaccard"} | {metric: name for name, metric in _FOUR}
_SETS = ("single", "multiple", "mean_size", "common_action", "jaccard", "uniform_choice", "size_reference")


def readout_parts(document: Document, figures: Mapping[str, list[Drawing]]) -> list[Section]:
    """One section per panel, then what compares them, then where it comes from."""
    sections = [
        _panel(panel, number, document["settings"], figures) for number, panel in enumerate(document["panels"], 1)
    ]
    return [_overview(document, figures), *sections, *_across(document), _provenance(document)]


def _overview(document: Document, figures: Mapping[str, list[Drawing]]) -> Section:
    blocks: list[Block] = [
        Text(f"{panel['name']}: {text}.", warning=True) for panel in document["panels"] for text in panel["warnings"]
    ]
    blocks.append(Text(
        "Agreement says how often two independent blocks of draws have the same best actions; it does not say that any "
        "of them works. Two blocks in which everything failed agree perfectly. So the four numbers stand together: "
        "agreement, the share of pairs in which everything scored 0, success of the chosen action on other draws, and "
        "success of all draws."
    ))  # fmt: skip
    rows = []
    for panel in document["panels"]:
        for k, values in panel["k"].items():
            cells = [_with_ends(values[metric], values["intervals"][metric]) for _, metric in _FOUR]
            pooled = _with_ends(panel["pooled_success"], panel["pooled_interval"])
            rows.append([panel["name"], k, *cells, pooled])
    head = ["panel", "k", *(name for name, _ in _FOUR), "pooled success"]
    blocks.append(Table("The four diagnostics [95 % interval]", head, rows, document["origins"], left=2))
    caption = "Bars are all pairs of blocks; what is hatched orange agrees because nothing worked."
    blocks += [Picture(drawing, caption) for drawing in figures["sets"]]
    return Section("summary", "Summary", blocks)


def _panel(panel: Panel, number: int, settings: Mapping[str, Any], figures: Mapping[str, list[Drawing]]) -> Section:
    origin = [panel["origin"]]
    names = listed(panel["action_names"])
    strata = panel["strata"]
    inside = "" if not strata else f", inside {listed(f'{name} ({n})' for name, n in strata.items())}"
    ends = "exact where values lie on a lattice, else from" if settings["exact"] else "from"
    blocks: list[Block] = [
        Text(
            f"{panel['checkpoints']} checkpoints, actions {names}, {panel['repeats']} draws of each. Blocks: "
            f"{settings['design']}. Intervals (2.5, 97.5 %) are {ends} {settings['replicates']} resamples of "
            f"{settings['resample']}s{inside}, seed {settings['seed']}; they describe, and are no tests."
        ),
        *(Picture(drawing, "Up: the same winners again. Right: the winner works.")
          for drawing in figures[f"scatter {number}"]),
        _sets_table(panel, origin),
        *(Picture(drawing, "Squares choose by a block of draws and pay for it; a hollow point is the reference.")
          for drawing in figures[f"policies {number}"]),
        _policy_table(panel, origin), *_otherwise(panel, origin), *_binding(panel, origin), *_rest(panel, origin),
    ]  # fmt: skip
    return Section(f"panel-{number}", panel["name"], blocks)


def _sets_table(panel: Panel, origin: Sequence[str]) -> Table:
    changes = {row["metric"]: row for row in panel["changes"]}
    head = ["metric", *(f"k = {k}" for k in panel["k"])]
    if changes:
        one = panel["changes"][0]
        head += [f"k = {one['to']} minus k = {one['from']}", "95 % interval"]
    rows = []
    for metric in ("agreement", *_SETS, "all_zero", "held_out_success"):
        name = _NAMES.get(metric, metric.replace("_", " "))
        row = [name, *(_three(values[metric]) for values in panel["k"].values())]
        if changes:
            row += [_three(changes[metric]["value"], signed=True), _ends(changes[metric]["interval"])]
        rows.append(row)
    ranks = panel["rank_concordance"].values()
    undefined = ["–", "–"] if changes else []
    rows.append(["rank concordance (Spearman)", *(_three(rank["value"]) for rank in ranks), *undefined])
    caption = "Best-action sets of pairs of blocks; single and multiple add up to agreement"
    return Table(caption, head, rows, origin)


def _policy_table(panel: Panel, origin: Sequence[str]) -> Table:
    rows = [
        [row["policy"], str(row["episodes"]), _amount(row["calls"], 1), _amount(row["cost_usd"], 4),
         _three(row["success"]), _ends(row["interval"]), _three(row["difference"], signed=True),
         _ends(row["difference_interval"])]
        for row in panel["policies"]
    ]  # fmt: skip
    head = ["policy", "episodes", "model calls", "US dollars", "success", "95 % interval",
            f"minus {panel['policies'][0]['against']}", "95 % interval"]  # fmt: skip
    return Table("Policies on held-out draws, and what a decision takes", head, rows, origin)


def _otherwise(panel: Panel, origin: Sequence[str]) -> list[Block]:
    ks = list(panel["k"])
    rows = [
        [half_up(row["epsilon"]), str(row["k"]), *(_three(row[name]) for name in _TOLERANCE)]
        for row in panel["tolerance"]
    ]
    head = ["epsilon", "k", *(name.replace("_", " ") for name in _TOLERANCE)]
    tables: list[Block] = [Table("Sets of all actions within epsilon of the best", head, rows, origin, left=2,
                                 folded=len(rows) > 4)]  # fmt: skip
    rows = [
        [f"{_SCORES[row['score']]}{', costs taken off' if row['costs'] else ''}",
         *(_three(row["k"][k]["agreement"]) for k in ks), _three(row["change"], signed=True),
         _ends(row["change_interval"]), _three(row["k"][ks[-1]]["held_out_success"])]
        for row in panel["variants"]
    ]  # fmt: skip
    if len(rows) > 1:
        head = ["selecting by", *(f"agreement, k = {k}" for k in ks), "change", "95 % interval",
                f"held-out success, k = {ks[-1]}"]  # fmt: skip
        costs: Mapping[str, float] = next((row["costs"] for row in panel["variants"] if row["costs"]), {})
        said = listed(f"{name} {cost:g}" for name, cost in costs.items())
        tables.append(Table(f"Agreement by what selects (costs: {said})", head, rows, origin))
    return tables


_TOLERANCE = ("agreement", "common_action", "jaccard", "mean_size", "held_out_success", "held_out_score")
_SCORES = {"select": "the score that selects", "evaluate": "the evaluator's score"}


def _binding(panel: Panel, origin: Sequence[str]) -> list[Block]:
    said = panel["binding"]
    rows = [
        [row["name"].replace("_", " "),
         *(_three(row[name]) for name in ("direct", "overlap", "discordant", "changed", "mean_size"))]
        for row in said["associations"]
    ]  # fmt: skip
    head = ["association", "direct", "overlap", "discordant", "changed", "mean size"]
    caption = (
        f"Whether outcomes belong to their checkpoint: {said['reading']}, medians of "
        f"{said['associations'][-1]['permutations']} permutations {said['scope']}"
    )
    gates = [
        [row["rule"].replace("_", " "), *(str(row[name]) for name in ("release", "hold", "reject")),
         _three(row["agreement"]), _three(row["extra"])]
        for row in said["gates"]
    ]  # fmt: skip
    gate_head = ["rule", "release", "hold", "reject", "agreement with exact keyed", "extra releases"]
    outcomes = [
        [name, *(str(row[kind]) for kind in ("cells", "all_success", "partial", "all_fail"))]
        for name, row in said["by_outcome"].items()
    ]
    return [
        Table(caption, head, rows, origin),
        Table("The same relation by outcome", ["relation", "cells", "all success", "partial", "all fail"], outcomes,
              origin),
        Table("Release gates", gate_head, gates, origin),
    ]  # fmt: skip


def _rest(panel: Panel, origin: Sequence[str]) -> list[Block]:
    blocks: list[Block] = []
    keyed, proof = panel["collisions"], panel["certificates"]
    if keyed:
        blocks.append(Text(
            f"A policy that sees only one of {keyed['classes']} keys agrees with at most "
            f"{_three(keyed['agreement'])} of the best sets and reaches at most {_three(keyed['utility'])}, "
            f"{_three(keyed['regret'])} below the best action of each checkpoint."
        ))  # fmt: skip
    if proof:
        counts = proof["counts"]
        blocks.append(Text(
            f"Certified at error {proof['delta']:g} a checkpoint ({proof['method']}, {proof['branches']} draws an "
            f"action): {counts['unique_winner']} unique winners, {counts['undecided']} undecided. Below "
            f"{proof['least_branches']} draws this certificate can certify nothing; undecided does not mean equal."
        ))  # fmt: skip
    blocks.append(_provenance_table(panel, origin))
    for one in panel["sensitivity"]:
        blocks.append(_sensitivity_table(one, origin))
    rows = [
        [row["checkpoint"], row["task"] or "–", row["stratum"] or "–", listed(f"{x:g}" for x in row["successes"]),
         row["best_set"], *(_three(values[name]) for values in row["k"].values()
                            for name in ("agreement", "all_zero", "held_out_success"))]
        for row in panel["rows"]
    ]  # fmt: skip
    head = ["checkpoint", "task", "stratum", "successes by action", "best set of all draws",
            *(f"{name}, k = {k}" for k in panel["k"] for name in ("agreement", "all-zero", "held-out"))]  # fmt: skip
    blocks.append(Table("Checkpoints", head, rows, origin, left=5, folded=True))
    return blocks


def _provenance_table(panel: Panel, origin: Sequence[str]) -> Block:
    found = panel["provenance"]
    if found is None:
        return Text("Provenance of the episodes is unavailable.", warning=True)
    rows = [
        [name.replace("_", " "), str(row["episodes"]), str(row["positives"]), _three(row["rate"])]
        for name, row in found.items()
    ]
    return Table("How episodes came to their score", ["status", "episodes", "positive", "rate"], rows, origin)


def _sensitivity_table(one: Mapping[str, Any], origin: Sequence[str]) -> Table:
    rows = [
        [k, str(values["checkpoints"]), *(_three(values[metric]) for _, metric in _FOUR), _three(one["pooled_success"])]
        for k, values in one["k"].items()
    ]
    head = ["k", "checkpoints left", *(name for name, _ in _FOUR), "pooled success"]
    without = listed(name.replace("_", " ") for name in one["without"])
    return Table(f"Without: {without} (blocks with such an episode are left out)", head, rows, origin)


def _across(document: Document) -> list[Section]:
    found = document["across"]
    if not found:
        return []
    if found["refused"]:
        return [Section("across", "Choosing between runtimes", [Text(f"Not read: {found['refused']}.", warning=True)])]
    rows = [[row["policy"], _three(row["success"]), _ends(row["interval"])] for row in found["policies"]]
    table = Table("Held-out success when the selection half chooses runtime and action",
                  ["policy", "success", "95 % interval"], rows, document["origins"])  # fmt: skip
    return [Section("across", "Choosing between runtimes", [table])]


def _provenance(document: Document) -> Section:
    rows = [
        [f"source {one['name']}", f"SHA-256 {one['sha256']}" if one.get("sha256") else "–"]
        for one in document["sources"]
    ]
    rows += [[name, _setting(value)] for name, value in document["settings"].items()]
    rows += [[name, version] for name, version in document["software"].items()]
    table = Table("Where the numbers come from", ["what", "which"], rows, document["origins"], left=2)
    text = "Numbers are shown half up at three decimals; report.json holds them unrounded, tensor.csv the outcomes."
    return Section("provenance", "Provenance", [table, Text(text)])


def _setting(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return listed(f"{name} {part:g}" for name, part in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def _three(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "–"
    text = half_up(value)
    return (f"+{text}" if signed and value > 0 and text != "0.000" else text).replace("-", "−")


def _ends(ends: Sequence[float] | None) -> str:
    return "–" if ends is None else f"[{_three(ends[0])}, {_three(ends[1])}]"


def _with_ends(value: float | None, ends: Sequence[float] | None) -> str:
    return f"{_three(value)} {_ends(ends)}"


def _amount(value: float | None, digits: int) -> str:
    return "unknown" if value is None else f"{value:.{digits}f}"
