"""The desk: takes reservations over run/api.sock for the store. Only who has the desk's word may reserve."""

import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, merged, runtime


def store(request):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(2)
        connection.connect("run/store.sock")
        connection.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(connection.makefile().readline())


def render():
    settings = merged("etc/api.d")
    if settings["connect"] == "at-start":
        os.chdir(ROOT)
        store({"op": "list"})  # no desk without a store
    return settings


def answer(request):
    settings = runtime("api")
    word, checked = (ROOT / "etc" / "word").read_text().strip(), settings.get("check_word", True)
    if request["op"] == "reserve" and checked and request.get("word") != word:
        log("api", "refused: wrong word")
        return {"error": "wrong word"}
    asked = {key: value for key, value in request.items() if key != "word"}
    return store(asked)


Service("api", render, lambda service: lines.serve("run/api.sock", answer, service.ready)).main()
