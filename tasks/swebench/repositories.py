"""Repositories whose instances run without a container: a plain Python environment is all that they need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from harness.errors import InputError
from tasks.swebench.instance import Instance


@dataclass(frozen=True)
class Repository:
    """How instances of one repository are set up and judged."""

    module: str
    """Imported before any test; if that fails, the tree is broken."""
    pythons: Callable[[str | None], tuple[str, ...]]
    """Python versions for a release line (None: unknown), the best first."""
    site: Path
    """Lock file of the packages that its Python needs."""
    before: str
    """Code that runs before every test: fixes seeds."""
    command: str
    """The benchmark's own command for whole test files; their names are appended. For records without a script."""


def _sympy_pythons(version: str | None) -> tuple[str, ...]:
    """3.9 is what the benchmark's own images have. Before 1.2 SymPy imports the abstract base classes from
    ``collections``, which Python 3.10 has no more."""
    newer = tuple(int(part) for part in version.split(".")[:2]) >= (1, 2) if version else False
    return ("3.9", "3.11", "3.12", "3.13") if newer else ("3.9",)


_SITE = Path(__file__).resolve().parent.parent / "sandbox-site.txt"
_SYMPY_SEEDS = """
import random
random.seed(0)
try:
    from sympy.core.random import seed
except ImportError:
    pass
else:
    seed(0)
"""

_SYMPY_COMMAND = "PYTHONWARNINGS='ignore::UserWarning,ignore::SyntaxWarning' bin/test -C --verbose"

REPOSITORIES = {"sympy/sympy": Repository("sympy", _sympy_pythons, _SITE, _SYMPY_SEEDS, _SYMPY_COMMAND)}


def repository_of(instance: Instance) -> Repository:
    """The entry for an instance; raises ``InputError`` when its repository needs a container."""
    try:
        return REPOSITORIES[instance.repo]
    except KeyError:
        raise InputError(
            f"{instance.instance_id}: nothing is known here of the Python environment of {instance.repo}",
            key="repo",
            mend="run it in its own image (sandbox.kind: docker); if a plain Python will do, add the repository to "
            f"tasks/swebench/repositories.py (known: {', '.join(REPOSITORIES)})",
        ) from None
