"""Copies a folder out of an image, without running anything in it."""

from __future__ import annotations

import io
import os
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.errors import InfrastructureError, InputError
from harness.sandbox.docker.engine import client
from harness.sandbox.docker.labels import own_labels

#: Names that are left out, with all below them: history, and what Python makes anew.
_LEFT_OUT = {".git", "__pycache__"}


def export_folder(image: str, folder: str, target: Path) -> None:
    """Writes ``folder`` of ``image`` into the empty folder ``target``, as a fresh clone would have it.

    That is: without ``.git``, bytecode, special files, owners and times; modes are 755 or 644.

    Raises:
        InputError: the image has no such folder.
        InfrastructureError: the engine failed, or sent a path that leaves the folder.
    """
    from docker.errors import DockerException, NotFound

    try:
        with _container(image) as made:
            chunks, _ = client().api.get_archive(made, folder)
            with tarfile.open(fileobj=io.BufferedReader(_Chunks(chunks)), mode="r|") as tar:
                _extract(tar, target)
    except NotFound:
        raise InputError(
            f"has no folder {folder}", file=image, mend="use an image that has the repository there"
        ) from None
    except (DockerException, tarfile.TarError, OSError) as error:
        raise InfrastructureError(f"{folder} could not be copied out of {image}: {error}") from error


@contextmanager
def _container(image: str) -> Iterator[str]:
    """A container that is never started."""
    api = client().api
    made = str(api.create_container(image, ["true"], labels=own_labels(), network_disabled=True, entrypoint=[])["Id"])
    try:
        yield made
    finally:
        api.remove_container(made, v=True, force=True)


class _Chunks(io.RawIOBase):
    """A readable stream over chunks of bytes."""

    def __init__(self, chunks: Iterator[bytes]):
        self._chunks, self._rest = chunks, b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                return 0
            self._rest = chunk
        size = min(len(buffer), len(self._rest))
        buffer[:size], self._rest = self._rest[:size], self._rest[size:]
        return size


def _extract(tar: tarfile.TarFile, target: Path) -> None:
    root = os.path.realpath(target)
    for member in tar:
        parts = [part for part in member.name.split("/") if part not in ("", ".")][1:]  # the first is the folder itself
        if not parts or _LEFT_OUT & set(parts):
            continue
        place = os.path.join(root, *parts)
        parent = os.path.dirname(place)
        if ".." in parts or os.path.realpath(parent) != parent:
            raise InfrastructureError(f"the engine sent the path {member.name!r}, which leaves its folder")
        os.makedirs(parent, exist_ok=True)
        mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
        if member.isdir():
            os.makedirs(place, exist_ok=True)
        elif member.issym():
            os.symlink(member.linkname, place)
            continue
        elif member.isfile() or member.islnk():
            _write(tar, member, place, root)
        else:
            continue
        os.chmod(place, mode)


def _write(tar: tarfile.TarFile, member: tarfile.TarInfo, place: str, root: str) -> None:
    """A file's content; of a hard link, that of the file that came before it under the other name."""
    if member.islnk():
        other = os.path.join(root, *member.linkname.strip("/").split("/")[1:])
        if os.path.realpath(other) != other:
            raise InfrastructureError(f"the engine sent a link to {member.linkname!r}, which leaves its folder")
        source: Any = open(other, "rb")
    else:
        source = tar.extractfile(member)
    with source, open(place, "xb") as stream:
        while data := source.read(1 << 20):
            stream.write(data)
