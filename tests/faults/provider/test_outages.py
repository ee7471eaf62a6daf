"""Outages under a whole collection: what is lost is on record, the same command resumes, the rows come out the same."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from chat_server import DROPPED, ENDLESS, ChatServer, Step, bash, calls_before, error, text
from paid_lab import counted, exported, outcomes, write_paid_stage
from tiny_lab import TinyLab
from trying import RIGHT, WRONG

pytestmark = pytest.mark.needs_bwrap

SCRIPT = (bash("ls"), text(), bash(WRONG), bash("cat tinypkg/core.py", RIGHT))


def well(request: dict[str, Any]) -> Step:
    """The next step of the script, whichever attempt asks."""
    said = [message for message in request["messages"][2:] if message["role"] in ("assistant", "user")]
    return SCRIPT[len(said)]


@pytest.mark.slow
def test_after_an_outage_the_same_command_resumes_to_the_same_rows(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, retry={"request_seconds": 1.0})
    collect = ("collect", "tiny", "--runtime", "house", "--workers", "2")
    server.respond = well
    apart = {"RESTARTLAB_STATE": str(in_lab.root / "undisturbed")}
    done = in_lab.run(*collect, **apart)
    assert done.returncode == 0, done.stdout + done.stderr
    undisturbed = exported(in_lab, **apart)
    assert {row["event"] for row in undisturbed} == {"verified"}
    assert len(counted(undisturbed)) == 4

    bad = itertools.cycle([error(503), DROPPED, ENDLESS, error(500)])
    server.respond = lambda request: next(bad) if calls_before(request) >= 2 else well(request)
    during = in_lab.run(*collect)
    assert during.returncode == 1, during.stdout + during.stderr
    assert "4 attempts are still without a counted try" in during.stderr + during.stdout
    lost = exported(in_lab)
    assert [(row["valid"], row["event"], row["exclusion"], row["call"]) for row in lost] == [
        ("false", "censored", "provider_outage", "3")
    ] * 4
    assert all(sum(found["failed_requests"].values()) == 2 for found in outcomes(in_lab))

    server.respond = well
    after = in_lab.run(*collect)
    assert after.returncode == 0, after.stdout + after.stderr
    rows = exported(in_lab)
    assert counted(rows) == counted(undisturbed)
    assert [row for row in rows if row["valid"] == "false"] == lost
    asked = len(server.requests)
    assert in_lab.run(*collect).returncode == 0
    assert len(server.requests) == asked


@pytest.mark.slow
def test_one_refused_attempt_does_not_end_the_batch(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url)
    first = itertools.count()
    server.respond = lambda request: error(401) if next(first) == 0 else well(request)
    done = in_lab.run("collect", "tiny", "--runtime", "house", "--workers", "1")
    assert done.returncode == 1
    assert [row["exclusion"] or row["event"] for row in exported(in_lab)] == ["provider_denied", *["verified"] * 3]
