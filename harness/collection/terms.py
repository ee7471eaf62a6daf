"""What a collection is asked for, what it comes to, and who is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from harness.attempt import Lost
from harness.collection.gating import Gated
from harness.protocol.freeze import FrozenStage
from harness.store.records import Attempt, TryResult
from harness.store.store import Store


@dataclass(frozen=True)
class Options:
    """What ``collect`` was asked to do."""

    stage: str
    database: str | Path
    runtime: str | None = None
    workers: int | None = None
    """Attempts at once; None: as many as there are cores, here or in the cluster."""
    engine: str = "local"
    """``local``, or ``ray``: the cluster at ``address``."""
    address: str = "auto"
    limit: int | None = None
    """Attempts to run at most."""
    tasks: tuple[str, ...] = ()
    """Only these tasks; empty for all."""
    redo_excluded: bool = False
    model_calls: int | None = None
    """Model calls in flight at once; None: as many as there are workers."""
    sandboxes: int | None = None
    """Commands, each with its verification, at once; None: as many as there are workers."""
    max_cost: float | None = None
    """US dollars of all tries of the stage, beside the protocol's own limit; None for none."""


@dataclass
class Summary:
    """What a run did and what is left."""

    stage: str
    digest: str
    runtimes: tuple[str, ...]
    ran: int = 0
    excluded: Counter[str] = field(default_factory=Counter)
    unqualified: dict[str, str] = field(default_factory=dict)
    recovered: int = 0
    remaining: int = 0
    """Attempts of the chosen runtimes and tasks without a counted try."""
    left_alone: int = 0
    """Of these, attempts with too many excluded tries."""
    elsewhere: int = 0
    """Of these, attempts that another controller is running."""
    interrupted: bool = False
    spent: str | None = None
    """Why no further attempt was started: the ceiling on the stage's cost."""


class View(Protocol):
    """Who is told of the progress."""

    def begin(self, stage: FrozenStage, runtimes: tuple[str, ...], store: Store) -> None: ...
    def phase(self, text: str) -> None: ...
    def warn(self, text: str) -> None: ...
    def gated(self, gated: Gated) -> None: ...
    def started(self, attempt: Attempt, trajectory: Path) -> None: ...
    def ended(self, attempt: Attempt, result: TryResult | Lost) -> None: ...
    def tick(self) -> None: ...
