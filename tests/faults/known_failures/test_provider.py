"""Known failures of other harnesses around providers, limits and cost, each under its id."""

from __future__ import annotations

import pytest
from chat_server import ChatServer, Step, bash, calls_before, completion, error, slow, text
from paid_lab import PRICE, exported, outcomes, write_paid_stage
from tiny_lab import TinyLab
from trying import RIGHT, Trier

from harness import miniswe
from harness.attempt import Lost
from harness.store.records import TryResult

pytestmark = pytest.mark.needs_bwrap


@pytest.mark.slow
def test_t21_an_agent_timeout_ends_the_attempt_and_the_batch_goes_on(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, limits={"wall_seconds": 12.0})
    hung = []

    def respond(request: dict[str, object]) -> Step:
        if not hung:
            hung.append(request)
            return slow(300, bash("ls"))
        return bash(RIGHT)

    server.respond = respond
    done = in_lab.run("collect", "tiny", "--runtime", "house", "--workers", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = exported(in_lab)
    assert [(row["event"], row["call"], row["reason"]) for row in rows] == [
        ("censored", "0", "wall_limit"), *[("verified", "1", "")] * 3,
    ]  # fmt: skip
    assert float(rows[0]["wall_s"]) < 120


def test_t21_a_command_that_hangs_ends_with_the_attempt(attempt: Trier) -> None:
    tried = attempt(bash("trap '' TERM INT; while true; do sleep 1; done"), limits={"wall_seconds": 2.0})
    assert tried.end == ("censored", 1, "wall_limit")
    assert tried.result.wall_s is not None
    assert tried.result.wall_s < 15


def test_t22_back_off_is_no_working_time(attempt: Trier) -> None:
    step = error(429, **{"Retry-After": "2"})
    tried = attempt(
        bash("ls"), step, step, bash(RIGHT), retry={"max_tries": 3, "wait_seconds_max": 2}, limits={"wall_seconds": 4.0}
    )
    assert tried.end == ("verified", 2, None)
    assert isinstance(tried.result, TryResult)
    assert tried.result.wall_s is not None
    # Never below zero, however many waits there were.
    assert 4.0 <= tried.result.outcome["waiting_s"] <= tried.result.wall_s


@pytest.mark.slow
def test_t22_back_offs_at_once_are_each_attempts_own(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, retry={"max_tries": 4, "wait_seconds_max": 2}, repeats=2)
    limited = error(429, **{"Retry-After": "2"})
    asked: dict[int, int] = {}

    def respond(request: dict[str, object]) -> Step:
        call = calls_before(request)
        asked[call] = asked.get(call, 0) + 1
        return bash(RIGHT) if asked[call] > 4 else limited

    server.respond = respond
    done = in_lab.run("collect", "tiny", "--runtime", "house", "--workers", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    waits = [found["waiting_s"] for found in outcomes(in_lab)]
    walls = [float(row["wall_s"]) for row in exported(in_lab)]
    assert all(2.0 <= waited <= wall for waited, wall in zip(waits, walls, strict=True)), (waits, walls)


def test_t23_no_wait_is_above_the_cap_of_the_protocol(attempt: Trier) -> None:
    tried = attempt(
        error(429, **{"Retry-After": "19288"}), error(503, **{"Retry-After": "19288"}), bash(RIGHT),
        retry={"max_tries": 3, "wait_seconds_max": 0.3},
    )  # fmt: skip
    assert tried.end == ("verified", 1, None)
    assert tried.result.wall_s is not None
    assert tried.result.wall_s < 60


@pytest.mark.slow
def test_t24_one_bad_attempt_never_ends_the_batch(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url)
    answers = iter([error(401), error(500), error(500), error(404)])
    server.respond = lambda _: next(answers, bash(RIGHT))
    done = in_lab.run("collect", "tiny", "--runtime", "house", "--workers", "1")
    assert done.returncode == 1
    assert "Traceback" not in done.stdout + done.stderr
    found = [row["exclusion"] or row["event"] for row in exported(in_lab)]
    assert found == ["provider_denied", "provider_outage", "provider_rejected", "verified"]


INVALID = {
    "arguments are no JSON": {"function": {"name": "bash", "arguments": "{"}},
    "arguments are missing": {"function": {"name": "bash"}},
    "an unknown tool": {"function": {"name": "editor", "arguments": "{}"}},
    "half a character": {"function": {"name": "bash", "arguments": '{"cmd": "\\ud83d"}'}, "extra": "\ud83d"},
    "not a number": {"function": {"name": "bash", "arguments": '{"cmd": NaN}'}, "extra": float("nan")},
    "deep": {"function": {"name": "bash", "arguments": "[" * 400 + "]" * 400}},
}


@pytest.mark.parametrize("call", INVALID.values(), ids=INVALID)
def test_t34_an_invalid_tool_call_keeps_the_trajectory(attempt: Trier, call: dict[str, object]) -> None:
    invalid = completion({"tool_calls": [{"id": "1", "type": "function", **call}]})
    tried = attempt(bash("ls"), invalid, bash(RIGHT))
    assert tried.end == ("verified", 3, None)
    assert [(line["call"], line["parsed"]) for line in tried.of("call")] == [(1, True), (2, False), (3, True)]
    responses = [line["message"]["extra"]["response"] for line in tried.of("message") if "response" in
                 line["message"].get("extra", {})]  # fmt: skip
    assert len(responses) == 3
    assert tried.lines[-1]["type"] == "end"


def test_t34_a_response_that_is_no_json_keeps_the_trajectory(
    attempt: Trier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The object that the client hands on holds what neither pydantic nor JSON can write."""
    miniswe.prepare()
    import litellm

    ask = litellm.completion

    def strange(**request: object) -> object:
        response = ask(**request)
        response.surprise = response.choices[0].surprise = {1: {2, 3}, (4,): object()}
        response.itself = response.choices[0].message.whole = response
        return response

    monkeypatch.setattr(litellm, "completion", strange)
    tried = attempt(text(), bash("ls"), bash(RIGHT))
    assert tried.end == ("verified", 3, None)
    assert [line["call"] for line in tried.of("call")] == [1, 2, 3]
    assert len([line for line in tried.of("message") if line["message"]["role"] in ("assistant", "user")]) >= 4


def test_t67_a_context_overflow_is_asked_once_and_is_the_agents_outcome(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, retry={"max_tries": 9}, repeats=1)
    overflow = error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded")
    server.script(bash("ls"), bash("ls"), overflow, bash(RIGHT))
    assert in_lab.run("collect", "tiny", "--runtime", "house").returncode == 0
    (row,) = exported(in_lab)
    assert (row["event"], row["call"], row["reason"]) == ("terminal", "3", "context_overflow")
    assert (row["valid"], row["exclusion"]) == ("true", "")
    assert len(server.requests) == 3
    assert float(row["cost_usd"]) == pytest.approx(0.01), "the refused request is not billed"


def test_t68_an_unknown_price_is_no_cost_and_no_zero(attempt: Trier) -> None:
    tried = attempt(bash("ls"), bash(RIGHT))
    assert tried.end == ("verified", 2, None)
    assert tried.result.cost_usd is None
    free = {"input_per_million": 0, "output_per_million": 0}
    assert attempt(bash(RIGHT), model={"price": free}).result.cost_usd == 0.0


def test_t68_cached_tokens_are_billed_at_their_own_price(attempt: Trier) -> None:
    usage = {
        "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 900},
    }  # fmt: skip
    step = bash(RIGHT, usage=usage)
    own = attempt(step, model={"price": {**PRICE, "cached_input_per_million": 0.4}})
    assert own.result.cost_usd == pytest.approx((100 * 4 + 900 * 0.4 + 100 * 10) / 1e6)
    table = attempt(step, model={"name": "openai/gpt-4o-mini"})
    assert table.result.cost_usd == pytest.approx((100 * 0.15 + 900 * 0.075 + 100 * 0.6) / 1e6)


def test_t68_a_cost_limit_without_a_price_refuses_to_start(in_lab: TinyLab, server: ChatServer) -> None:
    write_paid_stage(in_lab, server.url, price=None, limits={"cost_usd": 1.0})
    done = in_lab.run("collect", "tiny", "--runtime", "house")
    assert done.returncode == 2
    assert "limits.cost_usd: 1 US dollars cannot be kept to" in " ".join(done.stderr.split())
    assert server.requests == []


def test_t68_a_call_of_unknown_cost_ends_a_try_with_a_cost_limit(attempt: Trier) -> None:
    tried = attempt(bash("ls"), bash("ls", usage=None), model={"price": PRICE}, limits={"cost_usd": 1.0})
    assert tried.lost == ("cost_unknown", 2)
    assert isinstance(tried.result, Lost)
    assert tried.result.cost_usd is None
