"""The search service: answers over run/search.sock from data/index.json, which services/reindex.py makes."""

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log


def render():
    settings = json.loads((ROOT / "etc" / "search.json").read_text())
    if settings.get("index_at_start", False):
        subprocess.run([sys.executable, str(ROOT / "services" / "reindex.py")], check=True)
    else:
        log("search", "the index is taken as it is")
    return settings


def answer(request):
    index = json.loads((ROOT / "data" / "index.json").read_text())
    return {"found": index.get(str(request["word"]).lower(), [])}


Service("search", render, lambda service: lines.serve("run/search.sock", answer, service.ready)).main()
