"""What is known of a task's fitness: its qualification on this machine, and what reviewers said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.store.reviews import Review
from harness.store.store import Store
from tasks.registry import load_task
from verifiers.kinds import known_place


@dataclass(frozen=True)
class TaskReview:
    """A task as it is now."""

    task: str
    task_digest: str
    family: str
    qualification: dict[str, Any] | None
    """The gate's record on this machine, None when there is none for the task as it is."""
    qualified: bool | None
    reviews: list[dict[str, Any]]
    """Of the task as it is, oldest first."""
    outdated: int
    """Reviews of the task as it was."""

    @property
    def reviewer(self) -> str | None:
        """Who accepted the task as it is, if the last review did."""
        last = self.reviews[-1] if self.reviews else None
        return str(last["reviewer"]) if last and last["decision"] == "accept" else None


def record_review(
    place: str | Path, task_id: str, reviewer: str, decision: str, note: str, independent: bool
) -> Review:
    """Records a decision on the task as it is now; raises ``InputError`` for an unknown task or an empty name."""
    task = load_task(task_id)
    if not reviewer.strip():
        raise InputError("is empty", file="--reviewer", mend="name the reviewer")
    with Store.open(place) as store:
        return store.put_review(Review(task.id, task.digest, reviewer.strip(), independent, decision, note, ""))


def known_reviews(place: str | Path) -> list[Review]:
    """All reviews in the database, oldest first."""
    with Store.open(place) as store:
        return store.reviews()


def review_of(place: str | Path, task_id: str, sandbox: str) -> TaskReview:
    """What is known of a task."""
    task = load_task(task_id)
    known = known_place(task, sandbox)
    with Store.open(place) as store:
        found = store.qualification(task.id, task.digest, *known, sandbox) if known else None
        reviews = store.reviews(task.id)
    current = [vars(review) for review in reviews if review.task_digest == task.digest]
    return TaskReview(
        task.id, task.digest, task.family, found.record if found else None, found.qualified if found else None,
        current, len(reviews) - len(current),
    )  # fmt: skip
