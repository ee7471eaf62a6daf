"""A cell: the counted attempts of one task under one runtime and arm of one stage, as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Codes of the event column.
CENSORED, VERIFIED, TERMINAL = 0, 1, 2


class CellKey(NamedTuple):
    """What is never pooled unasked."""

    stage: str
    digest: str
    origin: str
    runtime: str
    arm: str
    task: str


@dataclass(frozen=True)
class Cell:
    """n attempts. Arrays have shape (n,), in the order of the repeats.

    ``event``: int8 codes; ``call``: int64, the call of the event (U in timing.md); ``horizon``: int64, calls.
    """

    key: CellKey
    event: NDArray[np.int8]
    call: NDArray[np.int64]
    horizon: NDArray[np.int64]

    @property
    def n(self) -> int:
        """Number of attempts."""
        return len(self.event)

    @property
    def first_pass(self) -> NDArray[np.float64]:
        """T: first verified call per attempt, infinity if none. Shape (n,)."""
        return np.where(self.event == VERIFIED, self.call, np.inf)

    @property
    def terminal_call(self) -> NDArray[np.float64]:
        """E: protocol-terminal call per attempt, infinity if none. Shape (n,)."""
        return np.where(self.event == TERMINAL, self.call, np.inf)
