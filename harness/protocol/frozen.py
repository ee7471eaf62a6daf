"""FROZEN.yaml: date, digest and parts of every frozen stage."""

from __future__ import annotations

import contextlib
import fcntl
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, RootModel, ValidationError

from harness.errors import InputError
from harness.paths import protocol_dir
from harness.protocol.base import Section
from harness.yamlfile import load_yaml, validation_error

_HEADER = """\
# Frozen stages: date (UTC), digest, and the first digits of the digest of every part (so that a change can be named).
# Written by `restartlab freeze STAGE`; do not edit.
"""


class FrozenEntry(Section):
    """One frozen stage."""

    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """Day of freezing, UTC."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Stage digest: the authority."""
    parts: dict[str, Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]]
    """Digest prefix by key path: names what changed."""


class _Frozen(RootModel[dict[str, FrozenEntry]]):
    pass


def frozen_path() -> Path:
    """Where FROZEN.yaml is."""
    return protocol_dir() / "FROZEN.yaml"


def read_frozen() -> dict[str, FrozenEntry]:
    """Entries by stage; empty when the file does not exist; raises ``InputError`` when it is damaged."""
    path = frozen_path()
    if not path.exists():
        return {}
    try:
        return _Frozen.model_validate(load_yaml(path) or {}).root
    except ValidationError as error:
        problem = validation_error(error, path)
        mend = "restore the file from version control"
        raise InputError(problem.what, file=path, key=problem.key, mend=mend) from None


def write_frozen(entries: Mapping[str, FrozenEntry]) -> None:
    """Replaces FROZEN.yaml atomically."""
    path = frozen_path()
    data = {stage: entry.model_dump(mode="json") for stage, entry in sorted(entries.items())}
    text = _HEADER + yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=1000)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".FROZEN.", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


@contextlib.contextmanager
def frozen_lock() -> Iterator[None]:
    """Holds off other freezes of this protocol directory, so that none loses the entry of another."""
    try:
        handle = os.open(protocol_dir(), os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        mend = "check RESTARTLAB_PROTOCOLS"
        raise InputError(f"cannot be read ({error.strerror})", file=protocol_dir(), mend=mend) from None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
