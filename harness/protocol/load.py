"""Reads stage files: found by stage name or path, validated, every complaint with file, key and mend."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from harness import plugins
from harness.errors import InputError
from harness.paths import protocol_dir
from harness.protocol.base import MAX_INTEGER
from harness.protocol.monitor_rules import broken_monitor
from harness.protocol.planning_rules import planning_rules, require_task_kinds
from harness.protocol.reuse_rules import broken_reuse
from harness.protocol.rules import broken_rules
from harness.protocol.schema import Protocol
from harness.yamlfile import load_yaml, validation_error
from tasks.interface import Task
from tasks.registry import load_task, mend_for, task_ids

#: What tells a stage file in a subfolder from a prompt file.
_STAGE_KEY = re.compile(rb"^stage:", re.MULTILINE)


def stage_files() -> dict[str, Path]:
    """Stage files of the protocol directory and of its subfolders by stage name, sorted (FROZEN.yaml is none)."""
    found = {stage_name(path): path for path in sorted(protocol_dir().glob("*.yaml")) if path.name != "FROZEN.yaml"}
    for path in sorted(protocol_dir().glob("*/*.yaml")):
        if _STAGE_KEY.search(path.read_bytes()):
            other = found.setdefault(stage_name(path), path)
            if other != path:
                raise InputError(f"is named like {other}", file=path, key="stage", mend="rename one of the two files")
    return found


def stage_name(path: Path) -> str:
    """The name of the stage in ``path``: that of the file, in a subfolder of the protocol directory after the folder's.

    ``protocols/swebench/pilot30.yaml`` is the stage ``swebenchpilot30``.
    """
    inside = path.absolute().parent.parent == protocol_dir()
    return f"{path.parent.name}{path.stem}" if inside else path.stem


def find_stage(stage: str | Path) -> Path:
    """The file of a stage given by name (``horizon60``) or by path (anything with a slash, or ending in .yaml)."""
    if isinstance(stage, Path) or "/" in stage or stage.endswith(".yaml"):
        return Path(stage)
    files = stage_files()
    if stage not in files:
        near = difflib.get_close_matches(stage, files, n=1)
        known = f"stages: {', '.join(files) or 'none'}"
        mend = f"did you mean {near[0]!r}? {known}" if near else known
        raise InputError(f"unknown stage {stage!r}", file=protocol_dir(), mend=mend)
    return files[stage]


def load_protocol(stage: str | Path) -> Protocol:
    """The protocol of a stage, complete and consistent, all its tasks known.

    Args:
        stage: name or path, as in :func:`find_stage`.

    Raises:
        InputError: naming file, key and mend.
    """
    path = find_stage(stage)
    return parse_protocol(load_yaml(path), path, task_ids())


def load_tasks(protocol: Protocol) -> dict[str, Task]:
    """The tasks that a protocol names, by id, in its order; raises ``InputError``, also where nothing judges one."""
    tasks = {task: load_task(task) for task in protocol.tasks}
    for name, task in tasks.items():
        if mend := plugins.unknown("verifiers", task.kind):
            raise InputError(f"{name} is of the unknown kind {task.kind!r}", key="tasks", mend=mend)
    require_task_kinds(protocol, tasks)
    return tasks


def parse_protocol(data: Any, path: Path, known_tasks: Collection[str] | None = None) -> Protocol:
    """Validates what ``path`` contained.

    Args:
        data: the content of the file.
        path: its name, for messages; the stage must be named like it.
        known_tasks: ids that tasks must be among; None: not checked.

    Raises:
        InputError: naming file, key and mend.
    """
    if not isinstance(data, dict):
        raise InputError("holds no keys", file=path, mend="see docs/protocols.md for a complete example")
    _require_json(data, path, ())
    try:
        protocol = Protocol.model_validate(data)
    except ValidationError as error:
        raise validation_error(_without_tags(error, data), path) from None
    if protocol.stage != stage_name(path):
        raise InputError(
            f"{protocol.stage!r} is not the name of the file", file=path, key="stage",
            mend=f"set stage: {stage_name(path)}, or rename the file",
        )
    if known_tasks is not None:
        _require_tasks(protocol, path, known_tasks)
    broken = [*broken_rules(protocol), *planning_rules(protocol), *broken_monitor(protocol), *broken_reuse(protocol)]
    if broken:
        first, *rest = broken
        also = "".join(f"\n  also: {rule.key}: {rule.what}" for rule in rest[:4])
        raise InputError(first.what + also, file=path, key=first.key, mend=first.mend)
    return protocol


def _require_tasks(protocol: Protocol, path: Path, known: Collection[str]) -> None:
    for number, task in enumerate(protocol.tasks):
        if task not in known:
            raise InputError(
                f"unknown task {task!r}", file=path, key=f"tasks.{number}", mend=mend_for(task, list(known))
            )


def _require_json(value: Any, path: Path, keys: tuple[object, ...]) -> None:
    """Refuses what YAML can say and canonical JSON cannot: NaN, dates, huge integers, keys that are not text."""
    problem = mend = None
    match value:
        case dict():
            for key, child in value.items():
                if not isinstance(key, str):
                    problem, mend = f"the key {key!r} is not text", f'write it as "{key}"'
                    break
                _require_json(key, path, (*keys, key))
                _require_json(child, path, (*keys, key))
        case list():
            for number, child in enumerate(value):
                _require_json(child, path, (*keys, number))
        case bool() | None:
            pass
        case int():
            if abs(value) > MAX_INTEGER:
                problem, mend = "the integer is beyond 2**53 - 1", "write a smaller number"
        case float():
            if not math.isfinite(value):
                problem, mend = f"{value} is not a finite number", "write a finite one, or null where the key allows it"
        case str():
            if any("\ud800" <= char <= "\udfff" for char in value):
                problem, mend = "the text has half a surrogate pair", "write the character itself"
        case _:
            problem, mend = f"{value} is a {type(value).__name__}", "put it in quotes"
    if problem:
        name = ".".join(ascii(key)[1:-1] if isinstance(key, str) else str(key) for key in keys)
        raise InputError(problem, file=path, key=name or "(whole file)", mend=mend)


def _without_tags(error: ValidationError, data: Any) -> ValidationError:
    """The same complaints with keys as they stand in the file (pydantic adds a union's tag to the location)."""
    details = []
    for item in error.errors():
        location: list[str | int] = []
        here: Any = data
        for number, part in enumerate(item["loc"]):
            inside = (isinstance(here, dict) and part in here) or (isinstance(here, list) and isinstance(part, int))
            if inside or number == len(item["loc"]) - 1:
                location.append(part)
            if inside:
                here = here[part]
        kind = PydanticCustomError(item["type"], "{text}", {"text": item["msg"]})
        details.append(InitErrorDetails(type=kind, loc=tuple(location), input=item["input"]))
    return ValidationError.from_exception_data(error.title, details)
