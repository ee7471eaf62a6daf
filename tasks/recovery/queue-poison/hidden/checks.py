"""Checks of the pipeline. What is right follows from the payloads of the original items."""

import json
import random
import sqlite3

DATABASE = "data/queue.db"


def _expected():
    chance, found = random.Random(17), {}
    for number in range(1, 41):
        found[number] = sum(chance.randint(1, 500) for _ in range(5))
    del found[17]
    return found


def payloads(ctx):
    """Original payloads, wherever they are kept."""
    kept = ctx.rows(DATABASE, "SELECT id, payload FROM queue UNION SELECT id, payload FROM dlq")
    return sorted(row for row in kept if row[0] <= 40)


def accounted(ctx):
    """Items that wait, have an output, or are dead letters."""
    ids = ctx.rows(
        DATABASE, "SELECT id FROM out UNION SELECT id FROM dlq UNION SELECT id FROM queue WHERE state = 'pending'"
    )
    return sorted(row[0] for row in ids if row[0] <= 40)


def wrong_outputs(ctx):
    """Outputs that no valid item stands behind."""
    expected = _expected()
    return [row for row in ctx.rows(DATABASE, "SELECT id, sum FROM out") if expected.get(row[0]) != row[1]]


def outputs_are_complete(ctx):
    expected = sorted([number, value] for number, value in _expected().items())
    query = "SELECT id, sum FROM out WHERE id <= 40 AND id <> 17 ORDER BY id"
    ctx.until(lambda: len(ctx.rows(DATABASE, query)) >= len(expected), 1.5)
    found = ctx.rows(DATABASE, query)
    assert found == expected, f"{len(found)} outputs, {len(expected)} valid items, or wrong sums"


def more_items_arrive(ctx):
    values = [ctx.random.randint(1000, 10**6) for _ in range(4)]
    bad = ctx.random.randint(900, 10**5)
    store = sqlite3.connect(str(ctx.root / DATABASE), timeout=2)
    store.execute("INSERT INTO queue VALUES (?, ?, 'pending')", (bad, '{"values": [1, 2'))
    store.execute("INSERT INTO queue VALUES (?, ?, 'pending')", (bad + 1, json.dumps({"values": values})))
    store.commit()
    store.close()
    ctx.memo["next"] = [bad, bad + 1, sum(values)]


def next_item_is_processed(ctx):
    bad, good, value = ctx.memo["next"]
    found = ctx.until(lambda: ctx.rows(DATABASE, "SELECT sum FROM out WHERE id = ?", good), 1.5)
    assert found == [[value]], f"the output of a fresh item is {found}, not {value}"
    dead = ctx.rows(DATABASE, "SELECT payload FROM dlq WHERE id = ?", bad)
    assert dead == [['{"values": [1, 2']], f"the dead letter of the next poison item is {dead}"
    twice = ctx.rows(DATABASE, "SELECT id FROM out GROUP BY id HAVING count(*) > 1")
    assert not twice, f"items {twice} have two outputs"
