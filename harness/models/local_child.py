"""The process that holds the local model and serves it as an OpenAI endpoint on 127.0.0.1; started by local_server.

    python -m harness.models.local_child '{"weights": ..., "address": ..., "parent": PID, "model_id": ..., ...}'

It writes its base URL to the file ``address`` when it is ready, its log to standard error, and dies with its parent.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from harness.models.local_chat import from_native, to_native

#: A request larger than this is a mistake (bytes); the whole context is a few dozen kilobytes.
MAX_REQUEST = 16 << 20
PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Lets the kernel end this process when the parent's thread that started it ends (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it died before the request reached the kernel
        sys.exit(1)


def load(settings: dict[str, Any]) -> Any:
    """The model in memory, as xllamacpp's in-process server."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = settings["weights"]
    params.n_parallel = settings["slots"]
    params.n_ctx = settings["context"] * settings["slots"]  # shared out evenly among the slots
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = settings["threads"]
    params.cache_ram_mib = settings["cache_mib"]  # prompts that wait while their slot serves another attempt
    params.n_gpu_layers = 0
    params.ctx_shift = False  # an overflow is an error that says so, not silently forgotten context
    params.ui = params.endpoint_slots = False
    return xllamacpp.Server(params)


class Endpoint(ThreadingHTTPServer):
    """POST /v1/chat/completions, GET /v1/models, GET /health."""

    daemon_threads = True

    def __init__(self, model: Any, model_id: str):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model, self.model_id = model, model_id

    def complete(self, request: Any) -> tuple[int, dict[str, Any]]:
        """HTTP status and body of one chat completion; errors have OpenAI's form."""
        try:
            native = to_native(request)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return 400, _error(400, f"bad request: {error}", "invalid_request_error")
        response = self.model.handle_chat_completions(native)
        if "error" in response:
            return int(response["error"].get("code", 500)), response
        return 200, {**from_native(response, request), "model": self.model_id}


class _Handler(BaseHTTPRequestHandler):
    server: Endpoint
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == "/health":
            self._answer(200, {"status": "ok"})
        elif self.path == "/v1/models":
            self._answer(200, {"object": "list", "data": [{"id": self.server.model_id, "object": "model"}]})
        else:
            self._answer(404, _error(404, f"no such path: {self.path}", "not_found_error"))

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        if not 0 <= length <= MAX_REQUEST:
            self.close_connection = True
            self._answer(413, _error(413, f"a request of {length} bytes", "invalid_request_error"))
            return
        body = self.rfile.read(length)
        if self.path != "/v1/chat/completions":
            self._answer(404, _error(404, f"no such path: {self.path}", "not_found_error"))
            return
        try:
            request = json.loads(body)
        except ValueError as error:
            self._answer(400, _error(400, f"not JSON: {error}", "invalid_request_error"))
            return
        self._answer(*self.server.complete(request))

    def _answer(self, status: int, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _error(code: int, message: str, kind: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "type": kind}}


def main() -> None:
    settings = json.loads(sys.argv[1])
    die_with_parent(settings["parent"])
    endpoint = Endpoint(load(settings), settings["model_id"])
    address = Path(settings["address"])
    scratch = address.with_suffix(".new")
    scratch.write_text(f"http://127.0.0.1:{endpoint.server_address[1]}/v1")
    scratch.rename(address)
    endpoint.serve_forever()


if __name__ == "__main__":
    main()
