"""One record of a SWE-bench-format dataset, v4 or v5."""

from __future__ import annotations

import json
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Instance(BaseModel):
    """The fields that are used here; others (hints, dates, provenance, ...) are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, use_attribute_docstrings=True)

    instance_id: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=100)]
    repo: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")]
    """``owner/name``."""
    base_commit: Annotated[str, Field(pattern=r"^[0-9a-f]{40}$")]
    problem_statement: Annotated[str, Field(min_length=1)]
    """The text that the agent gets."""
    patch: Annotated[str, Field(min_length=1)]
    """The reference repair, without tests."""
    test_patch: Annotated[str, Field(min_length=1)]
    FAIL_TO_PASS: Annotated[tuple[str, ...], Field(min_length=1)]
    """Tests that fail at the base and pass with the reference."""
    PASS_TO_PASS: tuple[str, ...] | None = None
    """Tests that pass before and after; None: not known."""
    version: str | None = None
    """Release line of the repository, like ``1.10``."""
    difficulty: str | None = None
    image: str | None = None
    """Container image (v5)."""
    eval_script: str | None = None
    """What runs the tests in it (v5)."""
    log_parser: str | None = None
    """Name of what reads the log of that in the swebench package (v5)."""
    eval_type: str | None = None
    """How the package counts what it read (v5): ``pass_and_fail`` or ``fail_only``."""

    @field_validator("FAIL_TO_PASS", "PASS_TO_PASS", mode="before")
    @classmethod
    def _list(cls, value: Any) -> Any:
        """A list of names, or JSON text of one (v4); sorted, as their order means nothing."""
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                raise ValueError("is neither a list nor JSON text of one") from None
        if value is not None and not isinstance(value, str):
            try:
                value = sorted(set(value))
            except TypeError:
                raise ValueError("is not a list of names") from None
        return value

    @field_validator("patch", "test_patch")
    @classmethod
    def _git_patch(cls, value: str) -> str:
        if not value.startswith("diff --git ") and "\ndiff --git " not in value:
            raise ValueError("has no 'diff --git' line")
        return value

    @property
    def task_id(self) -> str:
        """Id of the task: ``swebench-`` and the instance id, in small letters."""
        return f"swebench-{self.instance_id.lower()}"
