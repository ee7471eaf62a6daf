"""Checks of the gate."""

import base64
import hashlib
import hmac
import json
import time

SOCKET = "run/gate.sock"


def keyring(ctx):
    ring = ctx.root / "etc/keyring"
    return {str(path.relative_to(ring)): path.read_text() for path in sorted(ring.rglob("*.key"))}


def _token(ctx, kid, key=None, exp=3600, signed=True):
    key = hashlib.sha256(f"ring {key or kid}".encode()).hexdigest().encode()
    claims = {"sub": f"client-{ctx.random.randint(1, 10**9)}", "exp": int(time.time()) + exp}
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    signature = hmac.new(key, f"{kid}.{payload}".encode(), hashlib.sha256).hexdigest()
    return f"{kid}.{payload}.{signature if signed else ''}", claims["sub"]


def _accepted(ctx, kid):
    token, subject = _token(ctx, kid)
    answer = ctx.ask_json(SOCKET, {"token": token})
    assert answer == {"sub": subject}, f"a token of {kid} was answered with {answer}"


def _refused(ctx, what, token):
    try:
        answer = ctx.ask_json(SOCKET, {"token": token})
    except OSError:
        return  # a gate that is down lets nobody in
    assert "sub" not in answer, f"{what} was accepted"


def first_key_is_accepted(ctx):
    _accepted(ctx, "k1")


def second_key_is_accepted(ctx):
    _accepted(ctx, "k2")


def both_keys_are_accepted(ctx):
    _accepted(ctx, "k1")
    _accepted(ctx, "k2")


def bad_tokens_are_refused(ctx):
    _refused(ctx, "an expired token", _token(ctx, "k1", exp=-60)[0])
    _refused(ctx, "a token signed with the wrong key", _token(ctx, "k1", key="k9")[0])
    _refused(ctx, "a token of an unknown key", _token(ctx, f"k{ctx.random.randint(10, 99)}")[0])
    _refused(ctx, "junk", "k1.junk.junk")


def unsigned_is_refused(ctx):
    _refused(ctx, "an unsigned token", _token(ctx, "k1", signed=False)[0])


def revoked_is_refused(ctx):
    _refused(ctx, "a token of a revoked key", _token(ctx, "k0")[0])


def nothing_bad_is_accepted(ctx):
    bad_tokens_are_refused(ctx)
    unsigned_is_refused(ctx)
    revoked_is_refused(ctx)
