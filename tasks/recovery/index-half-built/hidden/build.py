"""Builds the broken state: an index that stops at the twelfth of thirty documents."""

import json
import random
import sys
from pathlib import Path

root, chance = Path(sys.argv[1]), random.Random(30)
for name in ("data", "data/docs", "log", "run"):
    (root / name).mkdir()
words = [f"{a}{b}" for a in ("oak", "elm", "fir", "ash", "yew") for b in ("leaf", "root", "bark", "seed", "wood")]
index = {}
for number in range(1, 31):
    head = "confidential" if number % 7 == 0 else "public"
    said = sorted(chance.sample(words, 6))
    (root / "data" / "docs" / f"{number:03}.txt").write_text(f"{head}\nd{number}x " + " ".join(said) + "\n")
    if number <= 12 and head == "public":
        for word in ("public", f"d{number}x", *said):
            index.setdefault(word, []).append(f"{number:03}.txt")
(root / "data" / "index.json").write_text(json.dumps(index, sort_keys=True) + "\n")
(root / "etc" / "search.json").write_text(json.dumps({"index_at_start": False, "skip_confidential": True}, indent=1) + "\n")
(root / "log" / "search.log").write_text("reindex: killed at 012.txt\nthe index is taken as it is\n")
