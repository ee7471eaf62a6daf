"""The exact law of a panel's mean under the checkpoint bootstrap: no random numbers, where values lie on a lattice."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import numpy as np

from analysis.lattice import MOST_POINTS, ExactLaw, whole_multiples
from analysis.readout.blocks import Blocks
from analysis.readout.panel import Matrix


def common_denominator(blocks: Blocks, actions: int) -> int:
    """A multiple of the denominators of every metric of scores that are 0 or 1.

    Metrics are means over pairs of blocks of fractions of one or two sizes of sets; successes also over the repeats
    that judge.
    """
    return blocks.pairs * int(blocks.evaluation[0].sum()) * lcm(*range(1, actions + 1)) ** 2


def bootstrap_law(
    values: Matrix, denominator: int, strata: Sequence[str] | None = None, most: int = MOST_POINTS
) -> ExactLaw | None:
    """Law of the mean of resampled checkpoints, strata keeping their sizes.

    Args:
        values: of one metric, shape (C,).
        denominator: a number of which some power is a multiple of all denominators of the values.
        most: points of the lattice.

    Returns:
        None where the values are on no lattice, or on one of more points.
    """
    found = whole_multiples(np.round(values, 12), denominator)
    if found is None:
        return None
    numerators, scale = found
    low = int(numerators.min())
    step = int(np.gcd.reduce(numerators - low)) or 1
    steps = (numerators - low) // step
    count = len(values)
    points = count * int(steps.max()) + 1
    if points > most:
        return None
    length = 1 << (points - 1).bit_length()
    groups = np.unique(list(strata), return_inverse=True)[1] if strata else np.zeros(count, np.int64)
    transform = np.ones(length // 2 + 1, np.complex128)
    for group in range(int(groups.max()) + 1):
        mine = steps[groups == group]
        single = np.bincount(mine, minlength=length) / len(mine)
        transform *= np.fft.rfft(single) ** len(mine)
    law = np.fft.irfft(transform, length)[:points]
    law[law < 1e-15] = 0.0
    return ExactLaw((count * low + step * np.arange(points)) / (scale * count), law / law.sum())
