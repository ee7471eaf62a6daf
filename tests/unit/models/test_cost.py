"""Costs against the arithmetic done by hand; a price that is not known is not 0."""

from __future__ import annotations

from typing import Any

import pytest

from harness import miniswe

miniswe.prepare()

import litellm  # noqa: E402

from harness.models.cost import cost_of, in_table  # noqa: E402
from harness.protocol.models import Price  # noqa: E402


def response(sent: int = 1000, received: int = 100, cached: int | None = None) -> Any:
    usage: dict[str, Any] = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    return litellm.ModelResponse(model="m", usage=usage)


def test_the_protocols_price() -> None:
    price = Price(input_per_million=4.0, output_per_million=10.0)
    assert cost_of(response(), "openai/any", price) == pytest.approx(0.005)
    assert cost_of(response(cached=800), "openai/any", price) == pytest.approx(0.005)


@pytest.mark.parametrize(("cached", "cost"), [(0, 0.005), (800, 0.00212), (1000, 0.0014), (5000, 0.0014)])
def test_t68_cached_tokens_have_their_own_price(cached: int, cost: float) -> None:
    price = Price(input_per_million=4.0, output_per_million=10.0, cached_input_per_million=0.4)
    # (1000 - cached) * 4 + cached * 0.4 + 100 * 10, in millionths; never more cached than sent.
    assert cost_of(response(cached=cached), "openai/any", price) == pytest.approx(cost)


def test_t68_cached_tokens_by_the_table() -> None:
    expected = (200 * 0.15 + 800 * 0.075 + 100 * 0.6) / 1e6
    assert cost_of(response(cached=800), "openai/gpt-4o-mini", None) == pytest.approx(expected)
    assert cost_of(response(), "openai/gpt-4o-mini", None) == pytest.approx((1000 * 0.15 + 100 * 0.6) / 1e6)


def test_t68_no_price_is_not_a_price_of_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"litellm_provider": "openai", "mode": "chat", "max_tokens": 9}
    monkeypatch.setitem(litellm.model_cost, "openai/half-known", entry)
    assert litellm.get_model_info("openai/half-known")["input_cost_per_token"] == 0, "what must not be believed"
    assert not in_table("openai/half-known")
    assert cost_of(response(), "openai/half-known", None) is None
    assert not in_table("openai/unheard-of")
    assert cost_of(response(), "openai/unheard-of", None) is None


def test_t68_a_price_of_zero_is_a_price(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = {"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 0.0, "output_cost_per_token": 0.0}
    monkeypatch.setitem(litellm.model_cost, "openai/gratis", entry)
    assert in_table("openai/gratis")
    assert cost_of(response(), "openai/gratis", None) == 0.0
    free = Price(input_per_million=0.0, output_per_million=0.0)
    assert cost_of(response(), "openai/any", free) == 0.0
    assert cost_of(response(0, 0), "openai/any", free) == 0.0


def test_without_a_count_of_tokens_the_cost_is_unknown() -> None:
    price = Price(input_per_million=4.0, output_per_million=10.0)
    assert cost_of(response(0, 0), "openai/any", price) is None
    assert cost_of(litellm.ModelResponse(model="m"), "openai/gpt-4o-mini", None) is None
