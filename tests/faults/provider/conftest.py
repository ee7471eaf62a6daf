"""A scripted endpoint on this machine, and tries of attempts against it."""

from __future__ import annotations

from endpoints import attempt, in_lab, server, warm

__all__ = ["attempt", "in_lab", "server", "warm"]
