"""Groups of cells over which a macro value is a mean: one runtime and arm, tasks equally weighted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.cells import Cell
from analysis.errors import InputError


@dataclass(frozen=True)
class Group:
    """Cells of one runtime and arm, one per task, sorted by stage and task, and the stages they are from."""

    runtime: str
    arm: str
    stages: tuple[str, ...]
    cells: tuple[Cell, ...]

    @property
    def tasks(self) -> tuple[str, ...]:
        """Task of each cell."""
        return tuple(cell.key.task for cell in self.cells)


def groups_of(cells: Sequence[Cell], stages: Iterable[str] | None = None) -> list[Group]:
    """Cells by runtime and arm, sorted.

    Args:
        stages: the stages that the user named, and thereby asked to pool; None if none were named.

    Raises:
        InputError: several stages that nobody asked to pool, a task that would count twice, synthetic attempts among
            others.
    """
    held = sorted({cell.key.stage for cell in cells})
    if stages is None and len(held) > 1:
        raise InputError(
            f"there are several stages ({', '.join(held)}), and stages are not pooled unasked",
            mend=f"name one, or name several to pool them: --stages {','.join(held[:2])}",
        )
    by_name: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_name.setdefault((cell.key.runtime, cell.key.arm), []).append(cell)
    return [_group(runtime, arm, by_name[runtime, arm]) for runtime, arm in sorted(by_name)]


def _group(runtime: str, arm: str, cells: list[Cell]) -> Group:
    seen: dict[str, Cell] = {}
    for cell in cells:
        other = seen.setdefault(cell.key.task, cell)
        if other is not cell:
            ours, theirs = (
                f"stage {c.key.stage} (digest {c.key.digest[:12] or 'unknown'}, {c.key.origin})" for c in (cell, other)
            )
            raise InputError(
                f"runtime {runtime}, arm {arm}: task {cell.key.task} would count twice: in {theirs}, in {ours}",
                mend="name stages that share no task",
            )
    origins = {cell.key.origin for cell in cells}
    if "synthetic" in origins and len(origins) > 1:
        raise InputError(
            f"runtime {runtime}, arm {arm}, has synthetic attempts beside others ({', '.join(sorted(origins))})",
            mend="name stages of one origin",
        )
    ordered = sorted(cells, key=lambda cell: (cell.key.stage, cell.key.task))
    return Group(runtime, arm, tuple(sorted({cell.key.stage for cell in cells})), tuple(ordered))
