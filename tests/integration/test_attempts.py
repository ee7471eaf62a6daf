"""Whole attempts through a real endpoint, sandbox and verifier: which event, at which call, with what recorded."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from chat_server import SERVED, SUBMIT, Step, bash, completion, error, slow, text, tool
from tiny_lab import TinyLab
from trying import BACK, BROKEN, RIGHT, WRONG, Trier, applying

from harness.attempt import Lost
from harness.collection.recovery import recorded_progress
from harness.recorder import decode_output, read_trajectory
from harness.store.blobs import Blobs
from harness.store.records import TryResult
from tasks.registry import load_task
from verifiers.kinds import prepare_place

pytestmark = pytest.mark.needs_bwrap

#: Every call of the scripted endpoint is billed 1000 tokens in, 100 out.
PRICE = {"price": {"input_per_million": 4.0, "output_per_million": 10.0}}
COST_OF_CALL = 0.005


def test_an_attempt_at_a_real_task(sympy_attempt: Trier, state: Path) -> None:
    task = load_task("sympy-22714")
    wrong, right = task.mutations["integers-exempted"].decode(), task.reference.decode()
    tried = sympy_attempt(
        bash("grep -n evaluate sympy/geometry/point.py", "sed -n '1,40p' sympy/geometry/point.py"),
        bash(applying(wrong)),
        bash('python3 -c "from sympy import Point; print(Point(1, 2))"'),
        bash(applying(right)),
        bash("echo too late"),
        task=task.id, model=PRICE,
    )  # fmt: skip
    assert tried.end == ("verified", 4, None)
    result = tried.result
    assert isinstance(result, TryResult)
    assert (result.calls, result.action, result.findings) == (4, 0, ())
    assert result.cost_usd == pytest.approx(4 * COST_OF_CALL)
    assert tried.verdicts == [(1, 0, "fail"), (1, 1, "fail"), (2, 0, "fail"), (3, 0, "fail"), (4, 0, "pass")]
    assert [one.cached for one in result.actions] == [False, True, False, True, False]
    assert [one.returncode for one in result.actions] == [0] * 5
    assert result.outcome["model_returned"] == SERVED
    assert result.outcome["base"] == prepare_place(task).base.digest
    # Everything that the records name can be read back.
    blobs = Blobs(state / "blobs")
    manifest = json.loads(blobs.get(result.actions[-1].layer_digest or ""))
    assert b"_has_imaginary_part" in blobs.get(manifest["sympy/geometry/point.py"]["sha256"])
    outputs = [decode_output(line) for line in tried.of("action")]
    assert b"global_parameters" in outputs[0]
    assert outputs[3] == b"Point2D(1, 2)\n"
    # The model saw the issue and the outputs, and nothing of the verifier.
    sent = json.dumps(tried.requests)
    assert json.dumps(task.issue)[1:60] in sent
    assert "Point2D(1, 2)" in sent
    assert not any(test.name in sent for test in task.spec.tests)
    assert "verdict" not in sent


def test_every_step_is_recorded_in_order(attempt: Trier) -> None:
    tried = attempt(text("hm"), bash("ls", "pwd"), bash(RIGHT))
    assert [line["type"] for line in tried.lines] == [
        "start", "message", "message",
        "call", "message",
        "call", "message", "action", "verdict", "action", "verdict", "message", "message",
        "call", "message", "action", "verdict", "message", "end",
    ]  # fmt: skip
    assert [(line["call"], line["parsed"]) for line in tried.of("call")] == [(1, False), (2, True), (3, True)]
    assert [(line["call"], line["action"]) for line in tried.of("action")] == [(2, 0), (2, 1), (3, 0)]
    assert tried.of("action")[1]["output"] == "/testbed\n"
    # The response is kept whole, also of the call that did not parse.
    extras = [line["message"].get("extra", {}) for line in tried.of("message")]
    responses = [extra["response"] for extra in extras if "response" in extra]
    assert [one["model"] for one in responses] == [SERVED] * 3
    assert responses[0]["choices"][0]["message"]["content"] == "hm"


# Verified.


def test_the_first_passing_action_of_a_call_ends_it(attempt: Trier) -> None:
    tried = attempt(bash("ls"), bash(WRONG, RIGHT, "touch later"))
    assert tried.end == ("verified", 2, None)
    assert tried.result.actions[-1].action == tried.result.action == 1  # type: ignore[union-attr]
    assert tried.verdicts == [(1, 0, "fail"), (2, 0, "fail"), (2, 1, "pass")]
    assert len(tried.requests) == 2


@pytest.mark.parametrize("after_pass", ["stop", "continue"])
def test_pass_and_submission_at_one_call_count_as_verified(attempt: Trier, after_pass: str) -> None:
    together = attempt(bash("ls"), bash(f"{SUBMIT} && {RIGHT}"), after_pass=after_pass)
    assert together.end == ("verified", 2, None)
    assert len(together.requests) == 2
    beside = attempt(bash(RIGHT, SUBMIT, "touch later"), after_pass=after_pass)
    assert beside.end == ("verified", 1, None)
    assert beside.result.action == 0  # type: ignore[union-attr]
    assert len(beside.result.actions) == (1 if after_pass == "stop" else 2)


@pytest.mark.parametrize("after_pass", ["stop", "continue"])
def test_a_pass_at_the_horizon_is_verified(attempt: Trier, after_pass: str) -> None:
    tried = attempt(bash("ls"), bash(RIGHT), horizon=2, after_pass=after_pass)
    assert tried.end == ("verified", 2, None)


def test_an_attempt_that_goes_on_records_un_passing_and_re_passing(attempt: Trier) -> None:
    steps = [bash(WRONG), bash(RIGHT), bash("ls"), bash(BROKEN), bash(BACK), bash(RIGHT), bash(BACK), bash(RIGHT)]
    tried = attempt(*steps, after_pass="continue", horizon=9)
    result = tried.result
    assert isinstance(result, TryResult)
    assert tried.end == ("verified", 2, None)
    assert (result.calls, result.action, result.unpassed_at, result.repassed_at) == (9, 0, 4, 6)
    states = ["fail", "pass", "pass", "broken_import", "fail", "pass", "fail", "pass", "pass"]
    assert [state for _, _, state in tried.verdicts] == states


def test_an_attempt_that_goes_on_stays_verified_however_it_ends(attempt: Trier) -> None:
    tried = attempt(bash(RIGHT), text(), after_pass="continue")
    assert tried.end == ("verified", 1, None)
    assert tried.result.calls == 4
    assert tried.result.unpassed_at is None  # type: ignore[union-attr]
    submitted = attempt(bash(RIGHT), bash(BACK), bash(SUBMIT), bash("ls"), after_pass="continue")
    assert submitted.end == ("verified", 1, None)
    assert (submitted.result.calls, submitted.result.unpassed_at) == (3, 2)  # type: ignore[union-attr]


# Terminal.


def test_three_malformed_responses_in_a_row_end_the_attempt(attempt: Trier) -> None:
    malformed = [text(), tool(("bash", "{")), tool(("editor", "{}")), tool(("bash", '{"cmd": "ls"}'))]
    tried = attempt(*malformed)
    assert tried.end == ("terminal", 3, "repeated_format_error")
    assert tried.result.actions == ()
    apart = attempt(*malformed[:2], bash("ls"), *malformed[:2], bash("ls"), horizon=6)
    assert apart.end == ("censored", 6, "horizon")
    assert attempt(*malformed[:2], bash("ls"), *malformed[1:]).end == ("terminal", 6, "repeated_format_error")


def test_submitting_an_unverified_state_is_terminal(attempt: Trier) -> None:
    tried = attempt(bash(WRONG), bash(SUBMIT, "touch later"))
    assert tried.end == ("terminal", 2, "unverified_submission")
    assert tried.verdicts[-1] == (2, 0, "fail")


def test_a_stage_may_let_unverified_submissions_go_on(attempt: Trier) -> None:
    tried = attempt(bash(SUBMIT), bash(WRONG, SUBMIT), bash(RIGHT), on_unverified_submit="continue")
    assert tried.end == ("verified", 3, None)
    tried = attempt(bash(SUBMIT), on_unverified_submit="continue", horizon=3)
    assert tried.end == ("censored", 3, "horizon")
    assert "COMPLETE_TASK" in tried.requests[2]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "command",
    [
        "printf 'COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\\n'",
        f"ls; {SUBMIT}",
        f"true && {SUBMIT}",
        f"{SUBMIT} | cat",
        f"{SUBMIT}; ls",
        f"{SUBMIT} && false",
        "cat <<'EOF'\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT\nEOF",
    ],
)
def test_the_sentinel_elsewhere_is_output(attempt: Trier, command: str) -> None:
    tried = attempt(bash(command), horizon=1)
    assert tried.end == ("censored", 1, "horizon")
    assert b"COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT" in decode_output(tried.of("action")[0])


@pytest.mark.parametrize(
    "overflow",
    [
        error(400, "This model's maximum context length is 8192 tokens.", "context_length_exceeded"),
        error(400, "the request exceeds the available context size (4096 tokens)"),
        error(500, "the request exceeds the available context size (4096 tokens)"),
    ],
    ids=["openai", "llama.cpp", "as a server error"],
)
def test_context_overflow_is_an_outcome(attempt: Trier, overflow: Step) -> None:
    tried = attempt(bash("ls"), overflow)
    assert tried.end == ("terminal", 2, "context_overflow")
    assert len(tried.requests) == 2


def test_a_refusal_is_an_outcome(attempt: Trier) -> None:
    tried = attempt(bash("ls"), error(400, "Invalid prompt: flagged as potentially violating our usage policy"))
    assert tried.end == ("terminal", 2, "refusal")


# Censored.


def test_a_live_attempt_is_censored_at_the_horizon(attempt: Trier) -> None:
    tried = attempt(bash("ls"), horizon=3)
    assert tried.end == ("censored", 3, "horizon")
    assert len(tried.requests) == 3


def test_the_cost_limit_censors(attempt: Trier) -> None:
    tried = attempt(bash("ls"), text(), bash("ls"), model=PRICE, limits={"cost_usd": 1.5 * COST_OF_CALL})
    assert tried.end == ("censored", 2, "cost_limit")
    assert tried.result.cost_usd == pytest.approx(2 * COST_OF_CALL)


def test_the_token_limit_censors(attempt: Trier) -> None:
    tried = attempt(text(), bash("ls"), limits={"tokens": 2000})
    assert tried.end == ("censored", 2, "token_limit")
    assert attempt(bash("ls"), limits={"tokens": 2201}, horizon=9).end == ("censored", 3, "token_limit")


def test_the_wall_limit_censors_at_the_call_reached(attempt: Trier) -> None:
    tried = attempt(bash("sleep 2"), limits={"wall_seconds": 2.0})
    assert tried.end == ("censored", 1, "wall_limit")


# Cost.


def test_costs(attempt: Trier) -> None:
    def cost(*steps: Step, **model: object) -> float | None:
        return attempt(*steps, horizon=2, model=model).result.cost_usd

    uncounted = bash("ls", usage=None)
    assert cost(bash("ls")) is None
    assert cost(bash("ls"), name="openai/gpt-4o-mini") == pytest.approx(2 * (1000 * 0.15 + 100 * 0.6) / 1e6)
    assert cost(bash("ls"), **PRICE) == pytest.approx(2 * COST_OF_CALL)
    assert cost(bash("ls"), text(), **PRICE) == pytest.approx(2 * COST_OF_CALL)
    assert cost(bash("ls"), price={"input_per_million": 0.0, "output_per_million": 0.0}) == 0.0
    assert cost(bash("ls"), uncounted, **PRICE) is None
    assert cost(uncounted, name="openai/gpt-4o-mini") is None


# Lost to infrastructure.


def test_a_lost_try_keeps_what_it_had(attempt: Trier) -> None:
    tried = attempt(bash("ls"), text(), bash("pwd"), error(500), model=PRICE)
    assert tried.lost == ("provider_outage", 3)
    assert isinstance(tried.result, Lost)
    assert tried.result.cost_usd == pytest.approx(3 * COST_OF_CALL)
    assert tried.verdicts == [(1, 0, "fail"), (3, 0, "fail")]
    assert tried.result.outcome["model_returned"] == SERVED
    assert tried.lines[-1]["type"] == "lost"
    assert tried.lines[-1]["reason"] == "provider_outage"


def test_a_task_that_changed_is_refused(attempt: Trier) -> None:
    tried = attempt(bash("ls"), changed={"task_digest": "0" * 64})
    assert tried.lost == ("task_changed", 0)
    assert tried.requests == []


@pytest.fixture
def fragile(attempt: Trier, in_lab: TinyLab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Trier:
    """Tries with a base of their own, which may be broken."""
    cache = tmp_path / "fragile"
    shutil.copytree(os.environ["XDG_CACHE_HOME"], cache, symlinks=True, ignore=lambda *_: ["bases", "locks"])
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return attempt


def test_a_verifier_that_cannot_run_is_no_verdict(fragile: Trier) -> None:
    evaluator = prepare_place(load_task("tiny-1")).base.evaluator
    shutil.rmtree(evaluator)
    tried = fragile(bash("ls"), bash(RIGHT))
    assert tried.lost == ("verifier_failure", 1)
    assert tried.verdicts == [(1, 0, "infra_error")]
    assert decode_output(tried.of("action")[0]).startswith(b"README")


def test_a_sandbox_that_cannot_run_is_no_output(fragile: Trier) -> None:
    base = prepare_place(load_task("tiny-1")).base
    shutil.rmtree(base.tree)
    tried = fragile(bash("ls"))
    assert tried.lost[0] == "sandbox_lost"
    assert tried.result.actions == ()
    assert tried.of("action") == []


# Whatever comes back, the trajectory is whole.


def test_strange_responses_do_not_cost_the_trajectory(attempt: Trier) -> None:
    def strange(arguments: str, **call: object) -> Step:
        function = {"name": "bash", "arguments": arguments}
        made = {"id": "1", "type": "function", "function": function, **call}
        return completion({"content": "\ud83d \u202e \x1b[2J \udc80", "tool_calls": [made]})

    steps = [
        strange('{"command": null}'),
        strange('{"command": ["ls"]}', id=None),
        strange('{"command": "echo a\\u0000b"}', surprise={"deep": [1, None, "\ud800"]}),
        strange('{"command": "echo \\ud83d"}', index=7),
        strange('{"command": "printf \'\\\\377\\\\200\'"}'),
        # litellm cannot take this one: it is asked for again, as if it had not arrived.
        completion({"tool_calls": [{"id": "1", "type": "function", "function": {"name": None, "arguments": None}}]}),
        completion({"content": ["not", "text"]}),
    ]
    tried = attempt(*steps, bash(RIGHT), horizon=12, model=PRICE)
    assert tried.end == ("verified", 7, None)
    assert tried.result.cost_usd == pytest.approx(7 * COST_OF_CALL)
    commands = [line["command"] for line in tried.of("action")]
    assert commands[:4] == ["None", "['ls']", "echo a\0b", "echo \ud83d"]
    assert decode_output(tried.of("action")[4]) == b"\377\200"
    assert [line["call"] for line in tried.of("call")] == list(range(1, 8))
    assert len(tried.requests) == 8


def test_a_killed_attempt_leaves_its_trajectory_up_to_the_last_action(attempt: Trier, in_lab: TinyLab) -> None:
    server, path = attempt.server, in_lab.root / "killed.jsonl"
    server.script(bash("echo first"), bash("echo second > made"), slow(120, bash("ls")))
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = in_lab.environment | {"PYTHONPATH": paths, "OPENAI_API_KEY": "no-key"}
    child = subprocess.Popen(
        [sys.executable, "-m", "trying", server.url, str(path)], env=environment, cwd=in_lab.root,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
    )  # fmt: skip
    try:
        deadline = time.monotonic() + 120
        while len(server.requests) < 3:
            assert child.poll() is None, f"the child ended with {child.returncode}"
            assert time.monotonic() < deadline
            time.sleep(0.02)
        child.send_signal(signal.SIGKILL)
    finally:
        child.kill()
        child.communicate()
    data = path.read_bytes()
    kinds = [(line["type"], line.get("call")) for line in read_trajectory(data)]
    assert [found for found in kinds if found[0] != "message"] == [
        ("start", None), ("call", 1), ("action", 1), ("verdict", 1), ("call", 2), ("action", 2), ("verdict", 2),
    ]  # fmt: skip
    progress = recorded_progress(path)
    assert progress["calls"] == 2
    assert [(one.call, one.action, one.verdict_state) for one in progress["done"]] == [(1, 0, "fail"), (2, 0, "fail")]
    # Cut anywhere, every whole line before the cut is still read.
    whole = list(read_trajectory(data))
    for cut in range(0, len(data), max(1, len(data) // 60)):
        assert list(read_trajectory(data[:cut])) == whole[: data[:cut].count(b"\n")]
