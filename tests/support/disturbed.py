"""Collections that are disturbed: a frozen laboratory, a started ``collect``, and moments to strike at."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
import victims
from tiny_lab import TinyLab


@pytest.fixture
def frozen(lab: TinyLab) -> TinyLab:
    """A laboratory whose stage ``tiny`` is frozen; temporary files go to a folder of its own."""
    lab.write_stage()
    (lab.root / "temporary").mkdir()
    lab.environment["TMPDIR"] = str(lab.root / "temporary")
    done = lab.run("freeze", "tiny")
    assert done.returncode == 0, done.stderr
    return lab


@dataclass
class Started:
    """A running ``collect`` in a session of its own."""

    process: subprocess.Popen[str]

    def await_worker(self) -> int:
        """Waits for a worker that runs a try; its pid."""
        found: list[int] = []

        def there() -> bool:
            found[:] = [w.pid for w in victims.workers(self.process.pid) if victims.open_trajectory(w.pid)]
            return bool(found)

        wait_for(there, self.process)
        return found[0]

    def end(self) -> tuple[int, str]:
        """Waits for the end; exit code, and all that was said."""
        said, _ = self.process.communicate(timeout=120)
        return self.process.returncode, said


def wait_for(there: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Waits until ``there`` says so; fails when ``process`` ends first."""
    deadline = time.monotonic() + 90
    while not there():
        assert process.poll() is None, f"ended with {process.returncode}: {process.stdout and process.stdout.read()}"
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.01)


Starter = Callable[..., Started]


@pytest.fixture
def start() -> Iterator[Starter]:
    """Starts ``restartlab`` with arguments in a laboratory; what still runs at the end is killed."""
    begun: list[subprocess.Popen[str]] = []

    def started(lab: TinyLab, *arguments: str, before: tuple[str, ...] = (), **more: str) -> Started:
        begun.append(
            subprocess.Popen(
                [*before, *lab.command(*arguments)], env=lab.environment | more, cwd=lab.root, text=True,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
            )
        )  # fmt: skip
        return Started(begun[-1])

    with victims.adopting():
        yield started
        for process in begun:
            process.kill()
            process.communicate()
        left = victims.left_over(set())
        assert left == [], left
