"""The spool daemon: moves messages from data/inbox to data/spool. Its start applies the rules of etc/tmpfiles.json."""

import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
from service import ROOT, Service, log


def render():
    rules = json.loads((ROOT / "etc" / "tmpfiles.json").read_text())
    for rule in rules:
        path = ROOT / rule["path"]
        path.mkdir(exist_ok=True)
        path.chmod(int(rule["mode"], 8))
    return {"applied": rules}


def serve(service):
    complained = set()
    service.ready()
    while True:
        for name in sorted(os.listdir(ROOT / "data" / "inbox")):
            if not name.endswith(".msg"):
                continue
            try:
                os.rename(ROOT / "data" / "inbox" / name, ROOT / "data" / "spool" / name)
            except OSError as error:
                if name not in complained:
                    complained.add(name)
                    log("spooler", f"{name}: {error.strerror}")
        time.sleep(0.03)


Service("spooler", render, serve).main()
