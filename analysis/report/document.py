"""The data document of a report: everything that its page shows, as plain JSON values, unrounded."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Sequence
from typing import Any, TextIO, cast

import numpy as np

from analysis.bootstrap import TAILS
from analysis.checkpoints.panels import action_of
from analysis.monitors.study import CONTINUATION
from analysis.report.checkpoints import checkpoint_stages, is_checkpoint_stage
from analysis.report.cohorts import Counted, cohorts_of, outcome_rows, outcomes, spending
from analysis.report.conventions import conventions
from analysis.report.decisions import audits
from analysis.report.interventions import interventions
from analysis.report.monitors import monitor_stages
from analysis.report.policies import arm_contrasts, completion, policies
from analysis.report.study import Choices, Plan, StageInfo, Study, plan_of, rows_of
from analysis.report.unresolved import unresolved
from analysis.table import EventTable

SCHEMA = 1


def report_document(study: Study) -> dict[str, Any]:
    """What the events say, stage by stage and cohort by cohort; docs/report.md describes its parts.

    Raises:
        InputError: a choice is impossible; an estimate is due whose library is not installed.
    """
    plans = {info.stage: plan_of(study, info) for info in study.stages}
    every = [one for stage in plans for one in cohorts_of(rows_of(study.table, stage=stage))]
    origins = sorted({one.cohort.origin for one in every})
    # Attempts that begin from checkpoints are no fresh ones: no completion curve, schedule or audit by call is of them.
    states = {info.stage for info in study.stages if is_checkpoint_stage(info)}
    cohorts = [one for one in every if one.cohort.stage not in states]
    # Nor are attempts that a monitor acted on; their contrasts, on the held-out tasks alone, are in their own part.
    acting = {info.stage for info in study.stages if info.protocol.get("kind") == "monitor"}
    alone = [one for one in cohorts if one.cohort.stage not in acting or one.cohort.arm == CONTINUATION]
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "title": ", ".join(plans),
        "origins": origins,
        "synthetic": "synthetic" in origins,
        "stages": [_stage(info, plans[info.stage], _of(every, info.stage)) for info in study.stages],
        "cohorts": [_cohort(one, plans[one.cohort.stage], study.choices) for one in cohorts],
        "arm_contrasts": [
            row
            for stage, plan in plans.items()
            for row in arm_contrasts([one for one in _of(alone, stage) if one.cells], plan, study.choices)
        ],
        "audits": audits(alone, {stage: plan for stage, plan in plans.items() if stage not in states}),
        "checkpoints": checkpoint_stages(study),
    }
    document["interventions"] = [
        part for info in study.stages for part in interventions(info, _of(cohorts, info.stage))
    ]
    document["monitors"] = [part for info in study.stages for part in monitor_stages(info, study.choices)]
    document["reuse"] = [dict(one) for info in study.stages for one in info.compositions]
    document["unresolved"] = unresolved(document)
    document["provenance"] = {
        "events_sha256": events_digest(study.table),
        "rows": len(study.table),
        "sources": [dict(source) for source in study.sources],
        "software": dict(study.software),
        "bootstrap": {"replicates": study.choices.replicates, "seed": study.choices.seed, "tails": list(TAILS)},
    }
    return document


def events_csv(table: EventTable) -> str:
    """The analysed events as ``restartlab export`` writes them."""
    text = io.StringIO(newline="")
    table.canonical().write_csv(text)
    return text.getvalue()


def events_digest(table: EventTable) -> str:
    """SHA-256 of ``events_csv``, streamed: the same events have the same digest, wherever they were read from."""
    digest = hashlib.sha256()

    class Sink(io.TextIOBase):
        def write(self, text: str, /) -> int:
            digest.update(text.encode())
            return len(text)

    table.canonical().write_csv(cast(TextIO, Sink()))
    return digest.hexdigest()


def _of(cohorts: Iterable[Counted], stage: str) -> list[Counted]:
    return [one for one in cohorts if one.cohort.stage == stage]


def _stage(info: StageInfo, plan: Plan, cohorts: Sequence[Counted]) -> dict[str, Any]:
    protocol = info.protocol
    names = {
        name: sorted({getattr(one.cohort, name) for one in cohorts}) for name in ("digest", "origin", "runtime", "arm")
    }
    counted = sum(int(one.rows["valid"].sum()) for one in cohorts)
    tries = sum(len(one.rows) for one in cohorts)
    return {
        "stage": info.stage,
        "title": protocol.get("title"),
        "description": protocol.get("description"),
        "selection": protocol.get("selection"),
        "frozen": info.frozen,
        "digests": [digest for digest in names["digest"] if digest],
        "origins": names["origin"],
        "runtimes": names["runtime"],
        "arms": sorted({action_of(arm) for arm in names["arm"]}) if is_checkpoint_stage(info) else names["arm"],
        "tasks": len({code for one in cohorts for code in one.rows["task"].tolist()}),
        "horizons": sorted({int(h) for one in cohorts for h in np.unique(one.rows["horizon"])}),
        "planned": dict(sorted(info.planned.items())),
        "attempts": counted,
        "tries": tries,
        "excluded_tries": tries - counted,
        "plan": {
            "kind": plan.kind, "budget": plan.budget, "cutoffs": list(plan.cutoffs), "times": list(plan.times),
            "alpha": plan.alpha, "method": plan.method, "stated": dict(plan.stated) or None,
        },
    }  # fmt: skip


def _cohort(one: Counted, plan: Plan, choices: Choices) -> dict[str, Any]:
    return one.name | {
        "budget": plan.budget,
        "tasks": outcome_rows(one),
        "totals": outcomes(one.rows),
        "spending": spending(one.rows),
        "completion": completion(one, plan, choices) if one.cells else None,
        "replay": policies(one, plan, choices) if one.cells else None,
        "conventions": conventions(one, plan.budget),
    }
