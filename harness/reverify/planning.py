"""Gives each record its attempt: the one it had before, else the next free repeat of its task and runtime."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError
from harness.importers.detect import Skipped
from harness.importers.record import Record
from harness.plan import attempt_id
from harness.reverify.ending import horizon
from harness.reverify.job import Rules
from harness.store.records import Attempt

#: Says in every table that the events come from executing again what somebody else recorded.
ARM = "re-executed"


@dataclass(frozen=True)
class Assigned:
    """A record and what it is called here."""

    record: Record
    attempt: Attempt


def runtime_of(record: Record) -> str:
    """What identifies the runtime as far as a trajectory tells: agent with release, model as it was asked for."""
    text = f"{record.agent}/{record.model}"
    return re.sub(r"[^\w.@:/+-]", "_", text)[:200]


def tasks_of(
    records: Iterable[Record], known: Sequence[str], wanted: Sequence[str]
) -> tuple[dict[str, list[Record]], list[Skipped]]:
    """Records by task, and those whose task is not known here.

    Args:
        known: ids of all tasks.
        wanted: only these tasks (or instance ids); empty for all. If it is one, it is also the task of a record whose
            instance is not known.

    Raises:
        InputError: one of ``wanted`` is not known.
    """
    ids = {name.lower(): name for name in known}

    def task_id(instance: str) -> str | None:
        low = instance.lower()
        return ids.get(low) or ids.get(f"swebench-{low}")

    chosen: list[str] = []
    for name in wanted:
        found = task_id(name)
        if found is None:
            raise InputError(f"unknown task {name!r}", file="--task", mend="name a task, or an instance of the dataset")
        chosen.append(found)
    by_task: dict[str, list[Record]] = {}
    skipped = []
    for record in records:
        task = task_id(record.instance) or (chosen[0] if len(chosen) == 1 else None)
        if task is None:
            reason = f"{record.instance!r} is neither a task nor an instance of the dataset"
            skipped.append(Skipped(record.source, reason, damaged=True))
        elif not chosen or task in chosen:
            by_task.setdefault(task, []).append(record)
    return by_task, skipped


def assign(
    by_task: Mapping[str, Sequence[Record]], rules: Rules, planned: Iterable[Attempt],
    tries: Iterable[tuple[str, Mapping[str, Any]]],
) -> list[Assigned]:  # fmt: skip
    """An attempt for every record, the same in every run.

    Args:
        planned: attempts that the store holds of the stage.
        tries: (attempt id, environment) of all tries that have begun.
    """
    attempts = {attempt.id: attempt for attempt in planned}
    owners: dict[str, str] = {}
    taken: set[str] = set()
    for one, environment in tries:
        if digest := environment.get("source_digest"):
            owners[digest] = one
            taken.add(one)
    assigned = []
    for task, records in by_task.items():
        for record in records:
            if record.digest in owners:
                attempt = attempts[owners[record.digest]]
            else:
                attempt = _free(task, record, rules, attempts, taken)
                attempts[attempt.id] = attempt
                taken.add(attempt.id)
            assigned.append(Assigned(record, attempt))
    return assigned


def _free(task: str, record: Record, rules: Rules, attempts: Mapping[str, Attempt], taken: set[str]) -> Attempt:
    runtime, repeat, calls = runtime_of(record), 0, horizon(record)
    while True:
        repeat += 1
        one = attempt_id(rules.digest, task, runtime, ARM, repeat)
        known = attempts.get(one)
        if one not in taken and (known is None or known.horizon == calls):
            return Attempt(one, rules.stage, rules.digest, task, runtime, ARM, repeat, calls, "imported")
