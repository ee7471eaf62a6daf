"""The stage protocol: every key of ``protocols/STAGE.yaml``, as pydantic models.

Limits of single values are stated here; rules between keys are in ``rules.py``; reading files is ``load.py``.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from harness.protocol.base import Count, Name, NotNegative, Positive, Section, TaskId, Text
from harness.protocol.models import Runtime


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
    """``bubblewrap`` (no daemon, no root), ``docker``, or the name of an entry point of ``restartlab.sandboxes``."""
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
    cutoffs: Annotated[list[Count], Field(min_length=1)]
    """Restart cutoffs to replay, calls, ascending, at most the budget."""
    times: Annotated[list[Count], Field(min_length=1)]
    """Decision calls of the audit, ascending, below the budget (a restart needs calls to spend)."""
    alpha: Annotated[float, Field(gt=0, lt=1)]
    """Error of the whole family."""
    method: Literal["clopper-pearson", "weak-sign", "fisher", "boschloo", "paired-sign", "betting"]
    """Certificate."""
    family: Literal["tasks x times"]
    """What is compared at once: every task at every time, within one runtime and arm."""
    expansion_rule: Text
    """When a follow-up stage is worth its cost, fixed before any outcome was seen."""


class Protocol(Section):
    """Content of ``protocols/STAGE.yaml``."""

    schema_: Annotated[Literal[1], Field(alias="schema")]
    """Version of this format: 1."""
    stage: Annotated[str, Field(pattern=r"^[a-z0-9]+$", max_length=64)]
    """Name of the stage and of the file."""
    kind: Literal["collect"]
    """``collect``: fresh attempts."""
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
    analysis: Analysis
    """The analysis plan."""
