"""The clockwork: runs the jobs of etc/jobs.d. A job runs when an order for it lies in data/orders, in turn."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, merged, runtime, write

ORDERS, DONE = ROOT / "data" / "orders", ROOT / "data" / "done"


def run(job, order):
    """The result of an order: its numbers, as the job treats them."""
    numbers = [number for number in order["numbers"] if not job.get("at_most") or number <= job["at_most"]]
    return {"job": order["job"], "result": sum(numbers) if job["does"] == "sum" else max(numbers)}


def turn(jobs, complained):
    """Does the orders that are due; whether there was one."""
    done = False
    for path in sorted(ORDERS.glob("*.json")):
        try:
            order = json.loads(path.read_text())
        except (FileNotFoundError, ValueError):  # taken away, or still being written
            continue
        job = jobs.get(order["job"])
        held = job is not None and time.time() < job.get("not_before", 0)
        why = "no such job" if job is None else "held back until tomorrow" if held else ""
        if why:
            if path.name not in complained:
                complained.add(path.name)
                log("clockwork", f"{path.name}: {order['job']}: {why}")
            continue
        write(f"data/done/{path.name}", json.dumps(run(job, order)) + "\n")
        os.rename(path, ROOT / "data" / "kept" / path.name)
        done = True
    return done


def serve(service):
    complained = set()
    turn(runtime("clockwork"), complained)
    service.ready()
    while True:
        if not turn(runtime("clockwork"), complained):
            time.sleep(0.03)


Service("clockwork", lambda: merged("etc/jobs.d"), serve).main()
