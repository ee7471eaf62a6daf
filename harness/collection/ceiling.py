"""Limits on money: refuses to start without prices, and says when a stage has spent what it may."""

from __future__ import annotations

import math
from collections.abc import Sequence

from harness.errors import InputError
from harness.models.cost import price_is_known
from harness.protocol.load import find_stage
from harness.protocol.models import LitellmModel
from harness.protocol.schema import Protocol
from harness.store.store import Store


def unpriced(protocol: Protocol, runtimes: Sequence[str]) -> list[str]:
    """The runtimes whose calls have no known price."""
    return [name for name in runtimes if not price_is_known(protocol.runtimes[name])]


def stage_ceiling(protocol: Protocol, max_cost: float | None) -> float | None:
    """US dollars that all tries of the stage may cost: the lower of the protocol's and the option's; None for none."""
    return min((usd for usd in (protocol.limits.stage_cost_usd, max_cost) if usd is not None), default=None)


def require_prices(protocol: Protocol, runtimes: Sequence[str], max_cost: float | None) -> None:
    """Raises ``InputError``: ``max_cost`` is no amount, or a limit on cost applies to a runtime of unknown price."""
    if max_cost is not None and not 0 < max_cost < math.inf:
        raise InputError(f"{max_cost:g} is no amount of US dollars", file="--max-cost", mend="give a number above 0")
    limits = (
        (f"{protocol.stage}.yaml", "limits.cost_usd", protocol.limits.cost_usd),
        (f"{protocol.stage}.yaml", "limits.stage_cost_usd", protocol.limits.stage_cost_usd),
        ("--max-cost", None, max_cost),
    )
    in_force = [limit for limit in limits if limit[2] is not None]
    for name in unpriced(protocol, runtimes) if in_force else ():
        file, key, usd = in_force[0]
        model = protocol.runtimes[name].model
        asked = getattr(model, "name", "none")
        give = f"give runtimes.{name}.model.price" if isinstance(model, LitellmModel) else "choose another runtime"
        raise InputError(
            f"{usd:g} US dollars cannot be kept to: the price of the runtime {name!r} (model {asked}) is unknown",
            file=find_stage(protocol.stage) if key else file, key=key,
            mend=f"{give}, or set no limit on cost",
        )  # fmt: skip


class Ceiling:
    """What a stage may cost, held against what its tries in the store have cost.

    Args:
        usd: US dollars of all tries of the stage, excluded ones too; None: no ceiling.
        runtimes: those that are collected; a try of theirs whose cost is unknown ends the collection too.
    """

    def __init__(self, store: Store, stage: str, runtimes: Sequence[str], usd: float | None):
        self._store, self._stage, self._runtimes, self._usd = store, stage, runtimes, usd

    def reached(self) -> str | None:
        """Why no further attempt may start; None while one may."""
        if self._usd is None:
            return None
        cells = self._store.counts(self._stage)
        spent = sum(cell.cost_usd or 0.0 for cell in cells)
        if spent >= self._usd:
            return f"{spent:.4f} US dollars are spent, and {self._usd:g} is the most that the stage may cost"
        unknown = sum(cell.unknown_costs for cell in cells if cell.runtime in self._runtimes)
        if unknown:
            return f"what {unknown} tries cost is unknown, so {self._usd:g} US dollars cannot be kept to"
        return None
