"""Builds the broken state: files in UTF-8 that were read as Latin-1 since the fourth of them."""

import json
import random
import sqlite3
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(8859)
for name in ("data", "data/drop", "data/kept", "data/refused", "log", "run"):
    (root / name).mkdir()
store = sqlite3.connect(root / "data" / "people.db", isolation_level=None)
store.execute("PRAGMA synchronous=OFF")
store.execute("BEGIN")
store.execute("CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL)")
names = ("Zoë", "Jürgen", "Søren", "Åsa", "Łukasz", "Renée", "Ada", "Tom", "Ólafur", "Nuñez")
number = 0
for file in range(1, 9):
    rows = []
    for _ in range(6):
        number += 1
        name = f"{chance.choice(names)} {chance.randint(10, 99)}"
        rows.append(f"{number},{name}\n")
        kept = name if file < 4 else name.encode().decode("latin-1")
        store.execute("INSERT INTO people VALUES (?, ?)", (number, kept))
    (root / "data" / "kept" / f"{file:02}.csv").write_text("".join(rows), encoding="utf-8")
store.execute("INSERT INTO people VALUES (900, 'Ægir (typed in by hand)')")  # in no file
store.execute("COMMIT")
store.close()
(root / "etc" / "importer.json").write_text(json.dumps({"encoding": "latin-1", "bad_rows": "refuse"}, indent=1) + "\n")
(root / "log" / "importer.log").write_text("started with latin-1\n")
