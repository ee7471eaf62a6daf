"""Checks of the courier."""

import json

ROOMS = ("inbox", "office", "office-2", "hall", "archive")


def messages(ctx):
    found = [path for room in ROOMS for path in (ctx.root / "data" / room).glob("*.json")]
    return sorted([path.name, path.read_text()] for path in found if path.name <= "0030.json")


def in_the_hall(ctx):
    """Private messages where everybody reads."""
    found = (ctx.root / "data/hall").glob("*.json")
    return sorted(path.name for path in found if json.loads(path.read_text()).get("private"))


def _send(ctx, to, private):
    name = f"t{ctx.random.randint(1, 10**9)}.json"
    text = json.dumps({"to": to, "text": str(ctx.random.random())} | ({"private": True} if private else {}))
    fresh = ctx.root / "data" / f".{name}"
    fresh.write_text(text)
    fresh.rename(ctx.root / "data/inbox" / name)
    return name, text


def _office(ctx):
    """The folder that the office reads."""
    return ctx.root / "data/office"


def _delivered(ctx):
    name, text = _send(ctx, "office", private=bool(ctx.random.randint(0, 1)))
    ctx.until((_office(ctx) / name).exists, 1.5)
    assert (_office(ctx) / name).read_text() == text, "another message arrived at the office"


def office_gets_its_messages(ctx):
    _delivered(ctx)
    waiting = [f"{number:04}.json" for number in range(22, 30)]
    missing = [name for name in waiting if not (_office(ctx) / name).exists()]
    assert not missing, f"{missing} did not arrive at the office"


def office_gets_more(ctx):
    _delivered(ctx)


def private_stays_out_of_the_hall(ctx):
    name, _ = _send(ctx, "hall", private=True)
    other, _ = _send(ctx, "hall", private=False)
    try:
        ctx.until((ctx.root / "data/hall" / other).exists, 1.0)
    except AssertionError:
        pass
    assert not (ctx.root / "data/hall" / name).exists(), "a private message lies in the hall"
