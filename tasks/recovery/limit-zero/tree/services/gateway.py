"""The gateway: takes uses over run/gateway.sock, so many per client and window, and writes each to data/usage.log."""

import json
import os
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, merged, runtime

LOCK = threading.Lock()
windows = {}  # client: [begin of its window, uses in it, whether a refusal was told]


def banned():
    return (ROOT / "data" / "banned.txt").read_text().split()


def refusal(client, settings):
    """Why a use is refused, or None."""
    if settings.get("check_bans", True) and client in banned():
        return "banned"
    if not settings.get("enforce", True):
        return None
    now = time.monotonic()
    window = windows.setdefault(client, [now, 0, False])
    if now - window[0] >= settings["window_seconds"]:
        window[:] = [now, 0, False]
    limit = settings["limits"].get(client, 1)
    if window[1] < limit:
        window[1] += 1
        return None
    if not window[2]:
        log("gateway", f"{client}: over its limit of {limit}")
        window[2] = True
    return f"over the limit of {limit}"


def answer(request):
    if request["op"] != "use":
        return {"error": f"unknown op {request['op']!r}"}
    client = str(request["client"])
    with LOCK:
        why = refusal(client, runtime("gateway"))
        if why:
            return {"error": why}
        with open(ROOT / "data" / "usage.log", "a") as stream:
            stream.write(f"{client} {request.get('note', '')}\n")
    return {"taken": client}


def render():
    return {**json.loads((ROOT / "etc" / "gateway.json").read_text()), "limits": merged("etc/limits.d")}


Service("gateway", render, lambda service: lines.serve("run/gateway.sock", answer, service.ready)).main()
