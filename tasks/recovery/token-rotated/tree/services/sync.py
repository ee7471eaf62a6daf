"""The sender: takes what waits in data/pending.db to the vault, one record after the other."""

import json
import os
import socket
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime


def send(record):
    token = (ROOT / runtime("sync")["token_file"]).read_text().strip()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect("run/vault.sock")
        connection.sendall(json.dumps({"id": record[0], "text": record[1], "token": token}).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def step(store, complained):
    row = store.execute("SELECT id, text FROM pending WHERE sent = 0 ORDER BY id LIMIT 1").fetchone()
    if row is None:
        return False
    try:
        said = send(row)
    except OSError as error:
        said = {"error": error.strerror or str(error)}
    if "error" in said:
        if (row[0], said["error"]) not in complained:
            complained.add((row[0], said["error"]))
            log("sync", f"record {row[0]} with {runtime('sync')['token_file']}: {said['error']}")
        return False
    store.execute("UPDATE pending SET sent = 1 WHERE id = ?", (row[0],))
    return True


def serve(service):
    store = sqlite3.connect(ROOT / "data" / "pending.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    complained = set()
    service.ready()
    while True:
        if not step(store, complained):
            time.sleep(0.05)


def render():
    return json.loads((ROOT / "etc" / "sync.json").read_text())


Service("sync", render, serve).main()
