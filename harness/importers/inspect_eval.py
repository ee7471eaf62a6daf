"""Inspect: ``.eval`` logs, through Inspect's own reader (an optional package)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness.canonical import digest_json
from harness.errors import InputError
from harness.importers.plain import amount, mapping, moment
from harness.importers.record import Observation, Record, RecordedAction, RecordedCall, malformed
from harness.importers.tools import as_command

_OWN = ("submit", "think", "update_plan", "todo_write")


def read_inspect(path: Path, source: str, digest: str) -> Iterator[Record]:
    """The records of a log, one for each sample and epoch.

    Raises:
        InputError: Inspect is not installed, or its reader refuses the file.
    """
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise InputError(
            "is a log of Inspect, whose reader is not installed", file=source, mend="pip install -e .[inspect]"
        ) from None
    try:
        log = read_eval_log(str(path))
    except Exception as error:  # whatever its reader finds wrong
        raise malformed(source, f"Inspect's reader refuses it ({type(error).__name__}: {str(error)[:200]})") from None
    for sample in log.samples or ():
        identity = {"log": digest, "sample": str(sample.id), "epoch": sample.epoch}
        yield _record(log, sample, source, digest_json(identity))


def _record(log: Any, sample: Any, source: str, digest: str) -> Record:
    calls = tuple(_calls(sample))
    if not calls:
        raise malformed(source, "holds no reply of a model", f"sample {sample.id}")
    limit = getattr(sample, "limit", None)
    ended = f"{limit.type}_limit" if limit else ("sample_error" if sample.error else "submitted")
    costs = [amount(getattr(usage, "total_cost", None)) for usage in (sample.model_usage or {}).values()]
    return Record(
        source, digest, "inspect", str(sample.id), f"inspect-{log.eval.solver or log.eval.task}", str(log.eval.model),
        calls, ended, call_limit=None, command_seconds=180.0, passed=_passed(sample),
        cost_usd=None if not costs or None in costs else float(sum(cost for cost in costs if cost is not None)),
    )  # fmt: skip


def _calls(sample: Any) -> Iterator[RecordedCall]:
    shown = {message.tool_call_id: message for message in sample.messages if message.role == "tool"}
    for message in sample.messages:
        if message.role != "assistant":
            continue
        actions, refused = [], False
        for called in message.tool_calls or ():
            refused = refused or bool(getattr(called, "parse_error", None))
            if called.function in _OWN or getattr(called, "parse_error", None):
                continue
            answer = shown.get(called.id)
            command = as_command(called.function, mapping(called.arguments))
            actions.append(RecordedAction(command, called.function, _observation(answer) if answer else None))
        at = moment(str(getattr(message, "timestamp", "")))
        yield RecordedCall(tuple(actions), bool(actions) or not refused, None, at, message.text)


def _observation(message: Any) -> Observation:
    error = message.error
    return Observation(None, message.text, timed_out=bool(error and error.type == "timeout"))


def _passed(sample: Any) -> bool | None:
    values = [score.value for score in (sample.scores or {}).values()]
    if len(values) != 1:
        return None
    value = values[0]
    if value in ("C", "I"):
        return value == "C"
    return bool(value >= 1) if isinstance(value, int | float) else None
