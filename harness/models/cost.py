"""What calls cost, US dollars: by the protocol's price, else litellm's table, else unknown."""

from __future__ import annotations

from typing import Any

from harness import miniswe
from harness.protocol.models import LitellmModel, LocalModel, Price, Runtime


def price_is_known(runtime: Runtime) -> bool:
    """Whether the calls of ``runtime`` have a price. Agents without a language model cost 0."""
    match runtime.model:
        case LitellmModel() as model:
            return model.price is not None or in_table(model.name)
        case LocalModel():
            return False
    return True


def in_table(name: str) -> bool:
    """Whether litellm's table has prices per token of the model ``name``; 0 is one.

    Looked up in the table itself: ``get_model_info`` gives 0 where the table has none.
    """
    miniswe.prepare()
    import litellm

    try:
        entry = litellm.model_cost[litellm.get_model_info(name)["key"]]
    except Exception:  # litellm raises bare Exception for a model that its table does not have
        return False
    per_token = (entry.get("input_cost_per_token"), entry.get("output_cost_per_token"))
    return None not in per_token or bool(entry.get("tiered_pricing"))


def cost_of(response: Any, name: str, price: Price | None) -> float | None:
    """Cost of a litellm response of the model ``name``; None without a price or without a count of tokens.

    Input that the provider read from its cache has its own price, where there is one.
    """
    usage = getattr(response, "usage", None)
    sent, received = (int(getattr(usage, field, 0) or 0) for field in ("prompt_tokens", "completion_tokens"))
    if price is not None and not any(price.model_dump().values()):
        return 0.0
    if not sent + received:  # litellm fills zeros in where the provider does not count
        return None
    if price is not None:
        cached = min(sent, int(getattr(getattr(usage, "prompt_tokens_details", None), "cached_tokens", 0) or 0))
        of_cached = price.input_per_million
        if price.cached_input_per_million is not None:
            of_cached = price.cached_input_per_million
        spent = (sent - cached) * price.input_per_million + cached * of_cached + received * price.output_per_million
        return spent / 1e6
    if not in_table(name):
        return None
    import litellm

    try:
        return float(litellm.completion_cost(response, model=name))
    except Exception:  # what it cannot compute is unknown
        return None
