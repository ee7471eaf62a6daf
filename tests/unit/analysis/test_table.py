"""Event tables: what is accepted, and that anything bad is refused whole, by file, row, column, value and mend."""

from __future__ import annotations

import io
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.cells import cells_of
from analysis.errors import InputError
from analysis.event_columns import COLUMNS, NAMES, ORIGINS
from analysis.table import EventTable

HEADER = "stage,task,runtime,arm,repeat,horizon,event,call,reason,calls,cost_usd,wall_s,valid,exclusion"
GOOD = "s,t,r,a,1,30,verified,5,,5,0.25,1.5,true,"

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes lines (the header first, unless there is another) to a file."""

    def to_file(*rows: str, header: str = HEADER, name: str = "events.csv") -> Path:
        path = tmp_path / name
        path.write_bytes("\n".join([header, *rows, ""]).encode())
        return path

    return to_file


def text_of(table: EventTable) -> str:
    stream = io.StringIO(newline="")
    table.write_csv(stream)
    return stream.getvalue()


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as refused:
        EventTable.read([path])
    assert refused.value.mend
    return refused.value


def test_absent_columns_are_filled(write: Write) -> None:
    table = EventTable.read([write(GOOD)])
    assert list(table.rows()) == [
        (
            "s",
            None,
            "imported",
            "t",
            "r",
            "a",
            1,
            1,
            30,
            "verified",
            5,
            None,
            None,
            5,
            0.25,
            1.5,
            None,
            None,
            True,
            None,
        )
    ]


@pytest.mark.parametrize(
    ("row", "column", "what"),
    [
        ("s,t,r,a,2,30,passed,5,,5,,,true,", "event", "'passed' is not an event"),
        ("s,t,r,a,2,30,,5,,5,,,true,", "event", "is empty"),
        ("s,t,r,a,2,30,verified,31,,31,,,true,", "call", "31 is above the horizon, 30"),
        ("s,t,r,a,2,30,verified,,,5,,,true,", "call", "is empty: verified without a call"),
        ("s,t,r,a,2,30,verified,0,,5,,,true,", "call", "0: verified without a call"),
        ("s,t,r,a,2,30,verified,5.0,,5,,,true,", "call", "'5.0' is not a whole number"),
        ("s,t,r,a,2,30,verified,٣,,5,,,true,", "call", "'٣' is not a whole number"),
        ("s,t,r,a,2,30,verified,1_0,,5,,,true,", "call", "'1_0' is not a whole number"),
        ("s,t,r,a,2,30,censored,-1,,5,,,true,", "call", "-1 is less than 0"),
        ("s,t,r,a,2,30,verified,6,,5,,,true,", "calls", "5 is less than the call of the event, 6"),
        ("s,t,r,a,2,30,verified,6,,31,,,true,", "calls", "31 is above the horizon, 30"),
        ("s,t,r,a,0,30,verified,5,,5,,,true,", "repeat", "0 is less than 1"),
        ("s,t,r,a,2,99999999999,verified,5,,5,,,true,", "horizon", "is larger than 2147483647"),
        ("s,t,r,a,2,30,verified,5,,5,nan,,true,", "cost_usd", "'nan' is not a finite number"),
        ("s,t,r,a,2,30,verified,5,,5,inf,,true,", "cost_usd", "'inf' is not a finite number"),
        ("s,t,r,a,2,30,verified,5,,5,1e999,,true,", "cost_usd", "'1e999' is not finite"),
        ("s,t,r,a,2,30,verified,5,,5,-0.5,,true,", "cost_usd", "'-0.5' is negative"),
        ("s,t,r,a,2,30,verified,5,,5,$1,,true,", "cost_usd", r"'\$1' is not a finite number"),
        ("s,t,r,a,2,30,verified,5,,5,,-1,true,", "wall_s", "'-1' is negative"),
        ("s,t,r,a,2,30,verified,5,,5,,,yes,", "valid", "'yes' is neither true nor false"),
        ("s,t,r,a,2,30,verified,5,,5,,,,", "valid", "is empty"),
        ("s,t,r,a,2,30,verified,5,,5,,,true,killed", "exclusion", "'killed' of a valid try"),
        ("s,t,r,a,2,30,censored,5,killed,5,,,false,", "exclusion", "is empty, and the try is not valid"),
        ("s,t,r,a,2,30,verified,5,,5,,,false,killed", "event", "verified of an excluded try"),
        (",t,r,a,2,30,verified,5,,5,,,true,", "stage", "is empty"),
        ("s,\x1b[31m,r,a,2,30,verified,5,,5,,,true,", "task", "control character"),
        ("s,t,r,a,1,30,verified,6,,6,,,true,", "try", "1: duplicate of row 2"),
        ("s,t,r,a,2,30,verified,5,,5,,,true", None, "has 13 cells, and the header 14"),
    ],
)
def test_bad_rows(write: Write, row: str, column: str | None, what: str) -> None:
    path = write(GOOD, row, "s,t,r,a,9,30,verified,5,,5,,,true,")
    error = refusal(path)
    assert (error.file, error.row, error.column) == (str(path), 3, column)
    with pytest.raises(InputError, match=what):
        raise error


def test_first_bad_row_is_named_whatever_its_column(write: Write) -> None:
    rows = [f"s,t,r,a,{i},30,verified,5,,5,,,true," for i in range(1, 40_000)]
    rows[30_000] = "s,t,r,a,30001,30,verified,5,,5,,,maybe,"
    rows[30_001] = "no,such,row,a,x,30,verified,5,,5,,,true,"
    assert (refusal(write(*rows)).row, refusal(write(*rows)).column) == (30_002, "valid")


@pytest.mark.parametrize(
    ("header", "column", "what"),
    [
        (HEADER.replace("call,", "", 1), "call", "is missing"),
        (HEADER + ",note", "'note'", "is not a column"),
        (HEADER.replace("reason", "arm"), "arm", "occurs twice"),
        (HEADER.replace(",", ";"), None, "is not a column"),
    ],
)
def test_bad_headers(write: Write, header: str, column: str | None, what: str) -> None:
    error = refusal(write(GOOD, header=header))
    assert error.row == 1 and what in error.what
    assert column is None or error.column == column


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        ((HEADER + "\n").encode(), "no rows"),
        ((HEADER + "\n" + GOOD.replace("s,t", '"s,t') + "\n").encode(), "is not CSV near line"),
        ((HEADER + "\n").encode() + b"\xff" + GOOD.encode(), "is not utf-8 text"),
        (b"PAR1 but no Parquet", "Parquet"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, what: str) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=what):
        EventTable.read([path])
    with pytest.raises(InputError, match="cannot be read"):
        EventTable.read([tmp_path / "none.csv"])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_marks_and_line_ends(tmp_path: Path, encoding: str, end: str) -> None:
    path = tmp_path / "events.csv"
    rows = [
        HEADER,
        GOOD,
        "",
        GOOD.replace(",1,", ",2,", 1).replace("true", "TRUE"),
        "",
        "",
        GOOD.replace(",1,", ",3,", 1),
    ]
    path.write_bytes((end.join(rows) + end).encode(encoding))
    table = EventTable.read([path])
    assert table["repeat"].tolist() == [1, 2, 3]
    # Blank lines count as rows where a person looks for the place.
    assert [table.place(i)[1] for i in range(3)] == [2, 4, 7]


def test_pipes_are_read(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    threading.Thread(target=lambda: path.write_text(f"{HEADER}\n{GOOD}\n"), daemon=True).start()
    assert len(EventTable.read([path])) == 1


class TestAttempts:
    """Rules over all tries of an attempt."""

    header = HEADER.replace("repeat,", "repeat,try,")
    lost = "s,t,r,a,1,1,30,censored,3,killed,3,,,false,killed"
    counted = "s,t,r,a,1,2,30,verified,5,,5,,,true,"

    def test_excluded_tries_are_kept_and_not_counted(self, write: Write) -> None:
        table = EventTable.read([write(self.counted, self.lost, header=self.header)])
        assert len(table) == 2
        (cell,) = cells_of(table)
        assert (cell.n, cell.call.tolist()) == (1, [5])

    def test_second_valid_try(self, write: Write) -> None:
        again = self.counted.replace(",2,", ",3,", 1)
        error = refusal(write(self.lost, self.counted, again, header=self.header))
        assert (error.row, error.column) == (4, "valid")
        assert "duplicate attempt: a second valid try, the first is row 3" in error.what

    def test_tries_disagree(self, write: Write) -> None:
        other = self.counted.replace(",30,", ",60,")
        error = refusal(write(self.lost, other, header=self.header))
        assert (error.row, error.column, error.what) == (
            3, "horizon", "60 is not that of row 2: tries of one attempt agree",
        )  # fmt: skip

    def test_duplicates_across_files(self, write: Write) -> None:
        one, two = write(GOOD, name="one.csv"), write(GOOD, name="two.csv")
        with pytest.raises(InputError, match=f"duplicate of row 2 of {one}") as refused:
            EventTable.read([one, two])
        assert (refused.value.file, refused.value.row) == (str(two), 2)


def test_cells_are_sorted_and_ordered_by_repeat(write: Write) -> None:
    rows = [
        "s2,b,r,a,1,30,verified,5,,5,,,true,",
        "s1,b,r,a,10,30,verified,9,,9,,,true,",
        "s1,b,r,a,2,60,terminal,60,x,60,,,true,",
        "s1,a,r,a,1,30,censored,30,,30,,,true,",
        "s1,a,R,a,1,30,censored,30,,30,,,true,",
    ]
    cells = cells_of(EventTable.read([write(*rows)]))
    keys = [cell.key for cell in cells]
    assert keys == sorted(keys)
    assert [(key.stage, key.runtime, key.task) for key in keys] == [
        ("s1", "R", "a"), ("s1", "r", "a"), ("s1", "r", "b"), ("s2", "r", "b"),
    ]  # fmt: skip
    assert (cells[2].call.tolist(), cells[2].horizon.tolist()) == ([60, 9], [60, 30])
    assert cells_of(EventTable.read([write(*rows)]), stages=["s3"]) == []


NAME = st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=12)
AMOUNT = st.none() | st.floats(0, allow_nan=False, allow_infinity=False)


@st.composite
def rows(draw: st.DrawFn) -> tuple[object, ...]:
    event = draw(st.sampled_from(["verified", "terminal", "censored"]))
    horizon = draw(st.integers(1, 100))
    calls = draw(st.integers(1, horizon))
    call = draw(st.integers(int(event == "verified"), calls))
    valid = event != "censored" or draw(st.booleans())
    unpassed = draw(st.none() | st.integers(1, 100))
    return (
        draw(NAME), draw(st.none() | NAME), draw(st.sampled_from(ORIGINS)), draw(NAME), draw(NAME), draw(NAME),
        draw(st.integers(1, 2**31 - 1)), draw(st.integers(1, 5)), horizon, event, call,
        draw(st.none() | st.integers(0, 9)), draw(st.none() | NAME), calls,
        draw(AMOUNT), draw(AMOUNT), unpassed,
        draw(st.none() | st.integers(1, 100)) if unpassed else None, valid, None if valid else draw(NAME),
    )  # fmt: skip


def attempt(row: tuple[object, ...]) -> tuple[object, ...]:
    return (row[0], *row[3:7])


@given(st.lists(rows(), min_size=1, max_size=8, unique_by=attempt))
def test_writing_back_is_exact(tmp_path_factory: pytest.TempPathFactory, given_rows: list[tuple[object, ...]]) -> None:
    """Values to text to values to text; and Parquet to the same."""
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("tables")
    table = EventTable.from_rows(given_rows, "memory")
    assert list(table.rows()) == given_rows
    path = folder / "events.csv"
    path.write_text(text_of(table), encoding="utf-8", newline="")
    assert text_of(EventTable.read([path])) == text_of(table)
    columns = dict(zip(NAMES, map(list, zip(*given_rows, strict=True)), strict=True))
    pq.write_table(pa.table(columns), folder / "events.parquet")
    assert text_of(EventTable.read([folder / "events.parquet"])) == text_of(table)


@pytest.mark.parametrize(
    ("column", "values", "what"),
    [
        ("event", ["verified", "passed"], "row 2, column event: 'passed' is not an event"),
        ("call", [5, 31], "row 2, column call: 31 is above the horizon"),
        ("call", [5.0, 5.5], "column call"),
        ("repeat", [1, None], "row 2, column repeat: is empty"),
        ("repeat", [1, 0], "row 2, column repeat: 0 is less than 1"),
        ("cost_usd", [0.5, float("inf")], "row 2, column cost_usd: inf is not a finite"),
        ("cost_usd", [0.5, float("nan")], "row 2, column cost_usd: nan is not a finite"),
        ("valid", [1, 1], "column valid: has type int64"),
        ("task", [1, 2], "column task: has type int64"),
        ("note", ["a", "b"], "'note': is not a column"),
    ],
)
def test_bad_parquet(tmp_path: Path, column: str, values: list[object], what: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    good = {
        "stage": ["s", "s"], "task": ["t", "t"], "runtime": ["r", "r"], "arm": ["a", "a"], "repeat": [1, 2],
        "horizon": [30, 30], "event": ["verified", "verified"], "call": [5, 6], "reason": [None, None],
        "calls": [30, 30], "cost_usd": [0.5, None],
        "wall_s": [1.0, 2.0], "valid": [True, True], "exclusion": [None, None],
    }  # fmt: skip
    path = tmp_path / "events.parquet"
    pq.write_table(pa.table(good), path)
    assert len(EventTable.read([path])) == 2
    pq.write_table(pa.table(good | {column: values}), path)
    with pytest.raises(InputError, match=what):
        EventTable.read([path])


@pytest.mark.parametrize(
    ("position", "value", "what"),
    [
        (0, None, "row 2, column stage: is empty"),
        (9, "passed", "row 2, column event: 'passed' is not an event"),
        (6, 0, "row 2, column repeat: 0 is less than 1"),
        (8, None, "row 2, column horizon"),
        (10, 31, "row 2, column call: 31 is above the horizon"),
        (14, float("inf"), "row 2, column cost_usd: inf is not a finite number"),
    ],
)
def test_bad_values(position: int, value: object, what: str) -> None:
    good = (
        "s",
        None,
        "imported",
        "t",
        "r",
        "a",
        1,
        1,
        30,
        "verified",
        5,
        0,
        None,
        5,
        None,
        1.0,
        None,
        None,
        True,
        None,
    )
    bad = [*good[:6], 2, *good[7:]]
    bad[position] = value
    with pytest.raises(InputError, match=f"memory, {what}"):
        EventTable.from_rows([good, tuple(bad)], "memory")


def test_rows_are_compact(write: Write) -> None:
    table = EventTable.read([write(*(f"s,t,r,a,{i},30,verified,5,,5,,,true," for i in range(1, 2000)))])
    assert sum(column.nbytes for column in table.columns.values()) <= 90 * len(table)
    assert {name: column.dtype for name, column in table.columns.items()}["call"] == np.int32
    assert tuple(table.columns) == tuple(column.name for column in COLUMNS)
