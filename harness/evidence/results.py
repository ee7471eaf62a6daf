"""Trials as a bundle or a stage gives them: after all corrections, with notes on what was corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from analysis.recovery.records import Attempt
from harness.errors import InputError
from harness.evidence.auditing import audited
from harness.evidence.corrections import authoritative
from harness.evidence.gather import stored_records
from harness.evidence.plain import original
from harness.evidence.reading import read_bundle
from harness.evidence.withheld import as_text
from harness.scoring.trials import attempt_of


def is_bundle(path: Path) -> bool:
    """Whether a file or folder looks like an evidence bundle."""
    place = path / "bundle.jsonl" if path.is_dir() else path
    try:
        with open(place, "rb") as stream:
            return stream.read(10) == b'{"body":{"'
    except OSError:
        return False


def trials_of_bundle(path: Path, mode: str) -> tuple[list[Attempt], list[str]]:
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


def trials_of_stage(database: str | Path, stage: str, mode: str) -> tuple[list[Attempt], list[str]]:
    """The trials of a stage of recovery tasks.

    Raises:
        InputError: the database holds nothing of the stage, or no recovery attempt in it.
    """
    return _trials(stored_records(database, stage), mode, f"stage {stage}")


def _trials(records: Iterable[Mapping[str, Any]], mode: str, source: object) -> tuple[list[Attempt], list[str]]:
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
    return attempts, notes
