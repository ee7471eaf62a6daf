"""Compositions of failed patches: every pair of sources of a task, merged, and ranked before any verdict.

Nothing here knows a verdict, and nothing calls a model: the same sources give the same composites in the same order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

from harness.recovery.merging import Merged, Triple, united, wanted
from harness.recovery.sources import Source
from harness.workspace.layer import Layer
from harness.workspace.manifest import Manifest

#: What became of a pair: it does not merge; its union is a source, or that of an earlier pair, or a new one.
Outcome = Literal["conflict", "equals_source", "equals_composite", "novel"]


@dataclass(frozen=True)
class Pair:
    """Two sources of a task (attempt ids), and what their union is."""

    left: str
    right: str
    outcome: Outcome
    layer: str | None
    """Digest of the union; None where there is no clean one."""
    lines: int | None = None
    """Lines that a novel union adds and removes."""
    rank: int | None = None
    """Place of a novel union in the ranking of its task, from 1."""

    def data(self) -> dict[str, Any]:
        """As JSON data."""
        return dict(vars(self))


@dataclass(frozen=True)
class Composed:
    """All pairs of a task in the order of its sources, and the novel unions by digest."""

    pairs: tuple[Pair, ...]
    unions: Mapping[str, Layer]
    contents: Mapping[str, bytes]
    """New file contents of the unions, by SHA-256."""


def compose(
    sources: Sequence[Source], base: Manifest, merge: Callable[[Sequence[Triple]], Merged]
) -> Composed:  # fmt: skip
    """Every unordered pair of ``sources``, identical contents included, united where that is clean.

    Args:
        merge: merges contents line by line; asked once, for all pairs.
    """
    pairs = list(combinations(sources, 2))
    merged = merge([t for left, right in pairs for t in wanted(left.layer.manifest, right.layer.manifest, base)])
    known = {source.layer.digest for source in sources}
    unions: dict[str, Layer] = {}
    contents: dict[str, bytes] = {}
    found = []
    for left, right in pairs:
        both = united(left.layer, right.layer, base, merged)
        if both is None:
            found.append(Pair(left.attempt, right.attempt, "conflict", None))
            continue
        layer, new = both
        outcome: Outcome = "novel"
        if layer.digest in known:
            outcome = "equals_source"
        elif layer.digest in unions:
            outcome = "equals_composite"
        else:
            unions[layer.digest] = layer
            contents |= new
        found.append(Pair(left.attempt, right.attempt, outcome, layer.digest))
    return Composed(tuple(found), unions, contents)


def ranked(composed: Composed, lines: Mapping[str, int]) -> Composed:
    """The novel unions in the order ``fewest-lines``: see ``protocol.reuse.CompositionPlan``.

    Args:
        lines: added and removed lines of every novel union, by digest.
    """
    order = sorted(composed.unions, key=lambda digest: (lines[digest], digest))
    place = {digest: number for number, digest in enumerate(order, 1)}
    pairs = tuple(
        replace(pair, lines=lines[pair.layer], rank=place[pair.layer])
        if pair.outcome == "novel" and pair.layer is not None else pair
        for pair in composed.pairs
    )  # fmt: skip
    return replace(composed, pairs=pairs)
