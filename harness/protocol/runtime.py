"""Runtimes of a protocol: which ones ``RUNTIME=`` names, what identifies one, whether its credential is there."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from harness import plugins
from harness.canonical import digest_json
from harness.errors import InputError
from harness.protocol.models import LitellmModel
from harness.protocol.prompts import PACKAGE, Prompts
from harness.protocol.schema import Protocol


def resolve_runtimes(protocol: Protocol, name: str | None = None) -> tuple[str, ...]:
    """Names of the runtimes that ``name``, a set or a single runtime, stands for; empty or None: the default set.

    Raises:
        InputError: neither a set nor a runtime.
    """
    name = name or protocol.default_set
    if name in protocol.sets:
        return tuple(protocol.sets[name])
    if name in protocol.runtimes:
        return (name,)
    raise InputError(
        f"{name!r} is neither a set nor a runtime of {protocol.stage}", file="RUNTIME",
        mend=f"sets: {', '.join(protocol.sets)}; runtimes: {', '.join(protocol.runtimes)}",
    )


def runtime_identity(protocol: Protocol, name: str, prompts: Prompts) -> dict[str, Any]:
    """What makes ``name`` this runtime and no other: model, endpoint and sampling, agent and release, prompts, sandbox.

    Left out, as they change no attempt: the variable that holds the credential, and the price.
    """
    runtime = protocol.runtimes[name]
    model = runtime.model
    return {
        "agent": runtime.agent,
        "release": plugins.release("agents", runtime.agent) or f"{PACKAGE} {prompts.version}",
        "prompts": prompts.digest,
        "max_consecutive_format_errors": protocol.agent.max_consecutive_format_errors,
        "model": model.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"credential", "price"})
        if model
        else None,
        "sandbox": protocol.sandbox.model_dump(mode="json"),
        "limits": protocol.limits.model_dump(mode="json", exclude_none=True),
    }


def runtime_digest(protocol: Protocol, name: str, prompts: Prompts) -> str:
    """SHA-256 (hex) of :func:`runtime_identity`."""
    return digest_json(runtime_identity(protocol, name, prompts))


def require_credentials(
    protocol: Protocol, runtimes: Iterable[str], environment: Mapping[str, str] | None = None
) -> None:
    """Raises ``InputError`` for the first runtime whose credential variable is not set or empty."""
    environment = os.environ if environment is None else environment
    for name in runtimes:
        model = protocol.runtimes[name].model
        if isinstance(model, LitellmModel) and model.credential and not environment.get(model.credential, "").strip():
            other = f"choose a runtime that needs none, e.g. RUNTIME={protocol.default_set}"
            raise InputError(
                f"the runtime {name!r} needs the variable {model.credential}, which is not set",
                file=f"{protocol.stage}.yaml", key=f"runtimes.{name}.model.credential",
                mend=f"export {model.credential}=..., or {other}",
            )
