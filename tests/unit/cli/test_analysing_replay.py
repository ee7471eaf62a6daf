"""The commands import, replay and completion: documents, exit codes, and that bad input says how to mend it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from harness.cli import analysing_replay, looking
from harness.errors import RestartlabError

EVENTS = Path(__file__).resolve().parents[2] / "goldens" / "data" / "timing_attempts.csv"


def run(*arguments: str) -> str:
    """Runs a command; its standard output."""
    app = typer.Typer()
    analysing_replay.add_to(app)
    looking.add_to(app)
    result = CliRunner().invoke(app, arguments)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def document(*arguments: str) -> dict[str, Any]:
    found = json.loads(run(*arguments, "--json"))
    assert isinstance(found, dict)
    return found


FIXED = ("replay", "--events", str(EVENTS), "--budget", "30", "--schedule", "fixed", "--cutoffs", "4:30:2")


def test_replay_document() -> None:
    found = document(*FIXED, "--stages", "pilot30")
    assert list(found) == [
        "budget", "schedule", "release", "tasks", "macro", "best", "leave_one_task_out", "contrasts",
    ]  # fmt: skip
    assert (found["budget"], found["release"]) == (30, True)
    assert found["schedule"] == {"kind": "fixed", "params": {"cutoffs": list(range(4, 31, 2))}}
    assert {tuple(row) for row in found["tasks"]} == {("stage", "arm", "origin", "task", "runtime", "cutoff", "value")}
    assert {tuple(row) for row in found["macro"]} == {("runtime", "arm", "cutoff", "value")}
    assert len(found["tasks"]) == 14 * 14 and len(found["macro"]) == 2 * 14
    macro = {(row["runtime"], row["cutoff"]): row["value"] for row in found["macro"]}
    assert macro["luna", 16] == pytest.approx(5.96 / 7, abs=1e-12)
    assert [best["cutoffs"] for best in found["best"]] == [[30], [16, 18, 20]]
    luna = next(row for row in found["leave_one_task_out"] if row["runtime"] == "luna")
    assert (luna["value"], luna["difference"]) == pytest.approx((5.288 / 7, -0.512 / 7), abs=1e-12)
    assert luna["folds"][2] == {"stage": "pilot30", "task": "24443", "cutoff": 10, "value": pytest.approx(0.488)}
    contrast = next(row for row in found["contrasts"] if (row["runtime"], row["cutoff"]) == ("luna", 16))
    assert contrast["against"] == {"kind": "fixed", "params": {"cutoff": 30}}
    assert contrast["interval"] == pytest.approx([0, 0.48 / 7], abs=1e-12)
    assert (contrast["ends"], contrast["seed"]) == ("exact", None)


@pytest.mark.parametrize(
    ("arguments", "value"),
    [
        (("--schedule", "caps", "15,15,30", "--budget", "60"), 13.192 / 19),
        (("--schedule", "caps:15,15,30", "--budget", "60"), 13.192 / 19),
        (("--schedule", "caps 15,15,30", "--budget", "60"), 13.192 / 19),
        (("--schedule", "single", "--budget", "30"), 13 / 19),
        (("--schedule", "geometric", "--first", "2", "--ratio", "2", "--budget", "30"), 12.92 / 19),
    ],
)
def test_schedules(arguments: tuple[str, ...], value: float) -> None:
    pooled = ("--stages", "pilot30,highid30", "--stages", "stress30", "--runtime", "luna")
    found = document("replay", "--events", str(EVENTS), *pooled, *arguments)
    (macro,) = found["macro"]
    assert (macro["cutoff"], macro["value"]) == (None, pytest.approx(value, abs=1e-12))


def test_release_flag() -> None:
    base = ("replay", "--events", str(EVENTS), "--stages", "horizon60", "--budget", "60", "--cutoffs", "60")
    assert document(*base)["macro"][0]["value"] == pytest.approx(0.09)
    kept = document(*base, "--no-release")
    assert (kept["release"], kept["macro"][0]["value"]) == (False, pytest.approx(0.05))


def test_tables_for_people() -> None:
    text = run(*FIXED, "--stages", "pilot30", "--runtime", "luna")
    for part in ("16", "85.14", "+2.29", "[+0.00, +6.86]", "exact", "best in sample: 16, 18, 20 (85.14)", "24443 10"):
        assert part in text


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        ((*FIXED,), "several stages .* not pooled unasked"),
        ((*FIXED, "--stages", "pilot31"), "--stages: 'pilot31' is not in "),
        ((*FIXED, "--stages", "pilot30", "--runtime", "moon"), "--runtime: 'moon' is not in"),
        ((*FIXED, "--stages", "highid30", "--runtime", "deepseek"), "no attempt is left"),
        ((*FIXED[:-1], "30:4:2", "--stages", "pilot30"), "--cutoffs: '30:4:2' holds no call"),
        ((*FIXED[:-1], "4:30:0", "--stages", "pilot30"), "--cutoffs: '4:30:0' is not a list of calls"),
        ((*FIXED[:-2], "--stages", "pilot30"), "--cutoffs: are missing"),
        ((*FIXED, "--stages", "pilot30", "--budget", "60", "--cutoffs", "60"), "smallest horizon is 30"),
        ((*FIXED, "--stages", "pilot30", "--schedule", "fancy"), "'fancy' is not a schedule"),
        ((*FIXED[:-2], "--stages", "pilot30", "--schedule", "caps"), "needs the caps"),
        ((*FIXED, "--database", "x.db"), "--database: was given beside --events"),
    ],
)
def test_refusals(arguments: tuple[str, ...], what: str) -> None:
    with pytest.raises(RestartlabError, match=f"(?s){what}.*mend: ") as refused:
        run(*arguments)
    assert refused.value.exit_code == 2


def test_completion_document() -> None:
    found = document("completion", "--events", str(EVENTS), "--stages", "pilot30", "--runtime", "luna")
    assert found["method"] == "empirical"
    one = next(row for row in found["tasks"] if row["task"] == "23413")
    assert (one["n"], one["identified_through"], len(one["calls"])) == (5, 30, 31)
    assert one["completion"]["value"][6] == pytest.approx(0.4)
    assert one["hazard"]["value"][0] is None
    macro = found["macro"][0]["completion"]
    assert macro["value"][30] == pytest.approx(29 / 35) and macro["low"][30] < 29 / 35 < macro["high"][30]
    with pytest.raises(RestartlabError, match=r"F\(31\) is not identified"):
        run("completion", "--events", str(EVENTS), "--stages", "pilot30", "--through", "31")


def test_aalen_johansen_document() -> None:
    pytest.importorskip("lifelines")
    found = document("completion", "--events", str(EVENTS), "--stages", "horizon60", "--aalen-johansen")
    assert found["method"].startswith("Aalen-Johansen")
    assert [row["verified"][60] for row in found["tasks"]] == pytest.approx([0.2, 0, 0, 0])
    assert [row["terminal"][60] for row in found["tasks"]] == pytest.approx([0.8, 0.8, 1.0, 0.8])


def test_import_replay_export(tmp_path: Path) -> None:
    place = ("--database", str(tmp_path / "facts.db"))
    stages = ["highid30", "horizon60", "pilot30", "stress30"]
    assert document("import", str(EVENTS), *place) == {"stages": stages, "attempts": 150, "tries": 150}
    from_database = document("replay", *place, *FIXED[3:], "--stages", "pilot30")
    assert from_database == document(*FIXED, "--stages", "pilot30")
    files = []
    for number in range(2):
        files.append(tmp_path / f"export{number}.csv")
        run("export", *stages, *place, "-o", str(files[-1]))
        place = ("--database", str(tmp_path / f"again{number}.db"))
        run("import", str(files[-1]), *place)
    assert files[0].read_bytes() == files[1].read_bytes()
    with pytest.raises(RestartlabError, match="already"):
        run("import", str(files[0]), *place)
