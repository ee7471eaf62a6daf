"""Reads datasets: JSON Lines, JSON, Parquet, or by name from the hub. A damaged record does not lose the others."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from harness.errors import InfrastructureError, InputError
from tasks.swebench.instance import Instance

_FORMATS = (".jsonl", ".jsonl.gz", ".json", ".parquet")
_HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+(@\w+)?")
_MEND = "correct the record, or take it out of the dataset"


@dataclass(frozen=True)
class Damaged:
    """A record that is no instance."""

    instance_id: str | None
    """Where the record has a readable one."""
    error: InputError


@dataclass(frozen=True)
class Dataset:
    """What a dataset holds."""

    place: str
    """File, or name on the hub."""
    instances: dict[str, Instance]
    """By instance id, in the order of the dataset."""
    damaged: tuple[Damaged, ...]


def load_dataset(place: str) -> Dataset:
    """All instances of a dataset.

    Args:
        place: a file (.jsonl, .jsonl.gz, .json, .parquet), or a name on the hub: ``OWNER/NAME``, ``OWNER/NAME@SPLIT``
            (the split is ``test`` if not given). Only the latter uses the network.

    Raises:
        InputError: the dataset cannot be read as a whole.
        InfrastructureError: the hub cannot be reached.
    """
    path = Path(place)
    if not path.exists() and _HUB_NAME.fullmatch(place) and not place.endswith(_FORMATS):
        return _from_hub(place)
    try:
        stat = path.stat()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, mend="check the dataset's name") from None
    return _from_file(path, stat.st_mtime_ns, stat.st_size)


def load_instances(place: str) -> dict[str, Instance]:
    """The instances of a dataset by instance id, without the damaged ones; see ``load_dataset``."""
    return load_dataset(place).instances


@lru_cache(maxsize=8)
def _from_file(path: Path, mtime_ns: int, size: int) -> Dataset:
    """The dataset in ``path``; time and size are there for the cache."""
    if not path.name.endswith(_FORMATS):
        raise InputError("is of no known format", file=path, mend=f"give a file that ends in {', '.join(_FORMATS)}")
    try:
        return _validated(str(path), _records(path))
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read ({error})", file=path, mend="is the file whole?") from None


@lru_cache(maxsize=4)
def _from_hub(name: str) -> Dataset:
    dataset, _, split = name.partition("@")
    try:
        from datasets import load_dataset as from_hub

        rows = from_hub(dataset, split=split or "test")
    except Exception as error:  # the library's own errors differ from release to release
        raise InfrastructureError(
            f"the dataset {name} could not be had from the hub ({type(error).__name__}: {str(error)[:200]})\n"
            "  mend: check the name and the network, or give the dataset as a local file"
        ) from None
    return _validated(name, ((f"row {number}", row) for number, row in enumerate(rows, 1)))


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    """(place in the file, record); a record that is no JSON comes as ``InputError``."""
    if path.name.endswith(".parquet"):
        import pyarrow
        import pyarrow.parquet

        try:
            rows = pyarrow.parquet.read_table(path).to_pylist()
        except pyarrow.ArrowException as error:
            raise InputError(f"is no Parquet file ({error})", file=path, mend="is the file whole?") from None
        yield from ((f"row {number}", row) for number, row in enumerate(rows, 1))
    elif path.name.endswith(".json"):
        try:
            data = json.loads(path.read_bytes())
        except ValueError as error:
            raise InputError(f"is not JSON ({error})", file=path, mend="write a list of records") from None
        if not isinstance(data, list):
            raise InputError(f"holds a {type(data).__name__}", file=path, mend="write a list of records")
        yield from ((f"record {number}", record) for number, record in enumerate(data, 1))
    else:
        opened = gzip.open(path, "rb") if path.name.endswith(".gz") else path.open("rb")
        with opened as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError) as error:
                    record = InputError(f"is not JSON ({error})", file=path, key=f"line {number}", mend=_MEND)
                yield f"line {number}", record


def _validated(place: str, records: Iterator[tuple[str, Any]]) -> Dataset:
    instances: dict[str, Instance] = {}
    damaged: list[Damaged] = []
    known: set[str] = set()
    for where, record in records:
        if isinstance(record, InputError):
            damaged.append(Damaged(None, record))
            continue
        name = record.get("instance_id") if isinstance(record, dict) else None
        name = name if isinstance(name, str) else None
        try:
            instance = Instance.model_validate(record)
        except ValidationError as error:
            damaged.append(Damaged(name, _complaint(error, place, where, name)))
            continue
        if instance.task_id in known:
            twice = f"{instance.instance_id!r} stands twice (large and small letters are one)"
            damaged.append(Damaged(None, InputError(twice, file=place, key=f"{where}: instance_id", mend=_MEND)))
            continue
        known.add(instance.task_id)
        instances[instance.instance_id] = instance
    return Dataset(place, instances, tuple(damaged))


def _complaint(error: ValidationError, place: str, where: str, name: str | None) -> InputError:
    """The first complaint with file, place in it, instance and key."""
    first = error.errors()[0]
    key = ".".join(str(part) for part in first["loc"])
    what = "is missing" if first["type"] == "missing" else first["msg"].removeprefix("Value error, ")
    shown = repr(first["input"])
    if first["type"] != "missing" and len(shown) <= 60:
        what += f" (got {shown})"
    return InputError(what, file=place, key=": ".join(part for part in (where, name, key) if part), mend=_MEND)
