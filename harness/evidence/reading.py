"""Reads a bundle and says whether it is what was sealed; names line, record and field of whatever is not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.evidence.keys import bytes_of, key_id
from harness.evidence.lines import Entry, damaged_field, entry_of, first_record, genesis, parse
from harness.evidence.plain import not_nfc
from harness.evidence.seals import damaged_seal, entries_of, is_seal, looks_sealed, seal_fault


@dataclass(frozen=True)
class Fault:
    """What is wrong: line (from 1), id of the record, field of it, and what it is."""

    line: int
    record: str
    field: str
    what: str


@dataclass(frozen=True)
class Seal:
    """A seal that holds: who signed how many lines, and the digest of its own line."""

    line: int
    key_id: str
    lines: int
    head: str


@dataclass(frozen=True)
class Reading:
    """A bundle as read. ``records`` can be trusted only where ``faults`` is empty."""

    records: tuple[Mapping[str, Any], ...]
    seals: tuple[Seal, ...]
    faults: tuple[Fault, ...]

    @property
    def intact(self) -> bool:
        """Whether every byte is as sealed."""
        return not self.faults


#: A file that a bundle names: path to content; None if it is missing.
Files = Callable[[str], bytes | None]


def read_bundle(path: Path) -> Reading:
    """A bundle of one file, or of a folder with ``bundle.jsonl`` and the files that it names.

    Raises:
        InputError: it cannot be read.
    """
    folder = path if path.is_dir() else path.parent
    place = path / "bundle.jsonl" if path.is_dir() else path
    try:
        data = place.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=place, mend="name an evidence bundle") from None
    reading = check_bytes(data, lambda name: _file(folder, name))
    if path.is_dir():
        extra = [Fault(0, name, "file", "is in the folder, and no record names it") for name in _foreign(path, reading)]
        reading = Reading(reading.records, reading.seals, (*reading.faults, *extra))
    return reading


def check_bytes(data: bytes, files: Files = lambda name: None) -> Reading:
    """Checks the bytes of a bundle: every line against the seal that covers it, every seal against its signature."""
    lines = data.split(b"\n")
    tail = lines.pop()
    check = _Check(lines if not tail else [*lines, tail], files)
    if not lines and not tail:
        check.add(0, "bundle", "line", "the file is empty")
    elif tail:
        check.add(len(check.lines) - 1, check.name(len(check.lines) - 1), "end of line",
                  "the last line does not end in a line feed: cut off, or changed")  # fmt: skip
    check.sections()
    records = tuple(record for record in check.records if record is not None)
    faults = sorted(set(check.faults), key=lambda one: (one.line, check.faults.index(one)))
    return Reading(records, tuple(reversed(check.seals)), tuple(faults))


@dataclass
class _Check:
    lines: list[bytes]
    files: Files
    faults: list[Fault] = field(default_factory=list)
    seals: list[Seal] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.records = [parse(line) for line in self.lines]
        found = [record["body"].get("public_key") for record in self.records if record is not None]
        self.keys = list(dict.fromkeys(key for text in found if (key := bytes_of(text, 32)) is not None))

    def add(self, place: int, record: str, part: str, what: str) -> None:
        self.faults.append(Fault(place + 1, record, part, what))

    def name(self, place: int) -> str:
        record = self.records[place] or first_record(self.lines[place])
        return record["id"] if record else f"line {place + 1}"

    def last_seal(self, before: int) -> int:
        """The last intact-looking seal among the lines before a place; -1 if there is none."""
        return next((k for k in range(before - 1, -1, -1) if is_seal(self.records[k])), -1)

    def sections(self) -> None:
        """From the last line backwards, seal by seal."""
        end = len(self.lines) - 1
        if end < 0:
            return
        if not is_seal(self.records[end]):
            sealed = self.last_seal(end)
            broken = next((k for k in range(sealed + 1, end + 1) if self.records[k] is None), end)
            if looks_sealed(b"\n".join(self.lines[broken:])):
                self.broken_seal(broken, max(sealed, 0))
            else:
                first = sealed + 1
                self.add(first, self.name(first), "seal", "no seal covers it: appended, or the end is missing")
            if sealed < 0:
                self.chain(end)
            end = sealed
        while end >= 0:
            end = self.section(end)

    def section(self, end: int) -> int:
        """Checks one seal and the lines that it covers; the place of the seal before it, -1 after the first."""
        record = self.records[end]
        assert record is not None
        wrong = seal_fault(record, self.keys)
        if wrong is not None:
            self.add(end, record["id"], wrong, "is not what was signed")
            if wrong in ("manifest", "signature"):
                self.chain(end)
                return self.last_seal(end)
        entries = entries_of(record)
        for part, expected in (("id", f"seal/{entries[-1].seq + 1}"), ("prev", entries[-1].sha256),
                               ("seq", entries[-1].seq + 1)):  # fmt: skip
            if record[part] != expected:
                self.add(end, f"seal/{entries[-1].seq + 1}", part, f"is {record[part]!r}, not {expected!r}")
        digests = [digest_bytes(line) for line in self.lines[:end]]
        start = digests.index(entries[0].sha256) if entries[0].sha256 in digests else min(entries[0].seq, end)
        self.compare(entries, digests, start, end)
        self.check_files(record["body"]["manifest"]["files"])
        if wrong is None:
            public = bytes_of(record["body"]["public_key"], 32) or b""
            self.seals.append(Seal(end + 1, key_id(public), len(entries), digest_bytes(self.lines[end])))
        if entries[0].seq == 0:
            if start > 0:
                self.add(0, self.name(0), "seal", "stands before the first sealed line: no seal covers it")
            return -1
        if start < end and is_seal(self.records[start]):
            return start
        self.chain(start)
        return self.last_seal(start)

    def compare(self, entries: Sequence[Entry], digests: Sequence[str], start: int, end: int) -> None:
        known = {entry.sha256: entry for entry in entries}
        same_count = end - start == len(entries)
        for k, entry in enumerate(entries):
            place = start + k
            if place >= end:
                self.add(end, entry.id, "line", "is missing")
                return
            if digests[place] != entry.sha256:
                other = known.get(digests[place])
                if other is not None:
                    fewer = end - start < len(entries)
                    what = "moved" if same_count else "missing" if fewer else "another line came in"
                    self.add(place, entry.id, "line", f"{what}: here stands {other.id}")
                    return
                if not same_count and end - start > len(entries) and digests[place + 1 : place + 2] == [entry.sha256]:
                    self.add(place, self.name(place), "line", f"no seal covers it: it came in before {entry.id}")
                    return
                before = entries[k - 1].sha256 if k else digests[place - 1] if place else genesis()
                self.add(place, entry.id, damaged_field(self.lines[place], entry, before), "is not what was sealed")
                if not same_count:
                    return
            else:
                self.content(place, entry)
        if start + len(entries) < end:
            place = start + len(entries)
            self.add(place, self.name(place), "line", "no seal covers it: it came in before the seal")

    def content(self, place: int, entry: Entry) -> None:
        """What even its signer may not put into a line."""
        record = self.records[place]
        if record is None:
            self.add(place, entry.id, "line", "is no record in canonical JSON")
            return
        for path in not_nfc(record["body"]):
            self.add(place, entry.id, path, "is a text that is not in normal form C")

    def check_files(self, files: Sequence[Sequence[Any]]) -> None:
        for name, size, sha256 in files:
            data = self.files(name)
            if data is None:
                self.add(0, f"blob/{sha256}", "file", f"{name} is missing")
            elif len(data) != size or hashlib.sha256(data).hexdigest() != sha256:
                self.add(0, f"blob/{sha256}", "file", f"{name} is not what was sealed")

    def broken_seal(self, place: int, start: int) -> None:
        """Locates damage in a seal that is none any more, by the seal that the lines before it would have."""
        joined = first_record(self.lines[place])
        if joined is not None:
            self.add(place, joined["id"], "end of line", "no line feed follows it: more stands on its line")
            return
        records = [record for record in self.records[start:place] if record is not None]
        if len(records) < place - start or not records or not self.keys:
            self.add(place, f"line {place + 1}", "line", "is no seal any more")
            return
        files = [[record["body"]["file"], record["body"]["bytes"], record["body"]["sha256"]]
                 for record in records if record["kind"] == "blob" and "file" in record["body"]]  # fmt: skip
        entries = [entry_of(record) for record in records]
        text = b"\n".join(self.lines[place:])  # a line feed may have come into it
        part = damaged_seal(text, entries, files, self.keys[0])
        self.add(place, f"seal/{entries[-1].seq + 1}", part, "is not what was sealed")

    def chain(self, end: int) -> None:
        """Without a seal to go by: lines that are no records, or do not name the line before them."""
        prev = genesis()
        for place in range(end):
            record = self.records[place]
            if record is None:
                joined = first_record(self.lines[place])
                self.add(place, self.name(place), "end of line" if joined else "line", "is no record in canonical JSON")
                return
            for part, expected in (("seq", place), ("prev", prev)):
                if record[part] != expected:
                    self.add(place, record["id"], part, f"is {record[part]!r}, not {expected!r}")
                    return
            prev = digest_bytes(self.lines[place])


def _file(folder: Path, name: str) -> bytes | None:
    place = folder / name
    inside = place.resolve().is_relative_to(folder.resolve())
    return place.read_bytes() if inside and place.is_file() and not place.is_symlink() else None


def _foreign(folder: Path, reading: Reading) -> list[str]:
    named = {record["body"].get("file") for record in reading.records} | {"bundle.jsonl"}
    there = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir())
    return sorted(set(there) - named)
