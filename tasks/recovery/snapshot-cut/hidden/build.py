"""Builds the broken state: a snapshot that a power cut shortened; the one before is whole, the journal reaches back."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(404)
for name in ("data", "etc", "log", "run"):
    (root / name).mkdir(exist_ok=True)
names = [f"acc-{number:02}" for number in range(1, 21)]
balances = {name: chance.randint(400, 9000) for name in names}
snapshots, journal = {}, []
for seq in range(1, 113):
    source, target = chance.sample(names, 2)
    amount = chance.randint(1, max(1, balances[source] // 9))
    balances[source] -= amount
    balances[target] += amount
    journal.append({"seq": seq, "from": source, "to": target, "amount": amount})
    snapshots[seq] = json.dumps({"seq": seq, "balances": balances})
(root / "data" / "snapshot.1.json").write_text(snapshots[50])
(root / "data" / "snapshot.json").write_text(snapshots[100][:211])
(root / "data" / "journal.log").write_text("".join(json.dumps(entry) + "\n" for entry in journal[30:]))
(root / "etc" / "accounts.json").write_text(
    json.dumps({"write": "in-place", "overdraft": False, "read_only": False}, indent=1) + "\n"
)
(root / "log" / "accounts.log").write_text(
    "refused: acc-09 has 12, not 300\nended: JSONDecodeError: Expecting value: line 1 column 212 (char 211)\n"
)
