"""The Docker engine that tests run on, and what it holds."""

from __future__ import annotations

import pytest

from harness.errors import InputError


def engine_problem() -> str:
    """Why no stage on Docker can run here; empty if one can."""
    from harness.sandbox.docker.engine import DEFAULT_IMAGE, image_id

    try:
        image_id(DEFAULT_IMAGE)
    except InputError as error:
        return error.what
    return ""


def require_engine() -> None:
    """Skips the test by name where no engine with the sandbox image answers."""
    if problem := engine_problem():
        pytest.skip(f"needs a Docker engine with the sandbox image: {problem}")


def contents() -> dict[str, set[str]]:
    """Ids of all containers, networks and volumes of the engine, whoever made them."""
    from harness.sandbox.docker.engine import client

    api = client().api
    return {
        "containers": {one["Id"] for one in api.containers(all=True)},
        "networks": {one["Id"] for one in api.networks()},
        "volumes": {one["Name"] for one in api.volumes()["Volumes"] or []},
    }
