"""Checks of the accounts. What is right follows from the opening balances and all entries, those that came later too."""

import json
import random

SOCKET = "run/accounts.sock"
LAST = 112


def _right(ctx):
    """Every balance as it must be."""
    chance = random.Random(404)
    names = [f"acc-{number:02}" for number in range(1, 21)]
    balances = {name: chance.randint(400, 9000) for name in names}
    for _ in range(LAST):
        source, target = chance.sample(names, 2)
        amount = chance.randint(1, max(1, balances[source] // 9))
        balances[source] -= amount
        balances[target] += amount
    for line in ctx.text("data/journal.log").splitlines() if (ctx.root / "data/journal.log").exists() else ():
        entry = json.loads(line)
        if entry["seq"] > LAST:
            balances[entry["from"]] -= entry["amount"]
            balances[entry["to"]] += entry["amount"]
    return balances


def _balances(ctx):
    return ctx.ask_json(SOCKET, {"op": "balances"})["balances"]


def journal(ctx):
    return ctx.text("data/journal.log").splitlines()


def _compared(ctx):
    found, right = _balances(ctx), _right(ctx)
    wrong = sorted(name for name in {*found, *right} if found.get(name) != right.get(name))
    assert not wrong, f"{len(wrong)} balances are wrong, e.g. {wrong[0]}: {found.get(wrong[0])}, not {right.get(wrong[0])}"


def _transferred(ctx):
    before = _balances(ctx)
    source = max(before, key=lambda name: before[name])
    target = ctx.random.choice([name for name in sorted(before) if name != source])
    amount = ctx.random.randint(1, before[source] // 3)
    answer = ctx.ask_json(SOCKET, {"op": "transfer", "from": source, "to": target, "amount": amount})
    assert "seq" in answer, f"a transfer was answered with {answer}"
    after = _balances(ctx)
    changed = {name: after[name] - before[name] for name in before if after[name] != before[name]}
    assert changed == {source: -amount, target: amount}, f"a transfer of {amount} changed {changed}"


def balances_are_right(ctx):
    _compared(ctx)


def transfer_is_taken(ctx):
    _transferred(ctx)


def power_goes(ctx):
    """The power goes while a snapshot is written: in place it is cut off, otherwise only the file that was to replace it."""
    snapshot = ctx.root / "data/snapshot.json"
    whole = snapshot.read_bytes() if snapshot.exists() else b'{"seq": 1, "balances": {"acc-01": 1}}'
    atomic = json.loads((ctx.root / "etc/accounts.json").read_text()).get("write") == "atomic"
    place = ctx.root / "data/.snapshot.json.new" if atomic else snapshot
    place.write_bytes(whole[: ctx.random.randint(20, 90) * len(whole) // 100])


def all_right_after_power_cut(ctx):
    _compared(ctx)
    _transferred(ctx)
    _compared(ctx)


def overdraft_is_refused(ctx):
    try:
        before = _balances(ctx)
        source, target = ctx.random.sample(sorted(before), 2)
        asked = {"op": "transfer", "from": source, "to": target, "amount": max(1, before[source] + ctx.random.randint(1, 99))}
        answer = ctx.ask_json(SOCKET, asked)
    except (OSError, ValueError, KeyError):
        return
    assert "seq" not in answer, f"{asked['amount']} went out of an account that had {before[source]}"
