"""On attempts of a declared law, the gain that is read off them is the gain of really restarting."""

from __future__ import annotations

import numpy as np

from analysis.alarm_table import Readings
from analysis.arms import pool_of
from analysis.cells import CENSORED, TERMINAL, VERIFIED, Cell, CellKey
from analysis.monitors.rule import rule_value
from analysis.monitors.watched import Watched
from harness.models.law import CompletionLaw
from harness.models.plan import episode_seed, plan, planned_event
from harness.paths import PROJECT
from harness.plan import expand
from harness.protocol.load import parse_protocol
from harness.protocol.models import ScriptedModel
from harness.yamlfile import load_yaml

LAW = CompletionLaw.model_validate({
    "hazard": [{"from": 1, "value": 0.0}, {"from": 3, "value": 0.12}], "malformed": 0.05, "submit": 0.02, "stall": 0.1,
})  # fmt: skip
B, N, WAIT, PRICE = 16, 3000, 3, 2
CODES = {"verified": VERIFIED, "terminal": TERMINAL, "censored": CENSORED}


def test_the_rules_gain_is_the_gain_of_restarting() -> None:
    """Alarm after three repeats; each attempt with an alarm has then paid two calls for it, and is drawn anew."""
    events, rows, outcome, restarted = [], [], [], []
    for seed in range(N):
        kinds = plan(seed, LAW, 1.0, B)
        end = planned_event(kinds)
        events.append((CODES[end.event], end.call))
        repeats = [sum(kind == "repeat" for kind in kinds[:call]) for call in range(1, end.call)]
        alarm = next((call for call, count in enumerate(repeats, 1) if count >= WAIT), None)
        rows += [(seed, call, count, PRICE if call == alarm else 0) for call, count in enumerate(repeats, 1)]
        outcome.append(end.event == "verified")
        left = 0 if alarm is None else B - alarm - PRICE
        fresh = planned_event(plan(episode_seed(seed, 2), LAW, 1.0, left)) if left > 0 else None
        charged = alarm is not None and alarm + PRICE < B
        restarted.append((fresh is not None and fresh.event == "verified") if charged else outcome[-1])
    columns = np.array(events, dtype=np.int64)
    cell = Cell(CellKey("s", "", "synthetic", "r", "a", "t"), columns[:, 0].astype(np.int8), columns[:, 1],
                np.full(N, B), np.arange(1, N + 1))  # fmt: skip
    who, when, score, asked = (np.array(column) for column in zip(*rows, strict=True))
    watched = Watched(Readings(who, when, score.astype(np.float64), np.full(len(who), -1, dtype=np.int8)), asked, N)
    found = rule_value(pool_of([cell], B), watched, WAIT, B).macro_gain
    direct = np.array(restarted, dtype=float) - np.array(outcome, dtype=float)
    error = 4 * direct.std() / N**0.5
    assert abs(found - direct.mean()) < error < 0.05 < found


def test_monitor40_keeps_calibration_apart_and_plans_what_it_says() -> None:
    path = PROJECT / "protocols" / "monitor40.yaml"
    protocol = parse_protocol(load_yaml(path), path)
    assert protocol.monitor is not None
    attempts = expand(protocol, "0" * 64, ["scripted"])
    assert len(attempts) == 75 and "75 attempts" in (PROJECT / "docs" / "monitors.md").read_text(encoding="utf-8")
    acted_on = {one.task for one in attempts if one.arm != "continuation"}
    assert acted_on == set(protocol.tasks) - set(protocol.monitor.calibration)
    model = protocol.runtimes["scripted"].model
    assert isinstance(model, ScriptedModel)
    assert all((model.law_for(task).stall or 0) > 0 for task in protocol.tasks)
