"""Limits on money under a whole collection: refused without a price, kept to with one."""

from __future__ import annotations

from typing import Any

import pytest
from chat_server import ChatServer, bash, calls_before, error
from paid_lab import COST_OF_CALL, exported, write_paid_stage
from tiny_lab import TinyLab
from trying import RIGHT

pytestmark = pytest.mark.needs_bwrap

COLLECT = ("collect", "tiny", "--runtime", "house", "--workers", "1")


def spending(server: ChatServer) -> None:
    """Attempts of two calls."""
    server.respond = lambda request: bash(RIGHT) if calls_before(request) else bash("ls")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "options", "place"),
    [
        ({"cost_usd": 2.5}, (), "tiny.yaml: limits.cost_usd: 2.5 US dollars"),
        ({"stage_cost_usd": 9}, (), "tiny.yaml: limits.stage_cost_usd: 9 US dollars"),
        ({}, ("--max-cost", "1.5"), "--max-cost: 1.5 US dollars"),
    ],
)  # fmt: skip
def test_a_limit_on_cost_without_a_price_refuses_to_start(
    in_lab: TinyLab, server: ChatServer, limits: dict[str, Any], options: tuple[str, ...], place: str
) -> None:
    write_paid_stage(in_lab, server.url, price=None, limits=limits)
    done = in_lab.run(*COLLECT, *options)
    assert done.returncode == 2, done.stdout + done.stderr
    said = " ".join(done.stderr.split())
    assert place in said
    assert "the price of the runtime 'house' (model openai/unheard-of) is unknown" in said
    assert "mend: give runtimes.house.model.price, or set no limit on cost" in said
    assert server.requests == []
    assert not (in_lab.state / "restartlab.db").exists()
    # Runtimes without a language model cost nothing, and that is known.
    free = in_lab.run("collect", "tiny", "--runtime", "oracle", *options)
    assert free.returncode == 0, free.stdout + free.stderr


@pytest.mark.slow
def test_an_unknown_price_is_warned_of_once_and_leaves_the_cost_empty(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, price=None)
    spending(server)
    done = in_lab.run(*COLLECT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("no price is known of house") == 1
    assert {row["cost_usd"] for row in exported(in_lab)} == {""}
    assert "no price is known" not in in_lab.run("collect", "tiny").stdout


@pytest.mark.slow
def test_a_price_of_zero_is_a_price(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(
        in_lab, server.url, price={"input_per_million": 0.0, "output_per_million": 0.0}, limits={"cost_usd": 1.0}
    )
    spending(server)
    done = in_lab.run(*COLLECT, "--max-cost", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "no price is known" not in done.stdout
    assert {row["cost_usd"] for row in exported(in_lab)} == {"0.0"}


@pytest.mark.parametrize("by", [pytest.param("option", marks=pytest.mark.slow), "protocol"])
def test_the_ceiling_stops_new_attempts_and_says_what_is_missing(in_lab: TinyLab, server: ChatServer, by: str) -> None:
    ceiling = 3.5 * COST_OF_CALL  # reached by the second attempt of two calls
    limits = {"stage_cost_usd": ceiling} if by == "protocol" else {}
    options = ("--max-cost", str(ceiling)) if by == "option" else ()
    write_paid_stage(in_lab, server.url, limits=limits)
    spending(server)
    done = in_lab.run(*COLLECT, *options)
    assert done.returncode == 1, done.stdout + done.stderr
    said = " ".join(done.stderr.split())
    assert "2 attempts are still without a counted try: 0.0200 US dollars are spent" in said
    assert [row["event"] for row in exported(in_lab)] == ["verified", "verified"]
    # The same command starts nothing; a higher ceiling goes on where this one is the option's.
    again = in_lab.run(*COLLECT, *options)
    assert (again.returncode, len(server.requests)) == (1, 4)
    higher = in_lab.run(*COLLECT, "--max-cost", "1")
    assert higher.returncode == (0 if by == "option" else 1)


@pytest.mark.slow
def test_excluded_tries_count_and_running_attempts_end_as_usual(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url)
    server.respond = lambda request: error(500) if calls_before(request) == 2 else bash("ls")
    done = in_lab.run(*COLLECT, "--max-cost", str(3 * COST_OF_CALL))
    assert done.returncode == 1
    assert [(row["exclusion"], row["cost_usd"]) for row in exported(in_lab)] == [("provider_outage", "0.01")] * 2
    spending(server)
    two = in_lab.run("collect", "tiny", "--runtime", "house", "--workers", "2", "--max-cost", str(4.5 * COST_OF_CALL))
    assert two.returncode == 1
    ended = [row["event"] for row in exported(in_lab) if row["valid"] == "true"]
    assert ended == ["verified", "verified"], "both were running when the first reached the ceiling"


def test_a_cost_that_the_provider_does_not_tell_ends_the_try_and_the_collection(
    in_lab: TinyLab, server: ChatServer
) -> None:
    write_paid_stage(in_lab, server.url, limits={"cost_usd": 1.0})
    server.respond = lambda _: bash("ls", usage=None)
    done = in_lab.run(*COLLECT, "--max-cost", "1")
    assert done.returncode == 1
    assert "what 1 tries cost is unknown" in " ".join(done.stderr.split())
    (row,) = exported(in_lab)
    assert (row["exclusion"], row["call"], row["cost_usd"]) == ("cost_unknown", "1", "")
    assert len(server.requests) == 1
