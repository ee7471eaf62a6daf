"""How often a certificate errs over simulated checkpoint stages whose truth is known, and a test that catches one that
errs more often than its level.

A stage errs when any of its claims is wrong. The test is one-sided: it condemns a certificate only when the exact
99.9 % lower limit of its error rate lies above the level, so a valid one at most once in a thousand tests.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.arms import Design
from analysis.certificates import method
from analysis.checkpoints.decisions import arms_of
from analysis.errors import InputError
from analysis.intervals import clopper_pearson_lower

#: Error of the test itself.
TEST_ALPHA = 0.001
#: Rates that differ by less are equal.
_TIE = 1e-12


@dataclass(frozen=True)
class Trial:
    """``errors`` of ``stages`` stages held a wrong claim; ``low``: the lower limit of that rate.

    ``right``: share of the comparisons with a true direction that were certified in it; NaN when all are ties.
    ``inflation``: by how much the level was raised to break the certificate; 1 for the certificate itself.
    """

    method: str
    alpha: float
    inflation: float
    stages: int
    family: int
    draws: int
    errors: int
    rate: float
    low: float
    right: float

    @property
    def caught(self) -> bool:
        """Whether the simulation proves that it errs more often than its level."""
        return self.low > self.alpha


def try_certificate(
    method_name: str,
    restarts: NDArray[np.bool_],
    continues: NDArray[np.bool_],
    p: ArrayLike,
    q: ArrayLike,
    *,
    alpha: float = 0.05,
    inflation: float = 1.0,
) -> Trial:
    """Audits every simulated stage.

    Args:
        restarts, continues: which draws passed, shape (stages, states, draws).
        p, q: the truth per state, shape (states,).
        inflation: the certificate is run at ``alpha`` times this, and judged against ``alpha``.

    Raises:
        InputError: shapes that do not fit, or an unknown method.
    """
    truth = np.asarray(p, np.float64) - np.asarray(q, np.float64)
    if restarts.shape != continues.shape or restarts.ndim != 3 or truth.shape != restarts.shape[1:2]:
        what = f"outcomes of shapes {restarts.shape} and {continues.shape} with the truth of {truth.shape} states"
        raise InputError(what, mend="give stages x states x draws twice, and p and q per state")
    stages, states, draws = restarts.shape
    used = method(method_name)
    design = Design.PAIRS if Design.INDEPENDENT in used.WHY_NOT else Design.INDEPENDENT
    flat = stages * states, draws
    arms = arms_of(restarts.reshape(flat), continues.reshape(flat), design)
    decision = used.decide(arms, alpha * inflation, states).decision.reshape(stages, states)
    sign = np.where(np.abs(truth) < _TIE, 0, np.sign(truth)).astype(np.int64)
    allowed = (decision == sign) | (decision == 0) | ((sign == 0) & ("=" in used.CLAIM))
    errors = int((~allowed).any(axis=1).sum())
    directed = sign != 0
    right = float((decision == sign)[:, directed].mean()) if directed.any() else float("nan")
    return Trial(
        used.NAME, alpha, inflation, stages, states, draws, errors, errors / stages,
        float(clopper_pearson_lower(errors, stages, TEST_ALPHA)), right,
    )  # fmt: skip


def binomial_stages(
    p: ArrayLike, q: ArrayLike, draws: int, stages: int, seed: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Outcomes of ``stages`` stages with draws of success p and q per state, as ``try_certificate`` takes them."""
    rng = np.random.default_rng(seed)
    restart, cont = (np.asarray(rate, np.float64)[None, :, None] for rate in (p, q))
    shape = (stages, restart.shape[1], draws)
    return rng.random(shape) < restart, rng.random(shape) < cont
