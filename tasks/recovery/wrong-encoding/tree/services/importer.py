"""The importer: reads data/drop/*.csv into data/people.db; files go to data/kept, refused ones to data/refused."""

import csv
import io
import json
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime

DATA = ROOT / "data"


def read(path, settings):
    """The rows of a file; one that is no row refuses all of it, unless such rows are skipped."""
    rows = []
    for row in csv.reader(io.StringIO(path.read_bytes().decode(settings["encoding"]))):
        if len(row) == 2 and row[0].isdigit():
            rows.append((int(row[0]), row[1]))
        elif settings.get("bad_rows", "refuse") != "skip":
            raise ValueError(f"no row of a number and a name: {row}")
    return rows


def take(path, store, settings):
    try:
        rows = read(path, settings)
    except ValueError as error:
        log("importer", f"{path.name}: refused: {error}")
        os.rename(path, DATA / "refused" / path.name)
        return
    store.execute("BEGIN IMMEDIATE")
    store.executemany("INSERT OR REPLACE INTO people VALUES (?, ?)", rows)
    store.execute("COMMIT")
    os.rename(path, DATA / "kept" / path.name)


def serve(service):
    store = sqlite3.connect(DATA / "people.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    service.ready()
    while True:
        found = [path for path in sorted((DATA / "drop").glob("*.csv")) if path.stat().st_size]  # else in the making
        for path in found:
            take(path, store, runtime("importer"))
        if not found:
            time.sleep(0.03)


def render():
    return json.loads((ROOT / "etc" / "importer.json").read_text())


Service("importer", render, serve).main()
