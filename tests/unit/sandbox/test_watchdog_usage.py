"""What the watchdog counts: files, and memory of processes."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from harness.sandbox.interface import Limits, Mounts
from harness.sandbox.processes import deleted_bytes, descendants, resident_bytes
from harness.sandbox.usage import usage
from harness.sandbox.watchdog import Watchdog

MB = 1 << 20


def test_usage_counts_bytes_and_inodes_of_all_folders(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "file").write_bytes(os.urandom(100_000))
    size, inodes = usage([tmp_path / "one", tmp_path / "two"], 1000)
    assert inodes == 4
    assert 200_000 <= size < 300_000


def test_usage_counts_holes_as_a_reader_would(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as stream:
        stream.truncate(50 * MB)
    assert usage([tmp_path], 1000)[0] >= 50 * MB


def test_usage_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "large").write_bytes(b"x" * MB)
    (tmp_path / "inside").mkdir()
    (tmp_path / "inside" / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "inside" / "file").symlink_to(tmp_path / "outside" / "large")
    size, inodes = usage([tmp_path / "inside"], 1000)
    assert inodes == 2
    assert size < MB // 2


def test_usage_stops_counting_past_the_bound(tmp_path: Path) -> None:
    for folder in range(20):
        (tmp_path / str(folder)).mkdir()
        for number in range(20):
            (tmp_path / str(folder) / str(number)).touch()
    assert 50 < usage([tmp_path], 50)[1] < 100


def test_a_folder_that_vanishes_meanwhile_counts_nothing(tmp_path: Path) -> None:
    assert usage([tmp_path / "absent"], 10) == (0, 0)


@pytest.mark.parametrize("mode", [0o000, 0o400, 0o100, 0o200])
def test_folders_closed_to_their_owner_count_and_stay_closed(tmp_path: Path, mode: int) -> None:
    for folder in (tmp_path / "shut", tmp_path / "shut" / "below"):
        folder.mkdir()
        (folder / "file").write_bytes(b"x" * MB)
    (tmp_path / "shut" / "below").chmod(mode)
    (tmp_path / "shut").chmod(mode)
    size, inodes = usage([tmp_path], 1000)
    assert (inodes, size >= 2 * MB) == (4, True)
    assert (tmp_path / "shut").stat().st_mode & 0o777 == mode
    (tmp_path / "shut").chmod(0o700)
    assert (tmp_path / "shut" / "below").stat().st_mode & 0o777 == mode


def test_no_depth_hides_a_file(tmp_path: Path) -> None:
    end = os.open(tmp_path, os.O_RDONLY)
    for _ in range(60):
        os.mkdir("d" * 200, dir_fd=end)
        deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=end)
        os.close(end)
        end = deeper
    with open(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=end), "wb") as stream:
        stream.write(b"x" * MB)
    os.close(end)
    size, inodes = usage([tmp_path], 1000)
    assert (inodes, size >= MB) == (61, True)


def test_a_deleted_file_counts_while_it_is_open(tmp_path: Path) -> None:
    with open(tmp_path / "file", "wb") as stream, open(tmp_path / "file", "rb"):
        stream.write(b"x" * MB)
        stream.flush()
        assert deleted_bytes([os.getpid()]) == 0
        os.unlink(tmp_path / "file")
        assert deleted_bytes([os.getpid()]) == MB
        with open(os.memfd_create("given"), "wb", buffering=0) as memory:  # as bwrap's filter: not the command's
            memory.write(b"x")
            assert deleted_bytes([os.getpid()]) == MB
    assert deleted_bytes([os.getpid()]) == 0


def test_what_was_over_before_may_stay_but_not_grow(tmp_path: Path) -> None:
    """The command may be the one that cleans up."""
    (tmp_path / "old").write_bytes(b"x" * (2 * MB))
    watchdog = Watchdog(Limits(disk_bytes=MB), Mounts((), upper=tmp_path))

    def look() -> str | None:
        return watchdog.exceeded(os.getpid(), now=True)

    assert look() is None
    (tmp_path / "new").write_bytes(b"x" * 8192)
    assert look() == "disk"
    (tmp_path / "new").unlink()
    assert look() is None


def test_shared_memory_counts_as_memory() -> None:
    own = resident_bytes([os.getpid()])
    with mmap.mmap(-1, 64 * MB) as shared:  # MAP_SHARED
        for page in range(0, 64 * MB, 4096):
            shared[page] = 1
        assert resident_bytes([os.getpid()]) - own >= 60 * MB


def test_a_dead_process_has_neither_memory_nor_children() -> None:
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    assert resident_bytes([pid]) == 0
    assert descendants(pid) == [pid]
