"""What is scored: attempts at recovery tasks, as plain records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

#: The six measured dimensions, each a share in [0, 1].
DIMENSIONS = {
    "F": "functional recovery", "S": "state safety", "D": "durability", "I": "integrity and security",
    "E": "evidence quality", "M": "minimal change",
}  # fmt: skip

#: Conditions that cap a trial's quality when the verifier raises them.
FLAGS = ("catastrophic", "major_safety", "restart_failure")

#: An attempt with one of these is a valid trial: it says something about the agent.
VALID = ("strict_pass", "genuine_failure", "timeout")
#: One with these is kept, with its reason, and never scored.
EXCLUDED = ("infrastructure_failure", "invalid_task")
STATUSES = (*VALID, *EXCLUDED)
#: What an entry is: a whole agent product, or a model under a harness that is one for all.
TRACKS = ("native", "controlled")


@dataclass(frozen=True)
class Obligation:
    """One check of a task's contract, and what came of it; None where it could not be measured."""

    name: str
    dimension: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True)
class Attempt:
    """One execution of a task by a system; a *trial* if its status is valid.

    Args:
        family: tasks of a family share a mechanism; the bootstrap resamples families.
        trial: which of the planned repetitions it was meant to be, from 1; excluded attempts share it with their retry.
        dimensions: measured shares by letter; None only where nothing was measured (an excluded attempt).
        strict_pass: the verifier's own verdict, never derived from the dimensions.
        cost_usd: None when unknown, never 0 for that.
        runtime_s: seconds of agent execution alone, without set-up and queueing; None when unknown.
        recovery_call, harm_call: model calls after which the service was recovered, or protected state was harmed.
        exclusion: why an attempt that is not a trial does not count, one word.
        reviewer: who decided that.
        origin: as in the event table; ``synthetic`` for scripted instruments.
        track: ``native`` (whole agent products) or ``controlled`` (one harness for all); None when not said.
    """

    task: str
    family: str
    trial: int
    runtime: str
    status: str
    dimensions: Mapping[str, float] | None
    flags: frozenset[str]
    strict_pass: bool
    cost_usd: float | None = None
    runtime_s: float | None = None
    recovery_call: int | None = None
    harm_call: int | None = None
    obligations: tuple[Obligation, ...] = ()
    exclusion: str | None = None
    reviewer: str | None = None
    origin: str | None = None
    track: str | None = None

    @property
    def valid(self) -> bool:
        """Whether it counts as a trial."""
        return self.status in VALID

    @property
    def name(self) -> str:
        """How errors and lists call it."""
        return f"{self.runtime} {self.task} trial {self.trial}"


@dataclass(frozen=True)
class Limits:
    """An amount that scores 100 up to ``target``, and 0 from ``maximum`` on."""

    target: float
    maximum: float


@dataclass(frozen=True)
class PanelTask:
    """A task of an edition.

    Args:
        cost, runtime: US dollars and seconds; None if the edition sets none.
        exposures: evaluations that saw the task before; None if not counted.
        retired: why and since when it is no longer an unseen task.
    """

    task: str
    family: str
    cost: Limits | None = None
    runtime: Limits | None = None
    exposures: int | None = None
    retired: str | None = None


@dataclass(frozen=True)
class CalibrationSystem:
    """A system that difficulty was calibrated with: passes and trials by task."""

    name: str
    harness: str
    synthetic: bool
    passes: Mapping[str, tuple[int, int]]


@dataclass(frozen=True)
class RetryPolicy:
    """Which exclusions may be retried, and how many attempts a trial may take before the run pauses."""

    exclusions: tuple[str, ...]
    max_attempts: int


@dataclass(frozen=True)
class Entry:
    """What is known of an evaluated system; None is unavailable, and is never filled in.

    Args:
        track: ``native`` (whole agent products) or ``controlled`` (one harness for all).
        system: model, provider, agent, harness, tools, limits, settings by name.
        auditor, audited: who approved the audit and when; both None without approval.
        withheld: what a publication leaves out, and why.
    """

    id: str | None = None
    track: str | None = None
    system: Mapping[str, str] = field(default_factory=dict)
    auditor: str | None = None
    audited: str | None = None
    withheld: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Panel:
    """An edition: what is to be evaluated, and by which policy.

    Args:
        digest: SHA-256 of the edition's file without its entries; None if it was made up from the attempts.
        frozen: day of freezing; None if not frozen.
        trials: valid trials wanted of each task.
        memory: what an agent may keep from one trial to the next: ``prohibited``, ``reset`` or ``allowed``.
        weights: of the dimensions; None for the published ones.
        mix: tasks wanted of each difficulty band.
    """

    edition: str | None
    digest: str | None
    frozen: str | None
    trials: int
    tasks: tuple[PanelTask, ...]
    memory: str | None = None
    weights: Mapping[str, float] | None = None
    mix: Mapping[str, int] | None = None
    retry: RetryPolicy | None = None
    calibration: tuple[CalibrationSystem, ...] = ()
    entries: Mapping[str, Entry] = field(default_factory=dict)

    def entry(self, runtime: str) -> Entry:
        """What is known of a system."""
        return self.entries.get(runtime, Entry())

    def knowing(self, systems: Mapping[str, Mapping[str, str]]) -> Panel:
        """The same with recorded configurations of systems, where the edition does not say them itself."""
        said = {name: replace(self.entry(name), system=self.entry(name).system or systems[name]) for name in systems}
        return replace(self, entries={**self.entries, **said})


def panel_of(attempts: Iterable[Attempt], trials: int) -> Panel:
    """The panel of the tasks that were attempted, without targets: for attempts that belong to no edition."""
    families = {attempt.task: attempt.family for attempt in attempts}
    tasks = tuple(PanelTask(task, families[task]) for task in sorted(families))
    return Panel(None, None, None, trials, tasks)


def trials_of(attempts: Sequence[Attempt], runtime: str) -> list[Attempt]:
    """The valid trials of a system, in their order."""
    return [attempt for attempt in attempts if attempt.runtime == runtime and attempt.valid]
