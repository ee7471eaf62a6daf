"""A scripted endpoint on this machine."""

from __future__ import annotations

from endpoints import server, warm

__all__ = ["server", "warm"]
