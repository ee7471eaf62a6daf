"""The part of the page on arms that intervene."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import between, names, percent, points, reasons

Document = Mapping[str, Any]

_CLAUSES = {
    "gain": "gain in success, points", "recovered": "attempts verified after an intervention",
    "cost_increase": "increase of the mean cost, %",
}
_ANSWERS = {
    "yes": "The frozen rule of expansion is met: yes, a follow-up is worth its cost.",
    "no": "The frozen rule of expansion is not met: no follow-up.",
    "undecided": "The frozen rule of expansion cannot be decided",
}


def interventions_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """What interventions did, and what the rule of expansion says; None where no arm intervenes."""
    if not document["interventions"]:
        return None
    blocks: list[Block] = [
        Picture(drawing, "How the attempts of each arm ended, by reason, and what they cost beside the baseline's.")
        for drawing in figures["interventions"]
    ]
    rows, changes = [], []
    for one in document["interventions"]:
        for arm in one["arms"]:
            rows.append([
                *names({**one, "arm": arm["arm"]}), _action(arm), _trigger(arm), str(arm["attempts"]),
                _count(arm["intervened"]), _count(arm["applications"]), str(arm["verified"]), _count(arm["recovered"]),
                reasons({**arm["reasons"]["terminal"], **arm["reasons"]["censored"]}),
            ])  # fmt: skip
        for row in one["contrasts"]:
            exact = _bootstrapped(document, one, row)
            changes.append([
                *names({**one, "arm": row["arm"]}), row["against"], points(exact.get("difference"), 1),
                between(exact.get("interval")), between(row["newcombe"]),
                *(percent(row[f"{name}_increase"]) for name in ("cost", "wall", "calls")),
            ])  # fmt: skip
    head = ["stage", "runtime", "arm", "action", "trigger", "attempts", "intervened", "times", "verified",
            "of them after it", "other ends"]  # fmt: skip
    blocks.append(Table("Interventions, and how attempts ended", head, rows, document["origins"], left=5))
    head = ["stage", "runtime", "arm", "against", "success, points", "bootstrap 95 %", "Newcombe 95 %", "cost, %",
            "wall time, %", "calls, %"]  # fmt: skip
    blocks.append(Table("Changes against the arm that does nothing", head, changes, document["origins"], left=4))
    blocks += [block for one in document["interventions"] if one["expansion"] for block in _rule(one, document)]
    blocks.append(Text(
        "An intervention is paid for from the attempt's own budget of calls, money and time. A change of the endings "
        "is no progress by itself: success is what the external verifier saw."
    ))  # fmt: skip
    return Section("interventions", "Interventions", blocks)


def _bootstrapped(document: Document, one: Mapping[str, Any], row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The contrast of the same arms with its bootstrap interval, if it was made."""
    same = {**{key: one[key] for key in ("stage", "digest", "origin", "runtime")}, "arm": row["arm"]}
    return next((
        contrast for contrast in document["arm_contrasts"]
        if all(contrast[key] == value for key, value in same.items()) and contrast["against"]["arm"] == row["against"]
    ), {})  # fmt: skip


def _rule(one: Mapping[str, Any], document: Document) -> list[Block]:
    found = one["expansion"]
    rows = []
    for clause in found["clauses"]:
        shares = clause["name"] != "recovered"
        value, limit = ((percent(v) if shares else str(v)) if v is not None else "unknown"
                        for v in (clause["value"], clause["limit"]))  # fmt: skip
        met = {True: "met", False: "not met", None: "unknown"}[clause["met"]]
        rows.append([_CLAUSES[clause["name"]], value, f"{clause['sense']} {limit}", met])
    caption = f"Rule of expansion of {one['stage']}, {one['runtime']}: gain or recovered, and cost"
    return [
        Text(f"{one['stage']}, {one['runtime']}. {_ANSWERS[found['answer']]}{_why(found)}"),
        Table(caption, ["clause", "found", "asked", "clause is"], rows, document["origins"]),
    ]


def _why(found: Mapping[str, Any]) -> str:
    """The end of the sentence that says why a rule is undecided."""
    if found["answer"] != "undecided":
        return ""
    return ": a number that it needs is unknown." if found["complete"] else ": not all planned attempts are counted."


def _action(arm: Mapping[str, Any]) -> str:
    action = arm["action"]
    return f"{action['name']}: workspace {action['workspace']}, context {action['context']}" if action else "–"


def _trigger(arm: Mapping[str, Any]) -> str:
    trigger = arm["trigger"]
    if not trigger:
        return "before the first call" if arm["action"] else "–"
    match trigger["kind"]:
        case "format-errors":
            return f"{trigger['count']} malformed replies in a row"
        case "call":
            return f"call {trigger['call']}"
        case "event":
            return f"in place of {', '.join(trigger['reasons'])}"
    return f"alarm of {trigger['monitor']} at {trigger['threshold']:g}"


def _count(value: int | None) -> str:
    return "unknown" if value is None else str(value)
