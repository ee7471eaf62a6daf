"""A planning task: an instance of a size and a seed, and the text that puts it to a planner."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from harness.canonical import digest_bytes, digest_json
from tasks.planning.answer import MARK, NOTHING
from tasks.planning.instance import Instance

_TEXT = """\
Choose which of {count} projects to carry out. The chosen projects may cost at most {budget} together. A project counts
only if everything that it requires is chosen too, and two projects that exclude each other must not both be chosen.
Among all choices that keep these rules, make one with the highest total benefit.

| project | cost | benefit | requires | excludes |
|---|---|---|---|---|
{rows}

Answer in plain text. End with one line that lists the chosen projects, for example

{mark} P02, P05

or `{mark} {nothing}` if you choose none. Only the last line that begins with {mark} counts.
"""


def issue_text(instance: Instance) -> str:
    """The problem in words; items by name, so that the order of the instance does not show."""
    rows = []
    for name, item in instance.by_name.items():
        needed = sorted(other for one, other in instance.requires if one == name)
        clashing = sorted(other for pair in instance.conflicts if name in pair for other in pair if other != name)
        rows.append(f"| {name} | {item.cost} | {item.benefit} | {', '.join(needed)} | {', '.join(clashing)} |")
    return _TEXT.format(
        count=len(instance.items), budget=instance.budget, rows="\n".join(rows), mark=MARK, nothing=NOTHING
    )


@dataclass(frozen=True)
class PlanningTask:
    """A ``Task``; its answer is text, so it has no workspace, no base and no sandbox."""

    id: str
    size: str
    instance: Instance

    kind = "planning"

    @property
    def family(self) -> str:
        """The size."""
        return self.size

    @cached_property
    def issue(self) -> str:
        """What the planner is told."""
        return issue_text(self.instance)

    @cached_property
    def parts(self) -> Mapping[str, str]:
        """Digests of instance and text."""
        return {"instance": self.instance.digest, "issue": digest_bytes(self.issue.encode())}

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all parts."""
        return digest_json(dict(self.parts))

    @property
    def verdict_digest(self) -> str:
        """A verdict depends on the instance alone."""
        return self.parts["instance"]
