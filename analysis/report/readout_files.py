"""All files of a readout's report: the page, Markdown, figures, the data document, and the outcomes themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.figures.readout_catalogue import readout_figures
from analysis.readout.panel import Panel
from analysis.readout.tensor_csv import tensor_csv
from analysis.report.packing import packed
from analysis.report.part_readout import readout_parts


def readout_files(document: Mapping[str, Any], panels: Sequence[Panel]) -> dict[str, bytes]:
    """Files by their path, manifest included. The same input gives the same bytes.

    Raises:
        InputError: matplotlib is not installed.
    """
    figures = readout_figures(document)
    title = f"Recovery-action panels: {document['title']}"
    drawings = [one for part in figures.values() for one in part]
    return packed(document, title, readout_parts(document, figures), drawings, {"tensor.csv": tensor_csv(panels)})
