"""Checks of the app and its database."""

import sqlite3

SOCKET, DATABASE = "run/app.sock", "data/u.db"


def users(ctx):
    """[id, whole name, e-mail] of the table users, of either schema."""
    columns = [row[1] for row in ctx.rows(DATABASE, "PRAGMA table_info(users)")]
    name = "name" if "name" in columns else "first || ' ' || last"
    return ctx.rows(DATABASE, f"SELECT id, {name}, email FROM users ORDER BY id")


def posts(ctx):
    return ctx.rows(DATABASE, "SELECT id, user, text FROM posts ORDER BY id")


def _add(ctx, email):
    message = {"op": "add", "first": "New", "last": f"U{ctx.random.randint(1, 10**9)}", "email": email}
    return message, ctx.ask_json(SOCKET, message)


def users_are_listed(ctx):
    """All users that the table holds, each with the number of its posts, a fresh one among them."""
    message, answer = _add(ctx, f"n{ctx.random.randint(1, 10**9)}@example.invalid")
    assert "id" in answer, f"a fresh user was answered with {answer}"
    found = ctx.ask_json(SOCKET, {"op": "users"})
    assert "users" in found, f"the list of users was answered with {found}"
    listed = {row[0]: row[1:] for row in found["users"]}
    counts = dict(ctx.rows(DATABASE, "SELECT user, count(*) FROM posts GROUP BY user"))
    fresh = [message["first"], message["last"], message["email"], counts.get(answer["id"], 0)]
    assert listed.get(answer["id"]) == fresh, "the fresh user is not listed"
    wrong = [number for number, row in listed.items() if row[3] != counts.get(number, 0)]
    assert not wrong, f"wrong numbers of posts for {wrong[:5]}"
    ctx.memo["fresh"] = [answer["id"], *fresh]


def users_are_listed_again(ctx):
    assert ctx.rows(DATABASE, "PRAGMA integrity_check") == [["ok"]], "the database is damaged"
    fresh = ctx.memo.get("fresh")
    users_are_listed(ctx)
    listed = ctx.ask_json(SOCKET, {"op": "users"})["users"]
    assert fresh is None or fresh in listed, "a user added before the restart is gone"
    again = ctx.shell("python3 services/migrate.py")
    assert again.returncode == 0, f"the migration does not take the database for migrated: {again.stdout[-100:]}"
    assert ctx.ask_json(SOCKET, {"op": "users"})["users"] == listed, "running the migration again changed users"


def double_email_is_refused(ctx):
    email = ctx.random.choice([f"{first}.abel@example.invalid" for first in ("ada", "ben", "cleo", "dan")])
    try:
        _, answer = _add(ctx, email)
    except OSError:
        return
    assert "id" not in answer, "a second user with the same e-mail was added"
