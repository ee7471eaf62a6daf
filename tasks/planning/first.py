"""Failed first answers with a known fault: where the checkpoints of a synthetic stage start from."""

from __future__ import annotations

from tasks.planning.answer import write_plan
from tasks.planning.greedy import greedy_plan
from tasks.planning.instance import Instance
from tasks.planning.wrong import wrong_plans

#: Faults of the first answers of a size, in the order of its tasks: every other one is feasible, but not optimal.
FAULTS = ("optimal", "budget", "optimal", "requirement", "optimal", "conflict", "optimal", "budget")

_WORDS = {
    "optimal": "I go by benefit per cost, the best first, and stop when nothing more fits.",
    "budget": "These bring the most benefit together.",
    "requirement": "These are the most rewarding ones that I can afford.",
    "conflict": "These two look best, with all that they require.",
}


def first_answer(instance: Instance, fault: str) -> str:
    """A reply whose plan breaks just the rule ``fault`` (``optimal``: is feasible and brings too little).

    Raises:
        KeyError: no such plan exists.
    """
    plan = greedy_plan(instance) if fault == "optimal" else wrong_plans(instance)[fault]
    return f"{_WORDS[fault]}\n{write_plan(plan)}"
