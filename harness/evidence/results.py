"""Trials as a bundle or a stage gives them: after all corrections, with notes on these, and the systems they are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from analysis.recovery.records import Attempt
from harness.errors import InputError
from harness.evidence.auditing import audited
from harness.evidence.corrections import authoritative
from harness.evidence.gather import stored_records
from harness.evidence.plain import original
from harness.evidence.reading import read_bundle
from harness.evidence.withheld import as_text
from harness.scoring.trials import attempt_of

#: Settings of a model, and limits of an attempt, that tell systems apart.
_SETTINGS = ("temperature", "max_tokens")
_LIMITS = ("cost_usd", "tokens", "wall_seconds", "command_seconds", "memory_mb", "processes", "disk_mb")


class Trials(NamedTuple):
    """Trials, what is odd about them, and what is known of each system: agent, model, limits ... by name."""

    attempts: list[Attempt]
    notes: list[str]
    systems: dict[str, dict[str, str]]


def is_bundle(path: Path) -> bool:
    """Whether a file or folder looks like an evidence bundle."""
    place = path / "bundle.jsonl" if path.is_dir() else path
    try:
        with open(place, "rb") as stream:
            return stream.read(10) == b'{"body":{"'
    except OSError:
        return False


def trials_of_bundle(path: Path, mode: str) -> Trials:
    """The trials of an intact bundle.

    Raises:
        InputError: it is not intact, or holds no trial.
    """
    found = read_bundle(path)
    audit = audited(found, [])
    if not audit["intact"]:
        one = audit["faults"][0]
        what = f"line {one['line']}, {one['record']}, {one['field']}: {one['what']}"
        mend = "restartlab evidence verify says all; get the bundle again"
        raise InputError(f"is not intact: {what}", file=path, mend=mend)
    return _trials(found.records, mode, path)


def trials_of_stage(database: str | Path, stage: str, mode: str) -> Trials:
    """The trials of a stage of recovery tasks.

    Raises:
        InputError: the database holds nothing of the stage, or no recovery attempt in it.
    """
    return _trials(stored_records(database, stage), mode, f"stage {stage}")


def _trials(records: Iterable[Mapping[str, Any]], mode: str, source: object) -> Trials:
    known = list(records)
    valid = authoritative(known)
    attempts, notes = [], []
    for record in known:
        if record["kind"] != "trial":
            continue
        name = record["id"]
        if name in valid.void:
            notes.append(f"{name} needs a rerun and is not scored: {valid.void[name]}")
            continue
        attempt, odd = attempt_of(as_text(original(valid.bodies[name])), mode, file=f"{source}, {name}")
        attempts.append(attempt)
        notes += [f"{name}: {text}" for text in odd]
    for (name, field), past in valid.history.items():
        notes.append(f"{name}: {field} was corrected, {past[0]['value']} before ({past[-1]['reason']})")
    if not attempts:
        raise InputError("holds no trial of a recovery task", file=source, mend="name a recovery stage")
    told = [record["body"] for record in known if record["kind"] == "conditions"]
    return Trials(attempts, notes, {body["runtime"]: _system(body["planned"], body["realised"]) for body in told})


def _system(planned: Mapping[str, Any], realised: Mapping[str, Any]) -> dict[str, str]:
    """The configuration of a system, from its planned and realised conditions; what is withheld is left out."""
    runtime = planned.get("runtime") or {}
    model, limits = runtime.get("model") or {}, planned.get("limits") or {}
    parts = {
        "agent": runtime.get("agent"), "behaviour": runtime.get("behaviour"), "model": model.get("name"),
        "provider": model.get("kind"), **{name: model.get(name) for name in _SETTINGS},
        **{name: limits.get(name) for name in _LIMITS}, "sandbox": (planned.get("sandbox") or {}).get("kind"),
    }  # fmt: skip
    found = {name: str(value) for name, value in parts.items() if value is not None}
    versions = [row["value"] for row in realised.get("restartlab") or () if row["value"] is not None]
    return found | ({"restartlab": ", ".join(versions)} if versions else {})
