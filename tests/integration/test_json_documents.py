"""Every ``--json`` document is alone on standard output and fits its schema in docs/schemas."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from jsonschema import Draft202012Validator
from tiny_lab import PROJECT, TinyLab, make_lab

from harness.cli.app import app

SCHEMAS = PROJECT / "docs" / "schemas"
EVENTS = str(PROJECT / "tests" / "goldens" / "data" / "timing_attempts.csv")
PILOT = ("--events", EVENTS, "--stages", "pilot30", "--runtime", "luna", "--budget", "30")
POOLED = ("--events", EVENTS, "--stages", "pilot30,highid30,stress30", "--budget", "30")

ON_GOLDENS = {
    "replay fixed": ("replay", *PILOT, "--cutoffs", "4:30:2"),
    "replay single": ("replay", *PILOT, "--schedule", "single"),
    "replay geometric": ("replay", *POOLED, "--schedule", "geometric", "--ratio", "1.5", "--against", "16"),
    "replay luby": ("replay", *PILOT, "--schedule", "luby", "--unit", "4", "--against", "15,15"),
    "replay caps": ("replay", *POOLED, "--schedule", "caps", "8,8,14", "--repeat", "--no-release"),
    "audit": ("audit", *POOLED, "--times", "4,8,12,16,20,24", "--alpha", "0.05"),
    "audit by signs": ("audit", *PILOT, "--times", "8", "--method", "betting", "--optional-stopping"),
    "audit of all stages": ("audit", "--events", EVENTS, "--budget", "30", "--times", "16", "--method", "weak-sign"),
    "completion": ("completion", "--events", EVENTS, "--stages", "pilot30"),
    "power": ("power", "--family", "156", "--design", "independent,one-pool,split", "--most", "40"),
    "power of a size": ("power", "--method", "fisher", "--design", "split", "--n", "60", "--both", "0"),
    "samples": ("samples", "--family", "1,156"),
    "samples of a size": ("samples", "--n", "20"),
    "coverage": ("coverage", "--replicates", "50", "--law", "tied,late", "--attempts", "20"),
    "value": ("value", "--q", "0.5", "--p", "0.8", "--tau", "0.9", "--phi", "0.1"),
    "value of no alarm": ("value", "--q", "0.5", "--p", "0.8", "--tau", "0", "--phi", "0"),
    "readout": ("readout", str(PROJECT / "tests" / "goldens" / "data" / "readout_luna.csv")),
    "readout otherwise": (
        "readout", str(PROJECT / "tests" / "goldens" / "data" / "readout_luna.csv"), "--design", "all_pairs", "--k",
        "3", "--exact", "--costs", "replace=0.1", "--epsilon", "0.05",
    ),
}


def schema_of(command: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{command}.json").read_text(encoding="utf-8"))
    return found


def restartlab(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from harness.cli import main; main()", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=PROJECT, timeout=120)


def checked(command: str, done: subprocess.CompletedProcess[str]) -> Any:
    """The document, once it is alone on standard output and fits; a key too many or too few must not fit."""
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith("}\n") and done.stdout.count("\n") == 1
    document = json.loads(done.stdout, parse_constant=lambda name: pytest.fail(f"{name} is not JSON"))
    validator = Draft202012Validator(schema_of(command))
    assert [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)] == []
    assert not validator.is_valid({**document, "surplus": 1})
    assert not any(validator.is_valid({k: v for k, v in document.items() if k != key}) for key in document)
    return document


def commands_with_json() -> set[str]:
    group = typer.main.get_command(app)
    commands: dict[str, Any] = group.commands  # type: ignore[attr-defined]
    for name, group in list(commands.items()):
        commands |= {f"{name}-{word}": one for word, one in getattr(group, "commands", {}).items()}
    return {name for name, one in commands.items() if any("--json" in part.opts for part in one.params)}


def test_every_document_has_a_schema() -> None:
    of_the_report = {"report", "manifest"}  # what these write is described and tested with the report
    by_option = {"doctor-sandbox"}
    described = {path.stem for path in SCHEMAS.glob("*.json")}
    assert (commands_with_json() | by_option) - of_the_report == described - of_the_report


@pytest.mark.parametrize("path", sorted(SCHEMAS.glob("*.json")), ids=lambda path: path.stem)
def test_schemas_are_closed(path: Path) -> None:
    schema = json.loads(path.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    assert schema["title"].replace("--", "") == f"restartlab {path.stem.replace('-', ' ')} json"
    used = {part["$ref"].removeprefix("#/$defs/") for part in _parts(schema) if "$ref" in part}
    assert used == set(schema.get("$defs", {}))
    for part in _parts(schema):
        assert part.get("type") != "object" or part["additionalProperties"] is False


def _parts(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _parts(child)


@pytest.mark.parametrize("case", ON_GOLDENS)
def test_documents_on_the_published_table(case: str) -> None:
    command, *arguments = ON_GOLDENS[case]
    done = restartlab(command, *arguments, "--json")
    checked(command, done)
    assert done.stderr == ""


def test_aalen_johansen_document() -> None:
    pytest.importorskip("lifelines")
    words = ("completion", "--events", EVENTS, "--stages", "horizon60", "--aalen-johansen", "--json")
    assert "terminal" in checked("completion", restartlab(*words))["tasks"][0]


@pytest.mark.parametrize("threshold", [("--threshold", "0.5"), ()])
def test_value_document_of_a_table_of_alarms(tmp_path: Path, threshold: tuple[str, ...]) -> None:
    file = tmp_path / "alarms.csv"
    with open(EVENTS, newline="", encoding="utf-8") as events, open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["stage", "runtime", "task", "repeat", "call", "score"])
        for row in csv.DictReader(events):
            score = int(row["call"]) / int(row["horizon"])
            writer.writerow([row["stage"], row["runtime"], row["task"], row["repeat"], 4, score])
    words = ("value", *POOLED, "--times", "8,16", "--alarms", str(file), "--replicates", "100", *threshold, "--json")
    rows = checked("value", restartlab(*words))["rows"]
    assert all((row["tau"]["value"] is not None) == bool(threshold) for row in rows if row["stage"] == "stress30")


def test_import_document(tmp_path: Path) -> None:
    place = ("--database", str(tmp_path / "facts.db"))
    checked("import", restartlab("import", EVENTS, *place, "--json"))
    assert checked("status", restartlab("status", "pilot30", *place, "--json"))["digest"] == ""


def test_a_refusal_leaves_standard_output_empty() -> None:
    done = restartlab("audit", *POOLED[:-1], "40", "--times", "8", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("restartlab: --budget: 40 exceeds the horizon 30")


@pytest.fixture(scope="module")
def collected(tmp_path_factory: pytest.TempPathFactory, tiny_cache: Path) -> TinyLab:
    """A tiny laboratory whose frozen stage is collected, beside a stage that is not frozen and one that is broken."""
    lab = make_lab(tmp_path_factory.mktemp("json") / "lab", tiny_cache)
    lab.write_stage()
    assert lab.run("freeze", "tiny").returncode == 0
    done = lab.run("collect", "tiny")
    assert done.returncode == 0, done.stderr
    lab.write_stage("loose")
    (lab.root / "protocols" / "broken.yaml").write_text("stage: broken\n", encoding="utf-8")
    return lab


@pytest.mark.needs_bwrap
@pytest.mark.parametrize(
    "command", ["status", "replay", "audit", "completion", "gate", "monitor", "protocols", "doctor"]
)
def test_documents_of_a_collected_stage(collected: TinyLab, command: str) -> None:
    named = {
        "gate": ["tiny-1"], "protocols": [], "doctor": [], "monitor": ["tiny", "--monitor", "unchanged"],
    }.get(command, ["tiny"])  # fmt: skip
    document = checked(command, collected.run(command, *named, "--json"))
    if command == "protocols":
        assert [(row["stage"], row["collectable"]) for row in document["protocols"]] == [
            ("broken", False), ("loose", False), ("tiny", True),
        ]  # fmt: skip


@pytest.mark.needs_bwrap
def test_documents_of_a_recovery_task(collected: TinyLab) -> None:
    name, shipped = "recovery-counter-set-back", {"RESTARTLAB_TASKS": str(PROJECT / "tasks")}
    (gated,) = checked("gate", collected.run("gate", name, "--json", **shipped))["tasks"]
    assert gated["qualified"] and gated["map"]["stopped"]["tickets-are-opened"] == "violated"
    assert collected.run("review", name, "--reviewer", "R", **shipped).returncode == 0
    shown = checked("review", collected.run("review", name, "--json", **shipped))
    assert checked("review", collected.run("review", "--json", **shipped))["reviews"] == shown["reviews"]
    assert (shown["qualified"], [one["reviewer"] for one in shown["reviews"]]) == (True, ["R"])


@pytest.mark.needs_bwrap
def test_documents_of_a_drifted_stage(collected: TinyLab) -> None:
    path = collected.root / "protocols" / "tiny.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("horizon: 8", "horizon: 9"), encoding="utf-8")
    done = collected.run("protocols", "--json")
    path.write_text(text, encoding="utf-8")
    assert checked("protocols", done)["protocols"][-1]["drift"] == [{"key": "protocol.horizon", "kind": "changed"}]


@pytest.mark.needs_bwrap
@pytest.mark.parametrize(
    ("choices", "plan"),
    [
        ((), "protocol"),
        (("--budget", "8", "--times", "2,4", "--alpha", "0.05", "--sampling", "one-pool"), "protocol"),
        (("--budget", "7"), "exploratory"),
        (("--times", "2"), "exploratory"),
        (("--alpha", "0.1"), "exploratory"),
        (("--method", "weak-sign"), "exploratory"),
        (("--sampling", "split"), "exploratory"),
        (("--family", "99"), "exploratory"),
        (("--runtime", "scripted"), "exploratory"),
    ],
)
def test_an_audit_is_the_plan_or_exploratory(collected: TinyLab, choices: tuple[str, ...], plan: str) -> None:
    found = checked("audit", collected.run("audit", "tiny", *choices, "--json"))
    assert found["plan"] == plan
    assert (found["alpha"], found["family"]) == (
        0.1 if "0.1" in choices else 0.05, 99 if "99" in choices else len({row["t"] for row in found["comparisons"]}),
    )  # fmt: skip


@pytest.mark.needs_bwrap
def test_replay_takes_budget_and_cutoffs_from_the_plan(collected: TinyLab) -> None:
    found = checked("replay", collected.run("replay", "tiny", "--json"))
    assert (found["budget"], found["schedule"]["params"]) == (8, {"cutoffs": [2, 4, 8]})
    assert {row["origin"] for row in found["tasks"]} == {"synthetic"}
    other = checked("replay", collected.run("replay", "tiny", "--cutoffs", "2:6:2", "--budget", "6", "--json"))
    assert (other["budget"], other["schedule"]["params"]) == (6, {"cutoffs": [2, 4, 6]})


@pytest.mark.needs_bwrap
def test_an_early_look_says_so(collected: TinyLab) -> None:
    more = {"RESTARTLAB_STATE": str(collected.root / "early")}
    assert collected.run("collect", "tiny", "--limit", "2", **more).returncode == 0
    done = collected.run("audit", "tiny", "--json", **more)
    assert checked("audit", done)["plan"] == "exploratory"
    assert "2 of 4 attempts are not finished: an early look, so this is not the planned audit" in done.stderr
