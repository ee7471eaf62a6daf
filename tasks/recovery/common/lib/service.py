"""Runs a program as a service: start, stop, restart, status, reload, respawn."""

import json
import os
import signal
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_START_SECONDS = 5.0


def merged(folder):
    """The settings of a drop-in folder: every *.json in the order of their names, later ones win."""
    settings = {}
    for path in sorted((ROOT / folder).glob("*.json")):
        settings.update(json.loads(path.read_text()))
    return settings


def write(path, text):
    """Writes a file whole, or not at all."""
    place = ROOT / path
    place.parent.mkdir(parents=True, exist_ok=True)
    fresh = place.with_name(f".{place.name}.new")
    fresh.write_text(text)
    os.replace(fresh, place)


def runtime(name):
    """The settings that a service runs with: run/NAME.json, as its last start or reload rendered them."""
    return json.loads((ROOT / "run" / f"{name}.json").read_text())


def log(name, text):
    """Adds a line to log/NAME.log."""
    folder = ROOT / "log"
    folder.mkdir(exist_ok=True)
    with open(folder / f"{name}.log", "a") as stream:
        stream.write(text + "\n")


class Service:
    """A program that can be controlled.

    render() returns the settings to run with, from the files in etc; it raises to refuse.
    serve() is the program: it calls ready() once it works, and runs until it is stopped.
    """

    def __init__(self, name, render, serve):
        self.name, self.render, self.serve = name, render, serve
        self.pid_file = ROOT / "run" / f"{name}.pid"
        self.ready_file = ROOT / "run" / f"{name}.ready"

    def ready(self):
        """Says that the service works."""
        self.ready_file.write_text(f"{os.getpid()}\n")

    def running(self):
        """The pid of the running program, or None."""
        try:
            pid = int(self.pid_file.read_text())
            command = Path(f"/proc/{pid}/cmdline").read_bytes()
        except (OSError, ValueError):
            return None
        return pid if sys.argv[0].encode() in command or f"{self.name}.py".encode() in command else None

    def reload(self):
        """Renders the settings anew."""
        write(f"run/{self.name}.json", json.dumps(self.render(), indent=1, sort_keys=True) + "\n")

    def start(self):
        """Renders the settings, then starts the program."""
        if self.running():
            return self._say("is running", 1)
        try:
            self.reload()
        except Exception as error:
            log(self.name, f"refused to start: {error}")
            return self._say(f"does not start: {error}", 1)
        return self.respawn()

    def respawn(self):
        """Starts the program with the settings that are in run."""
        if self.running():
            return self._say("is running", 1)
        for path in (self.pid_file, self.ready_file):
            path.unlink(missing_ok=True)
        sys.stdout.flush()
        sys.stderr.flush()
        child = os.fork()
        if child == 0:
            self._become_daemon()
        deadline = time.monotonic() + _START_SECONDS
        while time.monotonic() < deadline:
            if self.ready_file.exists():
                return self._say("started", 0)
            if os.waitpid(child, os.WNOHANG)[0]:
                break
            time.sleep(0.005)
        tail = (ROOT / "log" / f"{self.name}.log").read_text().strip().splitlines()[-1:]
        return self._say(f"did not become ready: {' '.join(tail)}", 1)

    def _become_daemon(self):
        os.setsid()
        (ROOT / "run").mkdir(exist_ok=True)
        (ROOT / "log").mkdir(exist_ok=True)
        null = os.open(os.devnull, os.O_RDWR)
        output = os.open(ROOT / "log" / f"{self.name}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(null, 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.closerange(3, 256)
        os.chdir(ROOT)
        self.pid_file.write_text(f"{os.getpid()}\n")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        try:
            self.serve(self)
        except SystemExit:
            os._exit(0)
        except BaseException as error:
            log(self.name, f"ended: {type(error).__name__}: {error}")
            os._exit(1)
        os._exit(0)

    def stop(self):
        """Ends the program."""
        pid = self.running()
        if pid is None:
            return self._say("is not running", 0)
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _START_SECONDS
        while self.running() and time.monotonic() < deadline:
            time.sleep(0.005)
        if self.running():
            os.kill(pid, signal.SIGKILL)
        for path in (self.pid_file, self.ready_file):
            path.unlink(missing_ok=True)
        return self._say("stopped", 0)

    def status(self):
        """Says whether the program runs."""
        pid = self.running()
        return self._say(f"runs as {pid}" if pid else "is not running", 0 if pid else 3)

    def _say(self, text, code):
        print(f"{self.name}: {text}")
        return code

    def main(self):
        """Does what the command line asks for."""
        verb = sys.argv[1] if len(sys.argv) == 2 else ""
        if verb == "restart":
            self.stop()
            sys.exit(self.start())
        if verb not in ("start", "stop", "status", "reload", "respawn"):
            print(f"usage: {self.name} start|stop|restart|status|reload|respawn")
            sys.exit(2)
        sys.exit(getattr(self, verb)() or 0)
