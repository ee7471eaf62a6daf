"""Checks of the clockwork."""

import json


def orders(ctx):
    """Orders that wait or were kept."""
    found = [path for folder in ("orders", "kept") for path in (ctx.root / "data" / folder).glob("*.json")]
    return sorted([path.name, path.read_text()] for path in found if len(path.name) == 8)


def results(ctx):
    return sorted([p.name, p.read_text()] for p in (ctx.root / "data/done").glob("*.json") if len(p.name) == 8)


def wrong_results(ctx):
    """Results that do not follow from their orders."""
    wrong = []
    for name, text in results(ctx):
        path = next((p for f in ("kept", "orders") if (p := ctx.root / "data" / f / name).exists()), None)
        numbers = json.loads(path.read_text())["numbers"] if path else []
        said = json.loads(text)
        if numbers and said["result"] != (sum(numbers) if said["job"] == "total" else max(numbers)):
            wrong.append(name)
    return wrong


def _order(ctx, job, numbers):
    name = f"t{ctx.random.randint(10**5, 10**9)}.json"
    fresh = ctx.root / "data" / f".{name}"
    fresh.write_text(json.dumps({"job": job, "numbers": numbers}))
    fresh.rename(ctx.root / "data/orders" / name)
    return ctx.root / "data/done" / name


def _total(ctx):
    numbers = [ctx.random.randint(1, 999) for _ in range(7)]
    done = _order(ctx, "total", numbers)
    ctx.until(done.exists, 1.2)
    assert json.loads(done.read_text())["result"] == sum(numbers), "the total of a fresh order is wrong"


def totals_are_made(ctx):
    _total(ctx)
    left = [path.name for path in (ctx.root / "data/orders").glob("???.json")]
    assert not left, f"{left} wait still"


def more_totals_are_made(ctx):
    _total(ctx)


def limit_is_kept(ctx):
    """Numbers above the limit are not counted. Where nothing is made, nothing too high is."""
    done = _order(ctx, "total", [5, 10**6])
    try:
        ctx.until(done.exists, 1.0)
    except AssertionError:
        return
    assert json.loads(done.read_text())["result"] == 5, "a number above the limit was counted"
