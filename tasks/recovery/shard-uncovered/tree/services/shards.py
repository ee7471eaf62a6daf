"""The shard worker: takes the items of its shards from data/items.db and writes a receipt for each."""

import hashlib
import json
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime


def render():
    settings = json.loads((ROOT / "etc" / "shards.json").read_text())
    if not all(0 <= shard < settings["of"] for shard in settings["mine"]):
        raise ValueError(f"shards {settings['mine']} of {settings['of']}")
    return settings


def receipt(number, payload):
    return hashlib.sha256(f"{number}:{payload}".encode()).hexdigest()[:16]


def work(store, settings):
    """Does the waiting items of this worker's shards; how many."""
    waiting = store.execute("SELECT id, payload FROM items WHERE state = 'waiting' ORDER BY id").fetchall()
    mine = [(number, payload) for number, payload in waiting if number % settings["of"] in settings["mine"]]
    for number, payload in mine:
        store.execute("BEGIN IMMEDIATE")
        store.execute("INSERT INTO receipts VALUES (?, ?)", (number, receipt(number, payload)))
        store.execute("UPDATE items SET state = 'done' WHERE id = ?", (number,))
        store.execute("COMMIT")
    return len(mine)


def serve(service):
    store = sqlite3.connect(ROOT / "data" / "items.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    log("shards", f"takes {runtime('shards')['mine']} of {runtime('shards')['of']}")
    service.ready()
    while True:
        if not work(store, runtime("shards")):
            time.sleep(0.03)


Service("shards", render, serve).main()
