"""The scripted agent: a seeded model with a declared completion law that acts with real commands."""

from __future__ import annotations

from harness.models.law import CompletionLaw
from harness.models.moves import Moves
from harness.models.plan import moves
from harness.models.replies import ReplyConfig, ReplyModel
from tasks.interface import RepairTask


class ScriptedConfig(ReplyConfig):
    """Settings of the scripted model."""

    law: CompletionLaw
    scale: float
    """Stretch of the law's time, see ``CompletionLaw.hazard_at``."""


class ScriptedModel(ReplyModel):
    """Acts on ``task`` as ``plan(seed, law, scale, horizon)`` says; one seed makes one attempt, whatever it observes.

    An instrument with known truth, not a language model: it never reads the messages and never learns a verdict.
    ``horizon`` is recorded; queries beyond it go on with the same law.
    """

    def __init__(
        self,
        task: RepairTask,
        *,
        law: CompletionLaw,
        scale: float = 1.0,
        seed: int,
        horizon: int,
        observation_template: str,
        format_error_template: str,
    ):
        making = Moves(task)
        config = ScriptedConfig(
            model_name="scripted", observation_template=observation_template,
            format_error_template=format_error_template, seed=str(seed), horizon=horizon, law=law, scale=scale,
        )
        super().__init__(config, (making.reply(kind, rng) for kind, rng in moves(seed, law, scale)))
