"""The account service: answers over run/accounts.sock. The balances are those of data/snapshot.json, and after it the
entries of data/journal.log with a higher number; every fifty entries a new snapshot is made, the last one is kept."""

import json
import os
import shutil
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, runtime

DATA = ROOT / "data"
SNAPSHOT = DATA / "snapshot.json"
LOCK = threading.Lock()


def load():
    """(number of the snapshot, number of the last entry, balances)."""
    snapshot = json.loads(SNAPSHOT.read_text())
    balances, last = dict(snapshot["balances"]), snapshot["seq"]
    with open(DATA / "journal.log") as stream:
        for line in stream:
            entry = json.loads(line)
            if entry["seq"] > last:
                balances[entry["from"]] = balances.get(entry["from"], 0) - entry["amount"]
                balances[entry["to"]] = balances.get(entry["to"], 0) + entry["amount"]
                last = entry["seq"]
    return snapshot["seq"], last, balances


def save(last, balances, how):
    shutil.copyfile(SNAPSHOT, DATA / "snapshot.1.json")
    place = DATA / ".snapshot.json.new" if how == "atomic" else SNAPSHOT
    with open(place, "w") as stream:
        json.dump({"seq": last, "balances": balances}, stream)
        stream.flush()
        os.fsync(stream.fileno())
    if how == "atomic":
        os.replace(place, SNAPSHOT)


def transfer(request, settings):
    snapshot, last, balances = load()
    source, target, amount = request["from"], request["to"], request["amount"]
    if settings.get("read_only"):
        return {"error": "read only"}
    if source not in balances or target not in balances or type(amount) is not int or amount <= 0:
        return {"error": "no such transfer"}
    if amount > balances[source] and not settings.get("overdraft"):
        log("accounts", f"refused: {source} has {balances[source]}, not {amount}")
        return {"error": f"{source} has no {amount}"}
    entry = {"seq": last + 1, "from": source, "to": target, "amount": amount}
    with open(DATA / "journal.log", "a") as stream:
        stream.write(json.dumps(entry) + "\n")
    if last + 1 - snapshot >= 50:
        save(*load()[1:], settings.get("write"))
    return {"seq": last + 1}


def answer(request):
    with LOCK:
        if request["op"] == "balances":
            return {"balances": load()[2]}
        if request["op"] == "transfer":
            return transfer(request, runtime("accounts"))
    return {"error": f"unknown op {request['op']!r}"}


def serve(service):
    load()
    lines.serve("run/accounts.sock", answer, service.ready)


def render():
    return json.loads((ROOT / "etc" / "accounts.json").read_text())


Service("accounts", render, serve).main()
