"""A worker: writes a receipt for each order in data/orders.db. Of the workers that share a lease one leads, the others
stand by; how far the orders are done is kept with the lease. Started with the worker's name."""

import json
import os
import sqlite3
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, runtime

NAME = sys.argv.pop(1)
LEASE_SECONDS = 60.0


def database():
    store = sqlite3.connect(ROOT / "data" / "orders.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    return store


def due(store, settings):
    """What is to be done: None where another one leads, "lease" where it is to be taken or renewed, an order, or ()."""
    now = time.time()
    query = "SELECT holder, until, last FROM leases WHERE name = ?"
    holder, until, last = store.execute(query, (settings["lease"],)).fetchone() or ("", 0, 0)
    if settings.get("check_lease", True):
        if holder not in ("", NAME) and until > now:
            return None
        if holder != NAME or until < now + LEASE_SECONDS / 2:
            return "lease"
    return store.execute("SELECT id, amount FROM orders WHERE id > ? ORDER BY id LIMIT 1", (last,)).fetchone() or ()


def step(store, settings):
    """Does what is due; whether there was something."""
    if not due(store, settings):
        return False
    lease = settings["lease"]
    store.execute("BEGIN IMMEDIATE")
    found = due(store, settings)  # another worker may have been faster
    store.execute("INSERT OR IGNORE INTO leases VALUES (?, '', 0, 0)", (lease,))
    if found == "lease":
        until = time.time() + LEASE_SECONDS
        store.execute("UPDATE leases SET holder = ?, until = ? WHERE name = ?", (NAME, until, lease))
    elif found:
        store.execute("INSERT INTO receipts (order_id, amount, worker) VALUES (?, ?, ?)", (*found, NAME))
        store.execute("UPDATE leases SET last = ? WHERE name = ?", (found[0], lease))
    store.execute("COMMIT")
    return True


def answer(request):
    if request["op"] != "status":
        return {"error": f"unknown op {request['op']!r}"}
    settings, store = runtime(NAME), database()
    try:
        row = store.execute("SELECT holder, last FROM leases WHERE name = ?", (settings["lease"],)).fetchone()
    finally:
        store.close()
    return {"worker": NAME, "lease": settings["lease"], "leads": bool(row) and row[0] == NAME, "last": row and row[1]}


def serve(service):
    store, told = database(), None
    server = threading.Thread(target=lines.serve, args=(f"run/{NAME}.sock", answer, service.ready), daemon=True)
    server.start()
    try:
        while True:
            settings = runtime(NAME)
            if settings != told:
                log(NAME, f"works with lease {settings['lease']}")
                told = settings
            if not step(store, settings):
                time.sleep(0.03)
    finally:
        if store.in_transaction:
            store.execute("ROLLBACK")
        store.execute("UPDATE leases SET holder = '', until = 0 WHERE holder = ?", (NAME,))


def render():
    return json.loads((ROOT / "etc" / f"{NAME}.json").read_text())


Service(NAME, render, serve).main()
