"""The time as the store writes it."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> str:
    """Now, ISO 8601 in UTC with microseconds; texts of this form sort by time."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
