"""Writes an attempt's trajectory line by line, so that a killed attempt leaves it up to its last action."""

from __future__ import annotations

import base64
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from harness.canonical import digest_bytes
from harness.sandbox.interface import Result
from verifiers.verdict import Verdict


def _plain(value: Any) -> Any:
    """For objects that JSON does not know (a provider's response, say): their data, else their text."""
    dump = getattr(value, "model_dump", None)
    try:
        return dump(mode="json") if callable(dump) else repr(value)
    except Exception:  # of the object's own making; the line must be written all the same
        return _text(value)


def _text(value: Any) -> str:
    """``repr``, which an object that holds itself may not have."""
    try:
        return repr(value)
    except Exception:
        return f"a {type(value).__name__} that cannot be shown"


def _encode(value: Any) -> bytes:
    text = json.dumps(value, default=_plain, ensure_ascii=False, sort_keys=True)
    return text.encode("utf-8", "surrogatepass")


def _encodable(value: Any) -> Any:
    """``value``, or its text where it has loops or keys that JSON does not know."""
    try:
        _encode(value)
    except (TypeError, ValueError, RecursionError):
        return _text(value)
    return value


def mark_of(value: Any) -> str:
    """SHA-256 of what a line would hold of ``value``; equal values have equal marks."""
    return digest_bytes(_encode(_encodable(value)))


def encode_output(output: bytes) -> dict[str, str]:
    """Output as JSON data, lossless: text where it is UTF-8, else base64."""
    try:
        return {"output": output.decode("utf-8")}
    except UnicodeDecodeError:
        return {"output_base64": base64.b64encode(output).decode()}


def decode_output(line: dict[str, Any]) -> bytes:
    """Inverse of ``encode_output``."""
    if "output_base64" in line:
        return base64.b64decode(line["output_base64"])
    return str(line.get("output", "")).encode("utf-8")


def command_digest(command: str) -> str:
    """SHA-256 of a command's text; a half surrogate pair, which JSON can carry, is text too."""
    return digest_bytes(command.encode("utf-8", "surrogatepass"))


def action_flags(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What else was noted of an action, from its result or from its line in a trajectory: only what applies."""
    return {name: facts[name] for name in ("limit", "truncated_bytes", "background_left") if facts.get(name)}


class Recorder:
    """Appends JSON lines to a file: start, message, call, action, verdict, end."""

    def __init__(self, path: Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self.listener: Callable[[dict[str, Any]], None] | None = None
        """Told of every line once it is written."""
        # Unbuffered: a line is in the kernel's hands, and survives this process, once write returns.
        self._stream = open(path, "ab", buffering=0)

    def write(self, kind: str, **facts: Any) -> None:
        try:
            line = _encode({"type": kind, **facts})
        except (TypeError, ValueError, RecursionError):
            line = _encode({"type": kind, **{name: _encodable(value) for name, value in facts.items()}})
        self._append(line + b"\n")
        if self.listener:
            self.listener({"type": kind, **facts})

    def _append(self, line: bytes) -> None:
        """Writes all of ``line`` or, where the disk is full, none of it: a torn line would swallow the next one."""
        end = os.fstat(self._stream.fileno()).st_size
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[self._stream.write(rest) or 0 :]
        except OSError:
            os.ftruncate(self._stream.fileno(), end)
            raise

    def action(self, call: int, action: int, command: str, result: Result) -> None:
        self.write(
            "action", call=call, action=action, command=command, returncode=result.returncode, seconds=result.seconds,
            limit=result.limit, truncated_bytes=result.truncated_bytes, background_left=result.background_left,
            **encode_output(result.output),
        )  # fmt: skip

    def verdict(
        self, call: int, action: int, layer: str, verdict: Verdict, scratch: dict[str, str] | None = None
    ) -> None:
        """``scratch``: digests of the layers of /tmp and home, of those that hold anything; None: they are not kept."""
        kept = {} if scratch is None else {"scratch": scratch}
        self.write("verdict", call=call, action=action, layer=layer, cached=verdict.cached, **kept, **verdict.data())

    def close(self) -> None:
        self._stream.close()

    def __enter__(self) -> Recorder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_trajectory(data: bytes) -> Iterator[dict[str, Any]]:
    """Lines of a trajectory; a last line that a kill cut off is left out."""
    return read_lines(io.BytesIO(data))


def read_lines(stream: Iterable[bytes]) -> Iterator[dict[str, Any]]:
    """Lines of an open trajectory file, one in memory at a time; as ``read_trajectory``."""
    for line in stream:
        if not line.endswith(b"\n"):
            continue
        try:
            value = json.loads(line.decode("utf-8", "surrogatepass"))
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value
