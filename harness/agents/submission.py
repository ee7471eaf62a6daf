"""Recognises a submission: the command itself is the sentinel, and it succeeded."""

from __future__ import annotations

import re

SENTINEL = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

_COMMAND = re.compile(rf"\s*echo\s+(['\"]?){SENTINEL}\1\s*(?:&&.*)?\Z", re.DOTALL)


def is_submission(command: str, returncode: int) -> bool:
    """Whether ``command`` submits: ``echo SENTINEL``, alone or before ``&&``, with return code 0.

    The sentinel anywhere else, in output included, is output.
    """
    return returncode == 0 and _COMMAND.match(command) is not None
