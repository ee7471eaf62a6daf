"""The pipeline: takes items from data/queue.db in the order of their ids, and writes the sum of each to out."""

import json
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime


def step(store, policy, complained):
    """Does the next item; whether there was one to do."""
    row = store.execute("SELECT id, payload FROM queue WHERE state = 'pending' ORDER BY id LIMIT 1").fetchone()
    if row is None:
        return False
    number, payload = row
    try:
        value = sum(json.loads(payload)["values"])
    except (ValueError, KeyError, TypeError) as error:
        if number not in complained:
            complained.add(number)
            log("pipeline", f"item {number}: {error}; on_error={policy}")
        if policy != "dlq":
            return False
        store.execute("BEGIN IMMEDIATE")
        store.execute("INSERT INTO dlq VALUES (?, ?, ?)", (number, payload, str(error)))
        store.execute("UPDATE queue SET state = 'dead' WHERE id = ?", (number,))
        store.execute("COMMIT")
        return True
    store.execute("BEGIN IMMEDIATE")
    store.execute("INSERT INTO out VALUES (?, ?)", (number, value))
    store.execute("UPDATE queue SET state = 'done' WHERE id = ?", (number,))
    store.execute("COMMIT")
    return True


def serve(service):
    store = sqlite3.connect(ROOT / "data" / "queue.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    complained = set()
    service.ready()
    while True:
        if not step(store, runtime("pipeline")["on_error"], complained):
            time.sleep(0.03)


def render():
    return json.loads((ROOT / "etc" / "worker.json").read_text())


Service("pipeline", render, serve).main()
