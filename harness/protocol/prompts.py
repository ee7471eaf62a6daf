"""Prompt configurations: the templates of the installed mini-swe-agent, or of a file beside the stage file."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.canonical import digest_json
from harness.errors import InputError
from harness.paths import protocol_dir
from harness.yamlfile import load_yaml

#: Name of the distribution whose templates and release a runtime is built on.
PACKAGE = "mini-swe-agent"

_PLACES = {
    "system": ("agent", "system_template"),
    "instance": ("agent", "instance_template"),
    "observation": ("model", "observation_template"),
    "format_error": ("model", "format_error_template"),
}


@dataclass(frozen=True)
class Prompts:
    """Jinja templates of a conversation, and what identifies them."""

    system: str
    instance: str
    observation: str
    format_error: str
    version: str
    """Release of mini-swe-agent."""
    digest: str
    """SHA-256 over the four templates and the release."""


def load_prompts(name: str, beside: Path | None = None) -> Prompts:
    """The prompt configuration ``name``.

    Args:
        name: ``mini-swe-agent/PATH`` (below that package's config folder, without .yaml), or a relative path of a
            YAML file with the same four keys (in a subfolder: every YAML file beside the stages is taken for a stage).
        beside: folder that a relative path starts from; the protocol directory by default.

    Raises:
        InputError: no such configuration, a template missing, mini-swe-agent not installed.
    """
    version, config = _package()
    inside, _, rest = name.partition("/")
    if inside == PACKAGE:
        path = config / f"{rest}.yaml"
        mend = f"configurations: {', '.join(_known(config))}"
        exists = f"{PACKAGE}/{rest}" in _known(config)
    else:
        path = (beside or protocol_dir()) / name
        mend = f"name a file beside the stage file, or {PACKAGE}/NAME"
        exists = path.is_file() and not Path(name).is_absolute()
    if not exists:
        raise InputError(f"unknown prompt configuration {name!r}", mend=mend)
    data = load_yaml(path)
    texts = {field: _template(data, keys, path) for field, keys in _PLACES.items()}
    return Prompts(**texts, version=version, digest=digest_json({**texts, "version": version}))


def _package() -> tuple[str, Path]:
    # find_spec does not run the package: importing it takes a second, prints, and makes folders in HOME.
    spec = importlib.util.find_spec("minisweagent")
    if spec is None or spec.origin is None:
        raise InputError(f"{PACKAGE} is not installed", mend="make setup")
    return importlib.metadata.version(PACKAGE), Path(spec.origin).parent / "config"


def _known(config: Path) -> list[str]:
    return [f"{PACKAGE}/{path.relative_to(config).with_suffix('')}" for path in sorted(config.rglob("*.yaml"))]


def _template(data: Any, keys: tuple[str, str], path: Path) -> str:
    section = data.get(keys[0]) if isinstance(data, dict) else None
    text = section.get(keys[1]) if isinstance(section, dict) else None
    if not isinstance(text, str):
        raise InputError("the template is missing", file=path, key=".".join(keys), mend="add it as text")
    return text
