"""An endpoint on this machine that speaks the OpenAI chat-completions protocol and answers from a script."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: What answers call their model, whatever name was asked for.
SERVED = "served-model-0731"
SUBMIT = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@dataclass(frozen=True)
class Step:
    """One answer."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    wait: float = 0.0
    """Seconds before it."""
    drop: bool = False
    """Resets the connection instead of answering."""
    cut: bool = False
    """Closes the connection in the middle of the body."""
    drip: float = 0.0
    """Seconds between the bytes of a body that never ends; 0 for an ordinary one."""


DROPPED = Step(drop=True)
ENDLESS = Step(b"[", drip=0.02)


#: Tokens that every completion is billed unless it says otherwise.
USAGE = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}


def completion(message: dict[str, Any], **fields: Any) -> Step:
    """A completion with this message; ``fields`` override the response's own, None removes one."""
    whole = {"role": "assistant", "content": None, **message}
    response: dict[str, Any] = {
        "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": SERVED,
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": whole}],
        "usage": USAGE,
        **fields,
    }  # fmt: skip
    return Step(json.dumps({key: value for key, value in response.items() if value is not None}).encode())


def tool(*calls: tuple[str, str], **more: Any) -> Step:
    """A completion with tool calls as (name, text of the arguments)."""
    made = [
        {"id": f"call_{n}", "type": "function", "function": {"name": name, "arguments": arguments}}
        for n, (name, arguments) in enumerate(calls)
    ]
    return completion({"content": "I go on.", "tool_calls": made}, **more)


def bash(*commands: str, **more: Any) -> Step:
    """A completion that runs ``commands`` as separate actions."""
    return tool(*(("bash", json.dumps({"command": command})) for command in commands), **more)


def text(content: str = "I think about it.", **more: Any) -> Step:
    """A completion without a tool call."""
    return completion({"content": content}, **more)


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Step:
    """An error as providers send it."""
    body = {"error": {"message": message, "type": "error", "code": code, "param": None}}
    return Step(json.dumps(body).encode(), status, {"Content-Type": "application/json", **headers})


def slow(seconds: float, step: Step) -> Step:
    """``step`` after a wait."""
    return replace(step, wait=seconds)


def cut(step: Step) -> Step:
    """``step`` with a body that breaks off half-way."""
    return replace(step, cut=True)


def calls_before(request: dict[str, Any]) -> int:
    """How many answers the conversation of a request holds already."""
    return sum(message["role"] == "assistant" for message in request["messages"])


class ChatServer(ThreadingHTTPServer):
    """Answers the n-th request with the n-th step, the last step again and again; or as ``respond`` says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.steps: tuple[Step, ...] = ()
        self.respond: Callable[[dict[str, Any]], Step] | None = None
        """Step by request, for answers that do not depend on what else is asked meanwhile."""
        self.requests: list[dict[str, Any]] = []
        self.most_at_once = self._at_once = 0
        """Requests in hand at the same time."""
        self._lock = threading.Lock()

    def script(self, *steps: Step) -> None:
        self.steps, self.requests = steps, []

    def take(self, request: dict[str, Any]) -> Step:
        with self._lock:
            self.requests.append(request)
            if self.respond:
                return self.respond(request)
            return self.steps[min(len(self.requests), len(self.steps)) - 1]

    def count(self, change: int) -> None:
        with self._lock:
            self._at_once += change
            self.most_at_once = max(self.most_at_once, self._at_once)

    def handle_error(self, *_: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    server: ChatServer

    def do_POST(self) -> None:
        self.server.count(1)
        try:
            self._answer()
        finally:
            self.server.count(-1)

    def _answer(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        step = self.server.take({"path": self.path, "authorization": self.headers["Authorization"], **request})
        time.sleep(step.wait)
        if step.drop:
            # Closing with a linger of 0 seconds sends a reset.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        self.send_response(step.status)
        for name, value in step.headers.items():
            self.send_header(name, value)
        if not step.drip:
            self.send_header("Content-Length", str(len(step.body)))
        self.end_headers()
        self.wfile.write(step.body[: len(step.body) // 2] if step.cut else step.body)
        while step.drip:  # ends when the client goes away
            self.wfile.write(b" ")
            time.sleep(step.drip)
        self.close_connection = step.cut

    def log_message(self, *_: object) -> None:
        """Quiet."""


@contextmanager
def chat_server() -> Iterator[ChatServer]:
    """A running server."""
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
