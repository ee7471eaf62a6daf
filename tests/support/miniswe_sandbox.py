"""mini-swe-agent's own bubblewrap environment behind this project's sandbox interface, for the same isolation probes.

Run as a program it prints the table of docs/sandbox.md: python tests/support/miniswe_sandbox.py
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from harness import miniswe
from harness.sandbox.bwrap import find_bwrap, version_of
from harness.sandbox.interface import Lifetime, Limits, Mounts, Result
from harness.sandbox.selfcheck.scene import Scene, Subject
from harness.sandbox.selfcheck.suite import ISOLATION, Probed, run_probes


class MiniSweSandbox:
    """Runs commands as mini-swe-agent does; knows no limit but the time."""

    kind = "mini-swe-agent bubblewrap"

    def __init__(self) -> None:
        miniswe.prepare()

    def start(self, mounts: Mounts, limits: Limits, lifetime: Lifetime = "action") -> None:
        from minisweagent.environments.extra.bubblewrap import BubblewrapEnvironment

        self._limits, self._folder = limits, str(mounts.upper)
        self._environment = BubblewrapEnvironment(executable=str(find_bwrap()))

    def run(self, command: str, *, seconds: float | None = None, pass_fds: tuple[int, ...] = ()) -> Result:
        # The environment's type says int; subprocess takes what it gets.
        limit: Any = self._limits.seconds if seconds is None else seconds
        said = self._environment.execute({"command": command}, cwd=self._folder, timeout=limit)
        timed_out = said.get("extra", {}).get("exception_type") == "TimeoutExpired"
        return Result(int(said["returncode"]), said["output"].encode(), 0.0, timed_out)

    def stop(self) -> None:
        return


@contextmanager
def workspace() -> Iterator[Mounts]:
    """Its workspace: an ordinary folder below /tmp."""
    from minisweagent.environments.extra.bubblewrap import BubblewrapEnvironment

    environment = BubblewrapEnvironment()
    try:
        yield Mounts((), upper=environment.working_dir)
    finally:
        environment.cleanup()


def probe_miniswe() -> list[Probed]:
    """All isolation probes against it."""
    miniswe.prepare()
    with Scene(Subject(MiniSweSandbox, workspace)) as scene:
        return run_probes(scene, ISOLATION)


def main() -> None:
    done = probe_miniswe()
    bwrap = ".".join(map(str, version_of(find_bwrap()) or ()))
    got = [p for p in done if p.finding.state == "got through"]
    who = "root" if os.geteuid() == 0 else "an ordinary user"
    print(f"mini-swe-agent {version('mini-swe-agent')}, bubblewrap {bwrap}, Linux {os.uname().release}, as {who}:")
    print(f"{len(got)} of {len(done)} got through\n")
    print("| probe | what an adversary tries | outcome | seen |\n|---|---|---|---|")
    for probed in done:
        seen = probed.finding.detail.replace("|", "/")
        state = probed.finding.state.replace("got through", "**got through**")
        print(f"| `{probed.probe.id}` | {probed.probe.tries} | {state} | {seen} |")


if __name__ == "__main__":
    main()
