"""The intervals of an audit hold the true figures as often as they say, for judges with known faults."""

from __future__ import annotations

import pytest
from tools.simulations.audit_coverage import coverage
from tools.simulations.judges import JUDGES

SETS = 300


@pytest.mark.simulation
@pytest.mark.parametrize("n_topics", [10, 30])
@pytest.mark.parametrize("judge", JUDGES)
def test_intervals_cover(judge: str, n_topics: int) -> None:
    too_rarely = {
        name: held for name, held, n in coverage(JUDGES[judge], n_topics, SETS) if held < 0.91 and n >= SETS / 2
    }
    assert too_rarely == {}
