"""How one task's completion law differs from the common one (the law itself is ``harness.models.law``)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from harness.models.law import CompletionLaw, HazardStep
from harness.protocol.base import Probability, Section

Steps = Annotated[tuple[HazardStep, ...], Field(min_length=1, strict=False)]


class LawOverride(Section):
    """The keys in which a task's law differs; a key that is absent or null is the common law's."""

    hazard: Steps | None = None
    """Replaces the whole hazard."""
    malformed: Probability | None = None
    """Replaces ``malformed``."""
    malformed_after_malformed: Probability | None = None
    """Replaces ``malformed_after_malformed``."""
    submit: Probability | None = None
    """Replaces ``submit``."""
    destroy: Probability | None = None
    """Replaces ``destroy``."""
    stall: Probability | None = None
    """Replaces ``stall``."""

    def over(self, law: CompletionLaw) -> CompletionLaw:
        """``law`` with the keys that are set here replaced; raises ``pydantic.ValidationError`` (hazard not sorted)."""
        return law.overridden(self.model_dump(by_alias=True, exclude_none=True))
