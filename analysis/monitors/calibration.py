"""Calibrates a threshold on attempts that nobody acted on, by a rule that is fixed before they are seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from analysis.arms import Pool
from analysis.monitors.rule import RuleValue, rule_value
from analysis.monitors.watched import Watched

Rule = Literal["largest-gain"]

#: Thresholds that are tried; of more distinct scores, quantiles.
MOST = 200
_SAME = 1e-12


@dataclass(frozen=True)
class Calibrated:
    """A threshold, and what it promised on the attempts that it was calibrated on (optimistic: it was chosen there)."""

    rule: Rule
    threshold: float
    """Infinity: no alarm ever, as no threshold gained anything."""
    gain: float
    """Change of macro success on the calibration attempts, monitoring charged."""
    tried: int
    """How many thresholds."""
    value: RuleValue


def calibrate(
    pool: Pool, watched: Watched, budget: int, *, kappa: float = 0.0, recovery_calls: int = 0,
    rule: Rule = "largest-gain",
) -> Calibrated:  # fmt: skip
    """The threshold with the largest gain; of equal ones the highest, which alarms least; none if none gains."""
    best = rule_value(pool, watched.unasked(), np.inf, budget)  # a monitor that never alarms need not be run
    candidates = thresholds(watched)
    for threshold in candidates:
        value = rule_value(pool, watched, threshold, budget, kappa, recovery_calls)
        # Gains are means of shares: equal ones may differ in the last bits.
        ahead = value.macro_gain - best.macro_gain
        if ahead > _SAME or (np.isfinite(best.threshold) and ahead >= -_SAME):
            best = value
    return Calibrated(rule, best.threshold, best.macro_gain, len(candidates), best)


def thresholds(watched: Watched) -> list[float]:
    """The thresholds that tell scores apart, ascending."""
    scores = np.unique(watched.readings.score[~np.isnan(watched.readings.score)])
    if len(scores) > MOST:
        scores = np.unique(np.quantile(scores, np.linspace(0, 1, MOST), method="nearest"))
    return [float(score) for score in scores]
