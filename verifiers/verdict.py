"""What a verifier says about one workspace state."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

State = Literal["pass", "fail", "broken_import", "infra_error", "no_result"]

#: States that judge the tests; the others say why no judgement came about.
JUDGED: tuple[State, ...] = ("pass", "fail")


@dataclass(frozen=True)
class Verdict:
    """One judgement.

    ``broken_import``: the package under repair cannot be imported. ``no_result``: the evaluation began, but candidate
    code kept it from reporting. ``infra_error``: the evaluation did not begin; says nothing about the candidate.
    """

    state: State
    key: str
    """The verdict key of the layer that was judged."""
    tests: dict[str, str] = field(default_factory=dict)
    """Per hidden test: ``pass``, or why not. Never shown to the agent."""
    obligations: dict[str, bool | None] = field(default_factory=dict)
    """Per obligation: whether all its tests passed; None when one has no result."""
    seconds: float = 0.0
    detail: str = ""
    cached: bool = False

    @property
    def passed(self) -> bool:
        return self.state == "pass"

    def data(self) -> dict[str, Any]:
        """As JSON data, without what depends on the moment."""
        shown = asdict(self)
        del shown["cached"]
        return shown
