"""Builds the broken state: a drop-in that leaves one client no use at all."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(5)
for name in ("data", "etc", "etc/limits.d", "log", "run"):
    (root / name).mkdir(exist_ok=True)
names = ("lab", "shop", "press", "bulk")
(root / "data" / "usage.log").write_text(
    "".join(f"{chance.choice(names)} job-{chance.randint(1000, 9999)}\n" for _ in range(140))
)
(root / "data" / "banned.txt").write_text("crawler-9\nspare-3\nold-bot\n")
limits = {
    "10-base.json": {"lab": 3, "shop": 7, "press": 2, "bulk": 2},
    "30-raised.json": {"lab": 5, "press": 3},
    "70-freeze.json": {"lab": 0},
}
for name, content in limits.items():
    (root / "etc" / "limits.d" / name).write_text(json.dumps(content) + "\n")
(root / "etc" / "gateway.json").write_text(
    json.dumps({"window_seconds": 60, "enforce": True, "check_bans": True}, indent=1) + "\n"
)
(root / "log" / "gateway.log").write_text("bulk: over its limit of 2\nlab: over its limit of 0\n")
