"""The part of the page on reused branches: unions of failed patches, and why failed branches are poor material."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from analysis.branches import component_right_given_failure, effective_views, inversion_threshold
from analysis.figures.style import Drawing
from analysis.report.blocks import Block, Picture, Section, Table, Text
from analysis.report.words import percent

Document = Mapping[str, Any]

_COUNTS = ("sources", "contents", "pairs", "conflict", "equal", "novel", "verified", "passed")
#: Chances of a component (q) and of all the rest (r) for which the lemma is shown.
_EXAMPLES = ((0.7, 0.5), (0.7, 0.6), (0.7, 0.9), (0.9, 0.9))
_CORRELATIONS = (0.0, 0.5, 1.0)


def reuse_part(document: Document, figures: Mapping[str, list[Drawing]]) -> Section | None:
    """What became of the pairs; None where nothing was composed."""
    if not document["reuse"]:
        return None
    blocks: list[Block] = [
        Picture(drawing, "Pairs of failed attempts by what their union is; verified ones are a part of the novel ones.")
        for drawing in figures["reuse"]
    ]
    for one in document["reuse"]:
        rows = [[row["task"], row["runtime"], *(str(row[name]) for name in _COUNTS)] for row in one["tasks"]]
        rows += [["all", row["runtime"], *(str(row[name]) for name in _COUNTS)] for row in one["totals"]]
        caption = f"{one['stage']}: unions of two failed patches of {one['source_stage']} (rank: {one['rank']})"
        blocks.append(Table(caption, ["task", "runtime", *_COUNTS], rows, one["origins"], left=2))
    blocks += _theory()
    return Section("reuse", "Reused branches", blocks)


def _theory() -> list[Block]:
    rows = [
        [
            f"{q:g}", f"{r:g}", percent(float(component_right_given_failure(q, r))),
            f"{float(inversion_threshold(q)):.3f}",
        ]
        for q, r in _EXAMPLES
    ]  # fmt: skip
    views = ", ".join(f"{float(effective_views(5, rho)):.2f} at a correlation of {rho:g}" for rho in _CORRELATIONS)
    return [
        Text(
            "A pair counts once, identical contents included. A union is clean or is not verified; it is ranked before "
            "any verdict, and no model takes part."
        ),
        Table(
            "Selection on failure (analytical): how often a component is right in a patch that failed",
            ["right in any patch, q", "all the rest right, r", "right in a failed patch, %", "below half above r ="],
            rows, left=0,
        ),
        Text(f"Five views of one problem are worth {views} independent ones, as far as their mean goes."),
    ]  # fmt: skip
