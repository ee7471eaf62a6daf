"""Finds trajectories in files, folders and archives, tells formats apart, and reads them; bad ones stop nothing."""

from __future__ import annotations

import json
import lzma
import os
import posixpath
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.canonical import digest_bytes
from harness.errors import InputError
from harness.importers.atif import Beside, is_atif, read_atif
from harness.importers.inspect_eval import read_inspect
from harness.importers.miniswe import is_miniswe, read_miniswe
from harness.importers.record import Record
from harness.importers.sweagent import is_sweagent, read_sweagent

_ARCHIVES = (".tar", ".tar.xz", ".txz", ".tar.gz", ".tgz", ".tar.bz2")
_WANTED = (".json", ".traj", ".eval")
#: Bytes of the largest trajectory that is read.
_LARGEST = 1 << 30


@dataclass(frozen=True)
class Skipped:
    """A file that gave no record."""

    file: str
    reason: str
    damaged: bool
    """False: it is no trajectory at all, such as a list of settings that lies beside one."""


@dataclass(frozen=True)
class Found:
    """What was read: the records, each once, and what gave none."""

    records: tuple[Record, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True)
class _File:
    name: str
    """Path below what was named."""
    data: bytes
    beside: Beside


def read_all(places: Sequence[Path]) -> Found:
    """All trajectories of the files, folders and archives.

    Raises:
        InputError: one of the places does not exist, or an archive cannot be read.
    """
    records: dict[str, Record] = {}
    skipped: list[Skipped] = []
    for place in places:
        for file in _files(place):
            if isinstance(file, Skipped):
                skipped.append(file)
                continue
            try:
                for record in _records(file):
                    if known := records.get(record.digest):
                        skipped.append(Skipped(file.name, f"is the same as {known.source}", damaged=False))
                    records.setdefault(record.digest, record)
            except _NoTrajectory as what:
                skipped.append(Skipped(file.name, str(what), damaged=False))
            except InputError as error:
                reason = f"{error.key}: {error.what}" if error.key else error.what
                skipped.append(Skipped(file.name, reason, damaged=True))
            except Exception as error:  # of a format that only looked like one of ours
                skipped.append(Skipped(file.name, f"cannot be read ({type(error).__name__}: {error})", damaged=True))
    return Found(tuple(sorted(records.values(), key=lambda one: (one.instance, one.digest))), tuple(skipped))


class _NoTrajectory(Exception):
    """A file of something else."""


def _records(file: _File) -> Iterator[Record]:
    source, digest = posixpath.basename(file.name), digest_bytes(file.data)
    if file.name.endswith(".eval"):
        with tempfile.NamedTemporaryFile(suffix=".eval", prefix="restartlab-") as copy:
            copy.write(file.data)
            copy.flush()
            yield from read_inspect(Path(copy.name), source, digest)
        return
    try:
        data = json.loads(file.data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"is not JSON ({error})", file=file.name) from None
    yield _record(data, source, digest, file.beside)


def _record(data: Any, source: str, digest: str, beside: Beside) -> Record:
    if not isinstance(data, Mapping):
        raise _NoTrajectory(f"holds a {type(data).__name__}, no trajectory")
    if is_miniswe(data):
        return read_miniswe(data, source, digest)
    if is_atif(data):
        return read_atif(data, source, digest, beside)
    if is_sweagent(data):
        return read_sweagent(data, source, digest)
    if isinstance(data.get("eval"), Mapping) and "samples" in data:
        raise InputError("is a log of Inspect as JSON", file=source, mend="inspect log convert --to eval")
    raise _NoTrajectory("is of no known format (mini-swe-agent, SWE-agent, ATIF, Inspect)")


def _files(place: Path) -> Iterator[_File | Skipped]:
    if place.is_dir():
        for folder, folders, names in os.walk(place):
            folders.sort()
            for name in sorted(name for name in names if name.endswith(_WANTED)):
                yield _file(Path(folder, name), os.path.relpath(os.path.join(folder, name), place))
    elif not place.exists():
        raise InputError("does not exist", file=place, mend="name a trajectory, a folder of them, or an archive")
    elif place.name.endswith(_ARCHIVES):
        yield from _members(place)
    else:
        yield _file(place, place.name)


def _file(path: Path, name: str) -> _File | Skipped:
    def beside(other: str) -> bytes | None:
        try:
            return (path.parent / other).read_bytes()
        except OSError:
            return None

    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return Skipped(name, "is no ordinary file, or larger than 1 GiB", damaged=True)
        return _File(name, path.read_bytes(), beside)
    except OSError as error:
        return Skipped(name, f"cannot be read ({error.strerror})", damaged=True)


def _members(place: Path) -> Iterator[_File | Skipped]:
    """Files of an archive; nothing is unpacked onto the disk."""
    try:
        with tarfile.open(place) as archive:
            members = {posixpath.normpath(member.name): member for member in archive if member.isfile()}

            def content(name: str) -> bytes | None:
                member = members.get(posixpath.normpath(name))
                stream = archive.extractfile(member) if member else None
                return stream.read() if stream else None

            for name in sorted(name for name in members if name.endswith(_WANTED)):
                if members[name].size > _LARGEST:
                    yield Skipped(name, "is larger than 1 GiB", damaged=True)
                    continue
                folder = posixpath.dirname(name)
                yield _File(name, content(name) or b"", lambda other, at=folder: content(f"{at}/{other}"))  # type: ignore[misc]
    except (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, OSError) as error:
        raise InputError(f"cannot be read as an archive ({error})", file=place, mend="is it whole?") from None
