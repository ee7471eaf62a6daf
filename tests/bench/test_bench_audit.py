"""How long an audit takes: the published family of 156 comparisons, and a million attempts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from made_cells import golden_cells

from analysis.audit import audit
from analysis.cells import Cell, CellKey
from analysis.opportunity import opportunities

TIMES = (4, 8, 12, 16, 20, 24)


@pytest.mark.parametrize(
    ("method", "sampling"),
    [
        ("clopper-pearson", "one-pool"),
        ("weak-sign", "one-pool"),
        ("fisher", "split"),
        ("boschloo", "split"),
        ("paired-sign", "pairs"),
        ("betting", "pairs"),
    ],
)
def test_audit_of_156_comparisons(benchmark: Any, method: str, sampling: str) -> None:
    cells = golden_cells("pilot30", "highid30", "stress30")

    def whole() -> int:
        found = audit(cells, budget=30, times=TIMES, method_name=method, sampling=sampling)
        opportunities(cells, 30, TIMES)
        return sum(1 for _ in found.comparisons())

    assert benchmark(whole) == 156


@pytest.mark.slow
@pytest.mark.parametrize("per_cell", [5, 50_000])
def test_audit_of_a_million_attempts(benchmark: Any, per_cell: int) -> None:
    pattern = golden_cells("pilot30")[0]
    rng = np.random.default_rng(1)
    cells = []
    for i in range(1_000_000 // per_cell):
        event, call = rng.integers(0, 3, per_cell).astype(np.int8), rng.integers(1, 31, per_cell)
        key = CellKey(*pattern.key[:5], str(i))
        horizon = np.full(per_cell, 30)
        cells.append(Cell(key, event, np.where(event == 0, 30, call), horizon))
    found = benchmark.pedantic(audit, (cells,), {"budget": 30, "times": TIMES}, rounds=1)
    assert int(found.n[:, 0].sum()) == 1_000_000
