"""Renews a controller's lease while it collects."""

from __future__ import annotations

import threading
from types import TracebackType

from sqlalchemy.exc import SQLAlchemyError

from harness.errors import InfrastructureError
from harness.store.controller import Controller
from harness.store.leases import RENEW_SECONDS
from harness.store.store import Store


class Heartbeat:
    """A thread that renews the lease; the first renewal is made before ``with`` is entered.

    A database that does not answer for a moment is no reason to stop: if the lease runs out meanwhile, somebody else
    may take the tries over, and then this controller's results are refused.
    """

    def __init__(self, store: Store, controller: Controller, seconds: float = RENEW_SECONDS):
        self._store, self._controller, self._seconds = store, controller, seconds
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)

    def __enter__(self) -> Heartbeat:
        self._store.renew_lease(self._controller)
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(self._seconds):
            try:
                self._store.renew_lease(self._controller)
            except (SQLAlchemyError, InfrastructureError):
                continue
