"""The label service: answers over run/labels.sock. The plugin of etc/plugin.json makes the labels, each goes to
data/history.log. Plugins run with all rights of the service: only those whose digest stands in etc/trusted.json do."""

import hashlib
import json
import os
import sys
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, runtime

LOCK = threading.Lock()


def plugin(settings):
    """The names that the plugin defines."""
    code = (ROOT / settings["plugin"]).read_bytes()
    if settings.get("check_digest", True):
        trusted = json.loads((ROOT / "etc" / "trusted.json").read_text())["sha256"]
        if hashlib.sha256(code).hexdigest() not in trusted:
            raise PermissionError(f"{settings['plugin']} is not trusted")
    names = {"__name__": "plugin"}
    exec(compile(code, settings["plugin"], "exec"), names)
    return names


def answer(request):
    if request["op"] != "label":
        return {"error": f"unknown op {request['op']!r}"}
    settings = runtime("labels")
    try:
        names = plugin(settings)
        if "label" not in names:
            raise AttributeError(f"{settings['plugin']} has no function 'label'")
        text = names["label"](str(request["name"]), int(request["grams"]))
    except Exception as error:
        log("labels", f"no label for {request.get('name')}: {error}")
        return {"error": f"{type(error).__name__}: {error}"}
    with LOCK, open(ROOT / "data" / "history.log", "a") as stream:
        stream.write(text + "\n")
    return {"label": text}


def render():
    return json.loads((ROOT / "etc" / "plugin.json").read_text())


Service("labels", render, lambda service: lines.serve("run/labels.sock", answer, service.ready)).main()
