"""Checks of the sender and the vault."""

import hashlib
import sqlite3
import stat


def records(ctx):
    return sorted(ctx.rows("data/vault.db", "SELECT id, text FROM records WHERE id <= 40"))


def waiting(ctx):
    return sorted(ctx.rows("data/pending.db", "SELECT id, text FROM pending WHERE id <= 40"))


def modes(ctx):
    return {p.name: oct(stat.S_IMODE(p.stat().st_mode)) for p in sorted((ctx.root / "etc/tokens").iterdir())}


def _sent(ctx):
    number, text = ctx.random.randint(10**4, 10**9), f"{ctx.random.random()}"
    store = sqlite3.connect(str(ctx.root / "data/pending.db"), timeout=2)
    store.execute("INSERT INTO pending VALUES (?, ?, 0)", (number, text))
    store.commit()
    store.close()
    found = ctx.until(lambda: ctx.rows("data/vault.db", "SELECT text FROM records WHERE id = ?", number), 1.5)
    assert found == [[text]], f"the record in the vault is {found}"


def records_arrive(ctx):
    _sent(ctx)
    left = ctx.rows("data/pending.db", "SELECT id FROM pending WHERE id <= 40 AND sent = 0")
    kept = ctx.rows("data/vault.db", "SELECT count(*) FROM records WHERE id <= 40")
    assert not left and kept == [[40]], f"{left} wait still, {kept} of 40 records are in the vault"


def more_records_arrive(ctx):
    _sent(ctx)


def revoked_token_is_refused(ctx):
    token = hashlib.sha256(b"token 2025").hexdigest()
    for shown in (token, "", "no token"):
        try:
            said = ctx.ask_json("run/vault.sock", {"id": 10**9 + 7, "text": "forged", "token": shown})
        except OSError:
            return
        assert "id" not in said, "the vault took a record for a token that it must refuse"
