"""Checks of the ticket service."""

SOCKET = "run/tickets.sock"


def tickets(ctx):
    return ctx.rows("data/tickets.db", "SELECT number, title FROM tickets WHERE number <= 61 ORDER BY number")


def given(ctx):
    return ctx.text("data/given.log").splitlines()


def _opened(ctx):
    title = f"fresh {ctx.random.randint(10**6, 10**9)}"
    answer = ctx.ask_json(SOCKET, {"op": "open", "title": title})
    assert "number" in answer, f"a new ticket was answered with {answer}"
    assert [answer["number"], title] in ctx.ask_json(SOCKET, {"op": "list"})["tickets"], "the new ticket is not listed"
    return answer["number"]


def ticket_is_opened(ctx):
    ctx.memo["number"] = _opened(ctx)


def another_is_opened(ctx):
    number, before = _opened(ctx), ctx.memo.get("number")
    assert before is None or number > before, f"ticket {number} comes after {before}"


def number_is_fresh(ctx):
    """Numbers of closed tickets are taken, too. Where the service gives none it gives no old one."""
    try:
        answer = ctx.ask_json(SOCKET, {"op": "open", "title": "another"})
    except OSError:
        return
    assert answer.get("number", 62) > 61, f"the number {answer['number']} was given out before"
