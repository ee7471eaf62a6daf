"""What the benchmarks share: a place to work on the disk that holds collected state, and measuring side by side."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results, results_path
from side_by_side import Compare, Round, side_by_side

from harness.workspace.base import Base, build_base
from harness.workspace.files import remove_tree
from tasks.registry import load_task
from verifiers.kinds import prepare_place
from verifiers.place import Place

#: The task of the benchmarks that need a real tree.
TASK = "sympy-22714"


@pytest.fixture(scope="session")
def results() -> Results:
    """The results of this run."""
    return Results(results_path())


@pytest.fixture(scope="session")
def bench_folder() -> Iterator[Path]:
    """A folder beside the results, as temporary folders may lie on another file system than collected state."""
    results_path().parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=results_path().parent))
    folder.chmod(0o755)
    yield folder
    remove_tree(folder)


@pytest.fixture
def bench_state(bench_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A state directory in it."""
    state = bench_folder / "state"
    monkeypatch.setenv("RESTARTLAB_STATE", str(state))
    return state


@pytest.fixture
def place(bench_state: Path) -> Place:
    """A real task, its base built and warm."""
    return prepare_place(load_task(TASK))


@pytest.fixture(scope="session")
def made_base(bench_folder: Path) -> Callable[[int], Base]:
    """Bases of so many small files, a hundred in each folder."""
    made: dict[int, Base] = {}

    def make(files: int) -> Base:
        def unpack(target: Path) -> None:
            for n in range(files):
                path = target / f"d{n // 100:03}" / f"f{n % 100:02}.py"
                path.parent.mkdir(mode=0o755, exist_ok=True)
                path.write_text(f"value = {n}\n" * 20)
                path.chmod(0o644)

        if files not in made:
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("XDG_CACHE_HOME", str(bench_folder / "cache"))
                made[files] = build_base({"files": files}, unpack, [])
        return made[files]

    return make


@pytest.fixture
def compare(benchmark: Any, results: Results) -> Compare:
    """See side_by_side.Compare."""

    def measure(group: str, things: dict[str, Round], *, rounds: int, baseline: str) -> None:
        times = benchmark.pedantic(side_by_side, (things, rounds), rounds=1)
        for name, taken in times.items():
            results.time(group, name, taken, None if name == baseline else baseline)

    return measure
