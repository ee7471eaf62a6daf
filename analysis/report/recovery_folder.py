"""The files of a report on recovery scores; ``folder.write_folder`` puts them in place."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.recovery import recovery_figures
from analysis.report.folder import document_text
from analysis.report.html import html
from analysis.report.manifest import NAME, Artifact, manifest_text, role_of
from analysis.report.markdown import FIGURES, markdown
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
    title = "Recovery scores"
    files = {
        "report.json": document_text(document).encode(),
        "report.html": html(title, sections).encode(),
        "report.md": markdown(title, sections).encode(),
    }
    for drawing in (one for some in figures for one in some):
        files[f"{FIGURES}/{drawing.name}.svg"] = drawing.svg
        files[f"{FIGURES}/{drawing.name}.png"] = drawing.png
    artifacts = tuple(
        Artifact(path, role_of(path), len(data), hashlib.sha256(data).hexdigest())
        for path, data in sorted(files.items())
    )
    return files | {NAME: manifest_text(artifacts).encode()}
