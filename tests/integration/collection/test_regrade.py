"""Recorded states judged again with other hidden tests: into a record of its own, right, and beside the old one."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiny_lab import HIDDEN, PROJECT, TinyLab, make_lab

from harness.judging import Batch, State, judge_batch
from harness.store.blobs import Blobs
from harness.store.regrades import RecordedTry
from harness.store.store import Store
from harness.workspace.layer import Layer
from harness.workspace.manifest import from_data
from tasks.registry import load_task
from verifiers.kinds import prepare_place

pytestmark = pytest.mark.needs_bwrap

#: Refuses one of the repairs that the task's own tests accept.
STRICTER = HIDDEN.replace(
    "    assert half(3) == 1.5",
    "    import inspect, tinypkg.core\n    assert half(3) == 1.5 and 'n + n' not in inspect.getsource(tinypkg.core)",
)
#: Asks for nothing that a repair changes, but that the package can be imported.
LOOSER = "".join(f"def {name}():\n    import tinypkg\n\n\n" for name in ("test_doubles", "test_large", "test_half"))


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory, tiny_cache: Path) -> TinyLab:
    """A laboratory with ten attempts, of which some verify by either repair."""
    lab = make_lab(tmp_path_factory.mktemp("regrade") / "lab", tiny_cache)
    lab.write_stage(repeats=10)
    assert lab.run("freeze", "tiny").returncode == 0
    done = lab.run("collect", "tiny", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    return lab


@pytest.fixture
def collected(original: TinyLab, tmp_path: Path) -> TinyLab:
    """A copy of it."""
    return original.copied(tmp_path / "lab")


@pytest.fixture
def inside(collected: TinyLab, monkeypatch: pytest.MonkeyPatch) -> TinyLab:
    """The same, with this process in it too."""
    for name, value in collected.environment.items():
        if name.startswith(("RESTARTLAB_", "XDG_")):
            monkeypatch.setenv(name, value)
    return collected


def set_tests(lab: TinyLab, code: str) -> None:
    (lab.task / "hidden" / "test_hidden.py").write_text(code)


def regrade(lab: TinyLab, *arguments: str, returns: int = 0) -> Any:
    done = lab.run("regrade", "tiny", "--json", *arguments)
    assert done.returncode == returns, done.stdout + done.stderr
    return json.loads(done.stdout)


def rows(lab: TinyLab, *arguments: str) -> list[dict[str, str]]:
    done = lab.run("export", "tiny", *arguments)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def tries(lab: TinyLab) -> list[RecordedTry]:
    with Store.open(lab.state / "restartlab.db", create=False) as store:
        return store.recorded_tries("tiny")


def by_hand(lab: TinyLab) -> Iterator[tuple[str, str, str]]:
    """(event, call, reason) of each attempt by judging every state that it left, one by one and without the cache."""
    place, blobs = prepare_place(load_task("tiny-1")), Blobs(lab.state / "blobs")
    for one in tries(lab):
        told = (one.event.event, str(one.event.call), one.event.reason or "")
        if one.event.event == "verified":  # it stopped there; if nothing passes now, nobody knows what came next
            told = ("censored", str(one.calls), "stopped_early")
        for step in one.steps:
            layer = Layer(from_data(json.loads(blobs.get(step.layer_digest or ""))))
            if place.verifier.verify(layer, blobs.get).passed:
                told = ("verified", str(step.call), "")
                break
        yield told


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(HIDDEN, id="unchanged", marks=pytest.mark.slow),
        pytest.param(STRICTER, id="stricter"),
        pytest.param(LOOSER, id="looser", marks=pytest.mark.slow),
    ],
)
def test_it_says_what_judging_every_state_by_hand_says(inside: TinyLab, code: str) -> None:
    before = inside.run("export", "tiny").stdout
    set_tests(inside, code)
    found = regrade(inside)
    exported = rows(inside, "--regrade", "latest")
    assert [(row["event"], row["call"], row["reason"]) for row in exported] == list(by_hand(inside))
    assert inside.run("export", "tiny").stdout == before
    kept = ("stage", "digest", "origin", "repeat", "try", "calls", "cost_usd", "wall_s", "valid")
    assert [[row[k] for k in kept] for row in exported] == [[row[k] for k in kept] for row in rows(inside)]
    (task,), (cell,) = found["tasks"], found["cells"]
    changed = sum(new != old for new, old in zip(exported, rows(inside), strict=True))
    assert cell["differ"] == len(found["differing"]) == changed
    assert (changed == 0) == (code == HIDDEN)
    assert (task["judged"] == 0) == (code == HIDDEN), "verdicts of the same verifier are known"
    assert [task["verifier"]] == task["before"] if code == HIDDEN else [task["verifier"]] != task["before"]
    assert cell["stopped_early"] == sum(row["reason"] == "stopped_early" for row in exported)
    assert (cell["stopped_early"] > 0) == (code == STRICTER)
    states = {step.verdict_key for one in tries(inside) for step in one.steps}
    assert task["states"] == len(states) == task["judged"] + task["cached"]


def test_collect_refuses_the_changed_task_and_regrade_does_not(collected: TinyLab) -> None:
    set_tests(collected, STRICTER)
    assert collected.run("collect", "tiny").returncode == 2
    said = collected.run("regrade", "tiny")
    assert said.returncode == 0, said.stderr
    assert "stopped_early" in said.stdout and "cannot be replayed beyond" in said.stdout
    assert "no record of a passed gate" in said.stderr
    again = collected.run("regrade", "tiny")
    assert " 0 judged" in again.stdout, "every verdict is known the second time"
    first, second = (rows(collected, "--regrade", number) for number in ("1", "2"))
    assert first == second != rows(collected)


def test_the_ledger_covers_it(collected: TinyLab) -> None:
    regrade(collected)
    with Store.open(collected.state / "restartlab.db", create=False) as store:
        assert store.verify_ledger()[1] is None
        with store._engine.begin() as connection:
            connection.exec_driver_sql("UPDATE regrade_events SET call = call + 1 WHERE try_id = 1")
        fault = store.verify_ledger()[1]
    assert fault is not None and (fault.table, fault.field) == ("regrades", "events")


def test_a_torn_blob_is_named_and_the_others_go_on(collected: TinyLab) -> None:
    set_tests(collected, LOOSER)
    all_tries, blobs = tries(collected), Blobs(collected.state / "blobs")
    victim = next(one for one in all_tries if one.event.event == "verified")
    key = victim.steps[-1].verdict_key
    layers = {step.layer_digest or "" for one in all_tries for step in one.steps if step.verdict_key == key}
    sharing = {one.attempt.id for one in all_tries if key in {step.verdict_key for step in one.steps}}
    whole = {blobs.path(layer): blobs.path(layer).read_bytes() for layer in layers}
    for path, data in whole.items():
        path.write_bytes(data[:-3])
    found = regrade(collected, returns=1)
    assert not found["complete"]
    assert {problem["attempt"] for problem in found["problems"]} == sharing
    assert {problem["reason"] for problem in found["problems"]} == {"blob_lost"}
    assert all(any(layer in problem["detail"] for layer in layers) for problem in found["problems"])
    assert found["cells"][0]["not_regraded"] == len(sharing) < found["cells"][0]["attempts"]
    exported = rows(collected, "--regrade", "latest")
    excluded = [row for row in exported if row["exclusion"] == "blob_lost"]
    assert len(excluded) == len(sharing)
    assert all((row["valid"], row["event"], row["call"]) == ("false", "censored", row["calls"]) for row in excluded)
    first = next(iter(whole))  # an evaluator cannot tell the layers apart, so one of them will do
    first.write_bytes(whole[first])
    mended = regrade(collected)
    assert mended["complete"] and mended["tasks"][0]["judged"] == 1


@pytest.mark.slow
def test_interrupted_it_goes_on_where_it_stopped(collected: TinyLab) -> None:
    slow = STRICTER.replace("def test_doubles():\n", "def test_doubles():\n    import time\n    time.sleep(1)\n")
    set_tests(collected, slow)
    started = subprocess.Popen(
        collected.command("regrade", "tiny", "--workers", "1"), env=collected.environment, cwd=collected.root,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    verdicts = collected.state / "verdicts"
    known = set(verdicts.rglob("*.json"))
    while started.poll() is None and len(set(verdicts.rglob("*.json")) - known) < 1:
        time.sleep(0.05)
    started.send_signal(signal.SIGINT)
    said = started.communicate(timeout=60)
    assert started.returncode == 130, said
    assert "goes on from there" in said[1]
    done = set(verdicts.rglob("*.json")) - known
    assert collected.run("export", "tiny", "--regrade", "latest").returncode == 2, "nothing is recorded by halves"
    (task,) = regrade(collected)["tasks"]
    assert task["cached"] == len(done) >= 1
    assert task["judged"] == task["states"] - len(done) >= 1


def test_filters_and_refusals(collected: TinyLab) -> None:
    assert collected.run("collect", "tiny", "--runtime", "oracle", "--limit", "2", "--workers", "2").returncode == 0
    found = regrade(collected, "--runtime", "oracle", "--task", "tiny-1")
    assert [(cell["runtime"], cell["attempts"]) for cell in found["cells"]] == [("oracle", 2)]
    said = collected.run("export", "tiny", "--regrade", "latest")
    assert said.stdout.count("\n") == 3 and "10 attempts that it does not cover are left out" in said.stderr
    for arguments, why in (
        (("regrade", "tiny", "--task", "tiny-2"), "has no attempts of tiny"),
        (("regrade", "tiny", "--runtime", "nop"), "has no attempts of tiny"),
        (("regrade", "elsewhere"), "holds nothing of stage"),
        (("export", "tiny", "--regrade", "7"), "latest, or one of: 1"),
    ):
        done = collected.run(*arguments)
        assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_an_imported_table_has_nothing_to_judge(collected: TinyLab) -> None:
    table = collected.root / "events.csv"
    assert collected.run("export", "tiny", "-o", str(table)).returncode == 0
    place = ("--database", str(collected.root / "other.db"))
    assert collected.run("import", str(table), *place).returncode == 0
    done = collected.run("regrade", "tiny", *place)
    assert done.returncode == 2 and "no workspace states" in done.stderr


def test_states_of_another_base_are_not_judged(inside: TinyLab) -> None:
    (state,) = {(s.verdict_key or "", s.layer_digest or "") for one in tries(inside)[:1] for s in one.steps[:1]}
    batch = Batch("tiny-1", load_task("tiny-1").digest, "bubblewrap", (State(state[0], (state[1],), "0" * 64),))
    (judged,) = judge_batch(batch).judged
    assert (judged.verdict, judged.problem) == (None, "base_changed")
    assert "000000000000" in judged.detail


def test_the_document_fits_its_schema(collected: TinyLab) -> None:
    from jsonschema import Draft202012Validator

    schema = json.loads((PROJECT / "docs" / "schemas" / "regrade.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    set_tests(collected, STRICTER)
    document = regrade(collected)
    validator.validate(document)
    Path(collected.state / "blobs").rename(collected.state / "gone")
    set_tests(collected, LOOSER)
    lost = regrade(collected, returns=1)
    validator.validate(lost)
    assert lost["problems"] and lost["tasks"][0]["judged"] == 0
    for key in document:
        assert not validator.is_valid({name: value for name, value in document.items() if name != key})
