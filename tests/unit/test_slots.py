"""Slots between processes: never more holders than places, none lost with a killed holder."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from harness.slots import Slots, make_slots

PROJECT = Path(__file__).resolve().parents[2]

#: Takes a place again and again; says when it has one and when it gives it back.
HOLDER = """
import sys, time
from pathlib import Path
from harness.slots import Slots
slots = Slots(Path(sys.argv[1]), int(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    with slots.taken():
        print("in", time.monotonic_ns(), flush=True)
        time.sleep(float(sys.argv[4]))
        print("out", time.monotonic_ns(), flush=True)
"""


def holder(folder: Path, count: int, times: int, seconds: float) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(folder), str(count), str(times), str(seconds)], stdout=subprocess.PIPE,
        text=True, env=os.environ | {"PYTHONPATH": str(PROJECT)},
    )  # fmt: skip


@pytest.mark.parametrize("count", [1, 3])
def test_there_are_never_more_holders_than_places(tmp_path: Path, count: int) -> None:
    processes = [holder(tmp_path, count, 8, 0.01) for _ in range(6)]
    events = []
    for process in processes:
        said = process.communicate(timeout=60)[0].split()
        assert process.returncode == 0
        events += [(int(at), 1 if kind == "in" else -1) for kind, at in zip(said[::2], said[1::2], strict=True)]
    held = most = 0
    for _, change in sorted(events):
        held += change
        most = max(most, held)
    assert len(events) == 6 * 8 * 2
    assert most == count


def test_a_killed_holder_gives_its_place_back(tmp_path: Path) -> None:
    first = holder(tmp_path, 1, 1, 3600)
    assert first.stdout is not None
    assert first.stdout.readline().startswith("in")
    second = holder(tmp_path, 1, 1, 0)
    time.sleep(0.3)
    assert second.poll() is None
    first.send_signal(signal.SIGKILL)
    said = second.communicate(timeout=60)[0]
    first.communicate()
    assert said.startswith("in")
    assert second.returncode == 0


def test_a_killed_waiter_does_not_block_the_queue(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    with slots.taken():
        waiter, other = holder(tmp_path, 1, 1, 0), holder(tmp_path, 1, 1, 0)
        time.sleep(0.5)
        waiter.kill()
        waiter.communicate()
    assert other.communicate(timeout=60)[0].startswith("in")


def test_an_error_inside_gives_the_place_back(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(KeyError), slots.taken():
            raise KeyError
    with slots.taken():
        pass
    assert len(os.listdir("/proc/self/fd")) == before


def test_each_collection_has_its_own_and_leaves_nothing(state: Path) -> None:
    with make_slots(2, 1) as one, make_slots(2, None) as other:
        assert one.model_calls is not None
        assert other.model_calls is not None
        assert one.model_calls.folder != other.model_calls.folder
        assert (one.model_calls.count, other.sandboxes) == (2, None)
    assert [path.name for path in (state / "slots").iterdir()] == ["lock"]
    with make_slots(None, None) as none:
        assert (none.model_calls, none.sandboxes) == (None, None)


def test_what_a_killed_collection_left_goes_away_and_a_living_one_stays(state: Path) -> None:
    code = "import time, harness.slots as s\nwith s.make_slots(1, 1):\n  print(flush=True); time.sleep(99)"
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    killed = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment)
    assert killed.stdout is not None
    killed.stdout.readline()
    killed.kill()
    killed.communicate()
    assert len(list((state / "slots").glob("*/"))) == 1
    with make_slots(1, None) as living:
        assert len(list((state / "slots").glob("*/"))) == 1
        with make_slots(1, None):
            assert living.model_calls is not None
            assert living.model_calls.folder.is_dir()
