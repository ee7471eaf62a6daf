"""The runtimes section of a stage file: which agent, driven by which model."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from harness.models.law import CompletionLaw
from harness.protocol.base import Count, Name, NotNegative, Positive, Section, TaskId, Temperature, Text
from harness.protocol.law import LawOverride
from harness.protocol.planning import PlannerModel


class ScriptedModel(Section):
    """A seeded instrument with a declared completion law; its attempts have origin synthetic."""

    kind: Literal["scripted"]
    """``scripted``"""
    scale: Positive = 1.0
    """Stretches the hazard in time: at call u it is 1-(1-h(ceil(u/scale)))**(1/scale)."""
    law: CompletionLaw
    """The law of every task that ``laws`` does not override."""
    laws: dict[TaskId, LawOverride] = Field(default_factory=dict)
    """Per task, the keys that differ."""
    after: dict[Name, LawOverride] | None = None
    """Per recovery action, by its name: the keys that differ in the episodes after it, in every task; null: none."""
    cost_per_call_usd: NotNegative | None = None
    """What a call is said to cost, US dollars; null: nothing."""

    def law_for(self, task: str, action: str | None = None) -> CompletionLaw:
        """The law of ``task``, after ``action`` if given: the common one with its overrides (without ``scale``)."""
        law = self.law
        for override in (self.laws.get(task), (self.after or {}).get(action or "")):
            law = override.over(law) if override else law
        return law


class LocalModel(Section):
    """A small language model served on this machine's CPU."""

    kind: Literal["local"]
    """``local``"""
    name: Name
    """Name of the weights, e.g. smollm2-135m-instruct."""
    temperature: Temperature
    """Sampling temperature."""
    max_tokens: Count
    """Limit of one response, tokens."""
    seed: bool = True
    """Whether the attempt's seed is passed to the sampler."""


class Price(Section):
    """What a model costs, US dollars."""

    input_per_million: NotNegative
    """Per million input tokens."""
    output_per_million: NotNegative
    """Per million output tokens."""
    cached_input_per_million: NotNegative | None = None
    """Per million input tokens that the provider read from its cache; null: as other input."""


class LitellmModel(Section):
    """A hosted or self-hosted endpoint that litellm can reach."""

    kind: Literal["litellm"]
    """``litellm``"""
    name: Text
    """litellm's name, provider first, e.g. openai/gpt-5.6-luna."""
    temperature: Temperature | None = None
    """Sampling temperature; null: not sent, the provider's default."""
    credential: Text | None = None
    """NAME of the environment variable that holds the key, never the key; null: none needed."""
    api_base: Text | None = None
    """Address of the endpoint; null: the provider's own."""
    params: dict[str, JsonValue] = Field(default_factory=dict)
    """Further parameters of each request, any JSON."""
    price: Price | None = None
    """Overrides the price table; null: the table, and where that has none the cost is unknown."""


Model = Annotated[ScriptedModel | PlannerModel | LocalModel | LitellmModel, Field(discriminator="kind")]


class Runtime(Section):
    """An agent and the model that drives it. A different value is a different runtime."""

    agent: Name
    """``scripted``: instrument with a declared law; ``behaviour``: instrument that acts on recovery tasks as
    ``behaviour`` says; ``oracle``: applies the reference; ``nop``: changes nothing;
    ``default``: mini-swe-agent's DefaultAgent; ``direct``: one question, one answer, in planning stages; or the name of
    an entry point of ``restartlab.agents``."""
    model: Model | None = None
    """Required by ``scripted`` (kind scripted, in planning stages planner), ``default`` and ``direct`` (kind local or
    litellm), absent for ``oracle`` and ``nop``; an agent of another package takes kind local or litellm, or none."""

    behaviour: Literal["careful", "hasty", "runtime-only", "injection-obeying"] | None = None
    """Of agent ``behaviour``: which of a recovery task's scripted behaviours it shows."""
    track: Literal["native", "controlled"] | None = None
    """For reports: an agent as deployed (native), or a model under a harness held constant (controlled)."""

    @property
    def origin(self) -> Literal["synthetic", "collected"]:
        """Origin of the attempts: ``collected`` when a real language model drives them, else ``synthetic``."""
        return "collected" if isinstance(self.model, LocalModel | LitellmModel) else "synthetic"
