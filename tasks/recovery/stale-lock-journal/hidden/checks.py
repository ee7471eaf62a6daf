"""Checks of the ledger."""

import json

SOCKET = "run/ledger.sock"


def entries(ctx):
    """[id, amount] of every entry that counts or will, and whether the balance is that of the entries applied."""
    journal = {}
    if (ctx.root / "data/journal.jsonl").exists():
        for line in ctx.text("data/journal.jsonl").splitlines():
            entry = json.loads(line)
            journal[entry["id"]] = entry["amount"]
    state = ctx.json("data/state.json")
    applied = state["applied"]
    known = all(number in journal for number in applied)
    once = len(set(applied)) == len(applied) and known
    right = once and state["balance"] == sum(journal[number] for number in applied)
    return [*([number, amount] for number, amount in sorted(journal.items())), ["balance is right", right]]


def _add(ctx):
    amount = ctx.random.randint(1000, 10**6)
    before = ctx.ask_json(SOCKET, {"op": "balance"})["balance"]
    answer = ctx.ask_json(SOCKET, {"op": "add", "amount": amount})
    assert answer.get("balance") == before + amount, f"adding {amount} to {before} was answered with {answer}"
    return answer["balance"]


def entry_is_counted(ctx):
    ctx.memo["balance"] = _add(ctx)


def second_instance_is_refused(ctx):
    """Starts a second instance as if the pid file of the first were lost. Where none runs there is no second one."""
    try:
        ctx.ask_json(SOCKET, {"op": "balance"})
    except OSError:
        return
    pid = ctx.root / "run/ledger.pid"
    kept = pid.read_text()
    pid.unlink()
    done = ctx.shell("init.d/ledger respawn")
    started = pid.exists() and pid.read_text() != kept and (ctx.root / "run/ledger.ready").exists()
    pid.write_text(kept)
    assert done.returncode != 0 and not started, "a second instance was started"


def crash(ctx):
    """The next crash: a lock of an older boot is there, whoever held one before."""
    if not (ctx.root / "data/lock").exists():
        (ctx.root / "data/lock").write_text(json.dumps({"boot": f"{ctx.random.getrandbits(64):016x}", "pid": 99}))


def entry_is_counted_after_crash(ctx):
    balance = ctx.ask_json(SOCKET, {"op": "balance"})["balance"]
    before = ctx.memo.get("balance")
    assert before in (None, balance), f"the balance is {balance}, and was {before}"
    _add(ctx)
