"""Reviewers' records of tasks: they live in the ledger alone, as corrections do; the newest of a digest is in force."""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import Connection

from harness.store import ledger

KIND = "review"


@dataclass(frozen=True)
class Review:
    """What a reviewer said of a task as it was."""

    task: str
    task_digest: str
    reviewer: str
    independent: bool
    """Whether the reviewer took no part in writing the task."""
    decision: str
    """accept or reject."""
    note: str
    at: str


def put(connection: Connection, review: Review) -> Review:
    """Appends a review to the ledger; ``at`` is set here."""
    payload = {name: value for name, value in vars(review).items() if name != "at"}
    return Review(**payload, at=ledger.append(connection, KIND, payload).at)


def found(connection: Connection, task: str | None = None) -> list[Review]:
    """All reviews, of one task if it is named, oldest first."""
    entries = [entry for entry in ledger.records(connection) if entry.kind == KIND]
    reviews = [Review(**json.loads(entry.payload), at=entry.at) for entry in entries]
    return [review for review in reviews if task in (None, review.task)]
