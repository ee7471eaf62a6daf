"""Which limits on money need a price, and which of two ceilings holds."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tiny_lab import TinyLab, stage_data

from harness.collection.ceiling import require_prices, stage_ceiling, unpriced
from harness.errors import InputError
from harness.protocol.schema import Protocol

RUNTIMES = {
    "free": {"input_per_million": 0.0, "output_per_million": 0.0},
    "priced": {"input_per_million": 1.0, "output_per_million": 2.0},
    "unheard-of": None,
}


@pytest.fixture
def protocol(lab: TinyLab, monkeypatch: pytest.MonkeyPatch) -> Protocol:
    lab.write_stage()
    monkeypatch.setenv("RESTARTLAB_PROTOCOLS", lab.environment["RESTARTLAB_PROTOCOLS"])
    return stage()


def stage(**limits: Any) -> Protocol:
    data: dict[str, Any] = stage_data()
    for name, price in RUNTIMES.items():
        model = {"kind": "litellm", "name": f"openai/{name}"} | ({"price": price} if price else {})
        data["runtimes"][name] = {"agent": "default", "model": model}
    data["runtimes"]["table"] = {"agent": "default", "model": {"kind": "litellm", "name": "openai/gpt-4o-mini"}}
    local = {"kind": "local", "name": "small", "temperature": 0.5, "max_tokens": 9}
    data["runtimes"]["small"] = {"agent": "default", "model": local}
    data["limits"] |= limits
    return Protocol.model_validate(data)


def test_which_prices_are_unknown(protocol: Protocol) -> None:
    assert unpriced(protocol, ["scripted", "oracle", "nop", "free", "priced", "table"]) == []
    assert unpriced(protocol, ["unheard-of", "oracle", "small"]) == ["unheard-of", "small"]


def test_an_unknown_price_needs_no_mention_without_a_limit(protocol: Protocol) -> None:
    require_prices(protocol, list(protocol.runtimes), None)


@pytest.mark.parametrize("key", ["cost_usd", "stage_cost_usd"])
def test_only_the_chosen_runtimes_need_a_price(protocol: Protocol, key: str) -> None:
    limited = stage(**{key: 3.0})
    require_prices(limited, ["scripted", "oracle", "nop", "free", "priced", "table"], 1.0)
    with pytest.raises(InputError, match=rf"limits\.{key}: 3 US dollars .*'small'"):
        require_prices(limited, ["oracle", "small"], None)


@pytest.mark.parametrize("amount", [0.0, -1.0, math.nan, math.inf])
def test_what_is_no_amount_is_refused(protocol: Protocol, amount: float) -> None:
    with pytest.raises(InputError, match=r"--max-cost: .*is no amount of US dollars"):
        require_prices(protocol, ["scripted"], amount)


def test_the_lower_ceiling_holds() -> None:
    assert stage_ceiling(stage(), None) is None
    assert stage_ceiling(stage(), 2.0) == 2.0
    assert stage_ceiling(stage(stage_cost_usd=1.0), None) == 1.0
    assert stage_ceiling(stage(stage_cost_usd=1.0), 2.0) == 1.0
    assert stage_ceiling(stage(stage_cost_usd=3.0), 2.0) == 2.0
