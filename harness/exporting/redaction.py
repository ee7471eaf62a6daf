"""Takes credentials out of what is exported."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

#: Variables of the environment that hold credentials, whoever uses them.
_NAMES = re.compile(r"(_|^)(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)(_|$)")
#: A value shorter than this occurs by accident (characters).
SHORTEST = 8


class Redaction:
    """Replaces the values of credential variables wherever they occur.

    Args:
        named: variables that stages name as credential, whatever they are called.
        environment: where the values come from.
    """

    def __init__(self, named: Iterable[str], environment: Mapping[str, str]):
        named = set(named)
        self.unset = sorted(name for name in named if not environment.get(name, "").strip())
        """Named variables whose value is not known here, so that it could not be looked for."""
        self._values = {
            value.strip(): name
            for name, value in environment.items()
            if value.strip() and (name in named or (_NAMES.search(name.upper()) and len(value.strip()) >= SHORTEST))
        }
        ordered = sorted(self._values, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def __call__(self, value: Any) -> Any:
        """JSON data without those values, in texts and in keys."""
        if self._pattern is None:
            return value
        match value:
            case str():
                return self._pattern.sub(lambda found: f"[redacted: {self._values[found[0]]}]", value)
            case dict():
                return {self(key): self(child) for key, child in value.items()}
            case list():
                return [self(child) for child in value]
        return value
