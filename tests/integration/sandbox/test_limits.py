"""Limits on what a command uses: each is named, and the host is left as it was."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from boxes import Box, make_box

from harness.sandbox.interface import Limits

pytestmark = pytest.mark.needs_bwrap
MB = 1 << 20
LIMITS = Limits(seconds=30, memory_bytes=160 * MB, processes=40, disk_bytes=24 * MB, inodes=400)


@pytest.fixture
def small(box_folder: Path) -> Box:
    return make_box(box_folder, limits=LIMITS)


@pytest.mark.parametrize(
    "code",
    [
        "b = bytearray(300 << 20)\nfor i in range(0, len(b), 4096): b[i] = 1\nimport time; time.sleep(60)",
        "import mmap, time\nm = mmap.mmap(-1, 300 << 20)\nfor i in range(0, len(m), 4096): m[i] = 1\ntime.sleep(60)",
        "import os, time\nfor _ in range(5):\n  if os.fork() == 0:\n    b = bytearray(60 << 20); break\ntime.sleep(60)",
    ],
    ids=["private", "shared", "many processes"],
)
def test_memory(small: Box, code: str) -> None:
    done = small.run(f"python3 -c '{code}'")
    assert (done.limit, done.returncode, done.timed_out) == ("memory", -1, False)


def test_one_process_cannot_ask_for_boundless_address_space(small: Box) -> None:
    assert b"MemoryError" in small.run("python3 -c 'bytearray(8 << 30)'").output


@pytest.mark.parametrize("place", ["/testbed", "/tmp", "~"])
def test_disk(small: Box, place: str) -> None:
    done = small.run(
        f"cd {place}; for i in $(seq 100); do head -c 2000000 /dev/zero > file$i; sleep 0.02; done; sleep 60"
    )
    assert done.limit == "disk"


def test_disk_counts_all_places_together(small: Box) -> None:
    done = small.run("for p in /testbed /tmp ~; do head -c 9000000 /dev/zero > $p/file; done; sleep 60")
    assert done.limit == "disk"


def test_holes_of_a_file_count(small: Box) -> None:
    assert small.run("for i in 1 2 3; do truncate -s 20M file$i; done; sleep 60").limit == "disk"


@pytest.mark.parametrize(
    "command",
    ["fallocate -x -l 20M a; fallocate -x -l 20M b", "truncate -s 20M a b", "mkdir d; head -c 20M /dev/zero > d/a; "
     "head -c 20M /dev/zero > d/b; chmod 000 d"],
    ids=["quick", "holes", "closed folder"],
)  # fmt: skip
def test_a_command_that_ends_before_it_is_looked_at_is_over_the_limit_too(small: Box, command: str) -> None:
    done = small.run(command)
    assert (done.limit, done.returncode, done.timed_out) == ("disk", -1, False)


@pytest.mark.parametrize(
    "fill",
    ["os.posix_fallocate(file, 0, 20 << 20)", "[os.write(file, block) for _ in range(5)]",
     "os.ftruncate(file, 20 << 20); os.sendfile(file, source, 0, 20 << 20)"],
    ids=["fallocate", "write", "sendfile"],
)  # fmt: skip
def test_the_fastest_writer_stays_below_twice_the_limit(small: Box, fill: str) -> None:
    code = f"""
import os
block = bytes(4 << 20)
source = os.open("/dev/shm/source", os.O_RDWR | os.O_CREAT)
os.write(source, block); os.ftruncate(source, 20 << 20)
for number in range(1000):
    file = os.open(f"file{{number}}", os.O_WRONLY | os.O_CREAT)
    {fill}
    os.close(file)
"""
    assert small.run(f"python3 - <<'END'\n{code}\nEND").limit == "disk"
    assert small.mounts.upper is not None
    taken = sum(os.lstat(path).st_blocks * 512 for path in small.mounts.upper.iterdir())
    assert taken < 2 * LIMITS.disk_bytes


def test_fallocate_says_that_it_is_not_supported(small: Box) -> None:
    """It would take gigabytes between two looks; glibc's posix_fallocate writes instead."""
    assert b"not supported" in small.run("fallocate -l 1M file").output
    code = "import os; os.posix_fallocate(os.open('file', os.O_RDWR | os.O_CREAT), 0, 1 << 20)"
    assert small.text(f'python3 -c "{code}"; stat -c %s file') == "1048576\n"


def test_deleted_files_count_while_they_are_open(small: Box) -> None:
    code = """
import os, time
kept = []
for number in range(100):
    kept.append(open("file", "wb"))
    os.unlink("file")
    kept[-1].write(bytes(2 << 20))
    kept[-1].flush()
    time.sleep(0.02)
time.sleep(60)
"""
    assert small.run(f"python3 - <<'END'\n{code}\nEND").limit == "disk"


def test_a_quick_command_is_over_the_limit_of_files_too(small: Box) -> None:
    assert small.run("mkdir many; cd many; touch $(seq 1000)").limit == "inodes"


def test_inodes(small: Box) -> None:
    assert small.run("for i in $(seq 1000); do : > file$i; done; sleep 60").limit == "inodes"


def test_a_single_file_cannot_pass_the_disk_limit(small: Box) -> None:
    small.run("head -c 100000000 /dev/zero > file")
    assert (small.mounts.upper / "file").stat().st_size <= LIMITS.disk_bytes  # type: ignore[operator]


def test_a_full_workspace_can_still_be_cleaned_up(small: Box) -> None:
    assert small.run("for i in 1 2 3; do head -c 12000000 /dev/zero > file$i; done; sleep 60").limit == "disk"
    done = small.run("sleep 0.6; rm -f file*; sleep 0.6; echo clean")
    assert (done.limit, done.output) == (None, b"clean\n")


def test_memory_that_no_process_shows_is_bounded(small: Box) -> None:
    """/dev/shm is sized; memfd and System V segments are refused by the filter."""
    done = small.run("head -c 200M /dev/zero > /dev/shm/file; stat -c %s /dev/shm/file")
    assert int(done.output.split()[-1]) <= LIMITS.disk_bytes
    done = small.run("for i in $(seq 20); do head -c 9M /dev/zero > /dev/shm/$i; done; du -sm /dev/shm")
    assert b"No space left" in done.output
    assert int(done.output.split()[-2]) <= 64


def test_a_fork_bomb_is_held(small: Box) -> None:
    done = small.run("bomb() { bomb | bomb & }; bomb; sleep 1; ls -d /proc/[0-9]* | wc -l || :; echo end", seconds=4)
    assert done.background_left or done.limit == "seconds" or b"retry" in done.output
    assert b"Resource temporarily unavailable" in done.output
    assert small.text("echo works") == "works\n"


def test_the_number_of_processes_is_limited(small: Box) -> None:
    code = """
import os, time
count = 0
try:
    for _ in range(200):
        if os.fork() == 0:
            time.sleep(60)
        count += 1
except BlockingIOError:
    pass
print(count)
"""
    done = small.run(f"python3 - <<'END'\n{code}\nEND")
    assert 10 < int(done.output) < LIMITS.processes


def test_resource_limits_cannot_be_raised(small: Box) -> None:
    assert small.run("ulimit -u 5000").returncode == 1
    assert small.run("ulimit -v unlimited").returncode == 1
    assert small.text("ulimit -c; ulimit -n").split() == ["0", small.text("ulimit -Hn").strip()]
    assert small.run("kill -SEGV $$; ls core*").returncode == 139


def test_a_limit_of_one_command_leaves_the_next_alone(small: Box) -> None:
    assert small.run("sleep 9", seconds=0.3).limit == "seconds"
    assert small.text("echo next") == "next\n"
