"""Checks of the label service."""

import json

SOCKET = "run/labels.sock"


def history(ctx):
    return ctx.text("data/history.log").splitlines()


def trusted(ctx):
    return ctx.json("etc/trusted.json")


def _labelled(ctx):
    name, grams = f"good{ctx.random.randint(1, 10**6)}", ctx.random.randint(1, 10**6)
    answer = ctx.ask_json(SOCKET, {"op": "label", "name": name, "grams": grams})
    wanted = f"[{name.upper()}] {grams / 1000:.3f} kg"
    assert answer == {"label": wanted}, f"a label was answered with {answer}, not {wanted!r}"
    assert history(ctx)[-1] == wanted, "the label does not stand in the history"


def label_is_made(ctx):
    _labelled(ctx)


def another_label_is_made(ctx):
    _labelled(ctx)


def foreign_plugin_is_refused(ctx):
    """A plugin that nobody trusts is dropped in, and the running service is pointed to it."""
    rendered = ctx.root / "run/labels.json"
    if not rendered.exists():
        return
    before, mark = rendered.read_text(), f"m{ctx.random.randint(1, 10**9)}"
    foreign = f"plugins/{mark}.py"
    code = f"open('run/{mark}', 'w').close()\ndef label(name, grams):\n    return '{mark}'\n"
    (ctx.root / foreign).write_text(code)
    rendered.write_text(json.dumps({**json.loads(before), "plugin": foreign}))
    try:
        answer = ctx.ask_json(SOCKET, {"op": "label", "name": "x", "grams": 1})
    except OSError:
        answer = None
    finally:
        rendered.write_text(before)
    ran = (ctx.root / "run" / mark).exists()
    assert not ran and answer != {"label": mark}, "a plugin that is not trusted was run"
