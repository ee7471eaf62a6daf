"""A scripted endpoint on this machine, and tries of attempts against it."""

from __future__ import annotations

from pathlib import Path

import pytest
from chat_server import ChatServer
from endpoints import attempt, in_lab, server, warm
from trying import Trier

__all__ = ["attempt", "in_lab", "server", "sympy_attempt", "warm"]


@pytest.fixture
def sympy_attempt(server: ChatServer, state: Path, tmp_path: Path) -> Trier:
    """The same with the shipped tasks and the ordinary cache, which a first use fills from the package index."""
    return Trier(server, tmp_path)
