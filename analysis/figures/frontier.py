"""What alarms can be worth, and what evidence costs: analytical, no data (figure 2 of arXiv 2610.36544)."""

from __future__ import annotations

from typing import Any

import numpy as np

from analysis.evidence import attempts_for_upper, zero_success_upper
from analysis.figures.style import BLACK, LINES, Drawing, drawn, percent_axis
from analysis.value import break_even, gain

TAU, PHI = 0.9, 0.1
_EPSILON = 0.10


def frontier(families: list[int], alpha: float = 0.05) -> Drawing:
    """Panel A: gain over q and p of an alarm with fixed rates. Panel B: bounds after n attempts without a success.

    Args:
        families: numbers of comparisons, at most four; each is a curve of panel B.
    """
    needed = {family: attempts_for_upper(_EPSILON, alpha, family) for family in families}
    costs = ", ".join(f"{n} attempts at M = {family}" for family, n in needed.items())
    alt = (
        f"Two panels. Left: gain of an alarm that fires on {TAU:.0%} of failing and {PHI:.0%} of succeeding "
        "continuations, as a colour map over the chance q that continuing succeeds (across) and the chance p that a "
        "restart succeeds (up). A black curve marks zero gain: below it the same alarm loses. It rises from p = 0 at "
        "q = 0 through p = 0.1 at q = 0.5 to p = 1 at q = 1. Right: the upper bound of a success probability after n "
        f"attempts without a success, falling in n, a curve per family size M. A bound of {_EPSILON:.0%} takes {costs}."
    )
    title = "When an alarm gains, and what evidence costs"
    return drawn("frontier", title, alt, (), 3.5, lambda figure: _draw(figure, families, alpha))


def _draw(figure: Any, families: list[int], alpha: float) -> None:
    left, right = figure.subplots(1, 2, width_ratios=(1.15, 1))
    _gain(figure, left)
    n = np.arange(1, 141)
    for family, (colour, line, _) in zip(families, LINES, strict=False):
        needed = attempts_for_upper(_EPSILON, alpha, family)
        right.plot(n, zero_success_upper(n, alpha, family), line, color=colour, label=f"M = {family}: n = {needed}")
        right.plot([needed], [_EPSILON], "o", color=colour, markersize=5)
    right.axhline(_EPSILON, color=BLACK, linewidth=0.8)
    right.set(xlim=(0, 140), ylim=(0, 1), xlabel="attempts n without a success", ylabel="upper bound, %")
    right.set_title("B  Evidence at zero successes")
    right.legend(title=f"upper bound of {_EPSILON:.0%} needs", loc="upper right", title_fontsize=8)
    percent_axis(right.yaxis)


def _gain(figure: Any, axes: Any) -> None:
    q, p = np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101))
    levels = np.linspace(-1, 1, 21)
    filled = axes.contourf(q, p, gain(q, p, TAU, PHI), levels=levels, cmap="PuOr_r", antialiased=True)
    shares = np.linspace(0, 1, 401)
    axes.plot(shares, break_even(shares, TAU, PHI), color=BLACK, linewidth=2)
    axes.annotate(
        "zero gain", (0.86, float(break_even(0.86, TAU, PHI))), (0.52, 0.62), fontsize=8,
        arrowprops={"arrowstyle": "-", "color": BLACK, "linewidth": 0.8},
    )  # fmt: skip
    axes.set(xlabel="q: chance that continuing succeeds, %", ylabel="p: chance that a restart succeeds, %")
    axes.set_title(f"A  Gain of an alarm, τ = {TAU:g}, φ = {PHI:g}")
    axes.grid(False)
    percent_axis(axes.xaxis)
    percent_axis(axes.yaxis)
    bar = figure.colorbar(filled, ax=axes, ticks=[-1, -0.5, 0, 0.5, 1])
    bar.set_label("gain, percentage points")
    percent_axis(bar.ax.yaxis, signed=True)
