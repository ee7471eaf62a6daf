"""What another process's collection is doing, read from the database."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.collection.recovery import trajectory_file
from harness.collection.status import stage_status
from harness.store.controller import RunningTry
from harness.store.events import EventRow
from harness.store.records import Attempt, CellCount
from harness.store.store import Store


@dataclass(frozen=True)
class Underway:
    """An attempt that runs now."""

    attempt: Attempt
    trajectory: Path
    seconds: float


@dataclass(frozen=True)
class Look:
    """One look at a stage."""

    cells: list[CellCount]
    running: list[Underway]
    left: int
    """Tries of controllers that are dead: the next ``collect`` records them as interrupted."""
    elapsed: float | None
    """Seconds since the controllers that run now started their first try; None when none runs."""
    ran: int
    """Attempts that they finished in this time."""
    ended: list[EventRow]
    """Tries that ended since the look before."""

    @property
    def over(self) -> bool:
        """Whether nothing runs and nothing is left."""
        return not self.running and all(cell.finished == cell.planned for cell in self.cells)


class Follower:
    """Looks at a stage again and again.

    Raises:
        InputError: nothing of the stage is in the database.
    """

    def __init__(self, store: Store, stage: str):
        stage_status(store, stage)
        self._store, self._stage = store, stage
        self._attempts: dict[str, Attempt] = {}
        self._files: dict[int, Path] = {}
        self._seen: set[tuple[str, str, str, int, int]] | None = None
        self._count = -1

    def look(self) -> Look:
        """The stage as it is now; the first look reports no ended tries."""
        cells = self._store.counts(self._stage)
        tries = self._store.running_tries(self._stage)
        alive = [one for one in tries if one.controller.life() != "dead"]
        since, ran = self._store.session(self._stage, {one.controller.id for one in alive})
        return Look(
            cells, [self._underway(one) for one in alive], len(tries) - len(alive),
            None if since is None else _seconds_since(since), ran, self._ended(cells),
        )  # fmt: skip

    def attempt_id(self, row: EventRow) -> str:
        """The id of the row's attempt."""
        key = (row.task, row.runtime, row.arm, row.repeat)
        return next(a.id for a in self._planned().values() if (a.task, a.runtime, a.arm, a.repeat) == key)

    def origins(self) -> dict[str, str]:
        """The origin of each runtime's attempts."""
        return {attempt.runtime: attempt.origin for attempt in self._planned().values()}

    def _planned(self, needed: str = "") -> dict[str, Attempt]:
        if not self._attempts or (needed and needed not in self._attempts):
            self._attempts = {attempt.id: attempt for attempt in self._store.attempts(self._stage)}
        return self._attempts

    def _underway(self, one: RunningTry) -> Underway:
        if one.try_id not in self._files:
            (view,) = (found for found in self._store.attempt(one.attempt_id).tries if found.facts["id"] == one.try_id)
            self._files[one.try_id] = trajectory_file(view.facts["environment"]["trajectory_file"])
        attempt = self._planned(one.attempt_id)[one.attempt_id]
        return Underway(attempt, self._files[one.try_id], _seconds_since(one.started_at))

    def _ended(self, cells: list[CellCount]) -> list[EventRow]:
        count = sum(cell.finished + cell.excluded_tries for cell in cells)
        if count == self._count:
            return []
        self._count = count
        rows = {
            (row.task, row.runtime, row.arm, row.repeat, row.try_): row for row in self._store.event_rows(self._stage)
        }
        new = [] if self._seen is None else [row for key, row in rows.items() if key not in self._seen]
        self._seen = set(rows)
        return new


def _seconds_since(at: str) -> float:
    return max(0.0, (datetime.now(UTC) - datetime.fromisoformat(at)).total_seconds())
