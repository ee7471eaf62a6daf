"""A worker process: takes jobs over a pipe, runs them, sends back what came of them.

It ends with its controller, and its sandboxes end with it: a killed collection leaves no process behind.
"""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import traceback
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from harness.attempt import Unit, run_try
from harness.errors import RestartlabError
from harness.sandbox import host
from harness.sandbox.processes import adopt_orphans

_PR_SET_PDEATHSIG = 1
#: The controller decides what these mean; a terminal, or a service manager, may send them to all processes.
LEFT_TO_THE_CONTROLLER = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_FULL = (errno.ENOSPC, errno.EDQUOT)


@dataclass(frozen=True)
class Failure:
    """Why a job came to nothing: one word, and a text."""

    reason: str
    detail: str


def die_with_parent(parent: int) -> None:
    """Has the kernel kill this process when ``parent`` ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)


def leave_signals_to_the_controller() -> None:
    """A session of its own, which no terminal interrupts, and handlers that do nothing.

    Handlers, as what is ignored would be ignored in every program that a sandbox starts too.
    """
    for number in LEFT_TO_THE_CONTROLLER:
        signal.signal(number, lambda *_: None)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, LEFT_TO_THE_CONTROLLER)
    if os.getpgrp() != os.getpid():
        os.setsid()


def perform(job: tuple[str, Any]) -> Any:
    """Runs one job: ``("try", Unit)``, ``("judge", Batch)``, ``("reverify", Job)`` or ``("gate", (task, sandbox))``."""
    kind, payload = job
    if kind == "try":
        assert isinstance(payload, Unit)
        return run_try(payload)
    if kind == "judge":
        from harness.judging import judge_batch

        return judge_batch(payload)
    if kind == "reverify":
        from harness.reverify.execute import execute

        return execute(payload)
    from verifiers.kinds import gate_task

    return gate_task(*payload)


def attempted(job: tuple[str, Any]) -> tuple[bool, Any]:
    """``(True, result)``, or ``(False, Failure)``: whatever a job does, the batch goes on."""
    try:
        return True, perform(job)
    except RestartlabError as error:
        return False, Failure("harness_failure", str(error))
    except Exception as error:
        full = isinstance(error, OSError) and error.errno in _FULL
        return False, Failure("disk_full" if full else "harness_failure", traceback.format_exc()[-4000:])


def main(connection: Connection, parent: int) -> None:
    """Serves jobs until the pipe closes. Each answer is as of ``attempted``."""
    die_with_parent(parent)
    leave_signals_to_the_controller()
    adopt_orphans()
    host.prepare()
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        connection.send(attempted(job))
