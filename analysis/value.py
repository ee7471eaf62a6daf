"""What an alarm and a progress signal are worth, in success probability (sections 3 and 4 of arXiv 2610.36544).

For a live decision: q = P(continuation succeeds), p = P(one clean restart succeeds within the calls left), tau = alarm
rate on failing continuations, phi = alarm rate on succeeding ones. Arrays broadcast.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from analysis.errors import InputError

Values = NDArray[np.float64]


def _probability(name: str, given: ArrayLike) -> Values:
    value = np.asarray(given, dtype=np.float64)
    if not ((value >= 0) & (value <= 1)).all():
        raise InputError(f"{given!r} is not a probability", file=f"--{name}", mend="give fractions from 0 to 1")
    return value


def gain(q: ArrayLike, p: ArrayLike, tau: ArrayLike, phi: ArrayLike) -> Values:
    """G = (1 - q) tau p - q phi (1 - p), against continuing every live attempt (equation 8)."""
    q, p, tau, phi = _probability("q", q), _probability("p", p), _probability("tau", tau), _probability("phi", phi)
    return (1 - q) * tau * p - q * phi * (1 - p)


def break_even(q: ArrayLike, tau: ArrayLike, phi: ArrayLike) -> Values:
    """p* = q phi/((1 - q) tau + q phi): gain only where p > p* (equation 9). NaN for an alarm never raised."""
    q, tau, phi = _probability("q", q), _probability("tau", tau), _probability("phi", phi)
    raised = (1 - q) * tau + q * phi
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(raised > 0, q * phi / raised, np.nan)


def ceiling(q: ArrayLike, p: ArrayLike) -> Values:
    """(1 - q) p: the gain of the perfect alarm, which no alarm exceeds (equation 10)."""
    return (1 - _probability("q", q)) * _probability("p", p)


def clairvoyant_extra(q: ArrayLike, p: ArrayLike) -> Values:
    """min{(1 - q) p, q (1 - p)}: perfect alarm over the better constant action (equation 11)."""
    q, p = _probability("q", q), _probability("p", p)
    return np.minimum((1 - q) * p, q * (1 - p))


def accuracy(q: ArrayLike, tau: ArrayLike, phi: ArrayLike) -> Values:
    """(1 - q) tau + q (1 - phi): share of right predictions, which does not depend on p."""
    q = _probability("q", q)
    return (1 - q) * _probability("tau", tau) + q * (1 - _probability("phi", phi))


def aliasing_regret(p: ArrayLike) -> Values:
    """p/(1 + p): least worst-case regret when the two regimes look alike (corollary 3.6)."""
    p = _probability("p", p)
    return p / (1 + p)


def aliasing_policy(p: ArrayLike) -> Values:
    """1/(1 + p): the chance of continuing that attains that regret."""
    return 1 / (1 + _probability("p", p))


def paired_gain(alarm: ArrayLike, restarted: ArrayLike, continued: ArrayLike) -> float:
    """G = E[A (Y_R - Y_C)], for any recovery action whose own outcomes are known (section 4.1).

    Args:
        alarm: A, flags per decision.
        restarted: Y_R, outcomes (or their probabilities) of that very action.
        continued: Y_C, outcomes (or their probabilities) of continuation.
    """
    a, r, c = (np.asarray(column, dtype=np.float64) for column in (alarm, restarted, continued))
    return float(np.mean(a * (r - c)))


def _weights(weight: ArrayLike | None, like: Values) -> Values:
    given = np.ones_like(like) if weight is None else np.asarray(weight, dtype=np.float64)
    if given.shape != like.shape or not (given >= 0).all() or not given.sum() > 0:
        raise InputError("weights must be one non-negative number a decision, not all zero")
    return given / given.sum()


def key_value(advantage: ArrayLike, key: Sequence[Hashable], weight: ArrayLike | None = None) -> float:
    """E[(E[D | G])_+]: gain over continuing of the best policy that sees the key G only (equation 12).

    Args:
        advantage: D = Q_R - Q_C, restart advantage per decision (or per value of the richer signal).
        key: G, what the policy sees, per decision; any hashable values.
        weight: share of each decision; equal if None.
    """
    d = np.asarray(advantage, dtype=np.float64)
    if len(key) != len(d):
        raise InputError(f"{len(key)} keys for {len(d)} decisions")
    share = _weights(weight, d)
    numbers: dict[Hashable, int] = {}
    group = np.array([numbers.setdefault(value, len(numbers)) for value in key], dtype=np.int64)
    return float(np.maximum(np.bincount(group, weights=share * d), 0).sum())


def information_loss(
    advantage: ArrayLike,
    fine: Sequence[Hashable],
    coarse: Sequence[Hashable],
    weight: ArrayLike | None = None,
    cost: float = 0.0,
) -> float:
    """V(Z) - V(G) - cost: what a coarser key forgoes, net of the cost of acquiring the finer one (equation 13).

    Args:
        advantage: D per decision.
        fine: Z per decision.
        coarse: G per decision; must be a function of Z.
        weight: share of each decision; equal if None.
        cost: kappa, expected utility spent on Z.

    Raises:
        InputError: one value of the fine key has two values of the coarse one.
    """
    seen: dict[Hashable, Hashable] = {}
    for z, g in zip(fine, coarse, strict=True):
        if seen.setdefault(z, g) != g:
            raise InputError(f"the coarse key is no function of the fine one: {z!r} has both {seen[z]!r} and {g!r}")
    return key_value(advantage, fine, weight) - key_value(advantage, coarse, weight) - cost


def decision_regret(delta: ArrayLike, chose_restart: ArrayLike, weight: ArrayLike | None = None) -> float:
    """E[|Delta| 1{wrong action}] (equation 4), Delta = Q_C - Q_R; ties lose nothing."""
    d, restart = np.asarray(delta, dtype=np.float64), np.asarray(chose_restart, dtype=np.bool_)
    wrong = np.where(restart, d > 0, d < 0)
    return float((_weights(weight, d) * np.abs(d) * wrong).sum())
