"""The one declarative form of every intervention: what a recovery action does to the workspace and the conversation."""

from __future__ import annotations

from typing import Literal

from harness.protocol.base import Name, Section, Text


class RecoveryAction(Section):
    """A recovery action: restart, context reset, continue, retry, verify, replace, resolver differ in values only."""

    name: Name
    """Unique in the stage."""
    workspace: Literal["keep", "reset"]
    """``keep`` the changed files, or ``reset`` to the base."""
    context: Literal["keep", "summary", "reset"]
    """``keep`` the conversation; ``summary``: a new one of the issue with git status and diff stat; ``reset``: a new
    one of the issue alone."""
    message: Text | None = None
    """Said to the agent when the action is applied; null: nothing."""
