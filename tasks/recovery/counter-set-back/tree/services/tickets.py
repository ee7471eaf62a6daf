"""The ticket service: gives out numbers over run/tickets.sock and keeps the open tickets in a SQLite database."""

import json
import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, write

COUNTER = "data/next"


def render():
    settings = json.loads((ROOT / "etc" / "tickets.json").read_text())
    if "start_at" in settings:
        write(COUNTER, f"{settings['start_at']}\n")
    return settings


def answer(request):
    store = sqlite3.connect(ROOT / "data" / "tickets.db", timeout=2, isolation_level=None)
    try:
        if request["op"] == "list":
            return {"tickets": store.execute("SELECT number, title FROM tickets ORDER BY number").fetchall()}
        if request["op"] != "open":
            return {"error": f"unknown op {request['op']!r}"}
        number = int((ROOT / COUNTER).read_text())
        try:
            store.execute("INSERT INTO tickets VALUES (?, ?)", (number, str(request["title"])))
        except sqlite3.IntegrityError as error:
            log("tickets", f"ticket {number}: {error}")
            return {"error": f"ticket {number}: {error}"}
        write(COUNTER, f"{number + 1}\n")
        with open(ROOT / "data" / "given.log", "a") as stream:
            stream.write(f"{number}\n")
        return {"number": number}
    finally:
        store.close()


Service("tickets", render, lambda service: lines.serve("run/tickets.sock", answer, service.ready)).main()
