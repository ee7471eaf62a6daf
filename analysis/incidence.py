"""The Aalen-Johansen cumulative incidence: first pass, with protocol terminals as the competing event (by lifelines).

The labelled alternative where attempts were censored before the horizon. It assumes that censoring says nothing about
what would have come, which a cost or wall-time limit may well do.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell
from analysis.errors import InputError

LABEL = "Aalen-Johansen, terminals competing, independent censoring assumed"


@dataclass(frozen=True)
class Incidence:
    """P(pass by call c) and P(terminal by call c, before a pass), shape (horizon + 1,)."""

    verified: NDArray[np.float64]
    terminal: NDArray[np.float64]
    label: str = LABEL


def aalen_johansen(cell: Cell) -> Incidence:
    """Estimates through the largest horizon; without early censoring ``verified`` is F.

    Raises:
        InputError: lifelines is not installed.
    """
    last = int(cell.horizon.max())
    return Incidence(_curve(cell, VERIFIED, last), _curve(cell, TERMINAL, last))


def _curve(cell: Cell, event: int, last: int) -> NDArray[np.float64]:
    try:
        from lifelines import AalenJohansenFitter
    except ImportError:
        raise InputError(
            "the Aalen-Johansen estimate needs lifelines", mend="install restartlab[report] (pip install lifelines)"
        ) from None
    if not (cell.event == event).any():
        return np.zeros(last + 1)
    # An attempt censored at call k was seen to be live after k, so it leaves after the events of k.
    times = np.maximum(cell.call, 1) + np.where(cell.event == CENSORED, 0.5, 0.0)
    # lifelines breaks ties by tiny shifts. Among events their order does not matter to the estimate, and censored
    # attempts are apart; the seed is fixed so that the last bits are too.
    fitter = AalenJohansenFitter(calculate_variance=False, jitter_level=1e-6, seed=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitter.fit(times, cell.event.astype(int), event_of_interest=event)
    steps = fitter.cumulative_density_
    at = np.searchsorted(steps.index.to_numpy(), np.arange(last + 1) + 0.25, side="right") - 1
    return np.asarray(steps.iloc[:, 0].to_numpy()[at], np.float64)
