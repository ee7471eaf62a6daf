"""Puts the files of a report together: page, Markdown, figures, data document, and the manifest over all of them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from analysis.figures.style import Drawing
from analysis.report.blocks import Section
from analysis.report.html import html
from analysis.report.manifest import NAME, Artifact, manifest_text, role_of
from analysis.report.markdown import FIGURES, markdown


def packed(
    document: Mapping[str, Any], title: str, sections: Sequence[Section], drawings: Iterable[Drawing],
    tables: Mapping[str, str],
) -> dict[str, bytes]:  # fmt: skip
    """All files of a report by their path, manifest included. The same input gives the same bytes.

    Args:
        tables: further text files by their path.
    """
    files = {
        "report.json": document_text(document).encode(),
        "report.html": html(title, sections).encode(),
        "report.md": markdown(title, sections).encode(),
        **{path: text.encode() for path, text in tables.items()},
    }
    for drawing in drawings:
        files[f"{FIGURES}/{drawing.name}.svg"] = drawing.svg
        files[f"{FIGURES}/{drawing.name}.png"] = drawing.png
    artifacts = tuple(
        Artifact(path, role_of(path), len(data), hashlib.sha256(data).hexdigest())
        for path, data in sorted(files.items())
    )
    return files | {NAME: manifest_text(artifacts).encode()}


def document_text(document: Mapping[str, Any]) -> str:
    """The data document as JSON."""
    return json.dumps(document, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
