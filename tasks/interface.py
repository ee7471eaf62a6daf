"""What the harness needs to know of a task, whatever its kind; and where tasks come from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable


class Task(Protocol):
    """A task that can enter a stage."""

    @property
    def id(self) -> str:
        """Unique among all sources."""

    @property
    def kind(self) -> str:
        """Name of the verifier kind that judges it (``hidden-tests``, ...)."""

    @property
    def family(self) -> str:
        """Tasks of one family resemble each other."""

    @property
    def issue(self) -> str:
        """The text that the agent gets."""

    @property
    def parts(self) -> Mapping[str, str]:
        """Digests of what identifies the task (base, issue, hidden tests, limits, ...), by name."""

    @property
    def digest(self) -> str:
        """SHA-256 over all parts."""

    @property
    def verdict_digest(self) -> str:
        """SHA-256 over the parts that a verdict depends on."""


class Explore(Protocol):
    """Material for the scripted agent: what a person would read and run."""

    @property
    def files(self) -> Sequence[str]: ...
    @property
    def patterns(self) -> Sequence[str]: ...
    @property
    def snippets(self) -> Sequence[str]: ...


@runtime_checkable
class RepairTask(Task, Protocol):
    """A task whose repair is a git patch: what the oracle and the scripted agent can act on."""

    @property
    def root(self) -> Path:
        """Folder of the patches, for messages."""

    @property
    def reference(self) -> bytes:
        """The reference repair."""

    @property
    def alternatives(self) -> Mapping[str, bytes]:
        """Other valid repairs."""

    @property
    def mutations(self) -> Mapping[str, bytes]:
        """Wrong repairs."""

    @property
    def explore(self) -> Explore: ...


class TaskSource(Protocol):
    """A place that tasks come from; entry points of ``restartlab.tasks`` are such objects."""

    def ids(self) -> Collection[str]:
        """Ids of all tasks that it has here."""

    def load(self, task_id: str) -> Task:
        """The task named ``task_id``; raises ``InputError`` naming file, key and mend when it is damaged."""
