"""Files that appear whole or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from harness.temporary import sweep_temporary, temporary_file, write_whole


def test_a_file_is_replaced_whole_and_nothing_else_is_left(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"
    for content in (b"one", b"", b"another"):
        write_whole(path, content, tmp_path)
        assert path.read_bytes() == content
    assert [one.name for one in tmp_path.rglob("*") if one.is_file()] == ["file"]


def test_an_error_leaves_the_old_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), temporary_file(tmp_path) as (stream, _):
        stream.write(b"half")
        raise ZeroDivisionError
    assert [one.name for one in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_only_files_of_dead_writers_are_swept(tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from harness.temporary import temporary_file\n"
        "with temporary_file(pathlib.Path(sys.argv[1])):\n    print('there', flush=True); sys.stdin.read()"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={"PYTHONPATH": str(Path(__file__).resolve().parents[2])},
    )  # fmt: skip
    assert writer.stdout is not None
    assert writer.stdout.readline() == "there\n"
    assert sweep_temporary(tmp_path) == 0
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert len(list(tmp_path.iterdir())) == 1
    assert sweep_temporary(tmp_path) == 1
    assert list(tmp_path.iterdir()) == []


def test_sweeping_where_there_is_nothing(tmp_path: Path) -> None:
    assert sweep_temporary(tmp_path / "none") == 0
