"""Collects what the benchmarks of one run measured, and renders it as a table of the README.

``python tests/support/bench_table.py [RESULTS]`` renews the table between the marks in README.md.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
BEGIN, END = "<!-- bench:begin -->", "<!-- bench:end -->"


@dataclass(frozen=True)
class Row:
    """One result. ``value`` is for what is not a time; ``skipped`` says why there is no result."""

    group: str
    name: str
    seconds: float | None = None
    """Median of ``rounds`` rounds."""
    rounds: int = 0
    baseline: str | None = None
    """Name of the row of the same group that this one is compared with."""
    value: str = ""
    skipped: str = ""


def results_path() -> Path:
    """Where the results of a run stand: ``RESTARTLAB_BENCH``, else ``.restartlab/bench.json`` of the checkout."""
    return Path(os.environ.get("RESTARTLAB_BENCH") or PROJECT / ".restartlab" / "bench.json").absolute()


class Results:
    """The results of this run. Each is written as it comes, so an interrupted run keeps what it has."""

    def __init__(self, path: Path):
        self.path = path
        self._rows: dict[tuple[str, str], Row] = {}
        self._load = [_load()]

    def time(self, group: str, name: str, seconds: Sequence[float], baseline: str | None = None) -> None:
        """A time: the median of what each round took."""
        self._add(Row(group, name, statistics.median(seconds), len(seconds), baseline))

    def value(self, group: str, name: str, value: str) -> None:
        """A result that is not a time."""
        self._add(Row(group, name, value=value))

    def skip(self, group: str, name: str, why: str) -> None:
        """A row that could not be measured on this machine."""
        self._add(Row(group, name, skipped=why))

    def _add(self, row: Row) -> None:
        self._rows[row.group, row.name] = row
        self._load.append(_load())
        rows = [asdict(kept) for kept in self._rows.values()]
        data = {"machine": _machine(), "load": [min(self._load), max(self._load)], "rows": rows}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        fresh.write_text(json.dumps(data, indent=1))
        fresh.replace(self.path)


def _load() -> float:
    return os.getloadavg()[0]


def _machine() -> str:
    cores = len(os.sched_getaffinity(0))
    user = "root" if os.geteuid() == 0 else "an ordinary user"
    return f"{cores} cores, Linux {platform.release().split('-')[0]}, Python {platform.python_version()}, as {user}"


def shown_time(seconds: float) -> str:
    """Three digits at most, in the unit that fits."""
    if seconds >= 1:
        return f"{seconds:.3g} s" if seconds < 100 else f"{seconds:.0f} s"
    return f"{seconds * 1e3:.3g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"


def _against(row: Row, rows: Iterable[Row]) -> str:
    """The comparison with the baseline: the ratio, and the difference where this row is the slower one."""
    base = next((other for other in rows if (other.group, other.name) == (row.group, row.baseline)), None)
    if base is None or base.seconds is None or row.seconds is None:
        return ""
    if row.seconds <= base.seconds:
        return f"{base.seconds / row.seconds:.3g} × faster than {base.name}"
    return f"{shown_time(row.seconds - base.seconds)} more ({row.seconds / base.seconds:.3g} ×) than {base.name}"


def render(path: Path) -> str:
    """The results at ``path`` as Markdown."""
    data = json.loads(path.read_text())
    rows = [Row(**row) for row in data["rows"]]
    low, high = data["load"]
    lines = [
        "## Overheads", "",
        f"Medians, each group measured round by round in turn ({data['machine']}; load average {low:.1f} to "
        f"{high:.1f}). `make bench` renews this table.",
        "", "| | | median | compared |", "|---|---|---|---|",
    ]  # fmt: skip
    for index, row in enumerate(rows):
        first = index == 0 or rows[index - 1].group != row.group
        shown = row.value or (f"not measured: {row.skipped}" if row.seconds is None else shown_time(row.seconds))
        lines.append(f"| {row.group if first else ''} | {row.name} | {shown} | {_against(row, rows)} |")
    return "\n".join(lines)


def renew(readme: Path, path: Path) -> None:
    """Puts the rendered results between the marks of ``readme``."""
    text = readme.read_text()
    head, mark, rest = text.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not mark or not end:
        raise SystemExit(f"{readme} has no {BEGIN} ... {END} to fill")
    fresh = readme.with_name(f"{readme.name}.{os.getpid()}")
    fresh.write_text(f"{head}{BEGIN}\n{render(path)}\n{END}{tail}")
    fresh.replace(readme)


if __name__ == "__main__":
    renew(PROJECT / "README.md", Path(sys.argv[1]) if len(sys.argv) > 1 else results_path())
