"""The ledger: keeps a balance; every entry goes to data/journal.jsonl first, then into data/state.json."""

import json
import os
import sys
import threading
from pathlib import Path

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, runtime, write

LOCK, JOURNAL = ROOT / "data" / "lock", ROOT / "data" / "journal.jsonl"
STATE, BOOT = ROOT / "data" / "state.json", ROOT / "run" / "boot"
_one = threading.Lock()


def boot():
    """What tells this boot from others: run/ is emptied by each."""
    if not BOOT.exists():
        write("run/boot", os.urandom(8).hex())
    return BOOT.read_text()


def stale(lock):
    """Whether the owner of a lock is gone: of another boot, or dead."""
    if lock["boot"] != boot():
        return True
    try:
        return b"ledger.py" not in Path(f"/proc/{lock['pid']}/cmdline").read_bytes()
    except OSError:
        return True


def take_lock(settings):
    if not settings.get("lock", True):
        return
    if LOCK.exists() and settings.get("break_stale") and stale(json.loads(LOCK.read_text())):
        log("ledger", f"broke the stale lock {LOCK.read_text().strip()}")
        LOCK.unlink()
    with open(LOCK, "x") as stream:
        json.dump({"boot": boot(), "pid": os.getpid()}, stream)


def replay():
    """Applies the entries of the journal that the state does not have."""
    state = json.loads(STATE.read_text())
    for line in JOURNAL.read_text().splitlines() if JOURNAL.exists() else ():
        entry = json.loads(line)
        if entry["id"] not in state["applied"]:
            state = {"balance": state["balance"] + entry["amount"], "applied": [*state["applied"], entry["id"]]}
    write("data/state.json", json.dumps(state) + "\n")
    return state


def answer(request):
    with _one:
        state = json.loads(STATE.read_text())
        if request["op"] == "balance":
            return state
        if request["op"] == "add":
            entry = {"id": max(state["applied"], default=0) + 1, "amount": int(request["amount"])}
            with open(JOURNAL, "a") as stream:
                stream.write(json.dumps(entry) + "\n")
            return {"id": entry["id"], "balance": replay()["balance"]}
    return {"error": f"unknown op {request['op']!r}"}


def serve(service):
    try:
        take_lock(runtime("ledger"))
    except FileExistsError:
        log("ledger", f"data/lock is held: {LOCK.read_text().strip()}")
        sys.exit(1)
    try:
        replay()
        lines.serve("run/ledger.sock", answer, service.ready)
    finally:
        LOCK.unlink(missing_ok=True)


Service("ledger", lambda: json.loads((ROOT / "etc" / "ledger.json").read_text()), serve).main()
