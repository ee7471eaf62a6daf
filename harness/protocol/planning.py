"""The ``planning`` section of a stage file, and the scripted planner that answers in such stages."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from harness.protocol.base import Name, NotNegative, Probability, Section, TaskId, Text
from harness.protocol.recovery import RecoveryAction


class PlanningPlan(Section):
    """Where the episodes of a planning stage start from, and what is tried there (``repeats`` times each)."""

    answers: Annotated[dict[TaskId, Text], Field(min_length=1)]
    """The checkpoint of every task: a first answer that is a plan, and not an optimal one; frozen with the stage."""
    actions: Annotated[list[RecoveryAction], Field(min_length=1)]
    """The recovery actions; the stage's arms are their names. The workspace of a planning task is its answer."""


class Chances(Section):
    """What a scripted planner answers, as probabilities; the rest is feasible and not optimal."""

    optimal: Probability
    """A plan of the highest benefit."""
    infeasible: Probability = 0.0
    """A plan that breaks a rule of the task."""
    malformed: Probability = 0.0
    """A reply without a plan."""

    @model_validator(mode="after")
    def _at_most_one(self) -> Self:
        if (total := self.optimal + self.infeasible + self.malformed) > 1 + 1e-9:
            raise ValueError(f"the chances sum to {total:g}, more than 1")
        return self


class PlannerModel(Section):
    """A seeded planner with a declared competence; its attempts have origin synthetic."""

    kind: Literal["planner"]
    """``planner``"""
    spread: NotNegative = 0.0
    """Standard deviation of what every task adds to its chance of an optimal plan under an action, in log odds; drawn
    from the names of task and action."""
    chances: Annotated[dict[Name, Annotated[dict[Name, Chances], Field(min_length=1)]], Field(min_length=1)]
    """Per action and size of the task."""
