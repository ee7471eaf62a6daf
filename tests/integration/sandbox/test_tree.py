"""The root that root puts together once: one for each set of packages, each whole, none seen in another."""

from __future__ import annotations

from pathlib import Path

import pytest
from boxes import Box, make_box, open_folder, sandbox_python

from harness.sandbox import host
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.sandbox.interface import Limits

pytestmark = pytest.mark.needs_bwrap


def test_each_sandbox_sees_its_own_packages_only(box_folder: Path) -> None:
    box = make_box(box_folder)
    for name in ("one", "two", "three"):
        site = open_folder(box_folder / f"site-{name}")
        (site / f"{name}.py").touch()
        box.sandbox = BubblewrapSandbox(sandbox_python(), site)
        box.sandbox.start(box.mounts, Limits(seconds=30))
        code = "import importlib.util as u; print(*[n for n in ('one', 'two', 'three') if u.find_spec(n)])"
        assert box.text(f'python3 -c "{code}"').split() == [name]


def test_mounts_of_the_root_are_read_only_without_devices_or_setuid(shared_box: Box) -> None:
    text = shared_box.text("cat /proc/self/mountinfo")
    options = {line.split()[4]: set(line.split()[5].split(",")) for line in text.splitlines()}
    own = ("/proc", "/dev", "/tmp", "/home/agent", "/testbed")
    root = {place for place in options if not place.startswith(own)}
    assert {"/", "/etc", "/usr"} <= root
    assert {place for place in root if not options[place] >= {"ro", "nosuid", "nodev"}} == set()


@pytest.mark.skipif(not host.is_root(), reason="only root puts a tree together")
def test_the_host_sees_nothing_of_it() -> None:
    assert "restartlab" not in Path("/proc/1/mountinfo").read_text()
