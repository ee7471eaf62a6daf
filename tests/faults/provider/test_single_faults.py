"""One fault of a provider in one attempt, over real HTTP through litellm: what it is taken for, and what is kept."""

from __future__ import annotations

import pytest
from chat_server import DROPPED, ENDLESS, Step, bash, completion, cut, error, slow, text, tool
from trying import RIGHT, Tried, Trier

from harness.attempt import Lost

pytestmark = pytest.mark.needs_bwrap

#: What may pass, with the class that it belongs to.
PASSING = {
    "429": (error(429), "rate_limit"),
    "429 with a wait": (error(429, **{"Retry-After": "3600"}), "rate_limit"),
    "408": (error(408), "timeout"),
    "no answer": (slow(2, bash("ls")), "timeout"),
    "an endless body": (ENDLESS, "timeout"),
    "409": (error(409), "server_error"),
    "500": (error(500), "server_error"),
    "502": (error(502), "server_error"),
    "503": (error(503), "server_error"),
    "504": (error(504), "timeout"),
    "529": (error(529), "server_error"),
    "dropped": (DROPPED, "connection"),
    "dropped in the body": (cut(bash("ls")), "connection"),
    "no JSON": (Step(b'{"id": "1", "choices": [{'), "malformed_response"),
    "nothing": (Step(b""), "malformed_response"),
    "a page": (Step(b"<html>Sign in</html>", headers={"Content-Type": "text/html"}), "malformed_response"),
    "an image": (Step(b"\x89PNG\r\n\x1a\n\0", headers={"Content-Type": "image/png"}), "malformed_response"),
    "a list": (Step(b"[1]"), "malformed_response"),
    "a number": (Step(b"7"), "malformed_response"),
    "no choices": (completion({}, choices=[]), "malformed_response"),
    "choices are null": (Step(b'{"id": "1", "object": "chat.completion", "choices": null}'), "malformed_response"),
    "a choice without a message": (completion({}, choices=[{"index": 0, "message": None}]), "malformed_response"),
    "an error with status 200": (Step(b'{"error": {"message": "overloaded"}}'), "malformed_response"),
}
FAST = {"request_seconds": 0.7}


def failed(tried: Tried) -> list[tuple[int, int, str]]:
    """(call, request within it, reason) of every failed request."""
    return [(line["call"], line["request"], line["reason"]) for line in tried.of("failed_request")]


@pytest.mark.parametrize(("step", "name"), PASSING.values(), ids=PASSING)
def test_a_fault_that_passes_changes_nothing_but_is_on_record(attempt: Trier, step: Step, name: str) -> None:
    tried = attempt(bash("ls"), step, bash(RIGHT), retry=FAST)
    assert tried.end == ("verified", 2, None)
    assert [line["call"] for line in tried.of("call")] == [1, 2]
    assert tried.verdicts == [(1, 0, "fail"), (2, 0, "pass")]
    assert failed(tried) == [(2, 1, name)]
    assert tried.result.outcome["failed_requests"] == {name: 1}
    assert len(tried.requests) == 3
    assert tried.requests[1]["messages"] == tried.requests[2]["messages"]


@pytest.mark.parametrize(("step", "name"), PASSING.values(), ids=PASSING)
def test_a_fault_that_stays_loses_the_try_after_the_protocols_tries(attempt: Trier, step: Step, name: str) -> None:
    tried = attempt(bash("ls"), step, retry=FAST)
    assert tried.lost == ("provider_outage", 1)
    assert len(tried.requests) == 3
    assert failed(tried) == [(2, 1, name), (2, 2, name)]
    assert isinstance(tried.result, Lost)
    assert tried.result.outcome["failed_requests"] == {name: 2}
    assert tried.verdicts == [(1, 0, "fail")]
    assert (tried.lines[-1]["type"], tried.lines[-1]["reason"]) == ("lost", "provider_outage")


def test_a_class_that_the_protocol_leaves_out_is_asked_once(attempt: Trier) -> None:
    classes = {"classes": ["rate_limit", "timeout", "connection", "malformed_response"]}
    tried = attempt(bash("ls"), error(500), bash(RIGHT), retry=classes)
    assert tried.lost == ("provider_outage", 1)
    assert len(tried.requests) == 2
    assert attempt(bash("ls"), error(429), bash(RIGHT), retry=classes).end == ("verified", 2, None)


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "provider_denied"), (402, "provider_denied"), (403, "provider_denied"),
        (400, "provider_rejected"), (404, "provider_rejected"), (422, "provider_rejected"),
    ],
)  # fmt: skip
def test_a_refused_request_loses_the_try_at_once(attempt: Trier, status: int, reason: str) -> None:
    tried = attempt(bash("ls"), error(status), bash(RIGHT))
    assert tried.lost == (reason, 1)
    assert len(tried.requests) == 2
    assert failed(tried) == [(2, 1, reason)]
    assert tried.of("failed_request")[0]["status"] == status


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (error(400, "maximum context length is 9 tokens", "context_length_exceeded"), "context_overflow"),
        (error(413, "the request exceeds the available context size"), "context_overflow"),
        (error(400, "Your request was rejected by the safety system", "content_policy_violation"), "refusal"),
    ],
    ids=["context", "context as 413", "refusal"],
)
def test_what_the_agent_brought_about_is_its_outcome(attempt: Trier, step: Step, reason: str) -> None:
    tried = attempt(bash("ls"), step, bash(RIGHT))
    assert tried.end == ("terminal", 2, reason)
    assert len(tried.requests) == 2
    assert failed(tried) == [(2, 1, reason)]


def test_invalid_tool_calls_and_refusing_words_are_outcomes(attempt: Trier) -> None:
    steps = [tool(("bash", "{")), tool(("editor", "{}")), completion({"refusal": "I will not.", "content": None})]
    tried = attempt(*steps)
    assert tried.end == ("terminal", 3, "repeated_format_error")
    assert (len(tried.requests), failed(tried)) == (3, [])
    assert attempt(*steps[:2], bash(RIGHT)).end == ("verified", 3, None)
    filtered = completion({"content": ""}, choices=[
        {"index": 0, "finish_reason": "content_filter", "message": {"role": "assistant", "content": ""}}
    ])  # fmt: skip
    assert attempt(filtered, text(), bash(RIGHT)).end == ("verified", 3, None)


# Limits.


@pytest.mark.parametrize("step", [ENDLESS, slow(30, bash("ls"))], ids=["endless", "silent"])
def test_the_wall_limit_cuts_a_request_off(attempt: Trier, step: Step) -> None:
    tried = attempt(bash("ls"), step, limits={"wall_seconds": 2.5})
    assert tried.end == ("censored", 1, "wall_limit")
    assert len(tried.requests) == 2
    assert [line["call"] for line in tried.of("call")] == [1]
    assert tried.result.wall_s is not None
    assert tried.result.wall_s < 20


def test_a_first_request_that_is_cut_off_censors_before_any_call(attempt: Trier) -> None:
    tried = attempt(slow(30, bash("ls")), limits={"wall_seconds": 0.5})
    assert tried.end == ("censored", 0, "wall_limit")


def test_the_wall_limit_cuts_commands_and_the_rest_of_a_call_off(attempt: Trier) -> None:
    tried = attempt(bash("sleep 15; echo late > made", "touch never"), limits={"wall_seconds": 2.0})
    assert tried.end == ("censored", 1, "wall_limit")
    assert tried.verdicts == [(1, 0, "fail")]
    assert tried.of("action")[0]["limit"] == "seconds"
    assert tried.of("action")[0]["seconds"] < 12


def test_back_off_does_not_eat_the_wall_limit(attempt: Trier) -> None:
    waits = [error(429, **{"Retry-After": "3"}), error(503, **{"Retry-After": "3"})]
    retry = {"max_tries": 3, "wait_seconds_max": 3}
    tried = attempt(bash("ls"), *waits, bash(RIGHT), retry=retry, limits={"wall_seconds": 5.0})
    assert tried.end == ("verified", 2, None)
    assert tried.result.outcome["waiting_s"] >= 6.0
    assert tried.result.wall_s is not None
    assert tried.result.outcome["waiting_s"] <= tried.result.wall_s


def test_failed_requests_do_not_eat_the_wall_limit(attempt: Trier) -> None:
    tried = attempt(
        bash("ls"), ENDLESS, slow(9, bash("ls")), ENDLESS, bash(RIGHT),
        retry={"request_seconds": 1.5, "max_tries": 4}, limits={"wall_seconds": 4.0},
    )  # fmt: skip
    assert tried.end == ("verified", 2, None)
    assert tried.result.outcome["waiting_s"] >= 4.5


def test_every_failed_request_is_kept_when_the_try_is_lost_later(attempt: Trier) -> None:
    tried = attempt(error(429), bash("ls"), error(500), bash("ls"), error(401))
    assert tried.lost == ("provider_denied", 2)
    assert failed(tried) == [(1, 1, "rate_limit"), (2, 1, "server_error"), (3, 1, "provider_denied")]


def test_the_key_that_the_protocol_names_is_the_one_that_is_sent(
    attempt: Trier, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOUSE_KEY", "for-the-house")
    monkeypatch.setenv("OPENAI_API_KEY", "for-another")
    tried = attempt(bash(RIGHT), model={"credential": "HOUSE_KEY"})
    assert [request["authorization"] for request in tried.requests] == ["Bearer for-the-house"]
    assert "for-the-house" not in str(tried.lines) + str(tried.result)
