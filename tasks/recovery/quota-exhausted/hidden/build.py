"""Builds the broken state: data of 64 KiB, nearly all of it debugging output."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(64)
for name in ("data", "log", "run"):
    (root / name).mkdir()
records = [f"{number} reading {chance.randint(100, 999)}\n" for number in range(1, 61)]
(root / "data" / "rec.txt").write_text("".join(records))
(root / "data" / "audit.log").write_text("".join(f"audit: record {number} written\n" for number in range(1, 61)))
room = 64 * 1024 - sum(path.stat().st_size for path in (root / "data").iterdir())
debug, number = "", 0
while len(debug) < room - 2100:
    number += 1
    debug += f"record {30 + number}: " + "stack " * 340 + "\n"
(root / "data" / "debug.log").write_text((debug + "record 61: " + "stack " * 350)[: room - 12])
(root / "etc" / "platform.json").write_text(json.dumps({"quota_kib": 64}) + "\n")
(root / "etc" / "recorder.json").write_text(json.dumps({"debug": True}) + "\n")
(root / "log" / "recorder.log").write_text("OSError: [Errno 28] No space left\n")
