"""Credentials do not leave with a trajectory."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from harness.exporting.redaction import Redaction

JSON = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


def test_named_variables_and_those_that_look_like_credentials() -> None:
    environment = {
        "HOUSE": "abc", "OPENAI_API_KEY": "sk-123456789", "SHORT_KEY": "k", "MONKEYS": "many-monkeys",
        "HF_TOKEN": "x" * 8, "PATH": "/usr/bin/python",
    }  # fmt: skip
    redact = Redaction(["HOUSE", "GONE"], environment)
    assert redact.unset == ["GONE"]
    said = redact({"a abc": ["echo sk-123456789", 7, {"b": "xxxxxxxx k many-monkeys /usr/bin/python"}]})
    assert said == {
        "a [redacted: HOUSE]": [
            "echo [redacted: OPENAI_API_KEY]", 7, {"b": "[redacted: HF_TOKEN] k many-monkeys /usr/bin/python"},
        ]
    }  # fmt: skip


def test_the_longer_of_two_values_goes_first() -> None:
    assert Redaction(["A", "B"], {"A": "secret", "B": "secret-two"})("secret-two") == "[redacted: B]"


@given(JSON, st.text("äb\"\\c☃", min_size=3, max_size=6), st.text(max_size=4))
def test_no_text_or_key_keeps_the_value(value: object, secret: str, around: str) -> None:
    said = Redaction(["K"], {"K": secret})({around + secret: [value, around + secret + around]})

    def texts(part: object) -> list[str]:
        if isinstance(part, dict):
            return [*part, *(text for child in part.values() for text in texts(child))]
        if isinstance(part, list):
            return [text for child in part for text in texts(child)]
        return [part] if isinstance(part, str) else []

    assert not any(secret in text for text in texts(said))
    json.dumps(said)
