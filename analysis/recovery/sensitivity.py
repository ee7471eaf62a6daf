"""How far a composite depends on its weights. Secondary by definition: it never replaces the published score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.recovery.composite import COMPOSITE, composite
from analysis.recovery.quality import WEIGHTS
from analysis.recovery.records import Attempt, Panel

#: By how much a weight is moved; the others give way in proportion.
STEP = 0.05


@dataclass(frozen=True)
class Shift:
    """The composite when the weight of ``name``, a dimension or a component, is moved by ``step``."""

    name: str
    step: float
    quality: float
    crs: float | None


def shifts(trials: Sequence[Attempt], panel: Panel) -> list[Shift]:
    """One row per weight and direction."""
    found = []
    for name in WEIGHTS:
        for step in (-STEP, STEP):
            scored = composite(trials, replace(panel, weights=moved(panel.weights or WEIGHTS, name, step)))
            found.append(Shift(name, step, scored.quality, scored.crs))
    for name in COMPOSITE:
        for step in (-STEP, STEP):
            scored = composite(trials, panel, moved(COMPOSITE, name, step))
            found.append(Shift(name, step, scored.quality, scored.crs))
    return found


def moved(weights: Mapping[str, float], name: str, step: float) -> dict[str, float]:
    """Weights with that of ``name`` moved by ``step``, within [0, 1]; the others are scaled to a sum of 1."""
    wanted = min(1.0, max(0.0, weights[name] + step))
    rest = sum(value for other, value in weights.items() if other != name)
    return {other: wanted if other == name else value * (1 - wanted) / rest for other, value in weights.items()}


def rank_changes(first: Sequence[Shift], second: Sequence[Shift], lead: float) -> list[str]:
    """Shifts under which the lead of the first system over the second (``lead`` points) changes its sign."""
    found = []
    for a, b in zip(first, second, strict=True):
        if a.crs is not None and b.crs is not None and (a.crs - b.crs) * lead < 0:
            found.append(f"{a.name} {a.step:+.2f}")
    return found
