"""``export --format atif`` on a collected stage: a valid file per try, and no credentials in it."""

from __future__ import annotations

import json

import pytest
from atif_schema import check
from tiny_lab import TinyLab

from harness.canonical import digest_json

pytestmark = pytest.mark.needs_bwrap


@pytest.fixture
def collected(lab: TinyLab) -> TinyLab:
    lab.write_stage()
    assert lab.run("freeze", "tiny").returncode == 0
    for runtime in ("scripted", "oracle"):
        assert lab.run("collect", "tiny", "--runtime", runtime).returncode == 0
    return lab


def test_every_try_is_a_valid_trajectory(collected: TinyLab) -> None:
    secret = "double"  # a word that the trajectories hold, as if it were a key
    done = collected.run("export", "tiny", "--format", "atif", "-o", "out", TINY_LAB_KEY=secret)
    assert done.returncode == 0, done.stderr
    assert "8 trajectories in out" in done.stderr and done.stdout == ""
    files = sorted((collected.root / "out").iterdir())
    assert len(files) == 8
    ends = []
    for file in files:
        assert file.stat().st_mode & 0o777 == 0o644
        text = file.read_text()
        assert secret not in text and "[redacted: TINY_LAB_KEY]" in text
        trajectory = json.loads(text)
        check(trajectory)
        row = trajectory["extra"]["restartlab"]
        calls = [step["extra"]["call"] for step in trajectory["steps"] if "call" in step.get("extra", {})]
        assert calls == list(range(1, row["calls"] + 1))
        states = [
            (step["extra"]["call"], result["extra"]["action"])
            for step in trajectory["steps"]
            for result in step.get("observation", {}).get("results", [])
            if result["extra"]["verdict"]["state"] == "pass"
        ]
        assert states == ([(row["call"], row["action"])] if row["event"] == "verified" else [])
        ends.append((row["runtime"], row["repeat"], row["valid"]))
    assert sorted(ends) == [(name, n, True) for name in ("oracle", "scripted") for n in range(1, 5)]
    before = digest_json([file.read_text() for file in files])
    assert collected.run("export", "tiny", "--format", "atif", "-o", "out", TINY_LAB_KEY=secret).returncode == 0
    assert digest_json([file.read_text() for file in sorted((collected.root / "out").iterdir())]) == before


def test_refusals_and_what_is_torn(collected: TinyLab) -> None:
    for words, said in (
        (["--format", "atif"], "-o DIR"), (["--format", "xml"], "csv, parquet or atif"),
        (["--format", "parquet"], "-o FILE.parquet"), (["--format", "atif", "-o", "tasks/sources.yaml"], "folder"),
    ):  # fmt: skip
        refused = collected.run("export", "tiny", *words)
        assert refused.returncode == 2 and said in refused.stderr, refused.stderr
    for blob in (collected.state / "blobs").rglob("*.z"):
        blob.write_bytes(blob.read_bytes()[:-4])
    torn = collected.run("export", "tiny", "--format", "atif", "-o", "out")
    assert torn.returncode == 1 and "8 attempts could not be read" in torn.stderr
    assert not list((collected.root / "out").glob("*"))
