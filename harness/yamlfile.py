"""Reads YAML written by people: bounded, without aliases, duplicate keys refused, errors with file and key."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from harness.errors import InputError

#: A stage or task file larger than this is a mistake (bytes).
MAX_BYTES = 1 << 20


class _Loader(yaml.SafeLoader):
    """SafeLoader that refuses duplicate keys and aliases (a YAML bomb is built of aliases)."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            event = self.peek_event()
            raise yaml.constructor.ConstructorError(None, None, "aliases (*name) are not allowed", event.start_mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[Any] = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            try:
                duplicate = key in seen
            except TypeError:
                raise yaml.constructor.ConstructorError(
                    None, None, "a key must be plain text", key_node.start_mark
                ) from None
            if duplicate:
                raise yaml.constructor.ConstructorError(None, None, f"key {key!r} stands twice", key_node.start_mark)
            seen.add(key)
        return super().construct_mapping(node, deep)


def load_yaml(path: Path) -> Any:
    """The data in ``path``.

    Raises:
        InputError: unreadable, too large, not UTF-8, not YAML, duplicate keys, aliases.
    """
    try:
        size = path.stat().st_size
        raw = path.read_bytes() if size <= MAX_BYTES else b""
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", file=path, mend="check name and permissions") from None
    if size > MAX_BYTES:
        raise InputError(f"has {size} bytes, over the limit of {MAX_BYTES}", file=path, mend="is this the right file?")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"byte 0x{raw[error.start]:02x} is not UTF-8", file=path, key=f"line {line}", mend="save the file as UTF-8"
        ) from None
    try:
        return yaml.load(text, Loader=_Loader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        where = f"line {mark.line + 1}, column {mark.column + 1}" if mark else None
        raise InputError(str(problem), file=path, key=where, mend="write plain YAML 1.1") from None
    except RecursionError:
        raise InputError("is nested too deeply", file=path, mend="write plain YAML 1.1") from None


def validation_error(error: ValidationError, path: object) -> InputError:
    """Turns the first complaints of pydantic into an ``InputError`` that names file, key, value and mend."""
    lines = []
    for item in error.errors()[:5]:
        key = ".".join(str(part) for part in item["loc"]) or "(whole file)"
        if item["type"] == "extra_forbidden":
            text = f"{key}: unknown key"
        elif item["type"] == "missing":
            text = f"{key}: is missing"
        else:
            shown = repr(item["input"])
            text = f"{key}: {item['msg'].removeprefix('Value error, ')}"
            if len(shown) <= 60:
                text += f" (got {shown})"
        lines.append(text)
    first, *rest = lines
    key, _, what = first.partition(": ")
    more = "".join(f"\n  also: {line}" for line in rest)
    return InputError(
        what + more, file=path, key=key, mend="correct the key; docs/protocols.md and docs/tasks.md list every key"
    )
