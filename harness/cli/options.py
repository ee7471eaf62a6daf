"""Option values that several commands share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from harness.errors import InputError
from harness.paths import state_dir

Datasets = Annotated[
    list[str] | None,
    typer.Option("--dataset", help="SWE-bench-format dataset: a file, or OWNER/NAME on the hub; may be repeated."),
]
Repos = Annotated[str | None, typer.Option("--repos", help="Folder of git mirrors (OWNER/NAME.git), or one mirror.")]


def use_sources(datasets: list[str] | None, repos: str | None = None) -> None:
    """Makes what was given the datasets and mirrors of this run and its workers, as the variables would.

    Raises:
        InputError: ``repos`` is no folder.
    """
    if datasets:
        places = [os.path.abspath(place) if os.path.exists(place) else place for place in datasets]
        os.environ["RESTARTLAB_DATASETS"] = os.pathsep.join(places)
    if repos:
        if not os.path.isdir(repos):
            raise InputError(f"{repos!r} is no folder", file="--repos", mend="name the folder of the git mirrors")
        os.environ["RESTARTLAB_REPOS"] = os.path.abspath(repos)


def database_place(given: str | None) -> str | Path:
    """The database to use: a URL, a path, or the one in the state directory."""
    if given is None:
        return state_dir() / "restartlab.db"
    return given if "://" in given else Path(given)
