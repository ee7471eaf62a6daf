"""Reading and counting what was recorded, large or incomplete: inputs that broke other harnesses."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from aftermath import excluded, exported
from disturbed import Starter
from tiny_lab import TinyLab

from analysis.cells import CENSORED, VERIFIED, Cell, CellKey
from analysis.completion import completion_curve, hazard
from analysis.report.conventions import conventions
from analysis.table import EventTable
from harness.recorder import Recorder

ROW_COLUMNS = "stage,task,runtime,arm,repeat,try,horizon,event,call,reason,calls,cost_usd,wall_s,valid,exclusion"


def peak_memory(code: str, *arguments: str) -> int:
    """MiB that a fresh Python needs for ``code``, beyond what it needs for its imports (its first line)."""
    measure = "import resource as r; print(r.getrusage(r.RUSAGE_SELF).ru_maxrss)"
    imports, _, rest = code.partition("\n")
    done = subprocess.run(
        [sys.executable, "-c", f"{imports}\n{measure}\n{rest}\n{measure}", *arguments], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    before, after = (int(line) for line in done.stdout.split())
    return (after - before) >> 10


def test_T36_what_is_left_of_a_large_trajectory_is_read_line_by_line(tmp_path: Path) -> None:
    with Recorder(tmp_path / "t.jsonl") as recorder:
        for call in range(1, 401):
            recorder.write("call", call=call, parsed=True, cost_usd=0.0)
            recorder.write("message", message={"role": "tool", "content": "x" * 500_000})
    code = (
        "import sys, pathlib; from harness.collection.recovery import recorded_progress\n"
        "assert recorded_progress(pathlib.Path(sys.argv[1]))['calls'] == 400"
    )
    assert (tmp_path / "t.jsonl").stat().st_size > 200_000_000
    assert peak_memory(code, str(tmp_path / "t.jsonl")) < 40


def test_T36_a_large_event_table_is_read_into_columns(tmp_path: Path) -> None:
    rows, table = 300_000, tmp_path / "events.csv"
    with open(table, "w") as stream:
        stream.write(f"{ROW_COLUMNS}\n")
        for number in range(rows):
            stream.write(f"s,task-{number % 50},m,baseline,{number // 50 + 1},1,30,verified,7,,7,0.5,1.5,true,\n")
    code = f"import sys; from analysis.table import EventTable\nassert len(EventTable.read([sys.argv[1]])) == {rows}"
    assert peak_memory(code, str(table)) < 250  # rows as Python objects take more than 600


LOST = """
s,a,m,baseline,1,1,10,verified,3,,3,,60,true,
s,a,m,baseline,2,1,10,censored,1,,1,,60,false,provider_outage
s,a,m,baseline,3,1,10,censored,2,,2,,60,false,worker_lost
s,a,m,baseline,4,1,10,censored,4,,4,,60,false,sandbox_lost
s,b,m,baseline,1,1,10,censored,1,,1,,60,false,provider_outage
"""


def test_T69_lost_tries_are_shown_dropped_as_failures_and_as_censored(tmp_path: Path) -> None:
    """1 success and 3 losses of 4 are no 100 % without a word, and a task whose tries were all lost does not vanish."""
    path = tmp_path / "events.csv"
    path.write_text(ROW_COLUMNS + LOST)
    table = EventTable.read([path])
    found = {row["convention"]: row for row in conventions(_Counted(table), 10)}  # type: ignore[arg-type]
    assert (found["dropped"]["tasks"], found["dropped"]["tries"], found["dropped"]["value"]) == (1, 1, 1.0)
    assert (found["failures"]["tasks"], found["failures"]["tries"]) == (2, 5)
    assert found["failures"]["value"] == pytest.approx((1 / 4 + 0) / 2)
    assert found["censored"]["value"] is None
    assert (found["censored"]["at_least"], found["censored"]["at_most"]) == pytest.approx((1 / 8, 1.0))


class _Counted:
    def __init__(self, rows: EventTable):
        self.rows = rows


def test_T69_what_too_few_attempts_leave_open_is_not_a_number() -> None:
    key = CellKey("", "", "", "", "", "a")
    one = Cell(key, np.array([VERIFIED], np.int8), np.array([2]), np.array([10]))
    assert math.isnan(hazard(completion_curve(one))[5])  # nobody is at risk
    cut = Cell(key, np.array([VERIFIED, CENSORED], np.int8), np.array([2, 4]), np.array([10, 10]))
    assert len(completion_curve(cut)) == 5  # and no further: one attempt was cut off there


@pytest.mark.needs_bwrap
def test_T69_every_number_comes_with_how_many_tries_were_lost(frozen: TinyLab, start: Starter) -> None:
    started = start(frozen, "collect", "tiny", "--workers", "1")
    started.await_worker()
    started.process.kill()
    started.end()
    assert frozen.run("collect", "tiny").returncode == 0
    status = json.loads(frozen.run("status", "tiny", "--json").stdout)
    assert status["excluded_tries"] == len(excluded(exported(frozen))) == 1
    text = frozen.run("export", "tiny").stdout
    assert [row["exclusion"] for row in csv.DictReader(io.StringIO(text)) if row["valid"] == "false"] == ["interrupted"]
