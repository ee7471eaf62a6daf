"""Checks of the report."""

import csv
import json

SOURCE, REPORT = "data/in.csv", "out/report.jsonl"


def source(ctx):
    return ctx.text(SOURCE)


def open_files(ctx):
    """Files and folders that everybody may write to."""
    found = [path for path in ctx.root.rglob("*") if not path.is_symlink() and path.lstat().st_mode & 0o002]
    return sorted(str(path.relative_to(ctx.root)) for path in found)


def _expected(ctx):
    with open(ctx.root / SOURCE, newline="") as stream:
        rows = sorted([int(a), int(b), c, int(d)] for a, b, c, d in csv.reader(stream))
    return [dict(zip(("order", "line", "article", "cents"), row)) for row in rows]


def _report(ctx):
    return [json.loads(line) for line in ctx.text(REPORT).splitlines()]


def report_is_right(ctx):
    expected, found = _expected(ctx), _report(ctx)
    assert found == expected, f"{len(found)} lines for {len(expected)} of the source, or wrong ones"


def source_grows(ctx):
    order = ctx.random.randint(1, 900)  # sorts before all others
    with open(ctx.root / SOURCE, "a") as stream:
        for line in (2, 1):
            stream.write(f"{order},{line},B{ctx.random.randint(100, 999)},{ctx.random.randint(10**4, 10**6)}\n")


def next_report_is_right(ctx):
    def same():
        return _report(ctx) == _expected(ctx)

    ctx.until(same, 1.5)
