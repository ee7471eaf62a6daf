"""Checkpoints of attempts that were still live: at a fixed call, and on an alarm. Real sandboxes and verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from checkpoint_stage import write_stages
from tiny_lab import TinyLab, make_lab

from harness.canonical import canonical_json
from harness.recorder import read_trajectory
from harness.store.blobs import Blobs
from harness.store.store import Store

pytestmark = [pytest.mark.needs_bwrap, pytest.mark.slow]

CALL = 2
RULES = {
    "live-at": {"rule": "live-at", "call": CALL},
    "on-alarm": {"rule": "on-alarm", "monitor": "fixed-time", "threshold": float(CALL)},
}


@pytest.fixture(params=sorted(RULES))
def lab(request: pytest.FixtureRequest, tmp_path: Path) -> TinyLab:
    """A laboratory whose checkpoint stage of this rule is collected whole."""
    made = make_lab(tmp_path / "lab", tmp_path / "cache")
    write_stages(made, select=RULES[request.param])
    for stage in ("tiny", "tinychecks"):
        done = made.run("collect", stage)
        assert done.returncode == 0, done.stderr
    return made


def test_states_of_live_attempts_are_frozen_and_drawn_from(lab: TinyLab) -> None:
    done = lab.run("checkpoint", "tinychecks", "--verify", "--json")
    assert done.returncode == 0, done.stderr
    (only,) = json.loads(done.stdout)["sets"]
    frozen: list[dict[str, Any]] = only["checkpoints"]
    assert frozen
    blobs = Blobs(lab.state / "blobs")
    with Store.open(lab.state / "restartlab.db", create=False) as store:
        trajectories = {one.attempt.id: one.trajectory or "" for one in store.recorded_tries("tiny")}
        events = [row for row in store.event_rows("tinychecks") if row.valid]
        record = store.stage("tinychecks")
        assert record is not None
        chosen = store.checkpoints("tinychecks", record.digest, "scripted")
    assert chosen is not None
    for one, state in zip(frozen, chosen.checkpoints, strict=True):
        assert (one["call"], one["problem"]) == (CALL, None)
        assert one["provenance"]["event_call"] > CALL or one["provenance"]["event"] == "censored"
        source = list(read_trajectory(blobs.get(trajectories[state.source])))
        # The conversation that is carried on is what the source had said when its call ended, and no more.
        until = next(i for i, line in enumerate(source) if line["type"] == "call" and line["call"] == CALL + 1)
        said = [canonical_json(line["message"]) for line in source[:until] if line["type"] == "message"]
        kept = [canonical_json(message) for message in json.loads(blobs.get(state.messages or ""))]
        assert kept == said[: len(kept)] and len(kept) >= 3
    assert len(events) == len(frozen) * 3 * 2
    assert {row.horizon for row in events} == {8}
    for command in (["tensor", "--out", str(lab.state / "t.csv")], ["audit"], ["value"]):
        done = lab.run(command[0], "tinychecks", *command[1:], "--json")
        assert done.returncode == 0, (command, done.stderr)
