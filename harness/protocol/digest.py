"""The stage digest, and the digests of its parts by key path."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import plugins
from harness.canonical import digest_json
from harness.errors import InputError
from harness.protocol.checkpoint import OnAlarm
from harness.protocol.intervention import Alarm
from harness.protocol.load import find_stage, load_protocol, load_tasks
from harness.protocol.prompts import Prompts, load_prompts
from harness.protocol.schema import Protocol
from tasks.interface import Task

#: Hex digits kept of a part's digest. It names what changed; the stage digest is the authority.
PART_DIGITS = 16


@dataclass(frozen=True)
class Stage:
    """A protocol with all that its digest covers."""

    path: Path
    protocol: Protocol
    tasks: Mapping[str, Task]
    prompts: Prompts
    digest: str
    """SHA-256 (hex) of the canonical JSON of protocol, parts of the tasks, and prompt digest."""
    parts: Mapping[str, str]
    """First digits of the SHA-256 of every value, by key path."""


def load_stage(stage: str | Path) -> Stage:
    """Reads a stage (name or path) with its tasks and prompts; raises ``InputError``."""
    path = find_stage(stage)
    protocol = load_protocol(path)
    tasks = load_tasks(protocol)
    try:
        prompts = load_prompts(protocol.agent.prompts, path.parent)
    except InputError as error:
        file, key = error.file or path, error.key or "agent.prompts"
        raise InputError(error.what, file=file, key=key, mend=error.mend) from None
    content = stage_content(protocol, {name: task.parts for name, task in tasks.items()}, prompts.digest)
    return Stage(path, protocol, tasks, prompts, digest_json(content), part_digests(content))


def stage_content(protocol: Protocol, tasks: Mapping[str, Mapping[str, str]], prompts: str) -> dict[str, Any]:
    """The JSON value whose SHA-256 is the stage digest.

    Keys that are null are left out: absent and null mean the same, and a key that a later version of the schema adds
    (null by default) leaves the digests of frozen stages alone. ``plugins`` is there for stages that use some.
    """
    used = protocol_plugins(protocol)
    return {
        **({"plugins": used} if used else {}),
        "protocol": protocol.model_dump(mode="json", by_alias=True, exclude_none=True),
        "tasks": {name: dict(parts) for name, parts in tasks.items()},
        "prompts": prompts,
    }


def protocol_plugins(protocol: Protocol) -> dict[str, str]:
    """Agents, sandboxes and monitors of other packages in a protocol, each with its distribution and version."""
    named: list[tuple[plugins.Group, str]] = [("agents", runtime.agent) for runtime in protocol.runtimes.values()]
    named.append(("sandboxes", protocol.sandbox.kind))
    named += [("monitors", arm.trigger.monitor) for arm in protocol.arms if isinstance(arm.trigger, Alarm)]
    if protocol.monitor:
        named.append(("monitors", protocol.monitor.monitor))
    if protocol.checkpoint and isinstance(protocol.checkpoint.select, OnAlarm):
        named.append(("monitors", protocol.checkpoint.select.monitor))
    return plugins.releases(named)


def part_digests(content: Mapping[str, Any]) -> dict[str, str]:
    """Digest prefix of every leaf of ``content`` by dotted key path; a list is one leaf, as is an empty mapping."""
    return {path: digest_json(value)[:PART_DIGITS] for path, value in sorted(_leaves(content, ""))}


def _leaves(value: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, child in value.items():
        # A key with a dot in it is quoted, so that two different contents never share their paths.
        path = prefix + (key if re.fullmatch(r"[\w-]+", key) else json.dumps(key))
        if isinstance(child, Mapping) and child:
            yield from _leaves(child, path + ".")
        else:
            yield path, child
