"""A worker process: takes jobs over a pipe, runs them, sends back what came of them.

It ends with its controller, and its sandboxes end with it: a killed collection leaves no process behind.
"""

from __future__ import annotations

import ctypes
import os
import signal
import traceback
from multiprocessing.connection import Connection
from typing import Any

from harness.attempt import Unit, run_try
from harness.errors import RestartlabError
from harness.sandbox import host

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when ``parent`` ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def perform(job: tuple[str, Any]) -> Any:
    """Runs one job: ``("try", Unit)`` or ``("gate", (task id, sandbox kind))``."""
    kind, payload = job
    if kind == "try":
        assert isinstance(payload, Unit)
        return run_try(payload)
    from verifiers.kinds import gate_task

    return gate_task(*payload)


def main(connection: Connection, parent: int) -> None:
    """Serves jobs until the pipe closes. Each answer is ``(ok, result or text)``."""
    die_with_parent(parent)
    # The controller decides what an interrupt means; the terminal sends it to the whole group.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    host.prepare()
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        try:
            answer = (True, perform(job))
        except RestartlabError as error:
            answer = (False, str(error))
        except Exception:
            answer = (False, traceback.format_exc())
        connection.send(answer)
