"""What a recovery action makes of a conversation and of a workspace. Pure: who calls it does the work.

Every user of ``RecoveryAction`` (an arm's intervention, a draw from a checkpoint, a resolver) goes through ``apply``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from harness.protocol.recovery import RecoveryAction

Message = dict[str, Any]

#: What stands in for the output of an action that the end of an episode cut off: providers want every call answered.
UNANSWERED = "No output: the episode was interrupted here."

_SUMMARY = """\
You work on this issue in a workspace that holds the changes of an earlier episode. Its conversation is not shown.

git status --porcelain:
{status}

git diff --stat:
{stat}
"""


@dataclass(frozen=True)
class Summary:
    """The state of a workspace in two texts that depend on nothing but its files; see ``summary.summarise``."""

    status: str
    stat: str

    def text(self) -> str:
        """As told to the agent."""
        nothing = "(no changes)"
        return _SUMMARY.format(status=self.status.rstrip("\n") or nothing, stat=self.stat.rstrip("\n") or nothing)


@dataclass(frozen=True)
class Start:
    """Where the episode after an action begins."""

    messages: tuple[Message, ...]
    """The conversation, ready for the next model call."""
    kept: int
    """How many of its first messages are those of the old conversation; 0: it is a new one, for a fresh client."""
    workspace: Literal["keep", "reset"]
    """``keep`` the layer as it is, or start over from the base."""


def needs_summary(action: RecoveryAction) -> bool:
    """Whether ``apply`` wants a summary of the workspace."""
    return action.context == "summary"


def apply(
    action: RecoveryAction, *, conversation: Sequence[Mapping[str, Any]], opening: Sequence[Mapping[str, Any]],
    summary: Summary | None = None,
) -> Start:  # fmt: skip
    """The start of the episode that follows ``action``.

    Args:
        conversation: the messages so far; what only this project reads (role ``exit``) is left out of the new one.
        opening: system and user message of a fresh attempt: the rendered prompts, the issue within.
        summary: of the workspace; needed by ``context: summary`` (``needs_summary``), read by nothing else.

    Raises:
        ValueError: a summary is needed and there is none.
    """
    if action.context == "keep":
        messages = [dict(message) for message in conversation if message.get("role") != "exit"]
        kept = len(messages)
        messages = answered(messages)
    else:
        messages, kept = [dict(message) for message in opening], 0
    said = []
    if needs_summary(action):
        if summary is None:
            raise ValueError(f"{action.name} tells the state of the workspace, and no summary was given")
        said.append(summary.text())
    if action.message:
        said.append(action.message)
    if said:
        messages.append({"role": "user", "content": "\n".join(said)})
    return Start(tuple(messages), kept, action.workspace)


def answered(messages: list[Message]) -> list[Message]:
    """``messages`` with an answer to every tool call of the last reply: an episode may end between two actions."""
    last = next((n for n in reversed(range(len(messages))) if messages[n].get("role") == "assistant"), None)
    if last is None:
        return messages
    known = {message.get("tool_call_id") for message in messages[last + 1 :]}
    missing = [call["id"] for call in messages[last].get("tool_calls") or () if call.get("id") not in known]
    return [*messages, *({"role": "tool", "tool_call_id": name, "content": UNANSWERED} for name in missing)]
