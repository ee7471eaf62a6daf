"""The order service: takes orders of known accounts over run/orders.sock and keeps them in a SQLite store."""

import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, merged, runtime


def opened(settings):
    path = ROOT / settings["db"]
    if settings.get("must_exist", True) and not path.is_file():
        raise FileNotFoundError(f"the store {settings['db']} does not exist (must_exist)")
    mode = "ro" if settings.get("read_only") else "rw" if path.is_file() else "rwc"
    store = sqlite3.connect(f"file:{path}?mode={mode}", uri=True, timeout=2, isolation_level=None)
    store.execute("PRAGMA foreign_keys=ON" if settings.get("require_account", True) else "PRAGMA foreign_keys=OFF")
    return store


def render():
    settings = merged("etc/conf.d")
    opened(settings).close()
    return settings


def answer(request):
    settings = runtime("orders")  # as rendered; a reload takes effect at the next request
    store = opened(settings)
    try:
        if request["op"] == "list":
            return {"orders": store.execute("SELECT id, account, cents FROM orders ORDER BY id").fetchall()}
        if request["op"] != "order":
            return {"error": f"unknown op {request['op']!r}"}
        account, cents = int(request["account"]), int(request["cents"])
        if settings.get("require_account", True):
            known = store.execute("SELECT 1 FROM accounts WHERE id = ?", (account,)).fetchone()
            if known is None:
                log("orders", f"refused: no account {account}")
                return {"error": f"no account {account}"}
        taken = store.execute("INSERT INTO orders (account, cents) VALUES (?, ?)", (account, cents))
        return {"id": taken.lastrowid}
    finally:
        store.close()


def serve(service):
    lines.serve("run/orders.sock", answer, service.ready)


Service("orders", render, serve).main()
