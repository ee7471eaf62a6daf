"""A monitor that asks a real endpoint: its question is a request, a call, and money of the attempt."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import ChatServer, bash, text
from endpoints import in_lab, server, warm
from monitor_stage import RESTART
from trying import RIGHT, Tried, endpoint_protocol, make_unit

from harness.attempt import run_try
from harness.monitors.catalogue import Spec
from harness.monitors.scoring import scored
from harness.monitors.stated_confidence import QUESTION
from harness.protocol.intervention import Alarm
from harness.protocol.recovery import RecoveryAction
from harness.protocol.schema import Arm, Protocol
from harness.recorder import read_trajectory

__all__ = ["in_lab", "server", "warm"]
pytestmark = [pytest.mark.needs_bwrap, pytest.mark.usefixtures("in_lab", "warm")]

#: A call of 1000 tokens in and 100 out, as the server bills them: 0.0012 US dollars.
PRICE = {"input_per_million": 1.0, "output_per_million": 2.0}
CALL_USD = 0.0012


def asking(url: str, horizon: int = 8, shadow: bool = False) -> Protocol:
    """One arm: asked after every second call, restarted once where the model gives itself at most 20 %."""
    alarm = Alarm(kind="alarm", monitor="stated-confidence", threshold=0.8, params={"every": 2},
                  shadow=True if shadow else None)  # fmt: skip
    arm = Arm(name="baseline", action=RecoveryAction.model_validate(RESTART), trigger=alarm, most=1)
    return endpoint_protocol(url, horizon=horizon, model={"price": PRICE}).model_copy(update={"arms": [arm]})


def run(server: ChatServer, folder: Path, protocol: Protocol) -> Tried:
    """One try of the protocol's first attempt."""
    trajectory = folder / "it.jsonl"
    result = run_try(make_unit(protocol, trajectory))
    return Tried(result, list(read_trajectory(trajectory.read_bytes())), server.requests)


def test_a_question_is_charged_and_leaves_no_trace_in_the_conversation(server: ChatServer, tmp_path: Path) -> None:
    server.script(bash("ls"), bash("ls -a"), text("I am lost.\nCONFIDENCE: 5"), bash(RIGHT))
    tried = run(server, tmp_path, asking(server.url))
    assert tried.end == ("verified", 4, None)  # two calls, the question, and one after the restart
    assert tried.result.cost_usd == pytest.approx(4 * CALL_USD)
    (statement,) = tried.of("statement")
    assert (statement["after"], statement["charged"], statement["cost_usd"]) == (2, True, pytest.approx(CALL_USD))
    assert statement["seconds"] > 0
    question, fresh = server.requests[2]["messages"], server.requests[3]["messages"]
    assert question[-1] == {"role": "user", "content": QUESTION}
    assert fresh == server.requests[0]["messages"]
    spec = Spec("stated-confidence", {"every": 2})
    assert [(one.call, one.score, one.asked) for one in scored(spec, tried.lines, "it")][:2] == [
        (1, None, False), (2, pytest.approx(0.95), False),
    ]  # fmt: skip


def test_a_shadow_asks_and_the_attempt_goes_on_with_all_its_calls(server: ChatServer, tmp_path: Path) -> None:
    server.script(bash("ls"), bash("ls -a"), text("CONFIDENCE: 5"), bash(RIGHT))
    tried = run(server, tmp_path, asking(server.url, shadow=True))
    assert tried.end == ("verified", 3, None) and tried.of("intervention") == []
    assert tried.result.cost_usd == pytest.approx(4 * CALL_USD)
    assert QUESTION not in str(server.requests[3]["messages"])
    spec = Spec("stated-confidence", {"every": 2})
    assert [one.asked for one in scored(spec, tried.lines, "it")] == [False, True]


def test_an_answer_that_states_nothing_is_no_alarm_and_is_paid_for(server: ChatServer, tmp_path: Path) -> None:
    server.script(bash("ls"), bash("ls -a"), bash("echo CONFIDENCE: 5"), bash(RIGHT))
    tried = run(server, tmp_path, asking(server.url))
    assert tried.end == ("verified", 4, None) and tried.of("intervention") == []
    assert [(action.call, action.action) for action in tried.result.actions] == [(1, 0), (2, 0), (4, 0)]
