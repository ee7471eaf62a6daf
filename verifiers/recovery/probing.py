"""One run of a contract's checks on a candidate's system, in the evaluator's sandbox, and its signed report."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.canonical import digest_bytes
from harness.sandbox.interface import WORKSPACE, Limits, Mounts, Result, Sandbox
from verifiers.channel import Channel

_INSIDE = Path(__file__).with_name("inside.py")
_PLACE = "/run/verifier/inside.py"
#: Limit of one check, seconds.
CHECK_SECONDS = 5.0


@dataclass
class Report:
    """What the checks found. ``checks``: by (stage, function) the first report of it."""

    alive: bool = False
    ended: bool = False
    checks: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    spawned: list[dict[str, Any]] = field(default_factory=list)


def inside_digest() -> str:
    """Digest of what runs inside."""
    return digest_bytes(_INSIDE.read_bytes())


def probe(
    sandbox: Sandbox, mounts: Mounts, code: str, steps: Sequence[dict[str, Any]], *, limit: float, seed: str
) -> tuple[Result, Report]:
    """Runs ``steps`` with the checks in ``code``; see inside.py.

    Args:
        sandbox: not started.
        limit: of all steps together, seconds.
        seed: what the checks' inputs depend on.

    Raises:
        SandboxLost: the sandbox failed, not the candidate.
    """
    key = secrets.token_bytes(32)
    request = {
        "key": key.hex(), "code": code, "seed": seed, "workspace": WORKSPACE, "seconds": CHECK_SECONDS,
        "steps": list(steps),
    }  # fmt: skip
    with Channel(descriptors=sandbox.kind == "bubblewrap") as channel:
        mounts.read_only[_PLACE] = _INSIDE
        channel.show(mounts)
        sandbox.start(mounts, Limits(seconds=limit))
        try:
            result, said = channel.exchange(
                json.dumps(request).encode(), f"python3 -I -S -B {_PLACE}",
                lambda text, ends: sandbox.run(text, pass_fds=ends),
            )  # fmt: skip
        finally:
            sandbox.stop()
    return result, read_report(said, key)


def read_report(data: bytes, key: bytes) -> Report:
    """Parses report lines. A line that is not signed says nothing: any program inside may write some."""
    report = Report()
    for line in data.splitlines():
        signature, _, body = line.partition(b" ")
        expected = hmac.new(key, body, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(signature, expected):
            continue
        message = json.loads(body)
        stage = message.pop("stage")
        if stage == "alive":
            report.alive = True
        elif stage == "end":
            report.ended = True
        elif "check" in message:
            report.checks.setdefault((stage, message.pop("check")), message)
        else:
            report.spawned.append({"stage": stage, **message})
    return report
