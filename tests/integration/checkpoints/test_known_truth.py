"""A scripted agent with known p and q per state: the checkpoint stage and its audit find them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkpoint_stage import checkpoint_changes, freeze, runtimes
from tiny_lab import TinyLab

from harness.models.law import CompletionLaw, event_distribution

pytestmark = [pytest.mark.needs_bwrap, pytest.mark.slow]

CALLS, DRAWS = 6, 8
#: The source's horizon: its attempts are censored there, and their states frozen.
FROZEN = 8
NEVER = {"hazard": [{"from": 1, "value": 0.0}]}
LAWS = {
    "falling": {"hazard": [{"from": 1, "value": 0.6}, {"from": FROZEN + 1, "value": 0.0}]},
    "rising": {"hazard": [{"from": 1, "value": 0.0}, {"from": FROZEN + 1, "value": 0.6}]},
}
TRUE = {"falling": "restart", "rising": "continue"}


def test_the_audit_certifies_what_the_law_says(lab: TinyLab, tmp_path: Path) -> None:
    plan = checkpoint_changes(budget=None, actions=[
        {"name": "restart", "workspace": "reset", "context": "reset"},
        {"name": "continue", "workspace": "keep", "context": "keep"},
    ])  # fmt: skip
    lab.write_stage("tiny", **runtimes(NEVER), repeats=2)
    for name, law in LAWS.items():
        changed = plan | {"repeats": DRAWS, "horizon": CALLS, "analysis": {**plan["analysis"], "budget": CALLS}}
        lab.write_stage(name, **runtimes(law) | changed)
    for stage in ("tiny", *LAWS):
        freeze(lab, stage)
        done = lab.run("collect", stage)
        assert done.returncode == 0, done.stderr
    for name, law in LAWS.items():
        exact = CompletionLaw.model_validate(law)
        p = sum(event_distribution(exact, 1.0, CALLS).verified)
        q = sum(event_distribution(exact, 1.0, CALLS, first=FROZEN + 1).verified)
        found = json.loads(lab.run("audit", name, "--json").stdout)
        assert found["counts"][TRUE[name]] == found["family"] == 2
        for row in found["decisions"]:
            # Each share is 0 or 1 but for a chance of 0.004 a draw.
            assert abs(row["p"] - p) < 0.3 and abs(row["q"] - q) < 0.3
