"""The package of docs/extending.md, installed as pip would: its files and metadata in a folder on the path."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import yaml

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """Fenced blocks of the page."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def install(folder: Path) -> Path:
    """Writes the package into ``folder``, to be put on the path; returns it."""
    project = tomllib.loads(blocks("toml")[0])["project"]
    files = re.findall(r"`(sums/\w+\.py)`:\n\n```python\n(.*?)```", PAGE, re.DOTALL)
    (folder / "sums").mkdir(parents=True)
    for name, text in [("sums/__init__.py", ""), *files]:
        (folder / name).write_text(text)
    add_metadata(folder, project["name"], project["version"], project["entry-points"])
    return folder


def add_metadata(folder: Path, name: str, version: str, groups: dict[str, dict[str, str]]) -> None:
    """What makes a distribution of ``folder`` that offers the entry points."""
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = []
    for group, points in groups.items():
        lines += [f"[{group}]", *(f"{point} = {value}" for point, value in points.items()), ""]
    (info / "entry_points.txt").write_text("\n".join(lines))


def stage_keys() -> dict[str, Any]:
    """The keys of the page's stage."""
    keys: dict[str, Any] = yaml.safe_load(blocks("yaml")[0])
    return keys
