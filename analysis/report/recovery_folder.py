"""The files of a report on recovery scores; ``folder.write_folder`` puts them in place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.recovery import recovery_figures
from analysis.report.packing import packed
from analysis.report.part_recovery import recovery_page

SCHEMA = 1


def recovery_document(
    entries: Sequence[Mapping[str, Any]], comparisons: Sequence[Mapping[str, Any]], provenance: Mapping[str, Any]
) -> dict[str, Any]:
    """The data document: everything that the page shows, unrounded."""
    return {
        "schema": SCHEMA, "kind": "recovery", "entries": [dict(one) for one in entries],
        "comparisons": [dict(one) for one in comparisons], "provenance": dict(provenance),
    }  # fmt: skip


def recovery_files(document: Mapping[str, Any]) -> dict[str, bytes]:
    """All files by their path, manifest included. The same input gives the same bytes.

    Raises:
        InputError: matplotlib is not installed.
    """
    figures = [recovery_figures(one, number) for number, one in enumerate(document["entries"], 1)]
    sections = recovery_page(document["entries"], document["comparisons"], figures)
    drawings = [one for some in figures for one in some]
    return packed(document, "Recovery scores", sections, drawings, {})
