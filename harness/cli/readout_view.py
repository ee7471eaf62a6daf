"""A readout as lines for people: what must be said first, the four diagnostics, then everything beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.cli.analysing_events import columns

if TYPE_CHECKING:
    from analysis.readout.panel import Panel
    from analysis.readout.readout import Readout

#: Name for people of each diagnostic; the four always stand together.
FOUR = (("agreement", "agreement"), ("all-zero pairs", "all_zero"), ("held-out success", "held_out_success"))
BESIDE = (
    ("single", "single"), ("multiple", "multiple"), ("mean size", "mean_size"), ("common action", "common_action"),
    ("Jaccard", "jaccard"), ("uniform choice", "uniform_choice"), ("size reference", "size_reference"),
)  # fmt: skip


def readout_lines(found: Readout, reference: Panel | None, scope: str | None) -> list[str]:
    """All lines about one panel."""
    from analysis.readout.warnings import warnings_of

    panel = found.panel
    counts = "{} checkpoints x {} actions x {} repeats".format(*panel.shape)
    lines = [f"{panel.name}: {counts} ({', '.join(panel.actions)}), {panel.origin}"]
    lines += [f"WARNING: {text}" for text in warnings_of(found)]
    parts = (
        _four(found), _sets(found), _otherwise(found), _policies(found), _binding(found, reference, scope),
        _keys(found), _certificates(found), _provenance(found),
    )  # fmt: skip
    return [*lines, *(line for part in parts if part for line in ["", *part])]


def lines_across(read: Sequence[Readout]) -> list[str]:
    """Choosing between runtimes, where there are several."""
    from analysis.readout.details import across

    found = across(read)
    if found is None:
        return []
    if found["refused"]:
        return ["", f"No choice between runtimes: {found['refused']}."]
    rows = [["choosing between runtimes", "held-out success", "95 % interval"]]
    rows += [[row["policy"], _three(row["success"]), _ends(row["interval"])] for row in found["policies"]]
    return ["", *columns(rows)]


def _four(found: Readout) -> list[str]:
    from analysis.readout.document import pair

    how = found.settings
    pooled = f"{_three(found.pooled_success)} {_ends(pair(found.pooled_interval))}"
    rows = [["", *(f"k = {one.k}" for one in found.measures)]]
    for name, metric in FOUR:
        cells = [f"{_three(one.mean(metric))} {_ends(pair(ends[metric], metric))}"
                 for one, ends in zip(found.measures, found.intervals, strict=True)]  # fmt: skip
        rows.append([name, *cells])
    rows.append(["pooled success", *([pooled] * len(found.measures))])
    resampled = "exact where possible" if how.exact else f"{how.replicates} resamples of {how.unit}s, seed {how.seed}"
    if found.panel.strata:
        resampled += f", within {len(set(found.panel.strata))} strata"
    return [f"design {how.design}; 95 % intervals: {resampled}", *columns(rows)]


def _sets(found: Readout) -> list[str]:
    rows = [["best sets", *(f"k = {one.k}" for one in found.measures)]]
    rows += [[name, *(_three(one.mean(metric)) for one in found.measures)] for name, metric in BESIDE]
    if found.panel.two_scores:
        rows.append(["held-out score", *(_three(one.mean("held_out_score")) for one in found.measures)])
    rows.append(["rank concordance", *(_three(rank.value) for rank in found.concordance)])
    rows.append(["  95 % interval", *(_ends((rank.low, rank.high)) for rank in found.concordance)])
    rows.append(["  resamples omitted", *(f"{100 * rank.omitted:.1f} %" for rank in found.concordance)])
    return list(columns(rows))


def _otherwise(found: Readout) -> list[str]:
    from analysis.readout.comparisons import COSTS, EPSILONS, tolerance, variants

    ks = [one.k for one in found.measures]
    rows = [["agreement, read otherwise", *(f"k = {k}" for k in ks), f"held-out success, k = {ks[-1]}"]]
    table = tolerance(found, EPSILONS[1:])
    for epsilon in EPSILONS[1:]:
        mine = [row for row in table if row["epsilon"] == epsilon]
        rows.append([f"within {epsilon:g} of the best", *(_three(row["agreement"]) for row in mine),
                     _three(mine[-1]["held_out_success"])])  # fmt: skip
    scores = ("select", "evaluate") if found.panel.two_scores else ("select",)
    for row in variants(found, scores, COSTS):
        name = "the evaluator's score" if row["score"] == "evaluate" else "the score that selects"
        if row["score"] == "evaluate" or row["costs"]:
            cells = [_three(values["agreement"]) for values in row["k"].values()]
            last = row["k"][str(ks[-1])]["held_out_success"]
            rows.append([name + (", costs taken off" if row["costs"] else ""), *cells, _three(last)])
    return list(columns(rows))


def _policies(found: Readout) -> list[str]:
    from analysis.readout.comparisons import policy_rows
    from analysis.readout.policies import policies

    table = policy_rows(found, policies(found.panel, found.measures, found.settings.design))
    costly = any(row["cost_usd"] is not None for row in table[1:])
    against = table[0]["against"]
    head = ["policy", "episodes", "held-out success", "95 % interval", f"minus {against}", "95 % interval"]
    rows = [head + (["US dollars"] if costly else [])]
    for row in table:
        cells = [row["policy"], str(row["episodes"]), _three(row["success"]), _ends(row["interval"]),
                 _three(row["difference"]), _ends(row["difference_interval"])]  # fmt: skip
        cost = "unknown" if row["cost_usd"] is None else f"{row['cost_usd']:.4f}"
        rows.append(cells + ([cost] if costly else []))
    return list(columns(rows))


def _binding(found: Readout, reference: Panel | None, scope: str | None) -> list[str]:
    from analysis.readout.binding import bound

    said = bound(found, reference, scope)
    rows = [["binding of outcomes to checkpoints", "direct", "overlap", "discordant", "changed", "mean size"]]
    for row in said["associations"]:
        shares = [_three(row[name]) for name in ("direct", "overlap", "discordant", "changed", "mean_size")]
        rows.append([row["name"].replace("_", " "), *shares])
    draws = said["associations"][-1]["permutations"]
    gates = [["release gate", "release", "hold", "reject", "agreement", "extra"]]
    gates += [
        [row["rule"].replace("_", " "), *(str(row[name]) for name in ("release", "hold", "reject")),
         _three(row["agreement"]), _three(row["extra"])]
        for row in said["gates"]
    ]  # fmt: skip
    how = f"{said['reading']}; medians of {draws} permutations {said['scope']}"
    return [*columns(rows), f"  ({how})", "", *columns(gates)]


def _keys(found: Readout) -> list[str]:
    from analysis.readout.binding import collisions

    ceiling = collisions(found)
    if ceiling is None:
        return []
    return [
        f"Of what sees only one of {ceiling['classes']} keys: agreement at most {_three(ceiling['agreement'])}, "
        f"utility at most {_three(ceiling['utility'])}, {_three(ceiling['regret'])} below the best action of each "
        "checkpoint.",
    ]


def _certificates(found: Readout) -> list[str]:
    from analysis.readout.certified import certificates

    said = certificates(found.panel)
    if said is None:
        return ["No certificates: the evaluator's score is not 0 or 1."]
    counts = said["counts"]
    return [
        f"Best action certified at error {said['delta']:g} per checkpoint ({said['method']}, {said['branches']} draws):"
        f" {counts['unique_winner']} unique winners, {counts['undecided']} undecided; below {said['least_branches']} "
        "draws nothing can be certified."
    ]  # fmt: skip


def _provenance(found: Readout) -> list[str]:
    from analysis.readout.provenance import provenance_rows, sensitivities

    table = provenance_rows([found.panel])
    if table is None:
        return ["Provenance: unavailable."]
    rows = [["execution status", "episodes", "positive", "rate"]]
    rows += [[row.status.replace("_", " "), str(row.episodes), str(row.positives), _three(row.rate)] for row in table]
    lines = list(columns(rows))
    how = found.settings
    for one in sensitivities(found.panel, how.sizes(found.panel), how.design, how.rule):
        without = " and ".join(name.replace("_", " ") for name in one.without)
        head = [[f"without {without}", *(f"k = {part.k}" for part in one.measures)]]
        head.append(["checkpoints left", *map(str, one.checkpoints)])
        head += [[name, *(_three(part.mean(metric)) for part in one.measures)] for name, metric in FOUR]
        head.append(["pooled success", *([_three(one.pooled_success)] * len(one.measures))])
        lines += ["", *columns(head)]
    return lines


def _three(value: Any) -> str:
    from analysis.readout.display import half_up

    return "-" if value is None or value != value else half_up(value)


def _ends(ends: Sequence[float | None] | None) -> str:
    return "-" if ends is None or ends[0] is None else f"[{_three(ends[0])}, {_three(ends[1])}]"
