"""Checks of the desk."""

import hashlib

SOCKET = "run/api.sock"


def seats(ctx):
    return ctx.rows("data/seats.db", "SELECT seat, name FROM seats WHERE seat < 120 ORDER BY seat")


def order(ctx):
    """The order of the boot is the platform's."""
    return ctx.text("etc/boot-order")


def _reserved(ctx):
    seat, name = ctx.random.randint(1000, 10**8), f"N{ctx.random.randint(1, 10**6)}"
    word = hashlib.sha256(b"desk").hexdigest()[:12]
    answer = ctx.ask_json(SOCKET, {"op": "reserve", "seat": seat, "name": name, "word": word})
    assert answer == {"seat": seat}, f"a reservation was answered with {answer}"
    assert [seat, name] in ctx.ask_json(SOCKET, {"op": "list"})["seats"], "the reservation is not listed"
    return [seat, name]


def seat_is_reserved(ctx):
    ctx.memo["seat"] = _reserved(ctx)


def another_seat_is_reserved(ctx):
    _reserved(ctx)
    before = ctx.memo.get("seat")
    assert before is None or before in ctx.ask_json(SOCKET, {"op": "list"})["seats"], "an earlier reservation is gone"


def wrong_word_is_refused(ctx):
    try:
        answer = ctx.ask_json(SOCKET, {"op": "reserve", "seat": ctx.random.randint(1000, 10**8), "name": "X", "word": "no"})
    except OSError:
        return
    assert "seat" not in answer, "a reservation without the word was taken"
