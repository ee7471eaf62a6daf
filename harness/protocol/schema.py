"""The stage protocol: every key of ``protocols/STAGE.yaml``, as pydantic models.

Limits of single values are stated here; rules between keys are in ``rules.py``; reading files is ``load.py``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Count, Name, NotNegative, Positive, Section, StageName, TaskId, Text
from harness.protocol.checkpoint import CheckpointPlan
from harness.protocol.expansion import ExpansionRule
from harness.protocol.intervention import Trigger
from harness.protocol.models import Runtime
from harness.protocol.monitor import MonitorPlan
from harness.protocol.planning import PlanningPlan
from harness.protocol.recovery import RecoveryAction
from harness.protocol.reuse import CompositionPlan, HypothesesPlan


class Rejected(Section):
    """A candidate that the selection rule reached and did not take."""

    task: TaskId
    """Task id."""
    reason: Text
    """Why it was not taken."""


class Selection(Section):
    """How the cohort was chosen."""

    rule: Text
    """The rule, fixed before any outcome was seen."""
    rejected: list[Rejected] = Field(default_factory=list)
    """Candidates that were not taken."""


class Arm(Section):
    """An experimental condition."""

    name: Name
    """Unique in the stage."""
    action: RecoveryAction | None = None
    """What the arm does to an attempt, at its cost in calls, money and time; null: nothing."""
    trigger: Trigger | None = None
    """When it does; null, with an action: once, before the first call."""
    most: Count | None = None
    """Applications in one attempt at most; null: whenever the trigger says so."""


class Verification(Section):
    """What the external verdict does to the attempt."""

    after_pass: Literal["stop", "continue"]
    """``stop`` at the first passing state, or ``continue`` and record later un-passing and re-passing calls."""
    on_unverified_submit: Literal["terminal", "continue"]
    """Whether submitting an unverified state ends the attempt (terminal event) or goes on."""


class AgentSettings(Section):
    """Settings of the agent that all runtimes share."""

    prompts: Text
    """Prompt configuration: ``mini-swe-agent/NAME`` (in the installed package) or a path relative to the stage file."""
    max_consecutive_format_errors: Count
    """Malformed responses in a row that end the attempt (terminal, RepeatedFormatError)."""


class Limits(Section):
    """Limits of an attempt and of its sandbox."""

    command_seconds: Positive
    """One command, seconds."""
    wall_seconds: Positive
    """One attempt, seconds of working time; censors at the call reached."""
    cost_usd: Positive | None = None
    """One attempt, US dollars; censors at the call reached; null: none. Needs models with a known price."""
    stage_cost_usd: Positive | None = None
    """All tries of the stage, US dollars; reaching it stops new attempts, running ones end as usual; null: none."""
    tokens: Count | None = None
    """One attempt, tokens sent and received as the provider counts them; censors at the call reached; null: none."""
    memory_mb: Count
    """All processes together, MiB."""
    processes: Count
    """Processes and threads."""
    disk_mb: Count
    """Bytes written, MiB."""
    inodes: Count
    """Files and folders made."""
    output_kb: Count
    """Kept output of one command, KiB; more is cut, and marked."""


class SandboxSettings(Section):
    """Where commands run."""

    kind: Name
    """``bubblewrap`` (no daemon, no root), ``docker``, or the name of an entry point of ``restartlab.sandboxes``; in a
    planning stage, which runs no command, ``none``."""
    network: bool
    """Always false: the network is off in every phase."""


#: Failures of a request that may pass: HTTP 429; no answer in time, or HTTP 408 and 504; refused and dropped
#: connections; HTTP 5xx, 409 and 425; answers that are no completion.
FailureClass = Literal["rate_limit", "timeout", "connection", "server_error", "malformed_response"]


class Retry(Section):
    """Provider errors inside one call."""

    max_tries: Count
    """Tries of one call before the attempt's try is given up as infrastructure."""
    wait_seconds_max: NotNegative
    """Longest wait between two tries, seconds, whatever the provider asks for. Waiting is no working time."""
    request_seconds: Positive | None = None
    """Longest time of one request, seconds; null: 600, or ``timeout`` of the model's params."""
    classes: list[FailureClass] | None = None
    """Failures after which a request is sent again; null: all of them."""


class Analysis(Section):
    """The analysis plan; any other choice is printed as exploratory."""

    budget: Count
    """Calls of the total budget B; at most the horizon, so that continuation is observed through B."""
    cutoffs: Annotated[list[Count], Field(min_length=1)] | None = None
    """Restart cutoffs to replay, calls, ascending, at most the budget; null in a stage of checkpoints only."""
    times: Annotated[list[Count], Field(min_length=1)] | None = None
    """Decision calls of the audit, ascending, below the budget (a restart needs calls to spend); null in a stage of
    checkpoints only, whose decisions are its checkpoints."""
    alpha: Annotated[float, Field(gt=0, lt=1)]
    """Error of the whole family."""
    method: Literal["clopper-pearson", "weak-sign", "fisher", "boschloo", "paired-sign", "betting"]
    """Certificate."""
    family: Literal["tasks x times", "checkpoints"]
    """What is compared at once: every task at every time, within one runtime and arm; or, in a stage of checkpoints,
    restart against continue from every checkpoint."""
    expansion_rule: Text
    """When a follow-up stage is worth its cost, fixed before any outcome was seen."""
    expansion: ExpansionRule | None = None
    """The same as a rule that the report evaluates; null: it is words only."""


class Protocol(Section):
    """Content of ``protocols/STAGE.yaml``."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """Version of this format: 1."""
    stage: StageName
    """Name of the stage and of the file."""
    kind: Literal["collect", "checkpoint", "planning", "monitor", "patch_algebra", "resolver"]
    """``collect``: fresh attempts; ``checkpoint``: draws of recovery actions from frozen states; ``planning``: the same
    from frozen answers to planning tasks, one response each; ``monitor``: a monitor calibrated on some tasks, tested on
    others; ``patch_algebra``: unions of failed patches, verified without a model; ``resolver``: fresh attempts that are
    shown the failed patches of another stage."""
    title: Text
    """One line."""
    description: Text
    """What the stage is for."""
    selection: Selection
    """How the tasks were chosen."""
    tasks: Annotated[list[TaskId], Field(min_length=1)]
    """Task ids, each once."""
    repeats: Count
    """Attempts per task, runtime and arm."""
    horizon: Count
    """Model calls after which a live attempt is censored."""
    arms: Annotated[list[Arm], Field(min_length=1)]
    """Conditions; a plain stage has one, ``baseline``."""
    verification: Verification
    """What verdicts do."""
    agent: AgentSettings
    """Prompts and the format-error rule."""
    limits: Limits
    """Limits of each attempt."""
    sandbox: SandboxSettings
    """Where commands run."""
    retry: Retry
    """Provider errors."""
    runtimes: Annotated[dict[Name, Runtime], Field(min_length=1)]
    """Runtimes by name."""
    sets: Annotated[dict[Name, Annotated[list[Name], Field(min_length=1)]], Field(min_length=1)]
    """Named groups of runtimes that are collected together (``RUNTIME=NAME``)."""
    default_set: Name
    """The set that is collected when ``RUNTIME`` is not given."""
    analysis: Analysis | None = None
    """The analysis plan; null in a planning stage, whose outcomes ``readout`` reads, and in one of kind patch_algebra,
    which has no attempts."""
    checkpoint: CheckpointPlan | None = None
    """Of kind checkpoint: states and actions."""
    planning: PlanningPlan | None = None
    """Of kind planning: first answers and actions."""
    monitor: MonitorPlan | None = None
    """Of kind monitor: the monitor, its calibration and its action."""
    composition: CompositionPlan | None = None
    """Of kind patch_algebra: which unions of failed patches are verified."""
    hypotheses: HypothesesPlan | None = None
    """Of kind resolver: whose failed patches the agent is shown."""
