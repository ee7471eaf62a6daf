"""The file of an edition: which tasks, how many trials, by which policy, and who was evaluated."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    ValidationError,
    model_validator,
)

from analysis.recovery.difficulty import BANDS
from analysis.recovery.records import (
    DIMENSIONS,
    CalibrationSystem,
    Entry,
    Limits,
    Panel,
    PanelTask,
    RetryPolicy,
)
from harness.canonical import digest_json
from harness.errors import InputError
from harness.yamlfile import load_yaml, validation_error

Text = Annotated[StrictStr, Field(min_length=1)]
Number = Annotated[StrictInt | StrictFloat, Field(ge=0, allow_inf_nan=False)]
Count = Annotated[StrictInt, Field(ge=1)]
Passes = Annotated[list[Annotated[StrictInt, Field(ge=0)]], Field(min_length=2, max_length=2)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class LimitsData(_Model):
    """Full marks up to ``target``, none from ``maximum`` on."""

    target: Number
    maximum: Number

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.maximum > self.target:
            raise ValueError(f"maximum {self.maximum:g} is not above target {self.target:g}")
        return self

    def plain(self) -> Limits:
        """As analysis takes it."""
        return Limits(self.target, self.maximum)


class TaskData(_Model):
    """A task of the edition; its own limits go before the edition's."""

    task: Text
    family: Text
    cost_usd: LimitsData | None = None
    runtime_s: LimitsData | None = None
    exposures: Annotated[StrictInt, Field(ge=0)] | None = None
    """Evaluations that saw this task before."""
    retired: Text | None = None
    """Why and since when it is no longer an unseen task."""


class RetryData(_Model):
    """What may be retried, declared before anything ran."""

    exclusions: list[Text]
    max_attempts: Count


class SystemData(_Model):
    """A calibration system; ``passes`` gives [passes, trials] by task."""

    name: Text
    harness: Text
    synthetic: StrictBool
    passes: dict[Text, Passes]

    @model_validator(mode="after")
    def _possible(self) -> Self:
        for task, (passed, trials) in self.passes.items():
            if passed > trials:
                raise ValueError(f"{task}: {passed} passes of {trials} trials are not possible")
        return self


class AuditData(_Model):
    """An approval of the audit."""

    auditor: Text
    date: Text


class EntryData(_Model):
    """What is known of an evaluated system; what is left out is shown as unavailable."""

    id: Text | None = None
    track: Literal["native", "controlled"] | None = None
    system: dict[Text, Text] = {}
    audit: AuditData | None = None
    withheld: list[Text] | None = None


class FrozenData(_Model):
    """When the edition was frozen, and the digest that it had then."""

    date: Text
    digest: Text


class PanelData(_Model):
    """An edition and its entries."""

    schema_: Literal[1] = Field(alias="schema")
    edition: Text
    trials: Count
    tasks: Annotated[list[TaskData], Field(min_length=1)]
    cost_usd: LimitsData | None = None
    runtime_s: LimitsData | None = None
    weights: dict[Literal["F", "S", "D", "I", "E", "M"], Number] | None = None
    memory: Literal["prohibited", "reset", "allowed"] | None = None
    """What an agent may keep from one trial to the next."""
    retry: RetryData | None = None
    mix: dict[Literal["Hard", "Medium", "Easy"], Annotated[StrictInt, Field(ge=0)]] | None = None
    calibration: list[SystemData] = []
    frozen: FrozenData | None = None
    entries: dict[Text, EntryData] = {}

    @model_validator(mode="after")
    def _whole(self) -> Self:
        names = [task.task for task in self.tasks]
        if len(set(names)) != len(names):
            raise ValueError(f"task {next(name for name in names if names.count(name) > 1)} stands twice")
        for system in self.calibration:
            foreign = sorted(set(system.passes) - set(names))
            if foreign:
                raise ValueError(f"calibration system {system.name} names task {foreign[0]}, which is not in the panel")
        if self.weights is not None:
            if set(self.weights) != set(DIMENSIONS):
                raise ValueError(f"weights name {', '.join(self.weights)}; wanted: {', '.join(DIMENSIONS)}")
            if abs(sum(self.weights.values()) - 1) > 1e-9:
                raise ValueError(f"weights sum to {sum(self.weights.values()):g}, not 1")
        return self

    @property
    def digest(self) -> str:
        """SHA-256 of the edition: all but its freezing and its entries, which come later."""
        data = self.model_dump(mode="json", by_alias=True, exclude={"frozen", "entries"}, exclude_none=True)
        return digest_json(data)


def read_panel(path: Path) -> Panel:
    """The panel in a YAML or JSON file.

    Raises:
        InputError: unreadable, unknown or missing keys, or changed since it was frozen.
    """
    data = load_yaml(path)
    try:
        found = PanelData.model_validate(data)
    except ValidationError as error:
        raise validation_error(error, path) from None
    if found.frozen and found.frozen.digest != found.digest:
        raise InputError(
            f"the edition has digest {found.digest}, but was frozen as {found.frozen.digest}", file=path,
            key="frozen.digest", mend="restore the edition as it was, or give the changed one a new name and freeze it",
        )  # fmt: skip
    return plain_panel(found)


def plain_panel(data: PanelData) -> Panel:
    """As analysis takes it."""
    def limits(mine: LimitsData | None, general: LimitsData | None) -> Limits | None:
        chosen = mine or general
        return chosen.plain() if chosen else None

    tasks = tuple(
        PanelTask(one.task, one.family, limits(one.cost_usd, data.cost_usd), limits(one.runtime_s, data.runtime_s),
                  one.exposures, one.retired)
        for one in data.tasks
    )  # fmt: skip
    calibration = tuple(
        CalibrationSystem(one.name, one.harness, one.synthetic,
                          {task: (pair[0], pair[1]) for task, pair in one.passes.items()})
        for one in data.calibration
    )  # fmt: skip
    entries = {
        name: Entry(one.id, one.track, dict(one.system), one.audit.auditor if one.audit else None,
                    one.audit.date if one.audit else None, None if one.withheld is None else tuple(one.withheld))
        for name, one in data.entries.items()
    }  # fmt: skip
    weights: dict[str, float] | None = None
    if data.weights is not None:
        weights = {letter: float(value) for letter, value in data.weights.items()}
    mix: dict[str, int] | None = None
    if data.mix is not None:
        mix = dict.fromkeys(BANDS[:3], 0) | dict(data.mix.items())
    return Panel(
        data.edition, data.digest, data.frozen.date if data.frozen else None, data.trials, tasks, data.memory, weights,
        mix, RetryPolicy(tuple(data.retry.exclusions), data.retry.max_attempts) if data.retry else None, calibration,
        entries,
    )  # fmt: skip
