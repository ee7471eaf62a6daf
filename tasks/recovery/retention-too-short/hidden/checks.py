"""Checks of the keeper."""

import json

SOCKET = "run/keeper.sock"
ERASED = (139, 151)


def records(ctx):
    found = [path for folder in ("records", "retired") for path in (ctx.root / "data" / folder).glob("00*.json")]
    return sorted([path.name, path.read_text()] for path in found if path.name < "00161")


def erased(ctx):
    return ctx.text("data/erased.txt")


def _value(ctx, day):
    for folder in ("records", "retired"):
        path = ctx.root / "data" / folder / f"{day:05}.json"
        if path.is_file():
            return json.loads(path.read_text())["value"]
    raise AssertionError(f"day {day} is nowhere")


def _answers(ctx, days):
    for day in days:
        said = ctx.ask_json(SOCKET, {"op": "get", "day": day})
        assert said.get("value") == _value(ctx, day), f"day {day} was answered with {said}"


def month_is_answered(ctx):
    days = [day for day in range(133, 161) if day not in ERASED]
    _answers(ctx, [133, 160, *ctx.random.sample(days, 8)])


def day_comes(ctx):
    ctx.memo["value"] = ctx.random.randint(10**5, 10**7)
    record = {"day": 161, "value": ctx.memo["value"]}
    (ctx.root / "data/records/00161.json").write_text(json.dumps(record) + "\n")


def month_is_answered_again(ctx):
    said = ctx.ask_json(SOCKET, {"op": "get", "day": 161})
    assert said.get("value") == ctx.memo["value"], f"the new day was answered with {said}"
    _answers(ctx, [day for day in (136, 140, 150, 158)])


def erased_days_are_not_answered(ctx):
    for day in ERASED:
        try:
            said = ctx.ask_json(SOCKET, {"op": "get", "day": day})
        except OSError:
            return
        assert "value" not in said, f"day {day}, which was erased, is answered"
