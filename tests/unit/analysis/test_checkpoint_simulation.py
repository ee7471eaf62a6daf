"""The test of certificates by simulated stages: it passes the valid ones and catches one that was broken."""

from __future__ import annotations

import numpy as np
import pytest

from analysis.certificates import METHODS
from analysis.checkpoints.simulation import binomial_stages, try_certificate
from analysis.errors import InputError

STAGES, STATES, DRAWS = 1000, 4, 20


@pytest.fixture(scope="module")
def tied() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    p = np.full(STATES, 0.5)
    return (*binomial_stages(p, p, DRAWS, STAGES, seed=7), p)


@pytest.mark.parametrize("name", METHODS)
def test_no_certificate_errs_more_often_than_its_level(
    tied: tuple[np.ndarray, np.ndarray, np.ndarray], name: str
) -> None:
    restarts, continues, p = tied
    assert not try_certificate(name, restarts, continues, p, p).caught
    apart = np.array([0.97, 0.03, 0.55, 0.45])
    drawn = binomial_stages(apart, apart[::-1], DRAWS, STAGES, seed=8)
    row = try_certificate(name, *drawn, apart, apart[::-1])
    assert not row.caught and row.right > 0.3


def test_a_certificate_at_three_times_its_level_is_caught(
    tied: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> None:
    restarts, continues, p = tied
    broken = try_certificate("boschloo", restarts, continues, p, p, inflation=3)
    assert broken.caught and broken.low > broken.alpha
    assert broken.errors > try_certificate("boschloo", restarts, continues, p, p).errors


def test_what_counts_as_an_error() -> None:
    all_, none = np.ones((3, 1, 40), dtype=bool), np.zeros((3, 1, 40), dtype=bool)
    assert try_certificate("fisher", all_, none, [0.9], [0.1]).errors == 0
    assert try_certificate("fisher", all_, none, [0.9], [0.1]).right == 1
    assert try_certificate("fisher", all_, none, [0.1], [0.9]).errors == 3
    assert try_certificate("fisher", all_, none, [0.5], [0.5]).errors == 3
    assert try_certificate("weak-sign", all_, none, [0.5], [0.5]).errors == 0  # it claims p >= q
    assert try_certificate("weak-sign", all_, none, [0.4], [0.5]).errors == 3


def test_shapes_must_fit() -> None:
    with pytest.raises(InputError, match="stages x states x draws"):
        try_certificate("fisher", np.ones((3, 2, 4), dtype=bool), np.ones((3, 2, 4), dtype=bool), [0.5], [0.5])
