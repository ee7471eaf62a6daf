"""The verdict of a task's other grader on the state that an attempt ended in, beside the verifier's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from harness.workspace.layer import Layer
from verifiers.place import Place


def second_verdict(
    place: Place, layer: Layer | None, passed: bool, content: Callable[[str], bytes]
) -> tuple[dict[str, Any], tuple[dict[str, Any], ...]]:
    """What the outcome of a try records of it, and what its audit finds.

    It never changes the event. A grader that could not judge says nothing, and differs from nobody.

    Args:
        layer: the state; None: nothing was done.
        passed: what the verifier says of it.
    """
    grader = place.cached_second
    if grader is None or place.second is None or layer is None:
        return {}, ()
    verdict = grader.verify(layer, content)
    judged = verdict.state != "infra_error"
    agrees = verdict.passed == passed if judged else None
    failed = sorted(name for name, result in verdict.tests.items() if result != "pass")
    said = {
        "by": place.second.name, "state": verdict.state, "agrees": agrees, "failed": failed[:50],
        "detail": verdict.detail[:500], "seconds": round(verdict.seconds, 3), "layer": layer.digest,
    }  # fmt: skip
    if agrees is not False:
        return {"second_verdict": said}, ()
    ours, theirs = ("passes" if one else "does not pass" for one in (passed, verdict.passed))
    detail = f"it {ours} here, and {theirs} for {place.second.name}: {verdict.detail[:200]}"
    return {"second_verdict": said}, ({"kind": "verdicts_differ", "path": ".", "detail": detail},)
