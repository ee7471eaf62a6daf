"""A panel: outcomes of several recovery actions, each drawn several times from the same frozen checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from analysis.errors import InputError

Matrix = NDArray[np.float64]

#: How an episode came to its score.
OBSERVED, PROTOCOL_FAILURE, INVALID_ADAPTER = 0, 1, 2
STATUSES = ("native_verifier_observed", "model_protocol_failure", "invalid_adapter_attempt")

#: More actions are refused: best-action sets are tabulated pair by pair, 4**actions of them.
MOST_ACTIONS = 8


@dataclass(frozen=True)
class Panel:
    """A complete outcome tensor of C checkpoints, A actions, R repeats; one runtime, never pooled with another.

    Args:
        checkpoints: C names.
        actions: A names; their order breaks no tie, it only orders what is printed.
        repeats: R numbers, ascending; the same for every checkpoint and action.
        select: score that chooses actions, shape (C, A, R), in [0, 1].
        evaluate: score of the evaluator that judges what was chosen, same shape; ``select`` itself where there is one.
        provenance: index into ``STATUSES``, same shape; None if unknown. Failures stay in the panel, with score 0.
        calls: model calls of each episode, same shape, NaN where unknown.
        cost_usd: US dollars of each episode, same shape, NaN where unknown.
        tasks: C names of the tasks that the checkpoints are from.
        strata: C names of groups inside which checkpoints are resampled (task sizes, say); None: one group.
        keys: C observable keys, for policies and ceilings that see nothing else of a checkpoint; None if unknown.
        runtime, stage, origin: which runtime, where from; ``origin`` as in event tables.
    """

    checkpoints: tuple[str, ...]
    actions: tuple[str, ...]
    repeats: tuple[int, ...]
    select: Matrix
    evaluate: Matrix
    provenance: NDArray[np.int8] | None = None
    calls: Matrix | None = None
    cost_usd: Matrix | None = None
    tasks: tuple[str, ...] | None = None
    strata: tuple[str, ...] | None = None
    keys: tuple[str, ...] | None = None
    runtime: str = ""
    stage: str = ""
    origin: str = "imported"

    def __post_init__(self) -> None:
        shape = (len(self.checkpoints), len(self.actions), len(self.repeats))
        for name in ("select", "evaluate"):
            self._check(name, getattr(self, name), shape)
        if min(shape) < 1 or shape[1] < 2 or shape[2] < 2:
            what = f"{shape[0]} checkpoints, {shape[1]} actions and {shape[2]} repeats are no panel"
            raise InputError(what, mend="give at least one checkpoint, two actions and two repeats")
        if shape[1] > MOST_ACTIONS:
            raise InputError(f"{shape[1]} actions are too many", mend=f"keep at most {MOST_ACTIONS} of them")

    def _check(self, name: str, values: Matrix, shape: tuple[int, int, int]) -> None:
        if values.shape != shape:
            raise InputError(f"{name} has shape {values.shape}, not {shape}", mend="give checkpoint x action x repeat")
        for wrong, what, mend in (
            (np.isnan(values), "is missing", "complete it: a panel with holes has no blocks to compare"),
            (~((values >= 0) & (values <= 1)), "is outside [0, 1]", "scale the score to [0, 1]"),
        ):
            if wrong.any():
                c, a, r = (int(place) for place in np.argwhere(wrong)[0])
                place = f"checkpoint {self.checkpoints[c]}, action {self.actions[a]}, repeat {self.repeats[r]}"
                value = "" if np.isnan(values[c, a, r]) else f" ({values[c, a, r]:g})"
                raise InputError(f"{place}: {name}{value} {what}", mend=mend)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Checkpoints, actions, repeats."""
        return len(self.checkpoints), len(self.actions), len(self.repeats)

    @property
    def name(self) -> str:
        """What tells the panel from others."""
        return " ".join(part for part in (self.stage, self.runtime) if part) or "panel"

    @property
    def two_scores(self) -> bool:
        """Whether what selects and what evaluates differ."""
        return not np.array_equal(self.select, self.evaluate)

    @property
    def episodes(self) -> int:
        """Number of outcomes."""
        return int(np.prod(self.shape))

    def selecting_by(self, score: str) -> Panel:
        """The same panel with ``select`` or ``evaluate`` as the score that chooses."""
        return replace(self, select=self.evaluate) if score == "evaluate" else self


def panel_of(
    select: Sequence[object] | NDArray[np.generic],
    evaluate: Sequence[object] | NDArray[np.generic] | None = None,
    *,
    actions: Sequence[str] | None = None,
    strata: Sequence[str] | None = None,
    runtime: str = "",
) -> Panel:
    """A panel from a plain array (C, A, R), with neutral names.

    Raises:
        InputError: the array is no complete panel of scores in [0, 1].
    """
    scores = np.asarray(select, np.float64)
    if scores.ndim != 3:
        raise InputError(f"an array of {scores.ndim} dimensions", mend="give checkpoint x action x repeat")
    c, a, r = scores.shape
    if actions is not None and len(actions) != a:
        raise InputError(f"{len(actions)} names of {a} actions", mend="name each action once, in the array's order")
    digits = len(str(c))
    return Panel(
        tuple(f"checkpoint {i + 1:0{digits}}" for i in range(c)),
        tuple(actions) if actions else tuple(f"action {i + 1}" for i in range(a)),
        tuple(range(r)),
        scores,
        scores if evaluate is None else np.asarray(evaluate, np.float64),
        strata=None if strata is None else tuple(strata),
        runtime=runtime,
    )
