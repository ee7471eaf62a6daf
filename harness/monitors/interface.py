"""What a monitor is. Those of other packages are entry points of ``restartlab.monitors``."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from harness.monitors.prefix import Prefix


class Monitor(Protocol):
    """A pure function of the prefix: the same prefix has the same score, whoever asks and whenever."""

    def score(self, prefix: Prefix) -> float | None:
        """How stuck the attempt looks after the prefix's last call: larger is more; None: nothing to say yet."""


@runtime_checkable
class AskingMonitor(Protocol):
    """A monitor that has the model asked. Each question is a model call, charged like the agent's own."""

    def score(self, prefix: Prefix) -> float | None:
        """As of ``Monitor``; the answer is the ``statement`` of the prefix's last call."""

    def question(self, prefix: Prefix) -> str | None:
        """What to ask the model after the prefix's last call; None: nothing."""


class MonitorMaker(Protocol):
    """Makes a monitor; entry points are such callables, a class for one."""

    def __call__(self, **params: str | int | float | bool) -> Monitor:
        """A monitor with these parameters; raises ``TypeError`` or ``ValueError`` for those it does not take."""
