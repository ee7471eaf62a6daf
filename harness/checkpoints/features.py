"""What is observed of a checkpoint before anything is drawn from it, as representations for ``restartlab value``."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.store.checkpoints import Checkpoint


def observed(one: Checkpoint) -> dict[str, Any]:
    """Features of a state. ``progress`` is the verifier's knowledge, which no agent has; the others are observable."""
    of = one.provenance
    return {
        "task": one.task,
        "status": "live" if of["status"] == "live" else str(of["reason"]),
        "call": one.call,
        "idle": one.call - of["changed_at"],
        "changed": min(of["changed_files"], 2),
        "progress": f"{of['obligations_met']} of {of['obligations']}",
    }


def read_features(file: Path, checkpoints: Sequence[str]) -> dict[str, list[str]]:
    """Further representations: every column of a CSV file beside ``checkpoint``, in the order of ``checkpoints``.

    Raises:
        InputError: it cannot be read, or leaves a checkpoint out.
    """
    try:
        with open(file, encoding="utf-8-sig", newline="") as stream:
            table = csv.DictReader(stream)
            names = [name for name in table.fieldnames or () if name != "checkpoint"]
            rows: dict[str, Mapping[str, Any]] = {str(row.get("checkpoint")): row for row in table}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"cannot be read as CSV ({error})", file=file, mend="give checkpoint and columns") from None
    missing = [name for name in checkpoints if name not in rows]
    if not names or missing:
        what = f"has no row of checkpoint {missing[0]}" if missing else "has no column beside checkpoint"
        raise InputError(what, file=file, mend="one row per checkpoint: its name, and a column per representation")
    return {name: [str(rows[one].get(name)) for one in checkpoints] for name in names}
