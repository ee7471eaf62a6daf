"""Sections of stages that reuse failed branches: compositions of their patches, and a resolver that is shown them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Count, Name, Section, StageName


class Branches(Section):
    """Whose failed attempts are reused: those of the same task and the runtime of the same name."""

    stage: StageName
    """A stage of the same database, completely collected."""
    arms: Annotated[list[Name], Field(min_length=1)] | None = None
    """Only attempts of these arms; null: of all."""


class CompositionPlan(Section):
    """Which unions of two failed patches are verified."""

    source: Branches
    """Where the patches come from."""
    rank: Literal["fewest-lines"]
    """``fewest-lines``: composites that add and remove the fewest lines first; of equal ones that of the smaller
    digest. No rule knows a verdict."""
    most_per_task: Count
    """Composites of one task that are verified at most, the first ones of the ranking."""


class HypothesesPlan(Section):
    """Whose failed patches a resolver is shown: each content once, in the place of ``{patches}`` in its message."""

    source: Branches
    """Where the patches come from."""
