"""The table of measurements: what is shown of a result, and that nothing else of the README changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from bench_table import BEGIN, END, Results, render, renew, shown_time


def _made(path: Path) -> Path:
    results = Results(path)
    results.time("actions", "bare", [0.002, 0.001, 0.009])
    results.time("actions", "ours", [0.010], "bare")
    results.time("actions", "cached", [0.0005], "bare")
    results.skip("actions", "docker", "no engine runs")
    results.value("leaks", "zombies", "0")
    return path


def test_rows_show_medians_and_comparisons(tmp_path: Path) -> None:
    lines = render(_made(tmp_path / "deep" / "bench.json")).splitlines()
    assert lines[-5:] == [
        "| actions | bare | 2 ms |  |",
        "|  | ours | 10 ms | 8 ms more (5 ×) than bare |",
        "|  | cached | 500 µs | 4 × faster than bare |",
        "|  | docker | not measured: no engine runs |  |",
        "| leaks | zombies | 0 |  |",
    ]


def test_renewing_keeps_what_is_around_the_table(tmp_path: Path) -> None:
    readme, results = tmp_path / "README.md", _made(tmp_path / "bench.json")
    readme.write_text(f"above\n{BEGIN}\nold\n{END}\nbelow\n")
    renew(readme, results)
    once = readme.read_text()
    renew(readme, results)
    assert readme.read_text() == once == f"above\n{BEGIN}\n{render(results)}\n{END}\nbelow\n"


def test_a_readme_without_marks_is_left_alone(tmp_path: Path) -> None:
    readme, results = tmp_path / "README.md", _made(tmp_path / "bench.json")
    readme.write_text(f"above {BEGIN}\n")
    with pytest.raises(SystemExit, match="bench:end"):
        renew(readme, results)
    assert readme.read_text() == f"above {BEGIN}\n"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(3e-6, "3 µs"), (0.0123456, "12.3 ms"), (0.999, "999 ms"), (7.091, "7.09 s"), (321.4, "321 s")],
)
def test_times_have_a_unit_that_fits(seconds: float, text: str) -> None:
    assert shown_time(seconds) == text
