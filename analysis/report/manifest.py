"""Manifests: the files of a folder with their roles and SHA-256 digests, and whether they still are what they were."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from analysis.errors import InputError

NAME = "manifest.json"
KIND = "restartlab-manifest"

_ROLES = {
    ".csv": "events", ".parquet": "events", ".html": "page", ".md": "text", ".json": "data", ".svg": "figure",
    ".png": "figure", ".yaml": "protocol", ".yml": "protocol", ".db": "database", ".sig": "signature",
}  # fmt: skip


@dataclass(frozen=True)
class Artifact:
    """A file: its path from the folder, with forward slashes; what it is for; bytes; digest."""

    path: str
    role: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Verified:
    """A folder against its manifest. ``changed``, ``missing`` and ``foreign`` (not listed) are paths."""

    artifacts: tuple[Artifact, ...]
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    foreign: tuple[str, ...]

    @property
    def intact(self) -> bool:
        """Whether every listed file is there and unchanged, and no other one is."""
        return not (self.changed or self.missing or self.foreign)


def role_of(path: str) -> str:
    """What a file is for, by its name."""
    return _ROLES.get(Path(path).suffix, "other")


def listed(folder: Path) -> tuple[Artifact, ...]:
    """All files of a folder but its manifest, sorted by path.

    Raises:
        InputError: there is no such folder, or something in it is no plain file.
    """
    if not folder.is_dir():
        raise InputError("there is no such folder", file=folder, mend="name the folder of a report")
    found = []
    for path in _files(folder, folder):
        data = path.relative_to(folder).as_posix()
        with open(path, "rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        found.append(Artifact(data, role_of(data), path.stat().st_size, digest))
    return tuple(sorted(found, key=lambda one: one.path))


def manifest_text(artifacts: tuple[Artifact, ...]) -> str:
    """The manifest of these files, as JSON."""
    document = {"kind": KIND, "schema": 1, "files": [asdict(one) for one in artifacts]}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def write_manifest(folder: Path) -> None:
    """Writes the manifest of a folder that has none.

    Raises:
        InputError: it has one; there is no such folder, or it cannot be written.
    """
    if os.path.lexists(folder / NAME):
        raise InputError("is there already", file=folder / NAME, mend="leave out --write to verify, or move it away")
    artifacts = listed(folder)
    fresh = folder.resolve().with_name(f".{folder.resolve().name}.manifest-{os.getpid()}")
    try:
        try:
            fresh.write_text(manifest_text(artifacts), encoding="utf-8")
            fresh.replace(folder / NAME)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=folder / NAME) from None


def read_manifest(folder: Path) -> tuple[Artifact, ...] | None:
    """The files that the folder's manifest lists; None if it has no manifest.

    Raises:
        InputError: the manifest is none of ours, or damaged.
    """
    path = folder / NAME
    try:
        document = json.loads(path.read_bytes())
        if document["kind"] != KIND or document["schema"] != 1:
            raise ValueError
        return tuple(_artifact(row) for row in document["files"])
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise InputError(
            f"is not a manifest ({KIND}, schema 1)", file=path, mend="name a report's folder, or move the file away"
        ) from None


def verified(folder: Path) -> Verified | None:
    """The folder against its manifest; None if it has none.

    Raises:
        InputError: as ``listed`` and ``read_manifest``.
    """
    found = {one.path: one for one in listed(folder)}
    stated = read_manifest(folder)
    if stated is None:
        return None
    names = {one.path for one in stated}
    return Verified(
        stated,
        changed=tuple(one.path for one in stated if one.path in found and found[one.path].sha256 != one.sha256),
        missing=tuple(one.path for one in stated if one.path not in found),
        foreign=tuple(path for path in found if path not in names),
    )


def _artifact(row: Mapping[str, Any]) -> Artifact:
    found = Artifact(**row)
    if [type(value) for value in asdict(found).values()] != [str, str, int, str]:
        raise ValueError
    return found


def _files(top: Path, folder: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _files(top, path)
        elif not entry.is_file(follow_symlinks=False):
            raise InputError("is no plain file, so it has no digest", file=path, mend="move it away")
        elif path != top / NAME:
            yield path
