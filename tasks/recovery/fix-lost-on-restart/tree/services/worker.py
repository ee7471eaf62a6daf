"""The worker: takes waiting jobs from data/jobs.db, checks their signatures, and writes a result for each."""

import hashlib
import hmac
import json
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, merged, runtime


def signed(payload, signature):
    key = (ROOT / "etc" / "worker.key").read_bytes().strip()
    return hmac.compare_digest(hmac.new(key, payload.encode(), hashlib.sha256).hexdigest(), signature)


def work(store, settings):
    """Does the next waiting jobs, as many as there are slots."""
    waiting = "SELECT id, payload, signature FROM jobs WHERE state = 'waiting' ORDER BY id LIMIT ?"
    jobs = store.execute(waiting, (settings["concurrency"],)).fetchall()
    for number, payload, signature in jobs:
        if settings.get("verify_sig", True) and not signed(payload, signature):
            log("worker", f"job {number}: the signature is wrong")
            store.execute("UPDATE jobs SET state = 'rejected' WHERE id = ?", (number,))
            continue
        store.execute("BEGIN IMMEDIATE")
        store.execute("INSERT INTO results VALUES (?, ?)", (number, sum(json.loads(payload))))
        store.execute("UPDATE jobs SET state = 'done' WHERE id = ?", (number,))
        store.execute("COMMIT")
    return bool(jobs)


def serve(service):
    store = sqlite3.connect(ROOT / "data" / "jobs.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    service.ready()
    while True:
        settings = runtime("worker")
        if not settings["concurrency"] or not work(store, settings):
            time.sleep(0.03)


Service("worker", lambda: merged("etc/worker.d"), serve).main()
