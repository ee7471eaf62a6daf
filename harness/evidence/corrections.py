"""Corrections: new records that say what holds instead. What they correct stays, and stays readable."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from harness.errors import InputError
from harness.evidence.paths import MISSING, changed, get
from harness.yamlfile import load_yaml, validation_error

Text = Annotated[str, Field(min_length=1)]

#: Kinds of records that can be corrected: results, and what results are counted from.
CORRECTABLE = ("trial", "try")


class Change(BaseModel):
    """A new value of a record's field."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    record: Text
    field: Text
    new: Any


class CorrectionData(BaseModel):
    """A correction as its author writes it.

    ``rescoring``: ``possible`` where retained evidence gives the right value (``changes``, and in ``evidence`` the
    records it was read from); ``rerun_required`` where the property was never measured: then ``records`` name the
    results that hold no more, without a new value.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    tasks: Annotated[list[Text], Field(min_length=1)]
    entries: Annotated[list[Text], Field(min_length=1)]
    dimensions: list[Literal["F", "S", "D", "I", "E", "M"]] = []
    reason: Text
    by: Text
    rescoring: Literal["possible", "rerun_required"]
    changes: list[Change] = []
    evidence: list[Text] = []
    records: list[Text] = []
    reviewed: dict[Text, Text] = {}
    """Entries with results of these tasks that were reviewed and are not affected: why not."""

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if self.rescoring == "possible" and not (self.changes and self.evidence and not self.records):
            raise ValueError("rescoring is possible only with changes, and with the evidence that they were read from")
        if self.rescoring == "rerun_required" and (self.changes or not self.records):
            raise ValueError("where a rerun is required, name the records that hold no more, and give no new value")
        return self


def read_correction(path: Path) -> CorrectionData:
    """A correction in a YAML file; raises ``InputError``."""
    try:
        return CorrectionData.model_validate(load_yaml(path))
    except ValidationError as error:
        raise validation_error(error, path) from None


def correction_body(
    data: CorrectionData, records: Sequence[Mapping[str, Any]], at: str, source: object
) -> dict[str, Any]:  # fmt: skip
    """The record of a correction, once it is checked against the records that it corrects.

    Raises:
        InputError: an unknown record, one outside the scope, an entry that shares the defect and was not reviewed, a
            value that was never measured, or no change at all.
    """
    by_id = {record["id"]: record for record in records}
    valid = authoritative(records)
    supersedes = []
    for name in [*(change.record for change in data.changes), *data.records, *data.evidence]:
        if name not in by_id:
            raise InputError(f"there is no record {name!r}", file=source, mend="name it by its id in the bundle")
    for name in [*(change.record for change in data.changes), *data.records]:
        _in_scope(data, by_id[name], source)
    _all_reviewed(data, records, source)
    for number, change in enumerate(data.changes):
        old = get(valid.bodies[change.record], change.field)
        key = f"changes.{number}"
        if old is MISSING or (old is None and _measured(change.field)):
            raise InputError(f"{change.field} of {change.record} was never measured", file=source, key=key,
                             mend="it takes a rerun: rescoring: rerun_required, and records")  # fmt: skip
        if old == change.new:
            raise InputError(f"{change.field} of {change.record} is {old!r} already", file=source, key=key,
                             mend="leave the change out")  # fmt: skip
        if change.record in valid.void:
            raise InputError(f"{change.record} needs a rerun since {valid.void[change.record]}", file=source, key=key,
                             mend="run it again; it cannot be rescored")  # fmt: skip
        supersedes.append({"record": change.record, "field": change.field, "old": old, "new": change.new})
    supersedes += [{"record": name, "field": None, "old": None, "new": None} for name in data.records]
    return {
        "scope": {"tasks": data.tasks, "entries": data.entries, "dimensions": data.dimensions}, "reason": data.reason,
        "by": data.by, "at": at, "rescoring": data.rescoring, "evidence": data.evidence, "reviewed": data.reviewed,
        "supersedes": supersedes,
    }  # fmt: skip


def _measured(field: str) -> bool:
    return field.startswith(("dimensions.", "flags.")) or field in ("strict_pass", "event")


def _in_scope(data: CorrectionData, record: Mapping[str, Any], source: object) -> None:
    if record["kind"] not in CORRECTABLE:
        raise InputError(f"{record['id']} is a {record['kind']}", file=source,
                         mend=f"results can be corrected: {', '.join(CORRECTABLE)}")  # fmt: skip
    for name, given, held in (("tasks", data.tasks, record["body"]["task"]),
                              ("entries", data.entries, record["body"]["runtime"])):  # fmt: skip
        if held not in given:
            raise InputError(f"{record['id']} is of {held}, which is not in the scope", file=source, key=name,
                             mend=f"add {held} to {name}, or leave the record out")  # fmt: skip


def _all_reviewed(data: CorrectionData, records: Iterable[Mapping[str, Any]], source: object) -> None:
    """A defect found in one entrant has every entrant's results of the task reviewed."""
    affected = {record["body"]["runtime"] for record in records
                if record["kind"] in CORRECTABLE and record["body"]["task"] in data.tasks}  # fmt: skip
    left = sorted(affected - set(data.entries) - set(data.reviewed))
    if left:
        raise InputError(
            f"{', '.join(left)} has results of the same tasks, and was not reviewed", file=source, key="entries",
            mend="review them: add them to entries, or to reviewed with what the review found",
        )  # fmt: skip


class Authoritative:
    """What holds after all corrections: bodies by record id, and results that hold no more, with the reason."""

    def __init__(self) -> None:
        self.bodies: dict[str, Any] = {}
        self.void: dict[str, str] = {}
        self.history: dict[tuple[str, str], list[dict[str, Any]]] = {}
        """By record and field: every superseded value, oldest first, with the correction that replaced it."""


def authoritative(records: Iterable[Mapping[str, Any]]) -> Authoritative:
    """Applies the corrections among ``records`` in their order; the records themselves do not change."""
    found = Authoritative()
    for record in records:
        found.bodies[record["id"]] = record["body"]
        if record["kind"] != "correction":
            continue
        for one in record["body"]["supersedes"]:
            name, field = one["record"], one["field"]
            if field is None:
                found.void[name] = f"{record['id']}: {record['body']['reason']}"
                continue
            found.bodies[name] = changed(found.bodies[name], field, _to(one["new"]))
            past = {"value": one["old"], "superseded_by": record["id"], "reason": record["body"]["reason"]}
            found.history.setdefault((name, field), []).append(past)
    return found


def _to(new: Any) -> Callable[[str, Any], Any]:
    return lambda path, old: new


def correction_faults(records: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """(record, field, what) of corrections that correct what is not there, or not what they say."""
    seen: list[Mapping[str, Any]] = []
    for record in records:
        if record["kind"] == "correction":
            before = authoritative(seen)
            for number, one in enumerate(record["body"]["supersedes"]):
                place = f"supersedes[{number}]"
                if one["record"] not in before.bodies:
                    yield record["id"], place, f"there is no record {one['record']} before it"
                elif one["field"] is not None and get(before.bodies[one["record"]], one["field"]) != one["old"]:
                    yield record["id"], f"{place}.old", "is not the value that held until then"
        seen.append(record)
