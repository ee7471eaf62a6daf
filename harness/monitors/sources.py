"""Where recorded attempts come from: the store, or a folder that ``restartlab export --format atif`` wrote."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.errors import InputError
from harness.exporting.atif import trajectory_lines
from harness.monitors.exported import lines_of_atif
from harness.store.store import Store


class Place(NamedTuple):
    """Which attempt a recorded trajectory is of."""

    stage: str
    runtime: str
    arm: str
    task: str
    repeat: int

    @property
    def text(self) -> str:
        """For people."""
        return f"{self.stage} {self.runtime} {self.arm} {self.task} repeat {self.repeat}"


class Recorded(NamedTuple):
    """A counted try: where it belongs, and its lines, read when they are asked for."""

    place: Place
    lines: Iterator[Mapping[str, Any]]


def recorded_in_store(store: Store, stages: Sequence[str]) -> Iterator[Recorded]:
    """The counted tries of the stages, one after the other; an imported event table has no trajectories.

    Raises:
        BlobError: while lines are read, if a trajectory is missing or torn.
    """
    for stage in stages:
        for attempt, facts in store.ended_tries(stage):
            if facts["valid"] and facts["trajectory"]:
                place = Place(attempt.stage, attempt.runtime, attempt.arm, attempt.task, attempt.repeat)
                yield Recorded(place, trajectory_lines(facts))


def recorded_in_folder(folder: Path) -> Iterator[Recorded]:
    """The counted tries of an exported folder, in the order of their files' names.

    Raises:
        InputError: the folder cannot be read or holds none; a file is no trajectory of ours.
    """
    mend = "restartlab export STAGE --format atif -o DIR"
    if not folder.is_dir():
        raise InputError("is no folder", file=folder, mend=mend)
    files = sorted(folder.glob("*.json"))
    if not files:
        raise InputError("holds no trajectories", file=folder, mend=mend)
    for file in files:
        try:
            document = json.loads(file.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise InputError(f"cannot be read as JSON ({error})", file=file, mend=mend) from None
        extra = document.get("extra") if isinstance(document, dict) else None
        row = extra.get("restartlab") if isinstance(extra, dict) else None
        if not isinstance(row, dict) or not isinstance(document.get("steps"), list):
            raise InputError("is no trajectory that restartlab exported", file=file, mend=mend)
        if row.get("valid"):
            place = Place(row["stage"], row["runtime"], row["arm"], row["task"], int(row["repeat"]))
            yield Recorded(place, lines_of_atif(document))
