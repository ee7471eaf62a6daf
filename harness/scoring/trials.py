"""Trial records: one JSON object per attempt at a recovery task, checked field by field."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.recovery.measurement import amount, contradictions, dimensions
from analysis.recovery.records import DIMENSIONS, FLAGS, STATUSES, TRACKS, VALID, Attempt, Obligation
from harness.errors import InputError
from harness.scoring.jsonlines import json_lines
from harness.store.records import ORIGINS, is_word

#: Keys of a record; those of ``_OPTIONAL`` may be left out, which says the same as null.
_REQUIRED = ("task", "family", "trial", "runtime", "status", "dimensions", "flags", "strict_pass")
_OPTIONAL = ("cost_usd", "runtime_s", "recovery_call", "harm_call", "obligations", "exclusion", "reviewer", "origin",
             "track", "remarks")  # fmt: skip


def read_trials(path: Path, mode: str = "strict") -> tuple[list[Attempt], list[str]]:
    """The attempts in a JSON Lines file, and what is odd about them (each note names its line).

    Args:
        mode: ``strict`` refuses a dimension outside [0, 1]; ``compat`` clamps it and notes that.

    Raises:
        InputError (of harness or of analysis): a record that is not as docs/scores.md describes it; none at all.
    """
    found, notes = [], []
    for row, record in json_lines(path):
        attempt, odd = attempt_of(record, mode, file=path, row=row)
        found.append(attempt)
        notes += [f"{path}, line {row}: {text}" for text in odd]
    if not found:
        raise InputError("holds no trial record", file=path, mend="one JSON object per attempt; see docs/scores.md")
    return found, notes


def attempt_of(
    record: Mapping[str, Any], mode: str = "strict", *, file: object = None, row: int | None = None
) -> tuple[Attempt, list[str]]:
    """One record as an attempt, and what is odd about it; errors as ``read_trials``."""
    check = _Check(file, row)
    for key in _REQUIRED:
        check.that(key in record, key, "is missing", f"a record has {', '.join(_REQUIRED)}")
    for key in record:
        check.that(key in _REQUIRED or key in _OPTIONAL, key, "is no key of a trial record", "see docs/scores.md")
    status = record["status"]
    check.that(status in STATUSES, "status", f"is {status!r}", f"there are {', '.join(STATUSES)}")
    valid = status in VALID
    shares: dict[str, float] | None = None
    notes: list[str] = []
    if valid or record["dimensions"] is not None:
        shares, notes = dimensions(record["dimensions"], mode, file=file, row=row)
    strict = record["strict_pass"]
    check.that(isinstance(strict, bool), "strict_pass", f"is {strict!r}, no truth value", "true or false")
    check.that(strict is (status == "strict_pass"), "strict_pass", f"is {strict}, but status is {status}",
               "the verifier's verdict and the status must agree")  # fmt: skip
    flags = check.flags(record["flags"])
    exclusion, reviewer = (check.text(key, record.get(key), optional=True) for key in ("exclusion", "reviewer"))
    check.that((exclusion is None) is valid, "exclusion", "is missing" if not valid else f"is {exclusion!r} of a trial",
               "an excluded attempt, and no other, has a reason")  # fmt: skip
    check.that(exclusion is None or is_word(exclusion), "exclusion", f"is {exclusion!r}", "one word")
    origin = record.get("origin")
    check.that(origin is None or origin in ORIGINS, "origin", f"is {origin!r}", f"there are {', '.join(ORIGINS)}")
    track = record.get("track")
    check.that(track is None or track in TRACKS, "track", f"is {track!r}", f"there are {', '.join(TRACKS)}")
    attempt = Attempt(
        task=check.text("task", record["task"]), family=check.text("family", record["family"]),
        trial=check.count("trial", record["trial"], 1), runtime=check.text("runtime", record["runtime"]),
        status=status, dimensions=shares, flags=flags, strict_pass=strict,
        cost_usd=amount("cost_usd", record.get("cost_usd"), file=file, row=row),
        runtime_s=amount("runtime_s", record.get("runtime_s"), file=file, row=row),
        recovery_call=check.call("recovery_call", record.get("recovery_call")),
        harm_call=check.call("harm_call", record.get("harm_call")),
        obligations=check.obligations(record.get("obligations")), exclusion=exclusion, reviewer=reviewer, origin=origin,
        track=track,
    )  # fmt: skip
    return attempt, notes + contradictions(strict, shares, flags)


class _Check:
    """Checks fields of one record; its errors say where that stands."""

    def __init__(self, file: object, row: int | None):
        self._file, self._row = file, row

    def that(self, holds: bool, key: str, what: str, mend: str) -> None:
        if not holds:
            place = f"line {self._row}, {key}" if self._row else key
            raise InputError(f"{key} {what}", file=self._file, key=place, mend=mend)

    def text(self, key: str, value: Any, optional: bool = False) -> Any:
        fine = isinstance(value, str) and value.strip() == value and value != ""
        self.that(fine or (optional and value is None), key, f"is {value!r}", "a text, not empty")
        return value

    def count(self, key: str, value: Any, least: int) -> int:
        fine = isinstance(value, int) and not isinstance(value, bool) and value >= least
        self.that(fine, key, f"is {value!r}", f"a whole number from {least}")
        return int(value)

    def call(self, key: str, value: Any) -> int | None:
        return None if value is None else self.count(key, value, 0)

    def flags(self, given: Any) -> frozenset[str]:
        """An object of truth values, or a list of those that are raised."""
        if isinstance(given, list):
            for name in given:
                self.that(name in FLAGS, "flags", f"holds {name!r}", f"there are {', '.join(FLAGS)}")
            return frozenset(given)
        self.that(isinstance(given, dict), "flags", f"is {given!r}", "an object of truth values")
        for name in given:
            self.that(name in FLAGS, f"flags.{name}", "is no flag", f"there are {', '.join(FLAGS)}")
        for name in FLAGS:
            value = given.get(name)
            self.that(isinstance(value, bool), f"flags.{name}",
                      "is missing" if value is None else f"is {value!r}, no truth value", "true or false")  # fmt: skip
        return frozenset(name for name, raised in given.items() if raised)

    def obligations(self, given: Any) -> tuple[Obligation, ...]:
        self.that(given is None or isinstance(given, list), "obligations", f"is {given!r}", "a list of objects")
        found = []
        for place, one in enumerate(given or []):
            key = f"obligations.{place}"
            self.that(isinstance(one, dict) and set(one) <= {"name", "dimension", "passed", "detail"}, key,
                      f"is {one!r}"[:100], "an object with name, dimension, passed, detail")  # fmt: skip
            self.that(one.get("dimension") in DIMENSIONS, f"{key}.dimension", f"is {one.get('dimension')!r}",
                      f"there are {', '.join(DIMENSIONS)}")  # fmt: skip
            passed, detail = one.get("passed"), one.get("detail")
            self.that(passed is None or isinstance(passed, bool), f"{key}.passed", f"is {passed!r}",
                      "true, false, or null where it could not be measured")  # fmt: skip
            self.that(detail is None or isinstance(detail, str), f"{key}.detail", f"is {detail!r}", "a text")
            name = self.text(f"{key}.name", one.get("name"))
            found.append(Obligation(name, one["dimension"], passed, detail or ""))
        return tuple(found)
