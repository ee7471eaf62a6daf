"""All files of a readout's report: the page, Markdown, figures, the data document, and the outcomes themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.readout_catalogue import readout_figures
from analysis.readout.panel import Panel
from analysis.readout.tensor_csv import tensor_csv
from analysis.report.folder import document_text
from analysis.report.html import html
from analysis.report.manifest import NAME, Artifact, manifest_text, role_of
from analysis.report.markdown import FIGURES, markdown
from analysis.report.part_readout import readout_parts


def readout_files(document: Mapping[str, Any], panels: Sequence[Panel]) -> dict[str, bytes]:
    """Files by their path, manifest included. The same input gives the same bytes.

    Raises:
        InputError: matplotlib is not installed.
    """
    figures = readout_figures(document)
    title = f"Recovery-action panels: {document['title']}"
    sections = readout_parts(document, figures)
    files = {
        "report.json": document_text(document).encode(),
        "report.html": html(title, sections).encode(),
        "report.md": markdown(title, sections).encode(),
        "tensor.csv": tensor_csv(panels).encode(),
    }
    for drawing in (one for part in figures.values() for one in part):
        files[f"{FIGURES}/{drawing.name}.svg"] = drawing.svg
        files[f"{FIGURES}/{drawing.name}.png"] = drawing.png
    artifacts = tuple(
        Artifact(path, role_of(path), len(data), hashlib.sha256(data).hexdigest())
        for path, data in sorted(files.items())
    )
    return files | {NAME: manifest_text(artifacts).encode()}
