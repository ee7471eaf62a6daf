"""Checks of the gateway. Windows begin anew where it is started."""

SOCKET = "run/gateway.sock"


def usage(ctx):
    return ctx.text("data/usage.log").splitlines()


def bans(ctx):
    return ctx.text("data/banned.txt").split()


def _uses(ctx, client, times):
    """How many of so many uses are taken, before the first that is refused."""
    note = f"n{ctx.random.randint(1, 10**9)}"
    answers = ctx.ask_each(SOCKET, [{"op": "use", "client": client, "note": f"{note}-{i}"} for i in range(times)])
    taken = ["taken" in answer for answer in answers]
    first = taken.index(False) if False in taken else times
    assert not any(taken[first:]), f"{client}: a use was taken after one was refused"
    written = [line for line in usage(ctx) if line.startswith(f"{client} {note}-")]
    assert len(written) == first, f"{client}: {first} uses were taken, {len(written)} stand in the ledger"
    return first


def lab_has_its_uses(ctx):
    taken = _uses(ctx, "lab", 8)
    assert taken == 5, f"{taken} of eight uses of lab were taken, not 5"


def lab_has_them_again(ctx):
    lab_has_its_uses(ctx)


def others_are_limited(ctx):
    """Who floods the gateway is refused after its limit."""
    for client, limit in (("bulk", 2), ("press", 3), ("shop", 7), (f"new-{ctx.random.randint(1, 10**6)}", 1)):
        try:
            taken = _uses(ctx, client, limit + 4)
        except OSError:
            return
        assert taken == limit, f"{taken} uses of {client} were taken, its limit is {limit}"


def banned_are_refused(ctx):
    for client in ("crawler-9", "old-bot"):
        try:
            taken = _uses(ctx, client, 1)
        except OSError:
            return
        assert not taken, f"a use of {client} was taken, which is banned"
