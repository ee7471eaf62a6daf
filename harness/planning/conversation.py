"""What is said to a planner before its one response."""

from __future__ import annotations

from typing import Any

from harness.protocol.prompts import Prompts
from harness.protocol.recovery import RecoveryAction
from tasks.planning.answer import MalformedAnswer, read_plan, write_plan
from tasks.planning.task import PlanningTask


def conversation(prompts: Prompts, task: PlanningTask, answer: str, action: RecoveryAction) -> list[dict[str, Any]]:
    """The messages of an episode: the checkpoint after ``action``.

    The workspace of a planning task is its answer. Kept with the context, it stands there as it was given; kept without
    the context, its plan alone is named in a new conversation; reset, it is gone, and the conversation is of the task
    alone. A new conversation has the action's message in its first question, as two questions in a row are no
    conversation to some providers.
    """
    from jinja2 import StrictUndefined, Template

    def rendered(template: str) -> str:
        return Template(template, undefined=StrictUndefined).render(task=task.issue)

    system, question = rendered(prompts.system), rendered(prompts.instance)
    kept = action.workspace == "keep"
    if kept and action.context == "keep":
        said = [("user", question), ("assistant", answer), ("user", action.message or "Continue.")]
    else:
        named = [f"Your plan so far is\n\n{_plan_line(task, answer)}"] if kept else []
        said = [("user", "\n\n".join([question.rstrip(), *named, *([action.message] if action.message else [])]))]
    return [{"role": role, "content": content} for role, content in (("system", system), *said)]


def _plan_line(task: PlanningTask, answer: str) -> str:
    try:
        return write_plan(read_plan(answer, task.instance.by_name))
    except MalformedAnswer:  # collect refuses such checkpoints
        return answer
