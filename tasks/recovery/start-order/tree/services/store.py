"""The store: keeps reservations in a SQLite database, and answers over run/store.sock."""

import os
import sqlite3
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service


def answer(request):
    database = sqlite3.connect(ROOT / "data" / "seats.db", timeout=2, isolation_level=None)
    try:
        if request["op"] == "list":
            return {"seats": database.execute("SELECT seat, name FROM seats ORDER BY seat").fetchall()}
        database.execute("INSERT INTO seats VALUES (?, ?)", (int(request["seat"]), str(request["name"])))
        return {"seat": int(request["seat"])}
    finally:
        database.close()


Service("store", dict, lambda service: lines.serve("run/store.sock", answer, service.ready)).main()
