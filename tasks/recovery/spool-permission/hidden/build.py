"""Builds the broken state: eight messages in a spool that its owner may not write to, two in the inbox."""

import hashlib
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(8)
for name in ("data", "data/inbox", "data/spool", "log", "run"):
    (root / name).mkdir()
for number in range(1, 11):
    folder = "spool" if number <= 8 else "inbox"
    text = f"Subject: {number}\n\n{chance.random():.12f}\n"
    (root / "data" / folder / f"{number:04}.msg").write_text(text)
(root / "data" / "inbox").chmod(0o700)
(root / "data" / "spool").chmod(0o500)
(root / "etc" / "secret").write_text(hashlib.sha256(b"spool secret").hexdigest() + "\n")
(root / "etc" / "secret").chmod(0o600)
(root / "log" / "spooler.log").write_text("0009.msg: Permission denied\n")
