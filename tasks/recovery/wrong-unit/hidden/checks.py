"""Checks of the intake. What is right follows from the counts that the days were made of."""

import random

DATABASE = "data/readings.db"


def _right():
    """Degrees by id, of the readings that were taken in wrongly."""
    chance, found, number = random.Random(212), {}, 0
    for day in range(1, 16):
        for _ in range(4):
            number += 1
            counts = chance.randint(650, 5400)
            if day >= 9:
                found[number] = counts / 100
    return found


def right_readings(ctx):
    """Readings that were right already: of the first eight days, and those that were read off by hand."""
    query = "SELECT id, day, sensor, round(degrees, 3) FROM readings WHERE id <= 32 OR id IN (801, 802) ORDER BY id"
    return ctx.rows(DATABASE, query)


def raw(ctx):
    """Days whose counts are kept, taken in or to be taken in."""
    found = {}
    for folder in ("raw", "in"):
        for path in (ctx.root / "data" / folder).glob("2606*.csv"):
            found.setdefault(path.name, path.read_text())
    return sorted([name[:6], text] for name, text in found.items())


def _drop(ctx, rows):
    """Puts a file into the intake; its place there."""
    name = f"2607{ctx.random.randint(10, 31)}-{ctx.random.randint(1, 10**9)}.csv"
    fresh = ctx.root / "data" / f".{name}"
    fresh.write_text("".join(f"{number},{sensor},{counts}\n" for number, sensor, counts in rows))
    return fresh.rename(ctx.root / "data/in" / name)


def _reading(ctx, number):
    return ctx.rows(DATABASE, "SELECT degrees FROM readings WHERE id = ?", number)


def _taken_in(ctx):
    number, counts = ctx.random.randint(1000, 10**8), ctx.random.randint(300, 5900)
    _drop(ctx, [(number, "yard", counts)])
    found = ctx.until(lambda: _reading(ctx, number), 1.2)
    assert abs(found[0][0] - counts / 100) < 1e-6, f"{counts} hundredths were taken in as {found[0][0]}"


def fresh_reading_is_right(ctx):
    _taken_in(ctx)


def stored_readings_are_right(ctx):
    found, right = dict(ctx.rows(DATABASE, "SELECT id, degrees FROM readings WHERE id <= 60")), _right()
    wrong = [number for number, degrees in right.items() if abs((found.get(number) or 0) - degrees) > 1e-6]
    assert not wrong, f"readings {wrong[:9]} are wrong, of {len(wrong)}"


def another_reading_is_right(ctx):
    _taken_in(ctx)


def reading_out_of_range_is_refused(ctx):
    number = ctx.random.randint(1000, 10**8)
    place = _drop(ctx, [(number, "yard", 2000), (number + 1, "roof", ctx.random.randint(10**6, 10**7))])
    try:
        ctx.until(lambda: not place.exists(), 1.0)
    except AssertionError:
        pass
    found = [*_reading(ctx, number), *_reading(ctx, number + 1)]
    assert not found, f"a file with a reading out of range was taken in: {found}"
