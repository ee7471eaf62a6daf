"""Processes start as the sandbox's user, and this process stays what it is."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from harness.sandbox import host
from harness.sandbox.spawn import spawn

_SHOW = ["/bin/sh", "-c", "grep -E '^(Uid|Gid|Groups|Cap(Inh|Prm|Eff|Amb))' /proc/self/status; ulimit -u"]


def _status(text: str) -> dict[str, list[str]]:
    return {name: value.split() for name, _, value in (line.partition(":") for line in text.splitlines())}


@pytest.mark.skipif(not host.is_root(), reason="only root hands processes to another user")
@pytest.mark.parametrize("lasting", [False, True])
def test_what_root_starts_has_no_privilege_left(lasting: bool) -> None:
    before = Path("/proc/self/status").read_text()
    process = spawn(_SHOW, lasting=lasting, stdout=subprocess.PIPE, cwd="/", env={})
    status = _status(process.communicate()[0].decode())
    uids = [str(host.SANDBOX_UID)] * 4
    assert (status["Uid"], status["Gid"], status["Groups"]) == (uids, uids, [])
    assert {status[f"Cap{name}"][0] for name in ("Inh", "Prm", "Eff", "Amb")} == {"0" * 16}
    assert os.getresuid() == (0, 0, 0)
    after = Path("/proc/self/status").read_text()
    assert {k: v for k, v in _status(after).items() if k in ("Uid", "Gid", "Groups", "CapEff")} == {
        k: v for k, v in _status(before).items() if k in ("Uid", "Gid", "Groups", "CapEff")
    }


def test_a_program_that_does_not_start_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        spawn(["/no/such/program"], cwd="/", env={})


def test_a_fork_of_this_process_can_start_them_too() -> None:
    """The thread that starts them is not in a fork."""
    assert spawn(["/bin/true"], cwd="/", env={}).wait() == 0
    pid = os.fork()
    if pid == 0:
        os._exit(spawn(["/bin/true"], cwd="/", env={}).wait())
    assert os.waitpid(pid, 0)[1] == 0
