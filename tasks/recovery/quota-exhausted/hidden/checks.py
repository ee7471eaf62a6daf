"""Checks of the recorder."""

SOCKET = "run/recorder.sock"


def evidence(ctx):
    return {name: ctx.text(f"data/{name}") for name in ("audit.log", "rec.txt")}


def platform(ctx):
    return ctx.json("etc/platform.json")


def _write(ctx):
    text = f"reading {ctx.random.randint(1000, 9999)}"
    answer = ctx.ask_json(SOCKET, {"record": text})
    assert "number" in answer, f"a record was answered with {answer}"
    return f"{answer['number']} {text}"


def record_is_written(ctx):
    line = _write(ctx)
    assert line in ctx.text("data/rec.txt").splitlines(), "the record is not in the file of records"
    ctx.memo["line"] = line


def many_records_are_written(ctx):
    texts = [f"reading {ctx.random.randint(1000, 9999)}" for _ in range(200)]
    answers = ctx.ask_each(SOCKET, [{"record": text} for text in texts])
    refused = [answer for answer in answers if "number" not in answer]
    assert not refused, f"{len(refused)} of 200 records were refused: {refused[0]}"
    lines = [*ctx.memo.values(), *(f"{a['number']} {t}" for a, t in zip(answers, texts))]
    kept = set(ctx.text("data/rec.txt").splitlines())
    missing = [line for line in lines if line not in kept]
    assert not missing, f"{len(missing)} records are missing"
    assert ctx.text("data/audit.log").count("written") >= 200, "the audit log lacks lines"
