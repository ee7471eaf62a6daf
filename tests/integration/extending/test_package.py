"""The package of docs/extending.md, installed and collected end to end."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from chat_server import bash, chat_server
from sums_package import add_metadata, install, stage_keys
from tiny_lab import PROJECT, TinyLab

from harness.store.store import Store


@pytest.fixture
def sums(lab: TinyLab, tmp_path: Path) -> TinyLab:
    """A laboratory with the package installed."""
    folder = install(tmp_path / "site")
    lab.environment["PYTHONPATH"] = f"{PROJECT}:{folder}"
    return lab


def rows(lab: TinyLab) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(lab.run("export", "sums").stdout)))


@pytest.mark.needs_bwrap
def test_one_of_each_is_gated_frozen_and_collected(sums: TinyLab) -> None:
    sums.write_stage("sums", **stage_keys(), repeats=1)
    gated = sums.run("gate", "sums-4", "--sandbox", "hasty", "--json")
    (found,) = json.loads(gated.stdout)["tasks"]
    assert found["qualified"] and found["mutations"][0]["rejected"], gated.stderr
    assert sums.run("freeze", "sums").returncode == 0
    done = sums.run("collect", "sums")
    assert done.returncode == 0, done.stdout + done.stderr
    made = [(row["task"], row["origin"], row["event"], row["call"]) for row in rows(sums)]
    assert made == [("sums-4", "synthetic", "verified", "3"), ("sums-5", "synthetic", "verified", "3")]
    with Store.open(sums.state / "restartlab.db", create=False) as store:
        for attempt in store.attempts("sums"):
            (one,) = store.attempt(attempt.id).tries
            used = ("agents.guesser", "sandboxes.hasty", "tasks.sums", "verifiers.answer")
            assert one.facts["outcome"]["plugins"] == dict.fromkeys(used, "restartlab-sums 1.2")
            assert len(one.actions) == 3


@pytest.mark.slow
@pytest.mark.needs_bwrap
def test_mini_swe_agents_own_classes_are_agents(sums: TinyLab) -> None:
    with chat_server() as server:
        server.script(*[bash("true")] * 5, bash("echo 10 > answer.txt"))
        keys = stage_keys()
        keys["runtimes"]["reminded"]["model"] |= {"name": "openai/x", "api_base": server.url}
        sums.write_stage("sums", **{**keys, "tasks": ["sums-4"]}, repeats=1, horizon=8)
        assert sums.run("freeze", "sums").returncode == 0
        done = sums.run("collect", "sums", "--runtime", "reminded", HOUSE_KEY="sk-none")
        assert done.returncode == 0, done.stdout + done.stderr
        said = [message["content"] for message in server.requests[4]["messages"] if message["role"] == "user"]
    (row,) = rows(sums)
    assert (row["origin"], row["event"], row["call"]) == ("collected", "verified", "6")
    assert said[-1].startswith("Write the sum of the numbers 1 to 4")


def test_a_new_version_of_a_package_is_a_new_stage(sums: TinyLab, tmp_path: Path) -> None:
    sums.write_stage("sums", **stage_keys())
    assert sums.run("freeze", "sums").returncode == 0
    (info,) = (tmp_path / "site").glob("*.dist-info")
    (info / "METADATA").write_text((info / "METADATA").read_text().replace("1.2", "1.3"))
    refused = sums.run("collect", "sums")
    assert refused.returncode == 2
    assert 'plugins."agents.guesser" (changed)' in refused.stderr


@pytest.mark.parametrize(
    ("changes", "key", "known"),
    [
        ({"sandbox": {"kind": "hasti", "network": False}}, "sandbox.kind", "did you mean 'hasty'? known: bubblewrap"),
        ({"runtimes": {"guesser": {"agent": "gueser"}}}, "runtimes.guesser.agent", "did you mean 'guesser'?"),
        ({"tasks": ["sums-9"]}, "tasks.0", "sums-4"),
        (
            {"runtimes": {"guesser": {"agent": "guesser", "model": {"kind": "scripted", "law": {"hazard": [
                {"from": 1, "value": 0.5}]}}}}},
            "runtimes.guesser.model", "local or litellm or none",
        ),
    ],
)  # fmt: skip
def test_unknown_names_are_refused_with_the_known_ones(sums: TinyLab, changes: dict, key: str, known: str) -> None:
    sums.write_stage("sums", **{**stage_keys(), **changes})
    refused = sums.run("freeze", "sums")
    assert refused.returncode == 2
    assert f"sums.yaml: {key}:" in refused.stderr and known in refused.stderr


def test_packages_that_cannot_be_used_are_named(sums: TinyLab, tmp_path: Path) -> None:
    sums.write_stage("sums", **stage_keys())
    other = tmp_path / "other"
    sums.environment["PYTHONPATH"] += f":{other}"

    def offering(group: str, name: str, value: str) -> str:
        for old in other.glob("*.dist-info/*"):
            old.unlink()
        for folder in other.glob("*.dist-info"):
            folder.rmdir()
        add_metadata(other, "other", "1", {f"restartlab.{group}": {name: value}})
        refused = sums.run("freeze", "sums")
        assert refused.returncode == 2, refused.stderr
        assert "mend:" in refused.stderr
        return refused.stderr

    assert "comes with the project" in offering("agents", "oracle", "sums.agents:Guesser")
    assert "offered twice" in offering("sandboxes", "hasty", "sums.agents:Guesser")
    assert "cannot be imported" in offering("tasks", "more", "nowhere:source")
    assert "is not an object with ids(), load()" in offering("tasks", "more", "sums.tasks:Source")
