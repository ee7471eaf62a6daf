"""A small real language model on the CPU behind an OpenAI endpoint, for as long as a ``with`` block lasts.

It is plumbing made real (tool calls, format errors, context overflow over HTTP), not a result: a model of this size
practically never repairs anything.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.errors import InfrastructureError, InputError
from harness.locks import take
from harness.models.local_weights import GGUF_SHA256, weights
from harness.paths import PROJECT

#: The name protocols use, and the id that responses carry (with the start of the weights' digest).
MODEL_NAME = "smollm2-135m-instruct"
MODEL_ID = f"{MODEL_NAME}-q4_1-{GGUF_SHA256[:12]}"
#: Context in tokens: what the model was trained on; a longer prompt is answered with HTTP 400.
CONTEXT = 8192
#: Memory for prompts whose slot serves another attempt meanwhile (MiB); a full context takes 190.
CACHE_MIB = 512
#: Loading takes two seconds when the machine is idle.
READY_SECONDS = 120.0
STOP_SECONDS = 5.0


@contextmanager
def local_server(*, slots: int = 1, threads: int | None = None, ready_seconds: float = READY_SECONDS) -> Iterator[str]:
    """Serves the local model; yields the base URL for litellm (``api_base``), e.g. ``http://127.0.0.1:40123/v1``.

    The server is a process of its own that dies with the thread that entered the block, so enter it in a thread that
    lives as long as the work (the controller's main thread). Its responses carry token counts but no price. A seed
    repeats an answer only from the same cached prompt: how much of it is evaluated anew changes the last digits.

    Args:
        slots: requests served at a time, each with a context of ``CONTEXT`` tokens; the number of workers.
        threads: CPU threads for the model; default half of the CPUs of this process, at least one.
        ready_seconds: how long loading may take.

    Raises:
        InputError: the extra ``local`` is not installed, or the weights cannot be kept.
        InfrastructureError: the weights cannot be fetched, or the server does not start; carries the end of its log.
    """
    if importlib.util.find_spec("xllamacpp") is None:
        raise InputError(
            "the package xllamacpp is not installed",
            file="runtime local",
            mend="run it as 'make collect ... RUNTIME=local', or: python -m pip install -r requirements/local.txt",
        )
    threads = threads or max(1, len(os.sched_getaffinity(0)) // 2)
    with tempfile.TemporaryDirectory(prefix="restartlab-local-") as folder:
        lock = take(Path(folder, "lock"))  # a folder whose lock is free is left over
        address, log = Path(folder, "address"), Path(folder, "log")
        settings = {
            "weights": str(weights()),
            "address": str(address),
            "parent": os.getpid(),
            "model_id": MODEL_ID,
            "context": CONTEXT,
            "slots": slots,
            "threads": threads,
            "cache_mib": CACHE_MIB,
        }
        process = _start(settings, log)
        try:
            yield _wait_ready(process, address, log, ready_seconds)
        finally:
            _stop(process)
            os.close(lock)


def _start(settings: dict[str, object], log: Path) -> subprocess.Popen[bytes]:
    # Waiting threads that spin would take the CPU from the sandbox and the verifier.
    search = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "PYTHONPATH": search}
    with open(log, "wb") as stream:
        return subprocess.Popen(
            [sys.executable, "-m", "harness.models.local_child", json.dumps(settings)],
            stdin=subprocess.DEVNULL,
            stdout=stream,
            stderr=stream,
            env=environment,
            # Ctrl-C goes to the controller, which finishes its calls before it ends the server.
            start_new_session=True,
        )


def _wait_ready(process: subprocess.Popen[bytes], address: Path, log: Path, seconds: float) -> str:
    """The base URL, once the child has written it."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if address.is_file():
            return address.read_text()
        if process.poll() is not None:
            raise InfrastructureError(f"the local model server ended with code {process.returncode}{_tail(log)}")
        time.sleep(0.05)
    raise InfrastructureError(f"the local model server was not ready within {seconds:g} s{_tail(log)}")


def _tail(log: Path) -> str:
    lines = log.read_text(errors="replace").strip().splitlines()[-20:]
    return "; the end of its log:\n  " + "\n  ".join(lines) if lines else "; its log is empty"


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
