"""The report: one JSON line for each line of the source, as etc/job.json says."""

import csv
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COLUMNS = ("order", "line", "article", "cents")


def report():
    """The lines of the report."""
    job = json.loads((ROOT / "etc" / "job.json").read_text())
    with open(ROOT / job["source"], newline="") as stream:
        rows = [row for row in csv.reader(stream) if row]
    seen, kept = set(), []
    for row in rows:
        key = tuple(row[column] for column in job["key"])
        if key not in seen:
            seen.add(key)
            kept.append([int(row[0]), int(row[1]), row[2], int(row[3])])
    return sorted(kept) if job.get("sort") else kept


if __name__ == "__main__":
    text = "".join(json.dumps(dict(zip(COLUMNS, row, strict=True))) + "\n" for row in report())
    target = ROOT / json.loads((ROOT / "etc" / "job.json").read_text())["target"]
    target.parent.mkdir(exist_ok=True)
    target.write_text(text)
