"""The scheduler: runs each job of etc/schedule.json once after a start, then at its interval, or when run/NAME.now is
there."""

import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime


def due(name, job):
    """Whether a job is to be run now."""
    last, now = ROOT / "run" / f"{name}.last", ROOT / "run" / f"{name}.now"
    if now.exists():
        now.unlink()
        return True
    return not last.exists() or time.time() - last.stat().st_mtime > job["every_s"]


def run_due_jobs():
    for name, job in runtime("scheduler")["jobs"].items():
        if due(name, job):
            done = subprocess.run(job["command"], cwd=ROOT, capture_output=True, text=True)
            log("scheduler", f"{name}: ended with {done.returncode} {done.stderr[-200:]}".strip())
            (ROOT / "run" / f"{name}.last").write_text("")


def serve(service):
    run_due_jobs()
    service.ready()
    while True:
        run_due_jobs()
        time.sleep(0.03)


def render():
    return json.loads((ROOT / "etc" / "schedule.json").read_text())


Service("scheduler", render, serve).main()
