"""Folders of workspaces: small to make, gone at the end, swept when their process died."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from boxes import open_folder
from desks import desk_on

from harness.paths import PROJECT
from harness.workspace.base import Base, build_base
from harness.workspace.manifest import Entry
from harness.workspace.workspace import CandidateMount, Workspace, sweep_work

_CHILD = """
import sys
from pathlib import Path
from harness.sandbox import host
host.prepare()
from harness.workspace.base import build_base
from harness.workspace.workspace import Workspace
workspace = Workspace(build_base({"tiny": 1}, lambda target: None, []))
(workspace.mounts.upper / "file").write_text("left")
shut = workspace.mounts.upper / "shut"
shut.mkdir(); (shut / "file").write_text("x"); shut.chmod(0)
print(workspace.mounts.upper, flush=True)
sys.stdin.read()
"""


def below(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


@pytest.fixture
def other(base: Base) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """Another process that holds a workspace in the same state directory, and that workspace's upper folder."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CHILD], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(PROJECT), os.environ.get("PYTHONPATH", "")])},
    )  # fmt: skip
    assert process.stdout
    upper = Path(process.stdout.readline().strip())
    yield process, upper
    process.kill()
    process.communicate()


def test_a_workspace_costs_the_same_however_large_the_tree(lair: Path, base: Base) -> None:
    def large(target: Path) -> None:
        for number in range(800):
            (target / str(number)).write_text("x")

    with Workspace(build_base({"large": 1}, large, [])) as one, Workspace(base) as two:
        for workspace in (one, two):
            upper = workspace.mounts.upper
            assert upper is not None
            assert below(upper.parent) == ["calls", "home", "tmp", "upper", "work"]


def test_a_workspace_is_gone_at_its_end_even_after_an_error(base: Base) -> None:
    with pytest.raises(ZeroDivisionError), Workspace(base) as workspace:
        folder = workspace.mounts.upper.parent  # type: ignore[union-attr]
        assert folder.is_dir()
        raise ZeroDivisionError
    assert not folder.exists()


def test_a_candidate_that_cannot_be_written_leaves_nothing(base: Base) -> None:
    with Workspace(base) as workspace:
        process_folder = workspace.mounts.upper.parent.parent  # type: ignore[union-attr]
    before = below(process_folder)

    def missing(digest: str) -> bytes:
        raise KeyError(digest)

    with pytest.raises(KeyError):
        CandidateMount(base, {"file": Entry("file", 0o644, "0" * 64, 1)}, missing)
    assert below(process_folder) == before


def test_names_of_folders_say_nothing(base: Base) -> None:
    """Mount tables inside the sandbox show them."""
    with Workspace(base) as workspace:
        folder = workspace.mounts.upper.parent  # type: ignore[union-attr]
        assert all(len(name) == 16 and int(name, 16) >= 0 for name in (folder.name, folder.parent.name))


def test_sweeping_spares_the_living_and_removes_the_dead(base: Base, other: tuple[subprocess.Popen[str], Path]) -> None:
    process, upper = other
    with Workspace(base) as own:
        assert sweep_work() == 0
        assert (upper / "file").read_text() == "left"
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert upper.exists()  # nobody was left to remove it
        assert sweep_work() == 1
        assert not upper.parent.parent.exists()
        assert own.mounts.upper is not None
        assert own.mounts.upper.is_dir()
    assert sweep_work() == 0


def test_a_process_that_ends_orderly_leaves_no_folder(other: tuple[subprocess.Popen[str], Path]) -> None:
    process, upper = other
    process.communicate(input="")
    assert process.returncode == 0
    assert not upper.parent.parent.exists()
    assert sweep_work() == 0


def test_sweeping_where_there_is_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RESTARTLAB_STATE", str(tmp_path / "none"))
    assert sweep_work() == 0
    assert not (tmp_path / "none").exists()


@pytest.mark.needs_bwrap
def test_workspaces_on_one_base_do_not_see_each_other(base: Base, site: Path) -> None:
    with desk_on(base, site) as one, desk_on(base, site) as two:
        one.sh("echo one > unended; echo t > /tmp/t")
        two.sh("rm -r pkg")
        assert one.sh("cat unended; ls -d pkg /tmp/t").split() == ["one", "/tmp/t", "pkg"]
        assert two.sh("cat unended; ls /tmp") == "no newline at the end"
        assert one.changes() == {"unended"}
        assert two.changes() == {"pkg"}


@pytest.mark.needs_bwrap
def test_a_state_directory_that_is_closed_to_others_will_do(
    base: Base, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root hands sandboxes to another uid, which can pass neither a home of mode 0700 nor such a state directory."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    (home / "state").mkdir(mode=0o700)
    monkeypatch.setenv("RESTARTLAB_STATE", str(home / "state"))
    with desk_on(base, open_folder(tmp_path / "site")) as desk:
        desk.sh("echo x > new; rm unended")
        assert desk.changes() == {"new", "unended"}
    assert [p.stat().st_mode & 0o777 for p in (home, home / "state")] == [0o700, 0o700]
