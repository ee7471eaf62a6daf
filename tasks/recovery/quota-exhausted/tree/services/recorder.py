"""The recorder: appends records to data/rec.txt and data/audit.log, within the quota of the platform."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, runtime

DATA = ROOT / "data"


def append(files):
    """Appends to all files, or to none where the quota does not allow it."""
    quota = json.loads((ROOT / "etc" / "platform.json").read_text())["quota_kib"] * 1024
    used = sum(path.stat().st_size for path in DATA.iterdir())
    if used + sum(len(text) for text in files.values()) > quota:
        raise OSError(28, f"No space left: {used} of {quota} bytes are used")
    for name, text in files.items():
        with open(DATA / name, "a") as stream:
            stream.write(text)


def answer(request):
    text = str(request["record"])
    number = sum(1 for _ in open(DATA / "rec.txt")) + 1 if (DATA / "rec.txt").exists() else 1
    files = {"rec.txt": f"{number} {text}\n", "audit.log": f"audit: record {number} written\n"}
    if runtime("recorder").get("debug"):
        files["debug.log"] = f"record {number}: " + "stack " * 340 + "\n"
    append(files)
    return {"number": number}


def render():
    return json.loads((ROOT / "etc" / "recorder.json").read_text())


Service("recorder", render, lambda service: lines.serve("run/recorder.sock", answer, service.ready)).main()
