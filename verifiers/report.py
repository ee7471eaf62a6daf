"""Reads the signed report of verifiers/runner.py and turns it into a state."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass, field


@dataclass
class Report:
    """What the runner said, and whether every line carried its signature."""

    alive: bool = False
    import_error: str | None = None
    ended: bool = False
    results: dict[str, str] = field(default_factory=dict)
    """Per test: ``pass`` or a reason; the first report of a test counts, a second one is a forgery."""
    forged: bool = False


def read_report(data: bytes, key: bytes) -> Report:
    """Parses report lines; lines without the right signature, or that repeat a test, mark the report as forged."""
    report = Report()
    for line in data.splitlines():
        signature, _, body = line.partition(b" ")
        expected = hmac.new(key, body, hashlib.sha256).hexdigest().encode()
        if not hmac.compare_digest(signature, expected):
            report.forged = True
            continue
        message = json.loads(body)
        stage, test = message.get("stage"), message.get("test")
        if stage == "alive":
            report.alive = True
        elif stage == "import":
            report.import_error = message["detail"]
        elif stage == "end":
            report.ended = True
        elif test in report.results:
            report.forged = True
        else:
            detail = message.get("detail")
            report.results[test] = message["result"] if not detail else f"{message['result']}: {detail}"
    return report
