"""The harness's share of an attempt's time, and whether a call gets dearer as an attempt gets longer."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from bench_table import Results
from tiny_lab import make_lab, stage_data

from harness.attempt import Unit, run_try
from harness.models import factory
from harness.models.replies import Reply, ReplyConfig, ReplyModel, acting
from harness.plan import expand
from harness.protocol.load import load_protocol
from harness.protocol.schema import Protocol
from harness.sandbox.bubblewrap import BubblewrapSandbox
from harness.store.records import TryResult
from tasks.registry import load_task
from verifiers.cache import CachedVerifier
from verifiers.kinds import prepare_place

pytestmark = pytest.mark.needs_bwrap

CALLS = 1_000


@dataclass
class Clock:
    """Splits an attempt's time: what passes inside model, sandbox or verifier; all the rest is the harness's."""

    inside: float = 0.0
    calls: list[tuple[float, float]] = field(default_factory=list)
    """At the begin of each query: the time, and what had passed inside until then."""
    _depth: int = 0

    def wrap(self, patch: pytest.MonkeyPatch, owner: type, name: str) -> None:
        plain = getattr(owner, name)

        def timed(*arguments: Any, **options: Any) -> Any:
            started = time.perf_counter()
            if name == "query":
                self.calls.append((started, self.inside))
            self._depth += 1
            try:
                return plain(*arguments, **options)
            finally:
                self._depth -= 1
                if self._depth == 0:  # the verifier runs a sandbox of its own
                    self.inside += time.perf_counter() - started

        patch.setattr(owner, name, timed)

    def harness_per_call(self) -> list[float]:
        """Of each call but the last, seconds."""
        return [(b[0] - a[0]) - (b[1] - a[1]) for a, b in itertools.pairwise(self.calls)]


@contextmanager
def clock() -> Iterator[Clock]:
    watch = Clock()
    with pytest.MonkeyPatch.context() as patch:
        watch.wrap(patch, ReplyModel, "query")
        watch.wrap(patch, BubblewrapSandbox, "run")
        watch.wrap(patch, CachedVerifier, "verify")
        yield watch


def test_share_of_the_harness(benchmark: Any, results: Results, bench_state: Path, tmp_path: Path) -> None:
    protocol = load_protocol("horizon60")
    attempts = [one for one in expand(protocol, "0" * 64, ["scripted"]) if one.repeat == 1]
    tasks = {one.task: load_task(one.task) for one in attempts}
    for task in tasks.values():
        prepare_place(task)
    total = inside = 0.0
    calls = 0

    def all_attempts() -> None:
        nonlocal total, inside, calls
        for attempt in attempts:
            unit = Unit(protocol, attempt, tasks[attempt.task].digest, tmp_path / f"{attempt.id}.jsonl")
            with clock() as watch:
                started = time.perf_counter()
                ended = run_try(unit)
                total += time.perf_counter() - started
            assert isinstance(ended, TryResult), ended
            assert len(watch.calls) == ended.calls
            inside += watch.inside
            calls += ended.calls

    benchmark.pedantic(all_attempts, rounds=1)
    group = f"{len(attempts)} attempts of horizon60 (scripted, {calls} calls)"
    results.value(group, "share of all but model, command and tests", f"{1 - inside / total:.1%}")
    results.value(group, "the same per call", f"{(total - inside) / calls * 1e3:.1f} ms")


def _endless(protocol: Protocol, *_: Any, seed: int, **__: Any) -> ReplyModel:
    def replies() -> Iterator[Reply]:
        for n in itertools.count():
            yield acting("Once more.", f"echo {n % 2} > note")  # judged twice, then its verdicts are known

    config = ReplyConfig(
        model_name="endless", observation_template="{{ output.output }}", format_error_template="", seed=str(seed),
        horizon=protocol.horizon,
    )  # fmt: skip
    return ReplyModel(config, replies())


def test_a_call_costs_the_same_late_in_an_attempt(
    benchmark: Any, results: Results, bench_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = make_lab(tmp_path / "lab", bench_folder / "cache")
    for name in ("RESTARTLAB_TASKS", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, lab.environment[name])
    monkeypatch.setenv("RESTARTLAB_STATE", str(bench_folder / "long"))
    protocol = Protocol.model_validate(stage_data(horizon=CALLS + 20))
    monkeypatch.setattr(factory, "make_model", _endless)
    attempt = expand(protocol, "0" * 64, ["scripted"])[0]
    unit = Unit(protocol, attempt, load_task(attempt.task).digest, tmp_path / "long.jsonl")
    with clock() as watch:
        ended = benchmark.pedantic(run_try, (unit,), rounds=1)
    assert isinstance(ended, TryResult) and (ended.event, ended.calls) == ("censored", CALLS + 20)
    spent = watch.harness_per_call()
    group = "the harness's own time for a call"
    early, late = spent[5:35], spent[CALLS - 15 : CALLS + 15]
    results.time(group, "call 10", early)
    results.time(group, "call 1,000", late, "call 10")
    assert statistics.median(late) > 0
