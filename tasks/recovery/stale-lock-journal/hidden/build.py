"""Builds the broken state: a lock of an older boot, and a journal of which two entries of five are in the state."""

import json
import sys
from pathlib import Path

root = Path(sys.argv[1])
for name in ("data", "log", "run"):
    (root / name).mkdir()
amounts = [50, 70, -20, 90, 30]
entries = [{"id": number, "amount": amount} for number, amount in enumerate(amounts, 1)]
(root / "data" / "journal.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))
(root / "data" / "state.json").write_text(json.dumps({"balance": sum(amounts[:2]), "applied": [1, 2]}) + "\n")
(root / "data" / "lock").write_text(json.dumps({"boot": "b7a1c4d2e9f03586", "pid": 4711}))
(root / "etc" / "ledger.json").write_text(json.dumps({"lock": True, "break_stale": False}) + "\n")
(root / "log" / "ledger.log").write_text("started\n")
