"""Rules of stages that reuse failed branches."""

from __future__ import annotations

from collections.abc import Iterator

from harness.protocol.broken import Broken
from harness.protocol.schema import Protocol

#: What a resolver's message holds in the place of the failed patches.
PATCHES = "{patches}"


def broken_reuse(protocol: Protocol) -> Iterator[Broken]:
    """Every broken rule of ``composition`` and ``hypotheses``."""
    for kind, key, plan in (
        ("patch_algebra", "composition", protocol.composition), ("resolver", "hypotheses", protocol.hypotheses)
    ):  # fmt: skip
        wanted = protocol.kind == kind
        if wanted != (plan is not None):
            mend = "say whose failed patches are reused" if wanted else f"delete the section, or set kind: {kind}"
            yield Broken(key, "is missing" if wanted else f"is not of kind {protocol.kind}", mend)
        if plan and plan.source.stage == protocol.stage:
            yield Broken(f"{key}.source.stage", "is this stage itself", "name the stage whose branches are reused")
    if protocol.kind == "patch_algebra":
        if protocol.analysis:
            yield Broken("analysis", "is not of kind patch_algebra", "delete the section: there are no attempts")
        if protocol.repeats != 1 or any(arm.action for arm in protocol.arms):
            what = "a composite is verified once, and no agent acts"
            yield Broken("repeats", what, "set repeats: 1, and arms without action")
    for number, arm in enumerate(protocol.arms if protocol.kind == "resolver" else ()):
        action = arm.action
        if action is None or arm.trigger or PATCHES not in (action.message or ""):
            what = f"tells no failed patches: it needs an action, without trigger, whose message holds {PATCHES}"
            yield Broken(f"arms.{number}", what, "write the message, or take another kind of stage")
