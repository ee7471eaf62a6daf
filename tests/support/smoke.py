"""A small run of everything below an agent: base, workspace, sandbox, layer, clean mount. Run as a script by any user.

Prints ``smoke passed`` at the end; the environment names its state, cache and home.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from boxes import boxed_checks, host_processes
from desks import SHOW, boxed, desk_on, tiny_base

from harness.doctor import examine
from harness.paths import state_dir
from harness.sandbox import host
from harness.workspace.workspace import CandidateMount, sweep_work


def main() -> None:
    base, site = tiny_base(), Path(os.environ["HOME"]) / "site"
    with desk_on(base, site) as desk:
        desk.sh("echo x > new; rm -r pkg; mkdir -p pkg/sub; rm unended; cp /usr/bin/id tool; chmod 4755 tool")
        desk.sh("mkdir shut; echo secret > shut/file; chmod 000 shut/file")
        wanted = desk.sh(f"chmod 644 shut/file; {SHOW}; chmod 000 shut/file shut")
        manifest = desk.layer().manifest
        assert stat.S_IMODE((desk.upper() / "shut").stat().st_mode) == 0
        assert {(desk.upper() / name).lstat().st_uid for name in ("new", "tool", "unended")} == {host.owner()}
        with CandidateMount(base, manifest, desk.contents.__getitem__) as mounts:
            shown = boxed(mounts, site).text(f"chmod 755 shut; chmod 644 shut/file; chmod 4755 tool; {SHOW}")
        assert shown == wanted, (shown, wanted)
        boxed_checks(desk.box)
    assert [check for check in examine("bubblewrap") if check.state == "bad"] == []
    assert host_processes("600.123454321") == []
    assert sweep_work() == 0
    assert [p for p in (state_dir() / "work").rglob("*") if p.is_dir() and p.parent.parent.name == "work"] == []
    print("smoke passed as", os.geteuid(), "with", sys.version.split()[0])


main()
