"""Before a collection's first attempt: its stage on record, its model served, what cannot go on a cluster refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from harness.collection.terms import Options
from harness.engines.factory import default_workers
from harness.errors import InputError
from harness.protocol.digest import part_digests, stage_content
from harness.protocol.drift import describe, drift
from harness.protocol.freeze import FrozenStage
from harness.protocol.models import LocalModel
from harness.protocol.prompts import load_prompts
from harness.store.records import StageConflict
from harness.store.store import Store


def register(store: Store, stage: FrozenStage) -> None:
    """Records the stage; refuses, naming the keys, when the database holds attempts of another digest."""
    prompts = load_prompts(stage.protocol.agent.prompts)
    content = stage_content(stage.protocol, {n: t.parts for n, t in stage.tasks.items()}, prompts.digest)
    try:
        store.register_stage(stage.protocol.stage, stage.digest, content)
    except StageConflict as conflict:
        changes = drift(part_digests(conflict.recorded_protocol), part_digests(content))
        raise InputError(
            f"{conflict.what}; changed: {describe(changes)}",
            file="database",
            key=stage.protocol.stage,
            mend="restore the protocol and its tasks as they were, or give the changed one a new stage name",
        ) from None


@contextmanager
def local_model(stage: FrozenStage, runtimes: tuple[str, ...], options: Options) -> Iterator[str | None]:
    """The local model's server, if a runtime needs it."""
    if not any(isinstance(stage.protocol.runtimes[name].model, LocalModel) for name in runtimes):
        yield None
        return
    from harness.models.local_server import local_server

    with local_server(slots=options.workers or default_workers()) as url:
        yield url


def refuse_one_machine_things(stage: FrozenStage, runtimes: tuple[str, ...], options: Options) -> None:
    """Refuses, for a cluster, what is counted or served on one machine only."""
    if options.engine == "local":
        return
    for key, value in (("--model-calls", options.model_calls), ("--sandboxes", options.sandboxes)):
        if value is not None:
            raise InputError(f"{value} at once holds on one machine only", key=key, mend="leave it out with a cluster")
    for name in runtimes:
        if isinstance(stage.protocol.runtimes[name].model, LocalModel):
            raise InputError(
                f"the model of runtime {name!r} is served on this machine only", key="--engine",
                mend="use --engine local, or a litellm runtime with an api_base that all nodes reach",
            )  # fmt: skip
