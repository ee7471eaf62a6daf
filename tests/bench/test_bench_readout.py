"""Speed of a panel's readout with its bootstrap, beside reading every resample anew in the same run.

The ratio is printed (``pytest -s``) and kept in ``extra_info``; nothing asserts a time.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from analysis.readout.measures import METRICS, measured
from analysis.readout.panel import Panel, panel_of
from analysis.readout.ranks import spearman
from analysis.readout.readout import Readout, Settings, readout
from analysis.readout.resampling import ends_of, resampled_means

KS, REPLICATES = (1, 2, 4), 10_000
#: Resamples that the slow way reads; its time is scaled to all of them.
READ = 200


@pytest.fixture(scope="module")
def panel() -> Panel:
    """24 checkpoints of three sizes x 3 actions x 8 repeats, with a public and a strict score."""
    rng = np.random.default_rng(24)
    public = np.where(rng.random((24, 3, 8)) < 0.4, 1.0, np.round(rng.random((24, 3, 8)), 2))
    strata = tuple(name for name in ("small", "medium", "large") for _ in range(8))
    return replace(panel_of(public, (public == 1).astype(float)), strata=strata)


def read_anew(panel: Panel, weights: np.ndarray) -> np.ndarray:
    """Every metric of each resample from its outcomes, shape (resamples, k x metrics + k)."""
    rows = []
    for counts in weights:
        chosen = np.repeat(np.arange(len(counts)), counts.astype(int))
        names = tuple(f"{place:02}" for place in range(len(chosen)))
        some = replace(
            panel, checkpoints=names, select=panel.select[chosen], evaluate=panel.evaluate[chosen], strata=None
        )
        read = [measured(some, k) for k in KS]
        ranks = [spearman(one.column("agreement"), one.column("held_out_success")) for one in read]
        rows.append([*(one.mean(name) for one in read for name in METRICS), *ranks])
    return np.array(rows)


@pytest.mark.parametrize("design", ["split", "all_pairs"])
def test_readout_beside_reading_every_resample(benchmark: BenchmarkFixture, panel: Panel, design: str) -> None:
    """10,000 resamples of all metrics at k = 1, 2, 4, enumeration and ranks included; asked for: 50 times."""
    settings = Settings(ks=KS, design=design, replicates=REPLICATES)
    found: Readout = benchmark(readout, panel, settings)
    if design != "split":
        return
    began = time.perf_counter()
    slow = read_anew(panel, found.weights[:READ])
    seconds = (time.perf_counter() - began) * REPLICATES / READ
    ratio = seconds / benchmark.stats.stats.median
    benchmark.extra_info["plain_seconds"], benchmark.extra_info["ratio"] = seconds, ratio
    print(f"\nreadout: {benchmark.stats.stats.median:.3f} s, each resample anew {seconds:.0f} s, ratio {ratio:.0f}")
    fast = resampled_means(found.weights[:READ], np.concatenate([one.values for one in found.measures], axis=1))
    assert np.abs(fast - slow[:, : fast.shape[1]]).max() < 1e-9
    for place, (one, rank) in enumerate(zip(found.measures, found.concordance, strict=True)):
        columns = one.column("agreement"), one.column("held_out_success")
        assert rank.value == pytest.approx(spearman(*columns))
        few = ends_of(slow[:, [fast.shape[1] + place]])[0]
        assert few.low < (rank.value or 0) < few.high
