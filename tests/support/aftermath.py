"""What a collection must look like after a disturbance: its rows, its blobs, its ledger, its folders."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from pathlib import Path

from tiny_lab import TinyLab

from harness.store.blobs import Blobs
from harness.store.store import Store

#: Columns that two runs of one stage may differ in.
_FREE = ("wall_s", "try")

Row = dict[str, str]


def exported(lab: TinyLab, stage: str = "tiny", **more: str) -> list[Row]:
    """The event table of a stage."""
    done = lab.run("export", stage, **more)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def counted(rows: list[Row]) -> list[Row]:
    """Rows that count, without what two runs may differ in."""
    return [{k: v for k, v in row.items() if k not in _FREE} for row in rows if row["valid"] == "true"]


def excluded(rows: list[Row]) -> list[Row]:
    """Rows of tries that do not count."""
    return [row for row in rows if row["valid"] == "false"]


def undisturbed(lab: TinyLab, stage: str = "tiny", *options: str) -> list[Row]:
    """Counted rows of a run of the same stage that nothing disturbs, in another state directory."""
    other = {"RESTARTLAB_STATE": str(lab.root / "undisturbed")}
    done = lab.run("collect", stage, *options, **other)
    assert done.returncode == 0, done.stdout + done.stderr
    return counted(exported(lab, stage, **other))


def database(lab: TinyLab) -> sqlite3.Connection:
    """The database, to look at only."""
    return sqlite3.connect(f"file:{lab.state / 'restartlab.db'}?mode=ro", uri=True, timeout=30)


def running_tries(lab: TinyLab) -> dict[int, str]:
    """Tries that have not ended: id to the name of the trajectory file."""
    with database(lab) as connection:
        rows = connection.execute("SELECT id, environment FROM tries WHERE state = 'running'").fetchall()
    return {number: json.loads(environment)["trajectory_file"] for number, environment in rows}


def exclusion_of(lab: TinyLab, trajectory_file: str) -> str | None:
    """Why the try that wrote this file does not count; None when it counts, or is unknown."""
    with database(lab) as connection:
        query = "SELECT exclusion FROM tries WHERE environment LIKE ?"
        row = connection.execute(query, (f"%{trajectory_file}%",)).fetchone()
    return None if row is None else row[0]


def faults_of_rows(rows: list[Row]) -> list[str]:
    """Attempts without exactly one counted try, tries not numbered 1, 2, ..., exclusions without a reason."""
    by_attempt: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        by_attempt.setdefault(tuple(row[k] for k in ("stage", "task", "runtime", "arm", "repeat")), []).append(row)
    found = []
    for key, tries in by_attempt.items():
        if [int(row["try"]) for row in tries] != list(range(1, len(tries) + 1)):
            found.append(f"{key}: tries {[row['try'] for row in tries]}")
        if [row["valid"] for row in tries] != ["false"] * (len(tries) - 1) + ["true"]:
            found.append(f"{key}: valid {[row['valid'] for row in tries]}")
        unexplained = [row for row in tries if (row["valid"] == "false") != bool(row["exclusion"])]
        found += [f"{key}: try {row['try']} is excluded without a reason" for row in unexplained]
    return found


def faults_of_store(lab: TinyLab) -> list[str]:
    """A broken ledger; blobs that the facts name and that are missing or torn; a try without its trajectory."""
    found = []
    with Store.open(lab.state / "restartlab.db", create=False) as store:
        report, fault = store.verify_ledger()
        found += [f"ledger: {report.fault}"] if report.fault else []
        found += [f"facts: {fault}"] if fault else []
    blobs = Blobs(lab.state / "blobs")
    with database(lab) as connection:
        tries = connection.execute("SELECT id, trajectory, calls FROM tries WHERE state = 'finished'").fetchall()
        layers = connection.execute("SELECT DISTINCT layer_digest FROM actions WHERE layer_digest NOT NULL").fetchall()
    for number, trajectory, calls in tries:
        if trajectory is None:
            found += [f"try {number} ended at call {calls} without a trajectory"] if calls else []
        elif not blobs.holds(trajectory):
            found.append(f"trajectory of try {number} is missing or torn")
        elif (starts := blobs.get(trajectory).count(b'"type": "start"')) > 1:
            found.append(f"trajectory of try {number} begins {starts} times")
    for (layer,) in layers:
        if not blobs.holds(layer):
            found.append(f"layer {layer} is missing or torn")
            continue
        for entry in json.loads(blobs.get(layer)).values():
            digest = entry.get("sha256") if isinstance(entry, dict) else None
            if digest and not blobs.holds(digest):
                found.append(f"file {digest} of layer {layer} is missing or torn")
    return found


def faults_of_folders(lab: TinyLab) -> list[str]:
    """Workspaces, trajectory files and temporary files that are still there."""
    names = [str(path.relative_to(lab.state)) for path in lab.state.rglob("*")]
    left = [name for name in names if name.split("/")[0] in ("work", "tries", "slots") and name.count("/") == 1]
    left = [name for name in left if not name.endswith("/lock")]
    left += [name for name in names if ".tmp" in Path(name).name or Path(name).name.endswith(".new")]
    temporary = lab.root / "temporary"
    return left + ([f"temporary/{path.name}" for path in temporary.iterdir()] if temporary.exists() else [])


def faults_after(lab: TinyLab, wanted: list[Row], stage: str = "tiny") -> list[str]:
    """All that is wrong with a collection that says it is done; empty when nothing is."""
    rows = exported(lab, stage)
    found = faults_of_rows(rows) + faults_of_store(lab) + faults_of_folders(lab)
    return found if counted(rows) == wanted else ["counted rows differ from an undisturbed run's", *found]
