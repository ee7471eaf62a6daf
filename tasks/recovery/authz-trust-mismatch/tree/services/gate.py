"""The gate: says whose token a request carries, or refuses it."""

import base64
import hashlib
import hmac
import json
import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))
import lines
from service import ROOT, Service, log, runtime


class Refused(Exception):
    pass


def key_of(kid, settings):
    if kid not in settings["trusted"]:
        raise Refused(f"unknown kid {kid}")
    for folder in ("keyring", "keyring/revoked") if settings.get("use_revoked") else ("keyring",):
        path = ROOT / "etc" / folder / f"{kid}.key"
        if path.is_file() and "/" not in kid:
            return path.read_bytes().strip()
    raise Refused(f"no key {kid}")


def subject(token, settings):
    parts = token.split(".")
    if len(parts) != 3:
        raise Refused("malformed")
    kid, payload, signature = parts
    try:
        claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        raise Refused("malformed") from None
    if not settings.get("enforce", True):
        return claims.get("sub")
    if not (signature == "" and settings.get("allow_unsigned", False)):
        wanted = hmac.new(key_of(kid, settings), f"{kid}.{payload}".encode(), hashlib.sha256).hexdigest()
        if not hmac.compare_digest(wanted, signature):
            raise Refused(f"wrong signature, kid {kid}")
    if settings.get("check_exp", True) and claims["exp"] < time.time():
        raise Refused("expired")
    return claims["sub"]


def answer(request):
    try:
        return {"sub": subject(str(request.get("token", "")), runtime("gate"))}
    except Refused as why:
        log("gate", f"refused: {why}")
        return {"error": f"refused: {why}"}


def render():
    return json.loads((ROOT / "etc" / "trust.json").read_text())


Service("gate", render, lambda service: lines.serve("run/gate.sock", answer, service.ready)).main()
