"""What the scripted agent states when it is asked how likely it is to succeed: its law's answer, blurred."""

from __future__ import annotations

from harness.models.law import CompletionLaw
from harness.models.plan import call_rng

#: Half the width of the blur, a fraction: stated and true chance differ by at most this.
BLUR = 0.2


def stated_chance(law: CompletionLaw, scale: float, call: int, horizon: int, stuck: bool, seed: int) -> float:
    """The stated chance of completing between ``call`` and ``horizon``, a fraction.

    The chance itself leaves malformed replies and submissions out, and is 0 once it is stuck. One seed and call state
    one number; asking draws nothing that a move depends on.
    """
    missing = 1.0
    for later in range(call + 1, horizon + 1):
        missing *= 1 - law.hazard_at(later, scale)
    chance = 0.0 if stuck else 1 - missing
    blurred = chance + BLUR * (2 * call_rng(seed, -call).random() - 1)
    return min(1.0, max(0.0, blurred))
