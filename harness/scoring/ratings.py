"""Ratings of judged dimensions: JSON Lines of {"item", "dimension", "rater", "score"}."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from analysis.recovery.agreement import agreement
from analysis.recovery.measurement import finite
from analysis.recovery.records import DIMENSIONS
from harness.errors import InputError
from harness.scoring.jsonlines import json_lines

_KEYS = ("item", "dimension", "rater", "score")


def read_ratings(path: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Scores by dimension, item and rater.

    Raises:
        InputError (of harness or of analysis): a record without exactly those keys, a score outside [0, 1], an item
            that a rater judged twice, or no record at all.
    """
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row, record in json_lines(path):
        place = f"line {row}"
        if set(record) != set(_KEYS):
            odd = sorted(set(record) ^ set(_KEYS))[0]
            raise InputError(f"{odd!r} is {'no key' if odd in record else 'missing'}", file=path, key=place,
                             mend=f"a rating has {', '.join(_KEYS)}")  # fmt: skip
        for key in ("item", "rater"):
            if not isinstance(record[key], str) or not record[key]:
                raise InputError(f"{key} is {record[key]!r}", file=path, key=place, mend="a text, not empty")
        if record["dimension"] not in DIMENSIONS:
            raise InputError(f"dimension is {record['dimension']!r}", file=path, key=place,
                             mend=f"there are {', '.join(DIMENSIONS)}")  # fmt: skip
        score = finite("score", record["score"], file=path, row=row)
        if not 0 <= score <= 1:
            raise InputError(f"score is {score:g}, outside [0, 1]", file=path, key=place, mend="use the rubric's scale")
        mine = found.setdefault(record["dimension"], {}).setdefault(record["item"], {})
        if record["rater"] in mine:
            raise InputError(f"{record['rater']} judged {record['item']} twice", file=path, key=place,
                             mend="keep one rating, or name the second round's raters differently")  # fmt: skip
        mine[record["rater"]] = score
    if not found:
        raise InputError("holds no rating", file=path, mend=f"a rating has {', '.join(_KEYS)}")
    return found


def agreement_document(ratings: Mapping[str, Mapping[str, Mapping[str, float]]]) -> dict[str, Any]:
    """Agreement by dimension, as JSON; null where all ratings of it are the same, which says nothing.

    Raises:
        InputError (of analysis): a dimension of which no item was judged by two raters.
    """
    found = {}
    for dimension in sorted(ratings):
        items = list(ratings[dimension])
        result = agreement([ratings[dimension][item] for item in items])
        found[dimension] = {
            "raters": list(result.raters), "items": result.items, "alpha": result.alpha,
            "kappa": [{"raters": list(pair), "value": value} for pair, value in result.kappa.items()],
            "apart": [{"item": items[place], "range": width} for place, width in result.disagreements],
        }  # fmt: skip
    return {"agreement": found}
