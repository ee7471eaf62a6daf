"""Nothing of ours stays in the engine, whatever becomes of the process; nothing of others is touched."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from boxes import make_box
from engines import contents

from harness.sandbox.docker.engine import DEFAULT_IMAGE, client
from harness.sandbox.docker.labels import own_labels
from harness.sandbox.docker.leftovers import leftovers

PROJECT = Path(__file__).resolve().parents[3]


def _eventually(holds: Callable[[], bool], seconds: float = 30) -> bool:
    until = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def test_stopping_leaves_nothing(box_folder: Path) -> None:
    before = contents()
    box = make_box(box_folder, kind="docker")
    assert contents() != before
    box.run("sleep 600 & echo x")
    box.sandbox.stop()
    box.sandbox.stop()
    assert contents() == before


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_T08_a_killed_process_leaves_nothing(box_folder: Path, number: signal.Signals) -> None:
    before = contents()
    code = (
        "import sys; from pathlib import Path; from boxes import make_box\n"
        "box = make_box(Path(sys.argv[1]), kind='docker'); print('started', flush=True); box.run('sleep 600')"
    )
    environment = {**os.environ, "PYTHONPATH": f"{PROJECT}:{PROJECT / 'tests' / 'support'}"}
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(box_folder)], env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert child.stdout and child.stdout.readline() == "started\n"
    time.sleep(0.5)
    assert contents()["containers"] > before["containers"]
    child.send_signal(number)
    child.wait(30)
    assert _eventually(lambda: contents() == before)


def test_T10_only_orphans_of_this_state_directory_are_leftovers(box_folder: Path) -> None:
    api = client().api
    dead = subprocess.Popen(["true"])
    dead.wait()

    def container(labels: dict[str, str]) -> str:
        return str(api.create_container(DEFAULT_IMAGE, ["true"], labels=labels, name=None)["Id"])

    alive, ours = own_labels(), own_labels() | {"restartlab.pid": str(dead.pid)}
    made = [container(labels) for labels in (ours, alive, ours | {"restartlab.owner": "other"}, {})]
    try:
        assert [one.id for one in leftovers()] == made[:1]
        for one in leftovers():
            one.remove()
            one.remove()
        remaining = contents()["containers"]
        assert made[0] not in remaining and set(made[1:]) <= remaining
    finally:
        for one in made[1:]:
            api.remove_container(one, force=True)


def test_T11_two_boxes_at_once_have_names_of_their_own(box_folder: Path) -> None:
    boxes = [make_box(box_folder / str(n), kind="docker") for n in range(2)] if box_folder.mkdir() is None else []
    try:
        assert [box.run(f"echo {n} > mine; cat mine").output for n, box in enumerate(boxes)] == [b"0\n", b"1\n"]
    finally:
        for box in boxes:
            box.sandbox.stop()


def test_T12_a_container_that_ended_by_itself_is_removed(box_folder: Path) -> None:
    before = contents()
    box = make_box(box_folder, kind="docker")
    client().api.kill(box.sandbox._container.id)  # type: ignore[attr-defined]
    assert _eventually(lambda: contents() == before)
    box.sandbox.stop()


def test_T19_no_network_is_ever_made(box_folder: Path) -> None:
    networks = contents()["networks"]
    box = make_box(box_folder, kind="docker")
    try:
        assert contents()["networks"] == networks
        facts = client().api.inspect_container(box.sandbox._container.id)  # type: ignore[attr-defined]
        assert facts["HostConfig"]["NetworkMode"] == "none"
    finally:
        box.sandbox.stop()
