"""Model calls and sandboxes have limits of their own, in all workers together; waiting for them is no work."""

from __future__ import annotations

import json
import subprocess
from itertools import pairwise

import pytest
from chat_server import ChatServer, bash, calls_before, slow
from paid_lab import exported, outcomes, write_paid_stage
from tiny_lab import TinyLab
from trying import RIGHT

pytestmark = pytest.mark.needs_bwrap

TIMED = "date +%s%N; sleep 0.4; date +%s%N"


def collect(lab: TinyLab, *options: str) -> subprocess.CompletedProcess[str]:
    done = lab.run("collect", "tiny", "--runtime", "house", "--workers", "4", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {row["event"] for row in exported(lab)} == {"verified"}
    return done


@pytest.mark.slow
@pytest.mark.parametrize("most", [1, 2])
def test_model_calls_in_flight(in_lab: TinyLab, server: ChatServer, most: int) -> None:
    write_paid_stage(in_lab, server.url)
    server.respond = lambda request: slow(0.4, bash(RIGHT) if calls_before(request) else bash("ls"))
    collect(in_lab, "--model-calls", str(most))
    assert server.most_at_once == most
    assert len(server.requests) == 8
    assert max(found["waiting_s"] for found in outcomes(in_lab)) > 0.3
    assert not [path for path in (in_lab.state / "slots").iterdir() if path.is_dir()]


@pytest.mark.slow
def test_without_a_limit_every_worker_has_a_call_in_flight(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url)
    # The first answer takes so long that on a busy machine, too, the last worker has started before it is there.
    server.respond = lambda request: bash(RIGHT) if calls_before(request) else slow(10.0, bash("ls"))
    collect(in_lab)
    assert server.most_at_once == 4


@pytest.mark.slow
def test_commands_at_once(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url)
    server.respond = lambda request: bash(RIGHT) if calls_before(request) else bash(TIMED, TIMED)
    collect(in_lab, "--sandboxes", "1")
    spans = []
    for request in server.requests:
        for message in request["messages"]:
            if message["role"] == "tool":
                numbers = [int(word) for word in json.dumps(message["content"]).replace("\\n", " ").split() if
                           word.isdigit() and len(word) > 15]  # fmt: skip
                spans.append(tuple(numbers))
    assert len(spans) == 8
    ordered = sorted(spans)
    assert all(before[1] <= after[0] for before, after in pairwise(ordered)), ordered
