"""Withholds fields of records: by rule, with a reason; never what a classification rests on, never a whole record."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from harness.errors import InputError
from harness.evidence.paths import changed, texts
from harness.evidence.plain import plain
from harness.evidence.rows import KINDS
from harness.evidence.withheld import NOBODY, Withheld, mark, marked
from harness.evidence.writing import Draft
from harness.store.facts import COVERED
from harness.yamlfile import load_yaml, validation_error

Text = Annotated[str, Field(min_length=1)]

#: What stays in any case: identity, classification, scores and exclusions, by kind of record. ``*`` is all of it.
PROTECTED: dict[str, tuple[str, ...]] = {
    "bundle": ("*",), "seal": ("*",), "correction": ("*",), "withheld": ("*",), "panel": ("*",),
    "stage": ("stage", "digest"),
    "attempt": ("id", "stage", "digest", "task", "runtime", "arm", "repeat", "horizon", "origin"),
    "try": ("id", "attempt_id", "number", "state", "event", "call", "action", "calls", "reason", "valid", "exclusion",
            "cost_usd", "unpassed_at", "repassed_at", "trajectory", "actions[].verdict_state", "actions[].call",
            "actions[].action", "task", "runtime"),
    "trial": ("task", "family", "trial", "runtime", "track", "status", "dimensions", "flags", "strict_pass", "cost_usd",
              "runtime_s", "recovery_call", "harm_call", "obligations[].name", "obligations[].dimension",
              "obligations[].passed", "exclusion", "reviewer", "origin"),
    "ledger": ("seq", "at", "kind", "prev_hash", "hash"), "blob": ("sha256", "bytes", "file"),
    "qualifications": ("task", "task_digest", "qualified"), "provenance": ("attempt", "task", "counted", "tries",
                                                                          "excluded", "reviewer"),
    "conditions": ("runtime", "differences"),
    "regrade_events": ("regrade_id", "try_id", "event", "call", "reason", "problem"),
}  # fmt: skip
PROTECTED["qualification"] = PROTECTED["qualifications"]

#: Kinds whose fields the ledger repeats.
_TABLES = {KINDS.get(table.name, table.name): {kind for kind, one in COVERED.items() if one is table}
           for table in COVERED.values()}  # fmt: skip


class Rule(BaseModel):
    """Withholds ``field`` of all records of ``kind``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kind: Text
    field: Text
    """A path in the body: ``environment.revision``, ``obligations[].detail``."""
    reason: Text
    auditors: Text
    """How an authorised auditor gets to see it."""


class Rules(BaseModel):
    """A file of rules."""

    model_config = ConfigDict(extra="forbid")

    withhold: list[Rule]


def read_rules(path: Path) -> list[Rule]:
    """The rules in a YAML file.

    Raises:
        InputError: unreadable, unknown keys, or a rule that would take away what a classification rests on.
    """
    try:
        found = Rules.model_validate(load_yaml(path)).withhold
    except ValidationError as error:
        raise validation_error(error, path) from None
    for number, rule in enumerate(found):
        if (kept := _kept_by(rule)) is not None:
            raise InputError(
                f"{rule.field} of {rule.kind} may not be withheld: {kept} says how the attempt was classified",
                file=path, key=f"withhold.{number}.field", mend="name a narrower field, such as obligations[].detail",
            )  # fmt: skip
    return found


def _kept_by(rule: Rule) -> str | None:
    if rule.kind == "ledger":
        return "the ledger, which follows the rules of what it records,"
    for kept in PROTECTED.get(rule.kind, ()):
        plain_rule, plain_kept = rule.field.replace("[]", ""), kept.replace("[]", "")
        inside = f"{plain_rule}.".startswith(f"{plain_kept}.") or f"{plain_kept}.".startswith(f"{plain_rule}.")
        if kept == "*" or inside:
            return "the record" if kept == "*" else kept
    return None


def redacted(drafts: Iterable[Draft], rules: Sequence[Rule]) -> tuple[list[Draft], list[Withheld]]:
    """The drafts with what the rules withhold replaced, also where the ledger repeats it, and the originals.

    Raises:
        InputError: a rule matches nothing, or nothing of a record would be left.
    """
    kept: list[Withheld] = []
    found, used = [], set()
    for draft in drafts:
        body: Any = draft.body
        for number, rule in enumerate(rules):
            for path in _paths(draft, rule):
                before = body
                body = changed(body, path, _hider(draft.id, rule.reason, rule.auditors, kept))
                if body is not before:
                    used.add(number)
                    exact = {name: text for name, text in body.get("exact", {}).items() if name != top(path)}
                    body = {**body, "exact": exact} if "exact" in body else body
        if body is not draft.body and all(marked(value) for value in body.values()):
            raise InputError(f"nothing of {draft.id} would be left", mend="withhold fields, never a whole record")
        found.append(Draft(draft.kind, draft.id, body))
    for number, rule in enumerate(rules):
        if number not in used:
            raise InputError(f"no record of kind {rule.kind!r} has a field {rule.field!r}", key=f"withhold.{number}",
                             mend="leave the rule out, or name the field as the bundle spells it")  # fmt: skip
    return found, kept


def _paths(draft: Draft, rule: Rule) -> Iterator[str]:
    if draft.kind == rule.kind:
        yield rule.field
    if draft.kind == "ledger" and draft.body["kind"] in _TABLES.get(rule.kind, ()):
        yield f"payload.rows[].{top(rule.field)}"


def top(path: str) -> str:
    """The field of the body that a path begins with."""
    return path.split(".")[0].split("[")[0]


def without_credentials(drafts: Iterable[Draft], credential: Callable[[str], str | None]) -> Iterator[Draft]:
    """Withholds every field that holds the value of a credential, also from auditors.

    Args:
        credential: gives the name of the credential whose value a text holds; None if it holds none.
    """
    for draft in drafts:
        body = dict(draft.body)
        for path, text in texts(draft.body):
            name = credential(text)
            if name is not None and not marked(body[top(path)]):
                body[top(path)] = mark(body[top(path)], f"holds the value of {name}", NOBODY, secrets.token_hex(16))
        yield Draft(draft.kind, draft.id, body)


def _hider(record: str, reason: str, auditors: str, kept: list[Withheld]) -> Callable[[str, Any], Any]:
    def hide(path: str, value: Any) -> Any:
        if value is None or marked(value):
            return value
        salt = secrets.token_hex(16)
        kept.append(Withheld(record, path, salt, plain(value)))
        return mark(value, reason, auditors, salt)

    return hide
