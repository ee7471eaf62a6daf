"""Parts of the page about decisions: the audit, what stays open, how to read alarms, and where all of it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, listed, names, percent, points

Document = Mapping[str, Any]

_WHO = ("stage", "runtime", "arm")
_SAID = {"not_reached": "not reached"}


def audit_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """The decision audit, abstentions included; None where nothing was audited."""
    if not document["audits"]:
        return None
    blocks: list[Block] = [
        Text(
            "Per task and decision call: q, the share of live attempts that pass within the budget; p, the share of "
            "fresh attempts that pass within the calls left. The family of all comparisons errs with at most α. An "
            "abstention is a result: the evidence does not tell restart and continue apart. It does not say that they "
            "are equal, and its estimates stand beside it."
        ),
        *(Picture(drawing, "The first decision call with at most half the budget left; all others are in the tables.")
          for drawing in figures["audit"]),
    ]  # fmt: skip
    for audit in document["audits"]:
        blocks += _audit(audit)
    return Section("audit", "Decision audit", blocks)


def _audit(audit: Mapping[str, Any]) -> list[Block]:
    which = listed(audit["stages"])
    if audit["counts"] is None:
        return [Text(f"{which}: not audited. {audit['refused']}.", warning=True)]
    counts, powered = audit["counts"], audit["powered"]
    needed = f"n = {powered['n']}" if powered["n"] else f"more than n = {powered['most']}"
    blocks: list[Block] = [Text(
        f"{which} ({audit['plan']}): {audit['method']}, {audit['family']} comparisons, budget {audit['budget']} calls, "
        f"α = {audit['alpha']:g}. {counts['restart']} restart, {counts['continue']} continue, {counts['abstain']} "
        f"abstain, {counts['not_reached']} never reached{_left_out(audit)}. Below n = {audit['attainable_n']} "
        f"attempts an arm, no outcome whatever would be certified in this family; 80 % power at p = {powered['p']:g}, "
        f"q = {powered['q']:g} takes {needed} an arm."
    )]  # fmt: skip
    rows = [
        [row["task"], *names(row), _SAID.get(row["decision"], row["decision"]), str(row["t"]),
         _share(row["y"], row["live"], row["q"]), between(row["continue_interval"]),
         _share(row["x"], row["n"], row["p"]), between(row["restart_interval"]),
         "–" if row["q"] is None or row["p"] is None else points(row["p"] - row["q"], 0), str(row["attainable_n"])]
        for row in audit["comparisons"]
    ]  # fmt: skip
    origins = sorted({row["origin"] for row in audit["comparisons"]})
    head = ["task", *_WHO, "decision", "call", "continue q, %", "interval", "restart p, %", "interval", "p − q, points",
            "attainable n"]  # fmt: skip
    caption = f"{which}: {len(rows)} comparisons in a family of {audit['family']}, with simultaneous intervals"
    blocks.append(Table(caption, head, rows, origins, left=5, folded=len(rows) > 30))
    if audit["refused_cells"]:
        blocks.append(Text(
            "Not audited, since attempts were cut off before the budget (they count in the family): "
            f"{_places(audit['refused_cells'])}. {audit['refused_cells'][0]['refused']}.", warning=True,
        ))  # fmt: skip
    rows = [
        [*names(row), str(row["t"]), f"{row['live_cells']} of {row['tasks']}",
         *(points(row[name]) for name in ("restart_minus_continue", "task_oracle", "perfect_alarm"))]
        for row in audit["summary"]
    ]  # fmt: skip
    head = [*_WHO, "call", "live tasks", "restart all, points", "task oracle, points", "perfect alarm, points"]
    caption = (
        f"{which}: opportunity against continuing every live attempt, mean over tasks. Plug-in references on the "
        "attempts at hand, not policies that anyone could run"
    )
    blocks.append(Table(caption, head, rows, origins, left=3, folded=len(rows) > 30))
    return blocks


def open_part(document: Document) -> Section:
    """What could not be concluded, and why."""
    rows = [[row["what"], row["why"], row["where"], row["mend"] or "–"] for row in document["unresolved"]]
    if not rows:
        return Section("open", "What could not be concluded, and why", [Text("Nothing that was asked stayed open.")])
    head = ["what is open", "why", "where", "what would settle it"]
    table = Table("Open questions", head, rows, document["origins"], left=4)
    return Section("open", "What could not be concluded, and why", [table])


def alarms_part(figures: Mapping[str, list[Drawing]]) -> Section:
    """The analytical frontier."""
    text = (
        "An alarm with the same rates can gain or lose: what it is worth depends on q and p, which its accuracy does "
        "not measure. And what hardly ever succeeds takes many attempts to show."
    )
    pictures = [
        Picture(drawing, "Formulas only (equations 8, 9, 17 and 18 of arXiv 2610.36544).")
        for drawing in figures["frontier"]
    ]
    return Section("alarms", "What alarms and evidence are worth", [Text(text), *pictures])


def provenance(document: Document) -> Section:
    """Digests, software, seeds."""
    found = document["provenance"]
    how = found["bootstrap"]
    rows = [["events analysed (events.csv)", f"SHA-256 {found['events_sha256']}", f"{found['rows']} tries"]]
    rows += [
        [f"source {source['name']}", f"SHA-256 {source['sha256']}" if source.get("sha256") else "–", "–"]
        for source in found["sources"]
    ]
    for stage in document["stages"]:
        for digest in stage["digests"] or ["unknown"]:
            rows.append([f"stage {stage['stage']}", f"digest {digest}", listed(stage["origins"])])
    rows.append(["bootstrap", f"seed {how['seed']}, where ends are not exact", f"{how['replicates']} replicates"])
    rows += [["software", name, version] for name, version in found["software"].items()]
    return Section("provenance", "Provenance", [
        Table("Where the numbers come from", ["what", "which", "more"], rows, document["origins"], left=3),
        Text(
            "report.json holds every number unrounded, events.csv the events that they come from (restartlab report "
            "--events events.csv makes them again). restartlab manifest DIR checks that no file has changed."
        ),
    ])  # fmt: skip


def _share(successes: int, n: int, share: float | None) -> str:
    return f"{percent(share)} ({successes}/{n})"


def _left_out(audit: Mapping[str, Any]) -> str:
    left = audit["family"] - sum(audit["counts"].values())
    return f", {left} without attempts observed through the budget" if left else ""


def _places(cells: Sequence[Mapping[str, Any]]) -> str:
    places = [" ".join([*names(cell), cell["task"]]) for cell in cells]
    return "; ".join(places[:5]) + (f" and {len(places) - 5} more" if len(places) > 5 else "")
