"""Builds the broken state: a source of sixty lines, a job that keeps one line per order, and the report it made."""

import json
import random
import subprocess
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(60)
(root / "data").mkdir()
rows = [(1000 + order, line, f"A{chance.randint(100, 999)}", chance.randint(50, 9999))
        for order in range(20) for line in range(1, 4)]  # fmt: skip
chance.shuffle(rows)
(root / "data" / "in.csv").write_text("".join(f"{a},{b},{c},{d}\n" for a, b, c, d in rows))
job = {"source": "data/in.csv", "target": "out/report.jsonl", "key": [0], "sort": False}
(root / "etc" / "job.json").write_text(json.dumps(job, indent=1) + "\n")
subprocess.run([sys.executable, "-B", str(root / "services" / "report.py")], check=True)
for name in ("log", "run"):
    (root / name).mkdir()
(root / "log" / "scheduler.log").write_text("report: ended with 0\n")
