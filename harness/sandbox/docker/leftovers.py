"""Containers and volumes of this state directory whose process has ended.

The engine removes a container when the connection that holds it closes, so these are what an engine left that was
itself killed or restarted in between. Chosen by label, never by name.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import Any, Literal

from harness.sandbox.docker.engine import client
from harness.sandbox.docker.labels import OWNER, is_orphan, owner


@dataclass(frozen=True)
class Leftover:
    """Something in the engine that nobody holds any more."""

    kind: Literal["container", "volume"]
    id: str

    def remove(self) -> None:
        """Removes it; that it has gone meanwhile is no error."""
        from docker.errors import APIError, NotFound

        api = client().api
        with contextlib.suppress(NotFound):
            try:
                if self.kind == "container":
                    api.remove_container(self.id, v=True, force=True)
                else:
                    api.remove_volume(self.id)
            except APIError as error:
                if error.status_code != 409:  # being removed, or in use by a container of this list
                    raise


def leftovers() -> list[Leftover]:
    """What is left, containers first; raises ``InputError`` when no engine answers."""
    api, chosen = client().api, {"label": f"{OWNER}={owner()}"}
    containers: list[dict[str, Any]] = api.containers(all=True, filters=chosen)
    volumes: list[dict[str, Any]] = api.volumes(filters=chosen)["Volumes"] or []
    return [
        *(Leftover("container", one["Id"]) for one in containers if is_orphan(one["Labels"] or {})),
        *(Leftover("volume", one["Name"]) for one in volumes if is_orphan(one["Labels"] or {})),
    ]
