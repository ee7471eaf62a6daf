"""The keeper: answers for records over run/keeper.sock. Its start retires all but the last ones to data/retired."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, merged

RECORDS, RETIRED = ROOT / "data" / "records", ROOT / "data" / "retired"


def render():
    settings = merged("etc/keeper.d")
    kept = settings["keep"]
    for path in sorted(RECORDS.glob("*.json"))[: -kept or None]:
        os.rename(path, RETIRED / path.name)
        log("keeper", f"{path.name}: retired, {kept} are kept")
    return settings


def answer(request):
    if request["op"] == "add":
        path = RECORDS / f"{int(request['day']):05}.json"
        path.write_text(json.dumps({"day": int(request["day"]), "value": request["value"]}) + "\n")
        return {"day": int(request["day"])}
    path = RECORDS / f"{int(request['day']):05}.json"
    return json.loads(path.read_text()) if path.is_file() else {"error": f"no record of day {request['day']}"}


Service("keeper", render, lambda service: lines.serve("run/keeper.sock", answer, service.ready)).main()
