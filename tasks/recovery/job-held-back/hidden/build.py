"""Builds the broken state: the job of the totals is held back until a time that is a hundred years away."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(100)
for name in ("data", "data/orders", "data/done", "data/kept", "log", "run"):
    (root / name).mkdir()
for number in range(1, 31):
    job = "total" if number % 3 else "peak"
    order = {"job": job, "numbers": [chance.randint(1, 99) for _ in range(6)]}
    waits = number > 18 and job == "total"
    (root / "data" / ("orders" if waits else "kept") / f"{number:03}.json").write_text(json.dumps(order) + "\n")
    if not waits:
        result = {"job": job, "result": sum(order["numbers"]) if job == "total" else max(order["numbers"])}
        (root / "data" / "done" / f"{number:03}.json").write_text(json.dumps(result) + "\n")
jobs = root / "etc" / "jobs.d"
jobs.mkdir()
jobs.joinpath("10-jobs.json").write_text(
    json.dumps({"peak": {"does": "max", "at_most": 1000}, "total": {"does": "sum", "at_most": 1000}}, indent=1) + "\n"
)
jobs.joinpath("70-holiday.json").write_text(
    json.dumps({"total": {"does": "sum", "at_most": 1000, "not_before": 4918752000}}, indent=1) + "\n"
)
(root / "log" / "clockwork.log").write_text("019.json: total: held back until tomorrow\n")
