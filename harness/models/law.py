"""The declared completion law of the scripted agent, and the exact distribution of events under it.

Pure arithmetic on a small pydantic model: the protocol schema, the scripted model and power studies all read it here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

Probability = Annotated[float, Field(strict=True, ge=0.0, le=1.0, allow_inf_nan=False)]

#: Reasons of terminal events, spelled as mini-swe-agent's exit statuses.
SUBMITTED = "Submitted"
REPEATED_FORMAT_ERROR = "RepeatedFormatError"


class HazardStep(BaseModel):
    """The hazard from one call on, until the next step."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    from_: Annotated[int, Field(alias="from", strict=True, ge=1)]
    """First call of the step, counted from 1, before scaling."""
    value: Probability
    """Chance that a well-formed call completes the task, given that the attempt is live before it."""


class CompletionLaw(BaseModel):
    """Chances of one call of the scripted agent, drawn in this order, given that the attempt is live before the call.

    malformed, else complete (``hazard``), else submit, else destroy, else an ordinary action.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    hazard: Annotated[tuple[HazardStep, ...], Field(min_length=1)]
    """Piecewise-constant chance of completing; the first step is from call 1, later ones strictly later."""
    malformed: Probability = 0.0
    """Chance that a call does not parse, after a call that did."""
    malformed_after_malformed: Probability | None = None
    """Chance that a call does not parse after one that did not either; None: the same as ``malformed``."""
    submit: Probability = 0.0
    """Chance that a well-formed, non-completing call submits the unverified state (terminal)."""
    destroy: Probability = 0.0
    """Chance that a well-formed, non-completing, non-submitting call breaks files (not terminal)."""
    stall: Probability | None = None
    """Chance that a call that does none of these gets the attempt stuck: from then on it repeats a reading command and
    nothing completes it, until a fresh start; null: never."""

    @field_validator("hazard")
    @classmethod
    def _increasing(cls, steps: tuple[HazardStep, ...]) -> tuple[HazardStep, ...]:
        starts = [step.from_ for step in steps]
        if starts[0] != 1:
            raise ValueError(f"the first step is from call {starts[0]}; it must be from call 1")
        for before, start in pairwise(starts):
            if start <= before:
                raise ValueError(f"the step from call {start} follows the one from call {before}; order them")
        return steps

    def overridden(self, changes: Mapping[str, Any]) -> CompletionLaw:
        """This law with the given fields replaced (``hazard`` as a whole); raises ``pydantic.ValidationError``."""
        return CompletionLaw.model_validate(self.model_dump(by_alias=True) | dict(changes))

    def malformed_at(self, run: int) -> float:
        """Chance of a malformed call after ``run`` consecutive malformed calls."""
        return self.malformed if run == 0 or self.malformed_after_malformed is None else self.malformed_after_malformed

    def hazard_at(self, call: int, scale: float = 1.0) -> float:
        """Chance that well-formed call ``call`` (from 1) completes: 1 - (1 - h(ceil(call / scale))) ** (1 / scale).

        ``scale`` > 0 stretches time: with scale 2 completing takes about twice as many calls.
        """
        if call < 1:
            raise ValueError(f"call is {call}; calls are counted from 1")
        if not (scale > 0 and math.isfinite(scale)):
            raise ValueError(f"scale is {scale}; it must be a positive number")
        # The quotient is exact in the decimals that were declared: 3 / 0.1 must not round up to step 31.
        unscaled = call if scale == 1 else math.ceil(call / Fraction(repr(float(scale))))
        value = next(step.value for step in reversed(self.hazard) if step.from_ <= unscaled)
        return value if scale == 1 or value == 1 else -math.expm1(math.log1p(-value) / scale)


@dataclass(frozen=True)
class EventDistribution:
    """Probabilities of how an attempt ends; index 0 of every tuple is call 1. All of them together sum to 1."""

    horizon: int
    verified: tuple[float, ...]
    terminal: dict[str, tuple[float, ...]]
    """By reason: ``Submitted`` and ``RepeatedFormatError``."""
    censored: float
    """Still live after the last call."""


def event_distribution(
    law: CompletionLaw, scale: float, horizon: int, max_format_errors: int = 3, first: int = 1, malformed: int = 0
) -> EventDistribution:
    """Exact event probabilities of one attempt, or of an episode from call ``first`` on, of ``horizon`` calls.

    Dynamic programming over the number of consecutive malformed calls. A malformed call adds one to it, any other call
    resets it, and the ``max_format_errors``-th in a row ends the attempt at that call (0: never), which is
    mini-swe-agent's rule. ``malformed`` calls before the first raise the chance
    of another, and do not count for that rule. An episode does not begin stuck.
    """
    size = max_format_errors if max_format_errors > 1 else 2
    live = [[1.0] + [0.0] * (size - 1), [0.0] * size]  # going on, stuck
    verified, submitted, unparsed = [], [], []
    for call in range(1, horizon + 1):
        hazard = law.hazard_at(first - 1 + call, scale)
        after = [[0.0] * size, [0.0] * size]
        passed = sent = ended = 0.0
        for stuck, run, mass in [(s, run, mass) for s in (0, 1) for run, mass in enumerate(live[s])]:
            completes = 0.0 if stuck else hazard
            chance = law.malformed_at(malformed if call == 1 else run)
            unread = mass * chance
            if max_format_errors and run + 1 >= max_format_errors:
                ended += unread
            else:
                after[stuck][min(run + 1, size - 1)] += unread
            parsed = mass * (1 - chance)
            passed += parsed * completes
            sent += parsed * (1 - completes) * law.submit
            rest = parsed * (1 - completes) * (1 - law.submit)
            stalls = rest if stuck else rest * (1 - law.destroy) * (law.stall or 0.0)
            after[0][0] += rest - stalls
            after[1][0] += stalls
        live = after
        verified.append(passed)
        submitted.append(sent)
        unparsed.append(ended)
    return EventDistribution(
        horizon=horizon,
        verified=tuple(verified),
        terminal={SUBMITTED: tuple(submitted), REPEATED_FORMAT_ERROR: tuple(unparsed)},
        censored=sum(live[0]) + sum(live[1]),
    )
