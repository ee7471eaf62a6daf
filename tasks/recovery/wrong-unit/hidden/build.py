"""Builds the broken state: counts of hundredths that are taken for thousandths since the ninth day of fifteen."""

import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(212)
for name in ("data", "data/in", "data/raw", "data/refused", "etc", "log", "run"):
    (root / name).mkdir(exist_ok=True)
store = sqlite3.connect(root / "data" / "readings.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE readings (id INTEGER PRIMARY KEY, day TEXT NOT NULL, sensor TEXT NOT NULL, degrees REAL)")
number = 0
for day in range(1, 16):
    rows = []
    for sensor in ("hall", "cellar", "roof", "yard"):
        number += 1
        counts = chance.randint(650, 5400)
        rows.append(f"{number},{sensor},{counts}\n")
        degrees = counts / (100 if day < 9 else 1000)
        store.execute("INSERT INTO readings VALUES (?, ?, ?, ?)", (number, f"2606{day:02}", sensor, degrees))
    (root / "data" / "raw" / f"2606{day:02}.csv").write_text("".join(rows))
# Two that were read off by hand: right, and in no file.
store.execute("INSERT INTO readings VALUES (801, '260605', 'attic', 21.5)")
store.execute("INSERT INTO readings VALUES (802, '260612', 'attic', 4.25)")
store.execute("COMMIT")
store.close()
(root / "data" / "raw" / "README").write_text(
    "One file a day: id, sensor, counts. A count is a hundredth of a degree. What was read off by hand is in no file.\n"
)
settings = {"unit": "thousandths", "lowest": 0, "highest": 60, "check_range": True}
(root / "etc" / "intake.json").write_text(json.dumps(settings, indent=1) + "\n")
(root / "log" / "intake.log").write_text("260603-b.csv: refused: yard: 71.04 is out of range\n")
