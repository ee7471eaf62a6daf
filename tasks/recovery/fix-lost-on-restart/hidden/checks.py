"""Checks of the worker."""

import hashlib
import hmac
import json
import sqlite3

DATABASE = "data/jobs.db"


def jobs(ctx):
    return ctx.rows(DATABASE, "SELECT id, payload, signature FROM jobs ORDER BY id")


def _submit(ctx, right):
    key = hashlib.sha256(b"worker key").hexdigest()
    payload = json.dumps([ctx.random.randint(1000, 10**6) for _ in range(5)])
    signature = hmac.new(key.encode(), payload.encode(), hashlib.sha256).hexdigest()
    number = ctx.random.randint(10**6, 10**9)
    assert (ctx.root / DATABASE).is_file(), "the database is gone"
    store = sqlite3.connect(str(ctx.root / DATABASE), timeout=2)
    row = (number, payload, signature if right else signature[::-1])
    store.execute("INSERT INTO jobs (id, payload, signature) VALUES (?, ?, ?)", row)
    store.commit()
    store.close()
    return number, sum(json.loads(payload))


def _done(ctx, seconds=1.5):
    number, value = _submit(ctx, right=True)
    found = ctx.until(lambda: ctx.rows(DATABASE, "SELECT value FROM results WHERE id = ?", number), seconds)
    assert found == [[value]], f"the result of a fresh job is {found}, not {value}"
    return number


def fresh_job_is_done(ctx):
    ctx.memo["done"] = _done(ctx)


def another_job_is_done(ctx):
    _done(ctx)
    again = ctx.rows(DATABASE, "SELECT count(*) FROM results GROUP BY id HAVING count(*) > 1")
    assert not again, "a job was done twice"


def bad_signature_is_not_run(ctx):
    """Put in before a good job: by the time that one is done the worker had its turn."""
    number, _ = _submit(ctx, right=False)
    try:
        _done(ctx, 1.5 if "done" in ctx.memo else 0.2)
    except AssertionError:
        pass
    run = ctx.rows(DATABASE, "SELECT id FROM results WHERE id IN (99, ?)", number)
    assert not run, f"jobs {run} with wrong signatures were run"
