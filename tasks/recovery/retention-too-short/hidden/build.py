"""Builds the broken state: three days are kept instead of thirty; the others were retired at the last start."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(90)
for name in ("data", "data/records", "data/retired", "log", "run", "etc/keeper.d"):
    (root / name).mkdir()
for day in range(101, 161):
    folder = "records" if day > 157 else "retired"
    record = {"day": day, "value": chance.randint(1000, 9999)}
    (root / "data" / folder / f"{day:05}.json").write_text(json.dumps(record) + "\n")
(root / "data" / "erased.txt").write_text("00139\n00151\n")  # by request: they lie among the retired until the next purge
(root / "etc" / "keeper.d" / "10-base.json").write_text(json.dumps({"keep": 30}) + "\n")
(root / "etc" / "keeper.d" / "50-trial.json").write_text(json.dumps({"keep": 3}) + "\n")
(root / "log" / "keeper.log").write_text("00157.json: retired, 3 are kept\n")
