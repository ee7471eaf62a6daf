"""The real local model behind real HTTP. Needs the extra `local`: make collect RUNTIME=local installs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from harness.errors import InfrastructureError
from harness.models import local_server as module
from harness.models.local_server import CONTEXT, MODEL_ID, local_server
from harness.models.local_weights import weights_path

pytest.importorskip("xllamacpp", reason="the local model needs requirements/local.txt")
if not weights_path().is_file():
    reason = "the local model's weights are not fetched (python -m harness.models.local_weights)"
    pytest.skip(reason, allow_module_level=True)

BASH = {
    "type": "function",
    "function": {
        "name": "bash",
        "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
    },
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with local_server() as base_url:
        yield base_url


def post(url: str, **body: Any) -> tuple[int, dict[str, Any]]:
    request = urllib.request.Request(f"{url}/chat/completions", json.dumps(body).encode())
    try:
        with urllib.request.urlopen(request, timeout=120) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_calls_tools_makes_format_errors_and_repeats_itself_by_seed(url: str) -> None:
    ask = [{"role": "user", "content": "List the files of this folder, then read README."}]
    answers = []
    for seed in (*range(12), 11):
        status, answer = post(url, messages=ask, tools=[BASH], seed=seed, temperature=0.7, max_tokens=48)
        assert status == 200
        assert answer["model"] == MODEL_ID
        assert answer["usage"]["completion_tokens"] <= 48
        (choice,) = answer["choices"]
        message = choice["message"]
        answers.append([call["function"] for call in message.get("tool_calls", [])] or message["content"])
    called = [answer for answer in answers if isinstance(answer, list)]
    assert called
    assert all(isinstance(json.loads(call["arguments"]), dict) for calls in called for call in calls)
    assert answers[-2] == answers[-1]
    assert any(answer != answers[0] for answer in answers)


def test_context_overflow_and_bad_requests_are_http_400(url: str) -> None:
    status, answer = post(url, messages=[{"role": "user", "content": "word " * (CONTEXT + 100)}])
    assert (status, answer["error"]["type"]) == (400, "exceed_context_size_error")
    assert "exceeds the available context size" in answer["error"]["message"]
    status, answer = post(url, messages=[])
    assert status == 400
    assert "messages" in answer["error"]["message"]


def test_the_server_ends_with_its_block() -> None:
    with local_server() as base_url:
        assert urllib.request.urlopen(f"{base_url}/models", timeout=30).status == 200
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{base_url}/models", timeout=5)


def test_the_server_dies_with_a_killed_parent() -> None:
    script = (
        "import os, signal\n"
        "from harness.models.local_server import local_server\n"
        "with local_server() as url:\n"
        "    print(url, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(module.PROJECT)}
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
    base_url = done.stdout.strip()
    assert base_url.startswith("http://127.0.0.1:"), done.stderr
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{base_url}/models", timeout=1)
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail("the server outlived its parent")


def test_a_server_that_cannot_load_reports_the_end_of_its_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"not a model")
    monkeypatch.setattr(module, "weights", lambda: broken)
    with pytest.raises(InfrastructureError, match="ended with code 1") as caught, local_server():
        pass
    assert "the end of its log" in str(caught.value)
    assert "Failed to init server" in str(caught.value)


def test_a_server_that_is_not_ready_in_time_is_ended() -> None:
    with pytest.raises(InfrastructureError, match=r"not ready within 0\.01 s"), local_server(ready_seconds=0.01):
        pass
