"""Monitors by name: those that come with the project, and those of other packages."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from harness import plugins
from harness.errors import InputError
from harness.monitors.fixed_time import FixedTime
from harness.monitors.format_errors import FormatErrors
from harness.monitors.interface import Monitor
from harness.monitors.repeated_command import RepeatedCommand
from harness.monitors.stated_confidence import StatedConfidence
from harness.monitors.unchanged import Unchanged

Scalar = str | int | float | bool

BUILT_IN: Mapping[str, Any] = {
    "fixed-time": FixedTime,
    "format-errors": FormatErrors,
    "unchanged": Unchanged,
    "repeated-command": RepeatedCommand,
    "stated-confidence": StatedConfidence,
}


class Spec(NamedTuple):
    """A monitor by name, with its parameters."""

    name: str
    params: Mapping[str, Scalar]

    @property
    def text(self) -> str:
        """As the command line takes it: NAME or NAME:key=value,key=value."""
        said = ",".join(f"{key}={_said(value)}" for key, value in sorted(self.params.items()))
        return f"{self.name}:{said}" if said else self.name


def parse_spec(text: str) -> Spec:
    """The monitor that ``NAME[:key=value,key=value]`` names; numbers, true and false are taken as such.

    Raises:
        InputError: it has another form.
    """
    name, _, rest = text.partition(":")
    params: dict[str, Scalar] = {}
    for part in rest.split(",") if rest else ():
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or not key.isidentifier() or key in params:
            mend = "such as repeated-command:window=8"
            raise InputError(f"{part!r} is not one key=value", file="--monitor", mend=mend)
        params[key] = _scalar(value.strip())
    return Spec(name.strip(), params)


def make_monitor(spec: Spec, where: str = "--monitor") -> Monitor:
    """The monitor.

    Raises:
        InputError: nobody offers it, or it does not take these parameters.
    """
    if mend := plugins.unknown("monitors", spec.name):
        raise InputError(f"unknown monitor {spec.name!r}", file=where, mend=mend)
    maker = BUILT_IN.get(spec.name) or plugins.load("monitors", spec.name)
    taken: Mapping[str, Any] | None = getattr(maker, "__dataclass_fields__", None)
    for key in spec.params:
        if taken is not None and key not in taken:
            near = difflib.get_close_matches(key, taken, n=1)
            asked = f"did you mean {near[0]}? " if near else ""
            known = ", ".join(taken) or "none"
            raise InputError(f"{spec.name} has no parameter {key!r}", file=where, mend=f"{asked}it takes: {known}")
    try:
        made = maker(**spec.params)
    except (TypeError, ValueError) as error:
        raise InputError(f"{spec.name} does not take {dict(spec.params)}: {error}", file=where,
                         mend="see docs/monitors.md, or the package that offers it") from error  # fmt: skip
    if not callable(getattr(made, "score", None)):
        mend = "mend the package that offers it"
        raise InputError(f"{spec.name} made an object without score()", file=where, mend=mend)
    return made  # type: ignore[no-any-return]


def checked_score(spec: Spec, value: Any) -> float | None:
    """A score as a monitor gave it.

    Raises:
        InputError: it is no finite number.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{spec.name} gave the score {value!r}", file="--monitor",
                         mend="a score is a finite number, or None")  # fmt: skip
    return float(value)


def _scalar(text: str) -> Scalar:
    if text in ("true", "false"):
        return text == "true"
    if re.fullmatch(r"-?\d{1,15}", text):
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def _said(value: Scalar) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
