"""The completion law that the scripted model declares: what happens at each call, and with what chance."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from harness.protocol.base import Count, Probability, Section


class HazardStep(Section):
    """One piece of a piecewise-constant hazard."""

    start: Annotated[Count, Field(alias="from")]
    """First call of the piece (``from`` in the file); it lasts until the next piece starts."""
    value: Probability
    """Chance that a well-formed call of the piece completes the task."""


def _check_steps(steps: list[HazardStep] | None) -> list[HazardStep] | None:
    starts = [step.start for step in steps or []]
    if starts and starts[0] != 1:
        raise ValueError(f"the first piece starts at call {starts[0]}, not at call 1")
    for before, after in zip(starts, starts[1:], strict=False):
        if after <= before:
            raise ValueError(f"the piece from call {after} stands after the one from call {before}; sort by from")
    return steps


class Law(Section):
    """Chances per call, given that the attempt is live before it.

    Draw order: malformed; else complete; else submit; else destroy; else an ordinary action.
    """

    hazard: Annotated[list[HazardStep], Field(min_length=1)]
    """Chance that a well-formed call completes the task, by call."""
    malformed: Probability = 0.0
    """Chance that a call is malformed (drawn first)."""
    malformed_after_malformed: Probability | None = None
    """The same right after a malformed call (stickiness); null: as ``malformed``."""
    submit: Probability = 0.0
    """Chance that a well-formed call that does not complete submits an unverified state."""
    destroy: Probability = 0.0
    """Chance that a call that neither completes nor submits breaks or deletes files."""

    _sorted = field_validator("hazard")(_check_steps)


class LawOverride(Section):
    """The keys in which one task's law differs from the common law."""

    hazard: Annotated[list[HazardStep], Field(min_length=1)] | None = None
    """Replaces the whole hazard."""
    malformed: Probability | None = None
    """Replaces ``malformed``."""
    malformed_after_malformed: Probability | None = None
    """Replaces ``malformed_after_malformed``."""
    submit: Probability | None = None
    """Replaces ``submit``."""
    destroy: Probability | None = None
    """Replaces ``destroy``."""

    _sorted = field_validator("hazard")(_check_steps)

    def over(self, law: Law) -> Law:
        """``law`` with the keys that are set here replaced."""
        changes = {key: value for key in type(self).model_fields if (value := getattr(self, key)) is not None}
        return law.model_copy(update=changes)
