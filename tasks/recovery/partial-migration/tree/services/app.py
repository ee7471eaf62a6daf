"""The app: lists users with the number of their posts, and adds users; needs schema 2."""

import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, runtime


def opened(settings):
    store = sqlite3.connect(f"file:{ROOT / settings['db']}?mode=rw", uri=True, timeout=2, isolation_level=None)
    found = store.execute("SELECT v FROM meta").fetchone()[0]
    if found != settings["schema"]:
        raise ValueError(f"the database has schema {found}, the app needs {settings['schema']}")
    return store


def answer(request):
    store = opened(runtime("app"))
    try:
        if request["op"] == "users":
            query = (
                "SELECT u.id, u.first, u.last, u.email, count(p.id) FROM users u LEFT JOIN posts p ON p.user = u.id "
                "GROUP BY u.id ORDER BY u.id"
            )
            return {"users": store.execute(query).fetchall()}
        if request["op"] == "add":
            row = (request["first"], request["last"], request["email"])
            return {"id": store.execute("INSERT INTO users (first, last, email) VALUES (?, ?, ?)", row).lastrowid}
        return {"error": f"unknown op {request['op']!r}"}
    finally:
        store.close()


def render():
    settings = json.loads((ROOT / "etc" / "app.json").read_text())
    opened(settings).close()
    return settings


Service("app", render, lambda service: lines.serve("run/app.sock", answer, service.ready)).main()
