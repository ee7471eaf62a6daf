"""Builds the broken state: the settings name a plugin that the service cannot work with."""

import hashlib
import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(31)
for name in ("data", "etc", "log", "run"):
    (root / name).mkdir(exist_ok=True)
goods = ("oats", "rye", "barley", "salt", "malt")
(root / "data" / "history.log").write_text(
    "".join(f"[{chance.choice(goods).upper()}] {chance.randint(50, 25000) / 1000:.3f} kg\n" for _ in range(90))
)
digests = [hashlib.sha256((root / "plugins" / f"label_{name}.py").read_bytes()).hexdigest() for name in ("v1", "v2")]
(root / "etc" / "trusted.json").write_text(json.dumps({"sha256": digests}, indent=1) + "\n")
(root / "etc" / "plugin.json").write_text(
    json.dumps({"plugin": "plugins/label_v2.py", "check_digest": True}, indent=1) + "\n"
)
(root / "log" / "labels.log").write_text("no label for rye: plugins/label_v2.py has no function 'label'\n")
