"""Where the panels of a readout come from: a file, or a checkpoint or planning stage of the database."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.errors import InputError

if TYPE_CHECKING:
    from analysis.readout.panel import Panel
    from harness.store.store import Store

_ENDINGS = (".csv", ".parquet", ".npy")


def is_file(source: str) -> bool:
    """Whether a file is meant; names of stages have no dots and slashes."""
    return Path(source).is_file() or Path(source).suffix.lower() in _ENDINGS or "/" in source


def load_panels(
    source: str,
    *,
    database: str | None = None,
    runtimes: list[str] | None = None,
    evaluate: Path | None = None,
    actions: list[str] | None = None,
) -> list[Panel]:
    """The panels of the named runtimes, or all; one per stage and runtime.

    Raises:
        InputError: the source is neither, an option does not go with it, or it has a hole.
        Incomplete: episodes of a stage are not collected yet.
    """
    from analysis.readout.tensor_file import read_panels

    if is_file(source):
        if database is not None:
            raise InputError("was given beside a file", file="--database", mend="leave it out, or name a stage")
        panels = read_panels(Path(source), evaluate, actions)
    else:
        for given, option in ((evaluate, "--evaluate"), (actions, "--actions")):
            if given is not None:
                raise InputError("is for arrays; a stage has it", file=option, mend="leave it out")
        panels = _panels_of_stage(source, database, runtimes)
    held = [panel.runtime for panel in panels]
    for name in runtimes or ():
        if name not in held:
            there = ", ".join(one for one in held if one) or "no runtimes"
            raise InputError(f"{name!r} is not in {source}", file="--runtime", mend=f"there is: {there}")
    return [panel for panel in panels if runtimes is None or panel.runtime in runtimes]


def described(source: str) -> dict[str, Any]:
    """Name and digest of the source, for a report."""
    if not is_file(source):
        return {"name": f"database, stage {source}", "sha256": None}
    with open(source, "rb") as stream:
        return {"name": Path(source).name, "sha256": hashlib.file_digest(stream, "sha256").hexdigest()}


def _panels_of_stage(stage: str, database: str | None, runtimes: list[str] | None) -> list[Panel]:
    from analysis.readout.tensor_rows import panels_of_rows
    from harness.cli.options import database_place
    from harness.store.store import Store

    with Store.open(database_place(database), create=False) as store:
        rows = _rows(store, stage, runtimes)
    return panels_of_rows(rows, f"stage {stage}", first_row=1)


def _rows(store: Store, stage: str, runtimes: list[str] | None) -> Iterable[Mapping[str, Any]]:
    record = store.stage(stage)
    protocol = ((record.protocol or {}).get("protocol") or {}) if record else {}
    if protocol.get("checkpoint"):
        from harness.checkpoints.tensor import tensor_rows

        return tensor_rows(store, stage, runtimes)
    if protocol.get("planning"):
        from harness.planning.tensor import planning_rows

        return planning_rows(store, stage, runtimes)
    what = f"{stage!r} is no file, and no checkpoint or planning stage of this database"
    raise InputError(what, file="TENSOR|STAGE", mend=f"restartlab collect {stage}, or name a CSV, Parquet or NPY file")
