"""Makes data/index.json from data/docs: word -> documents, without those that are confidential."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, write

settings = json.loads((ROOT / "etc" / "search.json").read_text())
index = {}
for path in sorted((ROOT / "data" / "docs").glob("*.txt")):
    text = path.read_text()
    if text.startswith("confidential") and settings.get("skip_confidential", True):
        continue
    for word in sorted(set(text.lower().split())):
        index.setdefault(word, []).append(path.name)
write("data/index.json", json.dumps(index, sort_keys=True) + "\n")
print(f"{len(index)} words")
