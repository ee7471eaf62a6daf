"""Collections to disturb."""

from __future__ import annotations

from disturbed import frozen, start
from endpoints import in_lab

__all__ = ["frozen", "in_lab", "start"]
