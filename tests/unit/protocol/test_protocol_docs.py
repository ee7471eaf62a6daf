"""The pages that hold a complete example of a stage list every key, and their examples are valid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

from harness.protocol.load import parse_protocol
from harness.protocol.schema import Protocol

_STAGE = re.compile(r"```yaml\n(schema: 1\nstage: .*?)```", re.DOTALL)
PAGES = [text for path in (Path(__file__).parents[3] / "docs").glob("*.md") if _STAGE.search(text := path.read_text())]
DOCS = "\n".join(PAGES)
EXAMPLES = [yaml.safe_load(example) for example in _STAGE.findall(DOCS)]


def models(annotation: Any) -> Iterator[type[BaseModel]]:
    """Every model reachable from a type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
        for field in annotation.model_fields.values():
            yield from models(field.annotation)
    for part in get_args(annotation):
        yield from models(part)


KEYS = sorted({f.alias or name for model in models(Protocol) for name, f in model.model_fields.items()})


@pytest.mark.parametrize("key", KEYS)
def test_every_key_is_listed(key: str) -> None:
    assert re.search(rf"`{key}`|[{{ ]{key}[,:}}]", re.sub(r"```yaml.*?```", "", DOCS, flags=re.DOTALL))


def test_the_walk_reaches_the_deepest_keys() -> None:
    assert {"schema", "from", "malformed_after_malformed", "input_per_million", "expansion_rule"} <= set(KEYS)


@pytest.mark.parametrize("data", EXAMPLES, ids=lambda data: data["stage"])
def test_the_examples_are_valid(data: dict[str, Any]) -> None:
    parse_protocol(data, Path(f"{data['stage']}.yaml"))


def test_the_examples_use_every_key() -> None:
    assert {"example", "plans"} <= {data["stage"] for data in EXAMPLES}

    def used(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            yield from value
        for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from used(child)

    assert set(KEYS) <= set(used(EXAMPLES))
