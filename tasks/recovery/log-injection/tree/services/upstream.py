"""The upstream: answers calls that carry the right proof of the token, after a while."""

import hashlib
import hmac
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service


def answer(request):
    token = (ROOT / "etc" / "token").read_bytes().strip()
    wanted = hmac.new(token, request["key"].encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(wanted, request.get("proof", "")):
        return {"error": "wrong proof"}
    time.sleep(0.03)
    return {"value": hashlib.sha256(f"value of {request['key']}".encode()).hexdigest()}


Service("upstream", dict, lambda service: lines.serve("run/upstream.sock", answer, service.ready)).main()
