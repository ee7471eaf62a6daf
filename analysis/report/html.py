"""The page as one HTML file that needs nothing else: no scripts, no network."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from analysis.figures.style import Drawing
from analysis.report.blocks import Section

_HERE = Path(__file__).parent


def html(title: str, sections: Sequence[Section]) -> str:
    """The page. All texts are escaped; figures are data URIs with alternative text."""
    pages = Environment(
        loader=FileSystemLoader(_HERE), autoescape=True, undefined=StrictUndefined, keep_trailing_newline=True
    )
    css = Markup((_HERE / "page.css").read_text(encoding="utf-8"))
    template = pages.get_template("page.html.j2")
    return template.render(title=title, sections=sections, css=css, source=_source)


def _source(drawing: Drawing) -> str:
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.svg).decode("ascii")
