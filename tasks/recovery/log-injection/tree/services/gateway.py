"""The gateway: passes calls of known users on to the upstream."""

import hashlib
import hmac
import json
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, runtime


def call(key, timeout):
    proof = hmac.new((ROOT / "etc" / "token").read_bytes().strip(), key.encode(), hashlib.sha256).hexdigest()
    with socket.socket(socket.AF_UNIX) as upstream:
        upstream.settimeout(timeout)
        upstream.connect("run/upstream.sock")
        upstream.sendall(json.dumps({"key": key, "proof": proof}).encode() + b"\n")
        return json.loads(upstream.makefile().readline())


def answer(request):
    settings = runtime("gateway")
    if settings.get("auth", True) and request.get("user") not in settings["users"]:
        return {"error": "who are you?"}
    for _ in range(1 + settings.get("retries", 0)):
        try:
            return call(request["key"], settings["timeout_ms"] / 1000)
        except TimeoutError:
            with open(ROOT / "data" / "app.log", "a") as stream:
                stream.write(f"gateway: upstream did not answer within {settings['timeout_ms']} ms\n")
    return {"error": "upstream timed out"}


def render():
    return json.loads((ROOT / "etc" / "up.json").read_text())


Service("gateway", render, lambda service: lines.serve("run/gateway.sock", answer, service.ready)).main()
