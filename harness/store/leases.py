"""Leases: how a controller on another machine is known to be alive.

A controller renews its lease every few seconds. By the database's clock: those of the machines may differ. Leases are
no facts of a collection; they are overwritten, and nothing of them reaches the ledger. What keeps a controller that was
taken for dead from finishing its tries is not the lease but the try: it ends once, and it has ended by then.
"""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import Connection, Double, cast, extract, func, insert, select, update
from sqlalchemy.sql.elements import ColumnElement

from harness.store.tables import leases

#: Seconds that a lease holds, and between two renewals.
LEASE_SECONDS, RENEW_SECONDS = 60.0, 10.0


def _now(connection: Connection) -> ColumnElement[float]:
    """Seconds since 1970 by the database's clock."""
    if connection.dialect.name == "postgresql":
        return cast(extract("epoch", func.clock_timestamp()), Double)
    return (func.julianday("now", type_=Double) - 2440587.5) * 86400.0


def renew(connection: Connection, controller: str, seconds: float = LEASE_SECONDS) -> None:
    """Lets the lease of ``controller`` (an id) hold ``seconds`` from now."""
    until = _now(connection) + seconds
    changed = connection.execute(update(leases).where(leases.c.controller == controller).values(until=until))
    if not changed.rowcount:
        connection.execute(insert(leases).values(controller=controller, until=until))


def expired(connection: Connection, controllers: Iterable[str]) -> set[str]:
    """Those of ``controllers`` whose lease holds no more, or who have none."""
    wanted = set(controllers)
    held = select(leases.c.controller).where(leases.c.controller.in_(wanted), leases.c.until > _now(connection))
    return wanted - set(connection.execute(held).scalars())
