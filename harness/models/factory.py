"""Makes the model that drives one attempt of a runtime."""

from __future__ import annotations

import os
from typing import Any

from harness.errors import InputError
from harness.protocol.models import LitellmModel, LocalModel, Runtime, ScriptedModel
from harness.protocol.prompts import Prompts
from harness.protocol.schema import Protocol
from tasks.interface import RepairTask, Task

#: Variables of credentials that have parts, which litellm finds by itself.
_CLOUD_IDENTITIES = ("AWS_", "GOOGLE_", "VERTEX")


def make_model(
    protocol: Protocol, runtime: Runtime, task: Task, prompts: Prompts, *, seed: int, local_url: str | None,
    after: str | None = None, first: int = 1, malformed: int = 0, **requests: Any,
) -> Any:  # fmt: skip
    """The model of ``runtime`` for an attempt at ``task``, as mini-swe-agent's ``Model``.

    Args:
        local_url: address of the local model's server, for runtimes that use it.
        after: name of the recovery action that its episode follows, and
        first: call at which the episode's time begins, and
        malformed: calls just before it that did not parse; a scripted model's law may depend on all three.
        requests: what bounds and watches the requests of an endpoint, as ``EndpointModel`` takes it.
    """
    templates: dict[str, Any] = {
        "observation_template": prompts.observation, "format_error_template": prompts.format_error,
    }  # fmt: skip
    common = {"seed": seed, "horizon": protocol.horizon, **templates}
    settings = runtime.model
    if runtime.agent in ("oracle", "nop", "scripted", "behaviour"):
        return _instrument(runtime, task, common, after, {"first": first, "malformed": malformed})
    if settings is None:
        from harness.agents.visiting import TurnModel

        return TurnModel(runtime.agent, prompts.observation)
    from harness.models.endpoint import EndpointModel
    from harness.models.text import TextModel

    endpoint = TextModel if runtime.agent == "direct" else EndpointModel
    if isinstance(settings, LocalModel):
        sampling: dict[str, Any] = {"temperature": settings.temperature, "max_tokens": settings.max_tokens}
        if settings.seed:
            sampling["seed"] = seed % 2**31
        return endpoint(
            f"openai/{settings.name}", sampling | {"api_base": local_url, "api_key": "none"},
            retry=protocol.retry, price=None, **requests, **templates,
        )  # fmt: skip
    if not isinstance(settings, LitellmModel):
        raise TypeError(f"runtime without a model: {runtime!r}")
    params: dict[str, Any] = {"drop_params": True, **settings.params}
    if settings.temperature is not None:
        params["temperature"] = settings.temperature
    if settings.credential and not settings.credential.startswith(_CLOUD_IDENTITIES):
        # Named, so that no other provider's key, which litellm would find by itself, is sent to this endpoint.
        params["api_key"] = os.environ.get(settings.credential)
    if settings.api_base:
        params["api_base"] = settings.api_base
    return endpoint(
        settings.name, params, retry=protocol.retry, price=settings.price, **requests, **templates
    )  # fmt: skip


def _instrument(
    runtime: Runtime, task: Task, common: dict[str, Any], after: str | None, begin: dict[str, Any]
) -> Any:
    """An agent without a language model, that acts with the task's own patches or scripts."""
    if task.kind == "recovery" or runtime.agent == "behaviour":
        from harness.models.behaviours import behaviour_model

        return behaviour_model(runtime, task, common)
    if not isinstance(task, RepairTask):
        raise InputError(
            f"the {runtime.agent} agent cannot act on {task.id}: a {task.kind} task has no reference patch",
            mend="choose a runtime with a model for it",
        )
    if runtime.agent == "oracle":
        from harness.models.fixed import OracleModel

        return OracleModel(task, **common)
    if runtime.agent == "nop":
        from harness.models.fixed import NopModel

        return NopModel(task, **common)
    from harness.models import scripted

    settings = runtime.model
    assert isinstance(settings, ScriptedModel)
    return scripted.ScriptedModel(
        task, law=settings.law_for(task.id, after), scale=settings.scale,
        cost_per_call_usd=settings.cost_per_call_usd or 0.0, **begin, **common,
    )  # fmt: skip
