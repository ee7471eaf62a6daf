"""What actions make of a conversation."""

from __future__ import annotations

from typing import Any

import pytest

from harness.protocol.recovery import RecoveryAction
from harness.recovery.apply import UNANSWERED, Summary, apply, needs_summary

OPENING = [{"role": "system", "content": "s"}, {"role": "user", "content": "the issue"}]
CALLS = [{"id": "a"}, {"id": "b"}]
TALK: list[dict[str, Any]] = [
    *OPENING,
    {"role": "assistant", "content": "one", "tool_calls": CALLS},
    {"role": "tool", "tool_call_id": "a", "content": "out"},
    {"role": "exit", "content": "submitted"},
]


def action(workspace: str = "keep", context: str = "keep", message: str | None = None) -> RecoveryAction:
    return RecoveryAction.model_validate(
        {"name": "act", "workspace": workspace, "context": context, "message": message}
    )


def test_a_kept_conversation_is_one_that_a_provider_takes() -> None:
    start = apply(action(message="Try again."), conversation=TALK, opening=OPENING)
    assert [message["role"] for message in start.messages] == ["system", "user", "assistant", "tool", "tool", "user"]
    assert start.messages[4] == {"role": "tool", "tool_call_id": "b", "content": UNANSWERED}
    assert (start.messages[-1]["content"], start.kept, start.workspace) == ("Try again.", 4, "keep")


def test_continue_changes_nothing() -> None:
    whole = [*TALK[:4], {"role": "tool", "tool_call_id": "b", "content": "out"}]
    start = apply(action(), conversation=whole, opening=OPENING)
    assert list(start.messages) == whole
    assert start.kept == len(whole)


@pytest.mark.parametrize("context", ["summary", "reset"])
def test_a_new_conversation_holds_the_issue_and_nothing_of_the_old_one(context: str) -> None:
    start = apply(
        action("reset", context, "Mind this."), conversation=TALK, opening=OPENING, summary=Summary(" M a.py\n", "")
    )
    assert (list(start.messages[:2]), start.kept, start.workspace) == (OPENING, 0, "reset")
    said = start.messages[2]["content"]
    assert ("M a.py" in said) == (context == "summary")
    assert "Mind this." in said
    assert "one" not in said
    assert len(start.messages) == 3


def test_a_restart_says_nothing() -> None:
    assert list(apply(action("reset", "reset"), conversation=TALK, opening=OPENING).messages) == OPENING


def test_a_summary_that_is_needed_is_not_left_out() -> None:
    assert needs_summary(action(context="summary"))
    with pytest.raises(ValueError, match="no summary"):
        apply(action(context="summary"), conversation=TALK, opening=OPENING)


def test_an_untouched_workspace_is_said_to_be_so() -> None:
    assert Summary("", "").text().count("(no changes)") == 2


def test_what_is_given_is_not_changed() -> None:
    before = [dict(message) for message in TALK]
    apply(action(message="x"), conversation=TALK, opening=OPENING).messages[0]["content"] = "other"
    assert before == TALK
    assert OPENING[0]["content"] == "s"
