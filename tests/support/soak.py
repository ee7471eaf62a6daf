"""Kills parts of a collection at random moments until it is done nevertheless, then compares it with a quiet one.

``python tests/support/soak.py --kills 200 --seed 1``: each round collects one tiny stage in a state of its own. Exit 0
when no attempt was lost, doubled or silently retried and the counted rows of each round equal an undisturbed run's.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path[:0] = [str(Path(__file__).resolve().parents[2]), str(Path(__file__).resolve().parent)]

import victims
from aftermath import Row, excluded, exclusion_of, exported, faults_after, running_tries, undisturbed
from tiny_lab import TinyLab, make_lab

#: What is killed or asked to stop, and how often among the rest.
KINDS = {
    "controller": 4, "worker": 4, "sandbox": 3, "sandbox_first": 3, "verifier": 2, "verifier_first": 2, "ctrl_c": 2,
    "ctrl_c_twice": 2, "terminate": 1, "hang_up": 1,
}  # fmt: skip
_ENDING = ("controller", "ctrl_c", "ctrl_c_twice", "terminate", "hang_up")
_SIGNALS = {"terminate": signal.SIGTERM, "hang_up": signal.SIGHUP}
_DEADLY = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
#: Exclusions that the kinds explain.
_REASONS = {"interrupted", "worker_lost", "sandbox_lost", "verifier_failure"}


@dataclass
class Soak:
    """A soak and what it has seen."""

    root: Path
    seed: int
    kills: int
    repeats: int = 16
    workers: int = 2
    done: Counter[str] = field(default_factory=Counter)
    missed: int = 0
    orphans: int = 0
    rounds: int = 0
    runs: int = 0
    attempts: int = 0
    lost_tries: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def run(self) -> None:
        """Rounds until enough was killed."""
        self._pick = random.Random(self.seed)
        self._lab = self._make_lab()
        self._wanted = undisturbed(self._lab)
        with victims.adopting():
            while sum(self.done.values()) < self.kills:
                self._round()

    def _make_lab(self) -> TinyLab:
        lab = make_lab(self.root / "lab", self.root / "cache")
        lab.write_stage(repeats=self.repeats)
        (lab.root / "temporary").mkdir()
        lab.environment["TMPDIR"] = str(lab.root / "temporary")
        done = lab.run("freeze", "tiny")
        assert done.returncode == 0, done.stderr
        return lab

    def _round(self) -> None:
        self.rounds += 1
        lab = self._lab
        lab.environment["RESTARTLAB_STATE"] = str(lab.root / f"state{self.rounds}")
        self._ended: dict[str, tuple[str, ...]] = {}
        for _ in range(400):
            code, said = self._collect()
            if code == 0:
                break
            # A signal in the first moments, before it is handled, ends the process; the shell says 130 then too.
            if code not in (1, 130, *(-number for number in _DEADLY)):
                self.faults.append(f"round {self.rounds}: collect ended with {code}: {said[-2000:]}")
                break
        self._check()

    @property
    def _state(self) -> Path:
        return Path(self._lab.environment["RESTARTLAB_STATE"])

    def _collect(self) -> tuple[int, str]:
        """One run of ``collect`` with what happens to it; exit code, and what it said."""
        self.runs += 1
        log = self.root / f"log-{self.rounds}"
        with open(log, "ab") as out:
            command = ("collect", "tiny", "--workers", str(self.workers), "--redo-excluded")
            process = subprocess.Popen(
                self._lab.command(*command), env=self._lab.environment,
                cwd=self._lab.root, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )  # fmt: skip
            while process.poll() is None and sum(self.done.values()) < self.kills:
                kind = self._pick.choices(list(KINDS), list(KINDS.values()))[0]
                if self._pick.random() < 0.85:  # the others fall anywhere between start, gate and end
                    self._await_a_try(process)
                self._sleep(process, self._pick.uniform(0.0, 0.8))
                self._strike(kind, process)
                if kind in _ENDING:
                    break
            try:
                process.wait(timeout=180)
            except subprocess.TimeoutExpired:
                self.faults.append(f"round {self.rounds}: collect did not end")
                process.kill()
                process.wait()
        if process.returncode == -signal.SIGKILL:
            for name in self._running().values():
                self._ended[name] = ("interrupted",)
        elif left := set(self._running().values()) - set(self._ended):
            self.faults.append(f"round {self.rounds}: collect ended by itself and left running tries {left}")
        if process.returncode == -signal.SIGKILL:
            # A sandbox that was just starting may be left; the next run finds and ends it.
            self.orphans += len(victims.left_over(set(), seconds=2.0))
        else:
            self.faults += [f"round {self.rounds}: left over: {one}" for one in victims.left_over(set())]
        return process.returncode, log.read_text(errors="replace")

    def _running(self) -> dict[int, str]:
        return running_tries(self._seen) if (self._state / "restartlab.db").exists() else {}

    @property
    def _seen(self) -> TinyLab:
        """The laboratory with this round's state."""
        return _InState(self._lab.root, self._lab.environment)

    def _await_a_try(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + 120
        while process.poll() is None and time.monotonic() < deadline:
            if any(victims.open_trajectory(one.pid) for one in victims.workers(process.pid)):
                return
            time.sleep(0.02)

    @staticmethod
    def _sleep(process: subprocess.Popen[bytes], seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=seconds)

    def _strike(self, kind: str, process: subprocess.Popen[bytes]) -> None:
        """Does it, if there is what it hits."""
        if process.poll() is not None:
            self.missed += 1
            return
        hit = True
        if kind == "controller":
            process.kill()
        elif kind in _SIGNALS:
            process.send_signal(_SIGNALS[kind])
        elif kind.startswith("ctrl_c"):
            os.killpg(process.pid, signal.SIGINT)
            if kind == "ctrl_c_twice":
                self._sleep(process, self._pick.uniform(0.0, 0.3))
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGINT)
        elif kind == "worker":
            hit = self._kill_worker(process.pid)
        else:
            hit = self._kill_sandbox(kind, process.pid)
        if hit:
            self.done[kind] += 1
            print(f"kill {sum(self.done.values())}/{self.kills}: {kind} (round {self.rounds})", flush=True)
        else:
            self.missed += 1

    def _kill_worker(self, controller: int) -> bool:
        running = victims.workers(controller)
        if not running:
            return False
        pid = self._pick.choice(running).pid
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)  # so that what it is doing now is what it was doing when it died
            name = victims.open_trajectory(pid)
            if name:
                # Killed in the meantime, the controller says so instead.
                self._ended[name] = ("worker_lost", "interrupted")
            os.kill(pid, signal.SIGKILL)
            return True
        return False

    def _kill_sandbox(self, kind: str, controller: int) -> bool:
        verifier, first = kind.startswith("verifier"), kind.endswith("first")
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            for one in victims.sandboxes(controller, verifier=verifier):
                pid = victims.first_inside(one.pid) if first else one.pid
                with contextlib.suppress(ProcessLookupError):
                    if pid:
                        os.kill(pid, signal.SIGKILL)
                        return True
        return False

    def _check(self) -> None:
        """All that must hold once a round is done."""
        seen, where = self._seen, f"round {self.rounds}"
        found = faults_after(seen, self._wanted)
        rows = exported(seen)
        lost: list[Row] = excluded(rows)
        self.attempts += len({row["repeat"] for row in rows})
        self.lost_tries.update(row["exclusion"] for row in lost)
        found += [f"excluded for {reason}" for reason in {row["exclusion"] for row in lost} - _REASONS]
        for name, reasons in self._ended.items():
            if (reason := exclusion_of(seen, name)) not in reasons:
                found.append(f"try of {name} was killed; recorded is {reason}, wanted one of {reasons}")
        self.faults += [f"{where}: {fault}" for fault in found]
        print(f"{where}: {len(rows)} tries, {len(lost)} excluded, {len(found)} faults", flush=True)

    def summary(self) -> str:
        """One line."""
        kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(self.done.items()))
        reasons = ", ".join(f"{reason} {count}" for reason, count in sorted(self.lost_tries.items()))
        return (
            f"soak seed {self.seed}: {sum(self.done.values())} kills ({kinds}) "
            f"in {self.runs} runs of {self.rounds} rounds; "
            f"{self.attempts} attempts finished, {sum(self.lost_tries.values())} tries lost and excluded ({reasons}); "
            f"{self.orphans} sandboxes outlived their controller until the next run; {len(self.faults)} faults"
        )


class _InState(TinyLab):
    """A laboratory that looks at the state its environment names."""

    @property
    def state(self) -> Path:
        return Path(self.environment["RESTARTLAB_STATE"])


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--repeats", type=int, default=16, help="attempts per round")
    parser.add_argument("--keep", type=Path, help="folder for logs and states; a temporary one by default")
    chosen = parser.parse_args()
    with contextlib.ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        soak = Soak(folder, chosen.seed, chosen.kills, chosen.repeats)
        soak.run()
    for fault in soak.faults:
        print(f"FAULT {fault}")
    print(soak.summary(), flush=True)
    return 1 if soak.faults else 0


if __name__ == "__main__":
    sys.exit(main())
