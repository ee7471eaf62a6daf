"""The shells around a command: they set its hard limits and say what became of it.

The command's own shell is a fresh ``bash -c``, so that nothing of the others shows. Only it gets a locale: reading one
costs a shell a third of its start. The shell around it is the first process of its pid namespace: nothing inside can
kill it, so that its report is missing only if somebody outside did.
"""

from __future__ import annotations

import os
import resource

from harness.sandbox.flags import COMMAND
from harness.sandbox.interface import Limits

#: Longest command handed over as an argument; the kernel's limit for one is 128 KiB.
ARGUMENT_MAX = 100_000

_LIMITS = "ulimit -c 0 -n {files} -u {processes} -f {file_blocks} -v {address_kb} || exit 125; exec 2>/dev/null; "
#: Signal 0 to all but the first process says whether there are any, for a quarter of what a look into /proc costs.
_ONCE = "{run} 2>&1 {fd}>&-; rc=$?; kill -0 -1 && echo left >&{fd}; echo end >&{fd}; exit $rc"

#: Folder, inside, of what ``forever`` is told and tells: the file ``text``, and ``output``, a named pipe.
CALLS = "/run/calls"
#: What ``forever`` says first.
READY = b"ready\n"
_FOREVER = (
    "echo ready >&{reports}; while read -r -u {requests} number length; do "
    "if [ $length = long ]; then {long} {rest}; "
    "else IFS= read -r -d '' text < {calls}/text; {short} {rest}; fi; "
    'echo "$number $?" >&{reports}; done'
)
_LONG, _SHORT = "LANG=C.UTF-8 bash -c '. {file}'", 'LANG=C.UTF-8 bash -c -- "${argument}"'


def is_long(command: str) -> bool:
    """Whether ``command`` must be read from the file ``COMMAND``."""
    return len(os.fsencode(command)) > ARGUMENT_MAX


def once(command: str, limits: Limits, fd: int) -> list[str]:
    """Runs ``command`` and exits as it does; writes ``left`` to ``fd`` if processes stay behind, and ``end``."""
    run = _LONG.format(file=COMMAND) if is_long(command) else _SHORT.format(argument=1)
    script = _hard_limits(limits) + _ONCE.format(run=run, fd=fd)
    return ["bash", "-c", script, "bash", "" if is_long(command) else command]


def forever(limits: Limits, requests: int, reports: int) -> list[str]:
    """Runs command after command: for each line ``NUMBER LENGTH`` from ``requests`` (a length is long or short) the one
    in ``CALLS``. When it has ended, ``NUMBER CODE`` goes to ``reports``, whatever it left running.
    """
    rest = f"> {CALLS}/output 2>&1 {requests}<&- {reports}>&-"
    script = _FOREVER.format(
        requests=requests, reports=reports, calls=CALLS, rest=rest,
        long=_LONG.format(file=f"{CALLS}/text"), short=_SHORT.format(argument="text"),
    )  # fmt: skip
    return ["bash", "-c", _hard_limits(limits) + script, "bash"]


def _hard_limits(limits: Limits) -> str:
    return _LIMITS.format(
        files=_at_most(resource.RLIMIT_NOFILE, 4096), processes=_at_most(resource.RLIMIT_NPROC, limits.processes),
        file_blocks=max(1, limits.disk_bytes // 1024), address_kb=max(1, 4 * limits.memory_bytes // 1024),
    )  # fmt: skip


def _at_most(kind: int, wanted: int) -> int:
    """``wanted``, or this process's own hard limit where that is lower."""
    hard = resource.getrlimit(kind)[1]
    return wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
