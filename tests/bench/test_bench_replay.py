"""Speed of replay, bootstrap and event tables, each beside a plain way to do the same in the same run.

The ratios are printed (``pytest -s``) and kept in ``extra_info``; nothing asserts a time.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from analysis.bootstrap import macro_samples, resampled
from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell, cells_of
from analysis.replay import policy_values, replay
from analysis.schedules import fixed
from analysis.table import EventTable

PROJECT = Path(__file__).resolve().parents[2]
EVENTS = PROJECT / "tests" / "goldens" / "data" / "timing_attempts.csv"
CUTOFFS = list(range(4, 31, 2))
BUDGET, DRAWS, REPLICATES = 30, 50_000, 10_000


@pytest.fixture(scope="module")
def cells() -> list[Cell]:
    """The 19 tasks of one runtime."""
    return cells_of(EventTable.read([EVENTS]), stages=["pilot30", "highid30", "stress30"], runtimes=["luna"])


def report(benchmark: BenchmarkFixture, what: str, plain_seconds: float) -> None:
    ratio = plain_seconds / benchmark.stats.stats.median
    benchmark.extra_info["plain_seconds"], benchmark.extra_info["ratio"] = plain_seconds, ratio
    print(f"\n{what}: {benchmark.stats.stats.median:.4f} s, plain {plain_seconds:.2f} s, ratio {ratio:.0f}")


def seconds(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def monte_carlo(one: Cell, cutoff: int, draws: int, rng: np.random.Generator) -> float:
    """Vectorised over draws: every draw takes episode after episode until it passes or its calls are spent."""
    left, passed = np.full(draws, BUDGET), np.zeros(draws, bool)
    while (live := np.flatnonzero(~passed & (left > 0))).size:
        pick = rng.integers(one.n, size=live.size)
        span = np.minimum(cutoff, left[live])
        ended = one.call[pick] <= span
        passed[live[(one.event[pick] == VERIFIED) & ended]] = True
        left[live] -= np.where((one.event[pick] == TERMINAL) & ended, one.call[pick], span)
    return float(passed.mean())


def test_exact_replay_beside_monte_carlo(benchmark: BenchmarkFixture, cells: list[Cell]) -> None:
    """14 cutoffs x 19 tasks; asked for: 50 times."""
    exact = benchmark(replay, cells, [fixed(cutoff) for cutoff in CUTOFFS], BUDGET)
    drawn = np.empty_like(exact)
    rng = np.random.default_rng(1)

    def plain() -> None:
        for row, one in enumerate(cells):
            for column, cutoff in enumerate(CUTOFFS):
                drawn[row, column] = monte_carlo(one, cutoff, DRAWS, rng)

    report(benchmark, "exact replay, 14 cutoffs x 19 tasks", seconds(plain))
    # Five standard errors: both compute the same.
    assert np.abs(drawn - exact).max() < 5 * 0.5 / np.sqrt(DRAWS)


def plain_bootstrap(cells: list[Cell], replicates: int, rng: np.random.Generator) -> np.ndarray:
    """The textbook loop: tasks, then attempts, then equation 20 for each cutoff.

    It knows no release; the one terminal of these tasks, at call 21, leaves too few calls for another pass.
    """
    passes = [[float(call) for call in one.first_pass] for one in cells]
    found = np.empty((replicates, len(CUTOFFS)))
    for replicate in range(replicates):
        totals = [0.0] * len(CUTOFFS)
        for task in rng.integers(len(cells), size=len(cells)):
            sample = [passes[task][i] for i in rng.integers(cells[task].n, size=cells[task].n)]
            for column, cutoff in enumerate(CUTOFFS):
                whole, rest = divmod(BUDGET, cutoff)
                share = [sum(call <= c for call in sample) / len(sample) for c in (cutoff, rest)]
                totals[column] += 1 - (1 - share[0]) ** whole * (1 - share[1])
        found[replicate] = [total / len(cells) for total in totals]
    return found


def test_bootstrap_beside_a_loop(benchmark: BenchmarkFixture, cells: list[Cell]) -> None:
    """10,000 replicates of 14 cutoffs for 19 tasks, tabulation included; asked for: 20 times."""
    policies = [fixed(cutoff) for cutoff in CUTOFFS]

    def product() -> np.ndarray:
        found = resampled(cells, BUDGET, lambda passes, ends: policy_values(passes, ends, policies))
        return macro_samples([found], REPLICATES, seed=1)[0]

    samples = benchmark(product)
    # The loop is linear in replicates: a part of them is timed.
    part = 200
    plain: list[np.ndarray] = []
    rng = np.random.default_rng(2)
    took = seconds(lambda: plain.append(plain_bootstrap(cells, part, rng))) * REPLICATES / part
    report(benchmark, f"bootstrap, 10,000 replicates (loop timed on {part})", took)
    spread = samples.std(axis=0) / np.sqrt(part)
    assert (np.abs(plain[0].mean(axis=0) - samples.mean(axis=0)) < 6 * spread + 0.03).all()


MEASURE = """
import resource, sys, time
from analysis.cells import cells_of
from analysis.replay import replay
from analysis.schedules import fixed
from analysis.table import EventTable
began = time.perf_counter()
table = EventTable.read([sys.argv[1]])
cells = cells_of(table)
replay(cells, [fixed(cutoff) for cutoff in range(4, 31, 2)], 30)
took = time.perf_counter() - began
print(len(table), took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)
"""


def write_events(path: Path, rows: int) -> None:
    """Attempts of 100 tasks, all columns filled."""
    rng = np.random.default_rng(0)
    calls, events, amounts = rng.integers(1, 31, rows), rng.integers(3, size=rows), rng.random((rows, 2))
    with open(path, "w", encoding="utf-8") as stream:
        stream.write("stage,digest,origin,task,runtime,arm,repeat,try,horizon,event,call,action,reason,calls,")
        stream.write("cost_usd,wall_s,unpassed_at,repassed_at,valid,exclusion\n")
        for i in range(rows):
            event = {VERIFIED: "verified", TERMINAL: "terminal", CENSORED: "censored"}[int(events[i])]
            call = 30 if event == "censored" else calls[i]
            told = "0," if event == "verified" else ",reason"
            stream.write(
                f"big,{'ab' * 32},synthetic,task-{i % 100},scripted,baseline,{i // 100 + 1},1,30,{event},{call},"
            )
            stream.write(f"{told},{call},{float(amounts[i, 0])!r},{float(amounts[i, 1])!r},,,true,\n")


@pytest.mark.parametrize("rows", [250_000, 1_000_000])
def test_large_event_table(benchmark: BenchmarkFixture, tmp_path: Path, rows: int) -> None:
    """Read, checked, grouped and replayed in a process of its own; asked for: below 2 GiB, linear in rows."""
    path = tmp_path / "events.csv"
    write_events(path, rows)
    told: list[str] = []

    def process() -> None:
        command = [sys.executable, "-c", MEASURE, str(path)]
        told.append(subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=True).stdout)

    benchmark.pedantic(process, rounds=1)
    count, took, gigabytes = told[-1].split()
    assert int(count) == rows
    each = float(took) / rows * 1e6
    benchmark.extra_info["microseconds_per_row"], benchmark.extra_info["gigabytes"] = each, float(gigabytes)
    size = path.stat().st_size / 1e6
    print(
        f"\n{rows} attempts ({size:.0f} MB): {float(took):.1f} s, {each:.1f} µs a row, peak {float(gigabytes):.2f} GiB"
    )
