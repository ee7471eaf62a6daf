"""The endpoint model against a real HTTP server: what is retried, how often, and what each failure is called."""

from __future__ import annotations

from typing import Any

import pytest
from chat_server import DROPPED, SERVED, ChatServer, Step, bash, completion, error, slow, text, tool

from harness import miniswe

miniswe.prepare()

from minisweagent.exceptions import FormatError, InterruptAgentFlow  # noqa: E402

from harness.agents.interrupts import AttemptLost  # noqa: E402
from harness.models.endpoint import EndpointModel  # noqa: E402
from harness.models.factory import make_model  # noqa: E402
from harness.protocol.models import LocalModel, Runtime  # noqa: E402
from harness.protocol.prompts import Prompts  # noqa: E402
from harness.protocol.schema import Retry  # noqa: E402

TEMPLATES = {"observation_template": "{{ output.output }}", "format_error_template": "{{ error }}"}
ASK = [{"role": "user", "content": "Go on.", "extra": {"kept": "back"}}]
GARBAGE = {
    "no JSON": Step(b"{not json"),
    "nothing": Step(b""),
    "a page": Step(b"<html>Sign in</html>", headers={"Content-Type": "text/html"}),
    "a list": Step(b"[1]"),
    "an error with status 200": Step(b'{"error": {"message": "overloaded", "code": 529}}'),
    "no choices": completion({}, choices=[]),
    "choices are null": Step(b'{"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": null}'),
    "no message": completion({}, choices=[{"index": 0, "finish_reason": "stop", "message": None}]),
}
PASSING = {
    "rate limit": error(429), "server": error(500), "gateway": error(502), "unavailable": error(503),
    "timeout": error(408), "dropped": DROPPED, **GARBAGE,
}  # fmt: skip


def endpoint(server: ChatServer, tries: int = 3, **params: Any) -> EndpointModel:
    retry = Retry(max_tries=tries, wait_seconds_max=0)
    return EndpointModel("openai/test", {"api_base": server.url, **params}, retry=retry, price=None, **TEMPLATES)


def lost(server: ChatServer, *steps: Step, tries: int = 3, **params: Any) -> str:
    """The reason why a call is lost."""
    server.script(*steps)
    with pytest.raises(AttemptLost) as caught:
        endpoint(server, tries, **params).query(ASK)
    return caught.value.reason


@pytest.mark.parametrize("step", PASSING.values(), ids=PASSING)
def test_passing_failures_are_retried_and_then_lose_the_attempt(server: ChatServer, step: Step) -> None:
    server.script(step, step, bash("ls"))
    message = endpoint(server).query(ASK)
    assert [action["command"] for action in message["extra"]["actions"]] == ["ls"]
    assert len(server.requests) == 3
    assert lost(server, step, tries=2) == "provider_outage"
    # The protocol's tries are all there are: the provider's client adds none of its own.
    assert len(server.requests) == 2


def test_a_slow_answer_is_a_passing_failure(server: ChatServer) -> None:
    assert lost(server, slow(5, bash("ls")), tries=2, timeout=0.2) == "provider_outage"
    server.script(slow(5, bash("ls")), bash("ls"))
    assert endpoint(server, timeout=0.5).query(ASK)["extra"]["actions"]


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "provider_denied"), (402, "provider_denied"), (403, "provider_denied"),
        (400, "provider_rejected"), (404, "provider_rejected"), (413, "provider_rejected"), (422, "provider_rejected"),
    ],
)  # fmt: skip
def test_a_refused_request_is_not_repeated(server: ChatServer, status: int, reason: str) -> None:
    assert lost(server, error(status, "no such thing")) == reason
    assert len(server.requests) == 1


def test_an_answer_that_no_rule_of_the_agent_accepts_is_a_format_error_with_its_response(server: ChatServer) -> None:
    for step in (text("Let me think."), tool(("bash", "{")), tool(("editor", "{}")), tool(("bash", "[]"))):
        server.script(step)
        with pytest.raises(FormatError) as caught:
            endpoint(server).query(ASK)
        extra = caught.value.messages[0]["extra"]
        assert extra["response"]["usage"]["total_tokens"] == 1100
        assert (extra["model"], extra["cost_known"]) == (SERVED, False)
        assert len(server.requests) == 1


def test_a_context_overflow_ends_the_attempt_without_a_retry(server: ChatServer) -> None:
    server.script(error(400, "maximum context length is 10 tokens", "context_length_exceeded"))
    with pytest.raises(InterruptAgentFlow) as caught:
        endpoint(server).query(ASK)
    assert caught.value.messages[0]["extra"]["exit_status"] == "context_overflow"
    assert len(server.requests) == 1


def test_the_request_holds_the_parameters_the_tool_and_the_bare_messages(server: ChatServer) -> None:
    server.script(bash("ls"))
    endpoint(server, temperature=0.25, seed=7).query([*ASK, {"role": "user", "content": "half: \ud83d"}])
    (request,) = server.requests
    assert (request["path"], request["model"]) == ("/v1/chat/completions", "test")
    assert (request["temperature"], request["seed"]) == (0.25, 7)
    assert request["messages"] == [{"role": "user", "content": "Go on."}, {"role": "user", "content": "half: ?"}]
    assert [tool["function"]["name"] for tool in request["tools"]] == ["bash"]


def test_the_local_model_has_no_known_price_and_gets_the_attempts_seed(server: ChatServer) -> None:
    prompts = Prompts("", "", TEMPLATES["observation_template"], TEMPLATES["format_error_template"], "", "")
    settings = LocalModel(kind="local", name="small", temperature=0.5, max_tokens=9)
    for seed_too in (True, False):
        runtime = Runtime(agent="default", model=settings.model_copy(update={"seed": seed_too}))
        protocol: Any = type("Stage", (), {"horizon": 3, "retry": Retry(max_tries=1, wait_seconds_max=0)})
        task: Any = None
        server.script(bash("ls"))
        model = make_model(protocol, runtime, task, prompts, seed=2**63 + 5, local_url=server.url)
        extra = model.query(ASK)["extra"]
        assert extra["cost_known"] is False
        (request,) = server.requests
        assert (request["model"], request["temperature"], request["max_tokens"]) == ("small", 0.5, 9)
        assert request.get("seed") == (5 if seed_too else None)
