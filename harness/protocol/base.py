"""What every model of a stage file shares: strict types, no unknown keys, bounded numbers."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

#: Largest integer that canonical JSON (RFC 8785) can carry.
MAX_INTEGER = 2**53 - 1


class Section(BaseModel):
    """A mapping in a stage file.

    Strict, because YAML has types: ``repeats: "5"`` and ``repeats: true`` are mistakes. The docstring under a field is
    its documentation (docs/protocols.md is tested against it).
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, use_attribute_docstrings=True
    )


Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)]
StageName = Annotated[str, Field(pattern=r"^[a-z0-9_]+$", max_length=64)]
TaskId = Annotated[str, Field(pattern=r"^[a-z0-9]+-[a-z0-9._-]+$", max_length=128)]
Text = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1, le=MAX_INTEGER)]
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, le=1)]
Temperature = Annotated[float, Field(ge=0, le=2)]
