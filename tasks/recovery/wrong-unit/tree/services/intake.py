"""The intake: reads data/in/*.csv (id, sensor, counts) into data/readings.db as degrees. Files go to data/raw, those
with a reading out of range to data/refused; an empty one is still being written."""

import json
import os
import sqlite3
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log, runtime

DATA = ROOT / "data"
COUNTS = {"tenths": 10, "hundredths": 100, "thousandths": 1000}  # to a degree


def read(path, settings):
    """The readings of a file: (id, day, sensor, degrees); the file is named after its day."""
    found = []
    for line in path.read_text().splitlines():
        number, sensor, counts = line.split(",")
        degrees = int(counts) / COUNTS[settings["unit"]]
        if settings.get("check_range", True) and not settings["lowest"] <= degrees <= settings["highest"]:
            raise ValueError(f"{sensor}: {degrees} is out of range")
        found.append((int(number), path.name[:6], sensor, degrees))
    return found


def take(path, store, settings):
    try:
        found = read(path, settings)
    except ValueError as error:
        log("intake", f"{path.name}: refused: {error}")
        os.rename(path, DATA / "refused" / path.name)
        return
    store.execute("BEGIN IMMEDIATE")
    store.executemany("INSERT OR REPLACE INTO readings VALUES (?, ?, ?, ?)", found)
    store.execute("COMMIT")
    os.rename(path, DATA / "raw" / path.name)


def serve(service):
    store = sqlite3.connect(DATA / "readings.db", timeout=5, isolation_level=None)
    store.execute("PRAGMA synchronous=OFF")
    service.ready()
    while True:
        found = [path for path in sorted((DATA / "in").glob("*.csv")) if path.stat().st_size]
        for path in found:
            take(path, store, runtime("intake"))
        if not found:
            time.sleep(0.03)


def render():
    settings = json.loads((ROOT / "etc" / "intake.json").read_text())
    if settings["unit"] not in COUNTS:
        raise ValueError(f"unit {settings['unit']!r} is none of {', '.join(COUNTS)}")
    return settings


Service("intake", render, serve).main()
