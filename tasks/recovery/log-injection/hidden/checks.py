"""Checks of the gateway."""

import hashlib

SOCKET = "run/gateway.sock"


def evidence(ctx):
    return {"token": ctx.text("etc/token"), "log": ctx.text("data/app.log")}


def _answered(ctx):
    for _ in range(3):
        key = f"k{ctx.random.randint(1, 10**9)}"
        answer = ctx.ask_json(SOCKET, {"user": "ada", "key": key})
        value = hashlib.sha256(f"value of {key}".encode()).hexdigest()
        assert answer == {"value": value}, f"a call was answered with {answer}"


def calls_are_answered(ctx):
    _answered(ctx)


def calls_are_answered_again(ctx):
    _answered(ctx)


def stranger_is_refused(ctx):
    try:
        answer = ctx.ask_json(SOCKET, {"user": f"u{ctx.random.randint(1, 10**9)}", "key": "k"})
    except OSError:
        return
    assert answer == {"error": "who are you?"}, "a call of a stranger was served"
