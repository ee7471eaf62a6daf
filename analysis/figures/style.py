"""How all figures look, and how a drawing becomes bytes: the same input gives the same bytes."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from analysis.errors import InputError

#: Colours that people with any kind of colour vision can tell apart (Okabe and Ito 2008); by lightness too.
BLUE, ORANGE, GREEN, RED, PURPLE, SKY, GREY, BLACK = (
    "#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C8C8C", "#1A1A1A",
)  # fmt: skip

#: Cohorts, in order: colour, line, marker.
LINES = ((BLUE, "-", "o"), (RED, "--", "s"), (GREEN, "-.", "^"), (PURPLE, ":", "D"))

#: Events: colour and hatching, so that grey print tells them apart.
EVENT_STYLES = {
    "verified": (GREEN, ""), "terminal": (ORANGE, "///"), "censored": ("#D9D9D9", ""), "excluded": ("#FFFFFF", "xx"),
}  # fmt: skip

SYNTHETIC = "SYNTHETIC: a scripted instrument, not a language model"

#: Inches; a page's text is about 7 wide.
WIDTH = 7.2

_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans", "font.size": 9.0, "axes.titlesize": 9.5, "axes.labelsize": 9.0,
    "xtick.labelsize": 8.0, "ytick.labelsize": 8.0, "legend.fontsize": 8.0, "figure.titlesize": 10.5,
    "axes.titlelocation": "left", "axes.titleweight": "bold", "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#E3E3E3", "grid.linewidth": 0.6, "axes.axisbelow": True, "lines.linewidth": 1.6,
    "lines.markersize": 3.5, "legend.frameon": False, "hatch.linewidth": 0.6, "figure.facecolor": "#FFFFFF",
    "savefig.facecolor": "#FFFFFF", "svg.fonttype": "path", "svg.hashsalt": "restartlab", "text.parse_math": False,
    "path.simplify": False,
}  # fmt: skip

_MEND = "make report, or .venv/bin/pip install --require-hashes -r requirements/report.txt"


@dataclass(frozen=True)
class Drawing:
    """One figure. ``alt`` says in words what it shows, for those who do not see it; ``origin`` is on the figure too."""

    name: str
    title: str
    alt: str
    origin: str
    svg: bytes
    png: bytes


@contextmanager
def styled() -> Iterator[None]:
    """matplotlib with this style and none of the user's.

    Raises:
        InputError: matplotlib is not installed.
    """
    try:
        import matplotlib.style
    except ImportError:
        raise InputError("figures need matplotlib, which is not installed", mend=_MEND) from None
    with matplotlib.style.context(["default", _STYLE]), warnings.catch_warnings():
        # A name in a script that the font lacks is shown as boxes; tables and the alternative text have it.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def drawn(
    name: str, title: str, alt: str, origins: Sequence[str], height: float, draw: Callable[[Any], None]
) -> Drawing:
    """Draws a figure, with its title and the origin of its data on it.

    Args:
        origins: of the data; empty for a figure without data.
        height: inches.
        draw: fills the matplotlib figure that it is given.
    """
    with styled():
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine

        # Short of the right edge, where labels of a subfigure would lose their last letter.
        layout = ConstrainedLayoutEngine(rect=(0, 0, 0.985, 1))
        figure = Figure(figsize=(WIDTH, height), layout=layout)
        figure.suptitle(shown(title, 100), x=0.01, ha="left", weight="bold")
        note = f"Origin of the data: {', '.join(origins)}." if origins else "Analytical: no data."
        synthetic = "synthetic" in origins
        frame = {"facecolor": "#FFF3CD", "edgecolor": RED, "boxstyle": "round,pad=0.3"} if synthetic else None
        text = f"{note} {SYNTHETIC}." if synthetic else note
        figure.supxlabel(text, x=0.015, ha="left", fontsize=8, color=BLACK, bbox=frame)
        draw(figure.subfigures())  # so that its legend stays clear of the title
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        said = f"{alt} {text}"
        svg, png = io.BytesIO(), io.BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None, "Creator": None, "Title": title})
        figure.savefig(png, format="png", dpi=160, metadata={"Software": None})
    return Drawing(name, title, said, text, svg.getvalue(), png.getvalue())


def shown(text: str, most: int = 40) -> str:
    """A name as a label: of bounded length, without characters that reorder others."""
    text = re.sub("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]", "�", text)
    return text if len(text) <= most else text[: most - 1] + "…"


def percent_axis(axis: Any, *, signed: bool = False) -> None:
    """Fractions shown as percent."""
    from matplotlib.ticker import FuncFormatter

    def text(value: float, _place: int) -> str:
        points = round(100 * value)
        return (f"{points:+d}" if signed and points else str(points)).replace("-", "−")

    axis.set_major_formatter(FuncFormatter(text))
