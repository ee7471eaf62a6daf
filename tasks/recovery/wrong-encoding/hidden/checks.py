"""Checks of the importer."""

DATABASE = "data/people.db"


def ids(ctx):
    return sorted(row[0] for row in ctx.rows(DATABASE, "SELECT id FROM people WHERE id <= 900"))


def right_names(ctx):
    """Rows that were right already: of the first files, and the one that was typed in."""
    return ctx.rows(DATABASE, "SELECT id, name FROM people WHERE id <= 18 OR id = 900 ORDER BY id")


def files(ctx):
    found = [path for folder in ("kept", "drop") for path in (ctx.root / "data" / folder).glob("0*.csv")]
    return sorted([path.name, path.read_bytes().hex()] for path in found)


def _imported(ctx):
    number, name = ctx.random.randint(1000, 10**8), ctx.random.choice(("Bjørk", "Çelik", "Ödön")) + f" {ctx.random.random()}"
    fresh = ctx.root / "data" / ".fresh"
    fresh.write_bytes(f"{number},{name}\n".encode())
    fresh.rename(ctx.root / "data/drop" / f"t{number}.csv")
    found = ctx.until(lambda: ctx.rows(DATABASE, "SELECT name FROM people WHERE id = ?", number), 1.5)
    assert found == [[name]], f"a fresh name was imported as {found}"


def fresh_names_are_right(ctx):
    _imported(ctx)


def old_names_are_right(ctx):
    wrong = []
    for path in (ctx.root / "data/kept").glob("0*.csv"):
        for line in path.read_text("utf-8").splitlines():
            number, name = line.split(",")
            if ctx.rows(DATABASE, "SELECT name FROM people WHERE id = ?", int(number)) not in ([[name]], []):
                wrong.append(int(number))
    assert not wrong, f"the names of {sorted(wrong)[:9]} are not those of the files"


def more_names_are_right(ctx):
    _imported(ctx)


def broken_file_is_refused(ctx):
    """A file with a row that is none: nothing of it may be imported."""
    number = ctx.random.randint(1000, 10**8)
    fresh = ctx.root / "data" / ".broken"
    fresh.write_text(f"{number},Ada\nno row\n")
    waiting = ctx.root / "data/drop" / f"b{number}.csv"
    fresh.rename(waiting)
    try:
        ctx.until(lambda: not waiting.exists(), 1.0)
    except AssertionError:
        pass
    found = ctx.rows(DATABASE, "SELECT name FROM people WHERE id = ?", number)
    assert not found, f"a broken file was imported as {found}"
