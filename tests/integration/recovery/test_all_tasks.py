"""Every recovery task qualifies; its other repairs are accepted from five resets."""

from __future__ import annotations

import pytest
from incidents import acted, incident, place_of

from tasks.recovery.source import RecoveryTasks
from verifiers.recovery.gate import qualify_recovery

pytestmark = [pytest.mark.needs_bwrap, pytest.mark.slow]
NAMES = [name.removeprefix("recovery-") for name in RecoveryTasks().ids()]


@pytest.mark.parametrize("name", NAMES)
def test_a_task_qualifies(name: str) -> None:
    result = qualify_recovery(incident(name), place_of(name))
    assert result.qualified, result.complaints()
    assert all(mutation["rejected"] for mutation in result.mutations) and result.flake_rate == 0.0
    assert set(result.map) == set(incident(name).mutations)


@pytest.mark.parametrize("name", NAMES)
def test_other_repairs_are_accepted_every_time(name: str) -> None:
    for other in incident(name).alternatives:
        verdicts = [acted(name, other).verdict for _ in range(5)]
        assert all(verdict.passed for verdict in verdicts), [verdict.tests for verdict in verdicts]
