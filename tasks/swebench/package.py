"""The swebench package, which knows image names and how logs are graded. An extra: most of the project does without."""

from __future__ import annotations

import importlib
import importlib.metadata
from typing import Any

from harness.errors import InputError


def swebench(module: str) -> Any:
    """A module of the package, by its name below ``swebench``.

    Raises:
        InputError: the package is not installed, or is another than the one this project was written for.
    """
    try:
        return importlib.import_module(f"swebench.{module}")
    except ImportError as error:
        raise InputError(
            f"instances in Docker need the swebench package ({error})", key="sandbox.kind",
            mend="pip install -r requirements/swebench.txt, or set sandbox.kind: bubblewrap",
        ) from None  # fmt: skip


def swebench_release() -> str:
    """Release of the installed package, with its name."""
    return f"swebench {importlib.metadata.version('swebench')}"
