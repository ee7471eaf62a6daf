"""A stage of the tiny laboratory whose runtime is an endpoint on this machine, and the rows that it exports."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from typing import Any

from tiny_lab import TinyLab, stage_data

PRICE = {"input_per_million": 4.0, "output_per_million": 10.0}
#: What an answer of ``chat_server`` costs by this price.
COST_OF_CALL = 0.005


def write_paid_stage(
    lab: TinyLab, url: str, *, price: Mapping[str, float] | None = PRICE, limits: Mapping[str, Any] | None = None,
    retry: Mapping[str, Any] | None = None, name: str = "openai/unheard-of", stage: str = "tiny", **changes: Any,
) -> None:  # fmt: skip
    """Writes and freezes a stage with the runtime (and set) ``house`` beside those of the tiny lab."""
    data: dict[str, Any] = stage_data()
    model: dict[str, Any] = {"kind": "litellm", "name": name, "api_base": url, "credential": "HOUSE_KEY"}
    house = {"agent": "default", "model": model if price is None else {**model, "price": dict(price)}}
    lab.write_stage(
        stage, limits={**data["limits"], **(limits or {})},
        retry={"max_tries": 2, "wait_seconds_max": 0, **(retry or {})},
        runtimes={**data["runtimes"], "house": house}, sets={**data["sets"], "house": ["house"]}, **changes,
    )  # fmt: skip
    lab.environment["HOUSE_KEY"] = "none"
    done = lab.run("freeze", stage)
    assert done.returncode == 0, done.stderr


def exported(lab: TinyLab, stage: str = "tiny", **environment: str) -> list[dict[str, str]]:
    """The rows of an export."""
    done = lab.run("export", stage, **environment)
    assert done.returncode == 0, done.stderr
    return list(csv.DictReader(io.StringIO(done.stdout)))


def counted(rows: Iterable[Mapping[str, str]]) -> list[dict[str, str]]:
    """Rows that count, without wall time and the number of the try that came to count."""
    left_out = ("wall_s", "try")
    return [{n: v for n, v in row.items() if n not in left_out} for row in rows if row["valid"] == "true"]


def outcomes(lab: TinyLab, **environment: str) -> list[dict[str, Any]]:
    """Outcome records of all tries, in the order of their ids."""
    import sqlite3

    state = environment.get("RESTARTLAB_STATE") or str(lab.state)
    with sqlite3.connect(f"file:{state}/restartlab.db?mode=ro", uri=True) as database:
        rows = database.execute("SELECT outcome FROM tries ORDER BY id").fetchall()
    return [json.loads(row[0]) if isinstance(row[0], str) else row[0] for row in rows]
