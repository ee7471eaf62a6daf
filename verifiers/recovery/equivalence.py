"""The relations between an extract of the original state and one of the state under judgement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness.canonical import canonical_json


def holds(kind: str, original: Any, found: Any) -> tuple[bool, str]:
    """Whether ``found`` stands in the relation ``kind`` to ``original``, and where not.

    Args:
        kind: equal: the same JSON value. same_set, superset, subset: of lists, as multisets, whatever their order.
            prefix: a list begins with the original one, or a text with the original text; of objects, each value.
    """
    if kind == "equal":
        same = canonical_json(original) == canonical_json(found)
        return same, "" if same else _difference(original, found)
    if kind == "prefix":
        return _prefix(original, found)
    before, after = _multiset(original), _multiset(found)
    lost, more = before - after, after - before
    said = "; ".join(
        f"{len(list(of.elements()))} {word}, e.g. {next(iter(of))[:120]}"
        for of, word, wrong in ((lost, "lost", kind != "subset"), (more, "more", kind != "superset"))
        if of and wrong
    )
    return not said, said


def mostly_lost(original: Any, found: Any) -> bool:
    """Whether more than half of the original list's elements are gone; True where there is no list any more."""
    if not isinstance(original, list) or not original:
        return False
    before, after = _multiset(original), _multiset(found)
    return sum((before - after).values()) * 2 > len(original)


def _multiset(value: Any) -> Counter[str]:
    elements: Sequence[Any] = value if isinstance(value, list) else [value]
    return Counter(canonical_json(element).decode() for element in elements)


def _prefix(original: Any, found: Any) -> tuple[bool, str]:
    if isinstance(original, dict):
        for key, value in original.items():
            right, why = _prefix(value, found.get(key) if isinstance(found, dict) else None)
            if not right:
                return False, f"{key}: {why}"
        return True, ""
    if type(original) is type(found) and isinstance(original, str | list) and found[: len(original)] == original:
        return True, ""
    return False, "does not begin with what was there"


def _difference(original: Any, found: Any) -> str:
    if isinstance(original, dict) and isinstance(found, dict):
        changed = [key for key in sorted({*original, *found}) if original.get(key) != found.get(key)]
        return f"differs in {', '.join(map(str, changed[:5]))}"
    if isinstance(original, list) and isinstance(found, list):
        return f"{len(original)} elements were there, {len(found)} are"
    return f"was {str(original)[:60]!r}, is {str(found)[:60]!r}"
