"""Shows a task's qualification and reviews as text."""

from __future__ import annotations

from collections.abc import Iterator

from harness.collection.reviewing import TaskReview

_MARKS = {"holds": ".", "violated": "X", "not measured": "-"}


def review_lines(found: TaskReview) -> Iterator[str]:
    """Qualification, map of obligations and mutations, reviews."""
    state = {None: "not qualified on this machine yet", True: "qualified", False: "NOT qualified"}[found.qualified]
    yield f"{found.task} ({found.family}, {found.task_digest[:12]}): {state}"
    record = found.qualification or {}
    if mapped := record.get("map"):
        yield from _map(mapped)
    for review in found.reviews:
        kind = "independent" if review["independent"] else "not independent"
        yield f"review {review['at']}: {review['decision']} by {review['reviewer']} ({kind}) {review['note']}".rstrip()
    if not found.reviews:
        yield f"no review of the task as it is: restartlab review {found.task} --reviewer NAME"
    if found.outdated:
        yield f"{found.outdated} reviews are of the task as it was"


def _map(mapped: dict[str, dict[str, str]]) -> Iterator[str]:
    """A row per mutation, a column per obligation."""
    obligations = list(next(iter(mapped.values())))
    yield "mutations (rows) and what they violate: X violated, . holds, - not measured"
    for number, name in enumerate(obligations, 1):
        yield f"  {number:>2} {name}"
    width = max(len(name) for name in mapped)
    yield "  " + " " * width + "".join(f"{number:>3}" for number in range(1, len(obligations) + 1))
    for mutation, row in mapped.items():
        yield f"  {mutation:<{width}}" + "".join(f"{_MARKS[row[name]]:>3}" for name in obligations)
