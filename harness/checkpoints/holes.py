"""A tensor is complete, or refused with its holes named."""

from __future__ import annotations

from collections.abc import Sequence

from harness.errors import Incomplete

#: Holes that are named.
_SHOWN = 5


def refuse_holes(stage: str, holes: Sequence[str], planned: int) -> None:
    """Raises ``Incomplete`` that names the first holes, if there are any.

    Args:
        planned: episodes that the tensor should have.
    """
    if holes:
        more = f" and {len(holes) - _SHOWN} more" if len(holes) > _SHOWN else ""
        raise Incomplete(
            f"the tensor of {stage} has {len(holes)} holes of {planned} episodes: "
            f"{'; '.join(holes[:_SHOWN])}{more}\n  mend: restartlab collect {stage}"
        )
