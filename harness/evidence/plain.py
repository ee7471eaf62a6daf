"""Values as canonical JSON carries them: text in NFC, whole numbers that every reader keeps exact."""

from __future__ import annotations

import base64
import unicodedata
from collections.abc import Iterator, Mapping
from typing import Any

#: RFC 8785 numbers are doubles; larger whole numbers are written as text.
_EXACT = 2**53

#: Keys of the objects that stand for what canonical JSON cannot carry as it is.
_BYTES, _POINTS, _PAIRS, _WHOLE = "utf8_base64", "code_points", "pairs", "whole_number"


def plain(value: Any) -> Any:
    """``value`` with every text that is not NFC as the base64 of its UTF-8 bytes, and large whole numbers as text.

    Normalising instead would change what was recorded; a file name of an agent may hold anything. Lone surrogates
    stand for bytes that were no UTF-8, and become those bytes again; a text that no bytes stand behind is kept as its
    code points.
    """
    match value:
        case str():
            return value if is_nfc(value) else _spelt(value)
        case bool() | None | float():
            return value
        case int():
            return value if abs(value) < _EXACT else {_WHOLE: str(value)}
        case Mapping():
            stands_for_another = len(value) == 1 and not {_BYTES, _POINTS, _PAIRS, _WHOLE}.isdisjoint(value)
            if all(is_nfc(key) for key in value) and not stands_for_another:
                return {key: plain(child) for key, child in value.items()}
            return {_PAIRS: [[plain(key), plain(child)] for key, child in value.items()]}
        case list() | tuple():
            return [plain(child) for child in value]
    raise TypeError(f"{type(value).__name__} is not JSON")


def original(value: Any) -> Any:
    """The value that ``plain`` was given."""
    match value:
        case {"utf8_base64": str(text)} if len(value) == 1:
            return base64.b64decode(text).decode("utf-8", "surrogateescape")
        case {"code_points": list(points)} if len(value) == 1:
            return "".join(map(chr, points))
        case {"whole_number": str(text)} if len(value) == 1:
            return int(text)
        case {"pairs": list(pairs)} if len(value) == 1:
            return {original(key): original(child) for key, child in pairs}
        case dict():
            return {key: original(child) for key, child in value.items()}
        case list():
            return [original(child) for child in value]
    return value


def is_nfc(text: str) -> bool:
    """Whether ``text`` is Unicode in normal form C."""
    return unicodedata.is_normalized("NFC", text) and not any("\ud800" <= letter <= "\udfff" for letter in text)


def not_nfc(value: Any, path: str = "") -> Iterator[str]:
    """Paths of the texts and keys in ``value`` that are not NFC."""
    if isinstance(value, str) and not is_nfc(value):
        yield path
    elif isinstance(value, dict):
        for key, child in value.items():
            here = f"{path}.{key}" if path else key
            if not is_nfc(key):
                yield here
            yield from not_nfc(child, here)
    elif isinstance(value, list):
        for place, child in enumerate(value):
            yield from not_nfc(child, f"{path}[{place}]")


def _spelt(text: str) -> dict[str, Any]:
    """What stands for a text that is not NFC."""
    try:
        data = text.encode("utf-8", "surrogateescape")
        if data.decode("utf-8", "surrogateescape") == text:
            return {_BYTES: base64.b64encode(data).decode("ascii")}
    except UnicodeEncodeError:
        pass
    return {_POINTS: [ord(letter) for letter in text]}
