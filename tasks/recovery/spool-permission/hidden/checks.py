"""Checks of the spool."""

import stat


def messages(ctx):
    """[name, content] of every message, in the spool or still in the inbox."""
    found = [path for folder in ("spool", "inbox") for path in (ctx.root / "data" / folder).glob("*.msg")]
    return sorted([path.name, path.read_text()] for path in found)


def modes(ctx):
    """The secret's mode, and what in the system everybody may write to."""
    secret = ctx.root / "etc/secret"
    paths = [path for path in ctx.root.rglob("*") if not path.is_symlink()]
    open_to_all = [str(path.relative_to(ctx.root)) for path in paths if path.lstat().st_mode & 0o002]
    return {"secret": oct(stat.S_IMODE(secret.lstat().st_mode)), "open": sorted(open_to_all)}


def _spooled(ctx):
    name, text = f"t{ctx.random.randint(1, 10**9)}.msg", f"{ctx.random.random()}\n"
    fresh = ctx.root / "data/inbox" / f".{name}.new"
    fresh.write_text(text)
    fresh.rename(ctx.root / "data/inbox" / name)
    spooled = ctx.root / "data/spool" / name
    ctx.until(spooled.exists, 1.5)
    assert spooled.read_text() == text, "the message in the spool is another one"
    return name


def message_is_spooled(ctx):
    ctx.memo["name"] = _spooled(ctx)


def another_message_is_spooled(ctx):
    _spooled(ctx)
    before = ctx.memo.get("name")
    assert before is None or (ctx.root / "data/spool" / before).exists(), "a message spooled before the restart is gone"
