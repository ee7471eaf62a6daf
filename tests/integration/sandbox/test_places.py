"""A folder that is removed and made anew under a running process: the sandbox shows the new one, or says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from boxes import make_box, open_folder, sandbox_python

from harness.sandbox import host
from harness.sandbox.factory import make_sandbox
from harness.sandbox.interface import Limits, Mounts, SandboxLost
from harness.sandbox.tools import Tools

pytestmark = pytest.mark.needs_bwrap


def test_a_base_that_was_built_again_is_the_one_shown(tmp_path: Path) -> None:
    """Another process may build a base again while this one goes on."""
    site = open_folder(tmp_path / "site")
    for number in ("first", "second"):
        shutil.rmtree(tmp_path / "base", ignore_errors=True)
        base = open_folder(tmp_path / "base")
        (base / "file").write_text(number)
        sandbox = make_sandbox("bubblewrap", Tools(sandbox_python(), site))
        sandbox.start(Mounts((base,)), Limits())
        assert sandbox.run("cat file").output == number.encode()
        sandbox.stop()


def test_a_folder_that_is_gone_is_not_shown_from_memory(tmp_path: Path) -> None:
    folder = open_folder(tmp_path / "folder")
    shown = host.visible(folder)
    assert shown.is_dir()
    shutil.rmtree(folder)
    if host.is_root():
        with pytest.raises(SandboxLost, match="not there any more"):
            host.visible(folder)


def test_changes_that_were_swept_away_are_a_lost_sandbox(box_folder: Path) -> None:
    """An empty layer in their place would be read as the agent's work."""
    box = make_box(box_folder)
    assert box.text("echo work > file; cat file") == "work\n"
    upper = box.mounts.upper
    assert upper is not None
    shutil.rmtree(upper)
    with pytest.raises(SandboxLost, match="not there any more"):
        box.run("cat file")
    open_folder(upper)
    with pytest.raises(SandboxLost, match="made anew"):
        box.run("cat file")
