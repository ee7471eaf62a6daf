"""The scripted agent: a seeded model with a declared completion law that acts with real commands."""

from __future__ import annotations

from collections.abc import Iterator

from harness.models.law import CompletionLaw
from harness.models.moves import Moves
from harness.models.plan import moves
from harness.models.replies import Reply, ReplyConfig, ReplyModel
from harness.models.stating import stated_chance
from tasks.interface import RepairTask


class ScriptedConfig(ReplyConfig):
    """Settings of the scripted model."""

    law: CompletionLaw
    scale: float
    """Stretch of the law's time, see ``CompletionLaw.hazard_at``."""
    first: int
    """Call of the law at which it begins."""


class ScriptedModel(ReplyModel):
    """Acts on ``task`` as ``plan(seed, law, scale, horizon)`` says; one seed makes one attempt, whatever it observes.

    An instrument with known truth, not a language model: it never reads the messages and never learns a verdict.
    ``horizon`` is recorded; queries beyond it go on with the same law. ``first`` and ``malformed``: of an episode
    that goes on with a conversation, its first call in the law's time and how many calls before did not parse.
    """

    def __init__(
        self,
        task: RepairTask,
        *,
        law: CompletionLaw,
        scale: float = 1.0,
        first: int = 1,
        malformed: int = 0,
        cost_per_call_usd: float = 0.0,
        seed: int,
        horizon: int,
        observation_template: str,
        format_error_template: str,
    ):
        making = Moves(task)
        self._stuck = False
        config = ScriptedConfig(
            model_name="scripted", observation_template=observation_template,
            format_error_template=format_error_template, seed=str(seed), horizon=horizon, law=law, scale=scale,
            first=first,
        )

        def replies() -> Iterator[Reply]:
            for kind, rng in moves(seed, law, scale, first, malformed):
                self._stuck = self._stuck or kind == "repeat"
                yield making.reply(kind, rng)

        super().__init__(config, replies(), cost_per_call_usd)

    def consulted(self) -> tuple[str, float]:
        """What it states of its chance to succeed, at the cost of a call; see ``stating``."""
        config = self.config
        assert isinstance(config, ScriptedConfig)
        call = config.first - 1 + self._calls
        chance = stated_chance(config.law, config.scale, call, config.horizon, self._stuck, int(config.seed))
        return f"CONFIDENCE: {100 * chance:.1f}", self._cost
