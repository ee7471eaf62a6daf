"""A rule of expansion that a report can evaluate: fixed with the stage, before any outcome is seen."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from harness.protocol.base import Count, Name, NotNegative, Section


class ExpansionRule(Section):
    """A follow-up is worth its cost when one arm does enough better than another and does not cost too much more.

    Enough better: ``min_gain`` or ``min_recovered``, either of them.
    """

    treatment: Name
    """Arm that intervenes."""
    baseline: Name
    """Arm that it is compared with."""
    min_gain: Annotated[float, Field(gt=0, le=1)]
    """Mean over tasks of the difference in verified attempts, a fraction: 0.05 is five points."""
    min_recovered: Count
    """Attempts of the treatment that were verified after an intervention."""
    max_cost_increase: NotNegative
    """Increase of the mean cost of an attempt in US dollars, a fraction of the baseline's: 0.2 is 20 %."""
