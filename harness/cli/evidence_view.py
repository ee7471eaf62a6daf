"""What ``evidence verify`` found, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from harness.cli.text import one_line

_VOUCHED = {True: "trusted", False: "a key is NOT trusted", None: "no --key given: nobody vouches for it"}


def audit_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Signatures, counts, faults, corrections, what is withheld, where plan and reality differ."""
    for seal in found["seals"]:
        yield f"line {seal['line']}: key {seal['key_id']} signed {seal['lines']} lines ({_VOUCHED[found['trusted']]})"
        yield f"  head {seal['head']}"
    yield "records: " + (", ".join(f"{count} {kind}" for kind, count in found["records"].items()) or "none")
    for one in found["corrections"]:
        more = f"rescoring: {one['rescoring']}, {one['supersedes']} values"
        yield f"{one['record']}: {one_line(one['reason'], 120)} ({more})"
    for name in found["rerun_required"]:
        yield f"{name} holds no more: a rerun is required"
    for one in found["withheld"]:
        yield f"withheld: {one['fields']} fields ({one_line(one['reason'], 80)}; auditors: {one['auditor_access']}), " \
              f"first {one['first']}"  # fmt: skip
    for text in found["differences"]:
        yield f"planned and realised differ: {one_line(text, 160)}"
    for one in found["faults"]:
        yield f"FAULT line {one['line']}, record {one['record']}, field {one['field']}: {one_line(one['what'], 160)}"
    yield "intact: every byte is as signed, and the records agree" if found["intact"] else "NOT intact"
    yield found["statement"]
