"""Scores of recorded attempts as the table of readings that analysis takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from analysis.alarm_table import Readings
from analysis.cells import Cell
from analysis.monitors.watched import Watched
from harness.errors import InputError
from harness.monitors.catalogue import Spec
from harness.monitors.scoring import Scored, scored
from harness.monitors.sources import Place, Recorded


def score_recorded(spec: Spec, recorded: Iterable[Recorded]) -> Iterator[tuple[Place, list[Scored]]]:
    """The readings of each recorded attempt, one attempt in memory at a time; raises ``InputError``."""
    for one in recorded:
        yield one.place, list(scored(spec, one.lines, one.place.text))


def watched_cells(cells: Sequence[Cell], found: Iterable[tuple[Place, Sequence[Scored]]]) -> Watched:
    """Readings by the attempts of ``cells``; those of other attempts are counted as unmatched.

    Raises:
        InputError: no attempt of the cells has a trajectory.
    """
    places = {}
    start = 0
    for cell in cells:
        for i, repeat in enumerate(cell.repeat.tolist() if cell.repeat is not None else ()):
            key = cell.key
            places[Place(key.stage, key.runtime, key.arm, key.task, repeat)] = start + i
        start += cell.n
    rows, unmatched = [], 0
    matched = 0
    for place, readings in found:
        attempt = places.get(place)
        if attempt is None:
            unmatched += 1
            continue
        matched += 1
        asked = 0
        for one in readings:
            asked += one.asked
            rows.append((attempt, one.call, np.nan if one.score is None else one.score, asked))
    if not matched:
        raise InputError(
            "no attempt of these stages, runtimes and arms has a trajectory here", file="--trajectories",
            mend="collect the stage here, or give the folder of restartlab export STAGE --format atif -o DIR",
        )  # fmt: skip
    rows.sort(key=lambda row: row[:2])
    columns = [np.array([row[i] for row in rows]) for i in range(4)] if rows else [np.zeros(0)] * 4
    attempt_, call, score, asked_ = columns
    readings_ = Readings(
        attempt_.astype(np.int64), call.astype(np.int64), score.astype(np.float64),
        np.full(len(rows), -1, dtype=np.int8), unmatched,
    )  # fmt: skip
    return Watched(readings_, asked_.astype(np.int64), matched)
