"""Every target holds on fixed seeds: a sixteenth of them in `make test`, all of them in `make test-all`."""

from __future__ import annotations

from typing import Any

import pytest

from fuzz.running import failed
from fuzz.target import every_target

TARGETS = every_target()
LEAST = 1  # seeds of one target in `make test`
RANKINGS = (
    "changes",
    "rankings",
    "routes",
    "diversity",
    "judgment_groups",
)  # modules whose targets run on every engine


def seeds(*, of_rankings: bool) -> list[Any]:
    """The names and seeds of the targets that are about rankings, or of the others."""
    chosen = {
        name: target
        for name, target in TARGETS.items()
        if (target.check.__module__.rpartition(".")[2] in RANKINGS) == of_rankings
    }
    return [
        pytest.param(name, seed, marks=() if seed < max(target.seeds // 16, LEAST) else pytest.mark.thorough)
        for name, target in chosen.items()
        for seed in range(target.seeds)
    ]


@pytest.mark.usefixtures("engine")
@pytest.mark.parametrize(("name", "seed"), seeds(of_rankings=True))
def test_a_target_holds_on_every_engine(name: str, seed: int) -> None:
    message = failed(TARGETS[name], seed, shrink_seconds=20)
    assert message is None, message


@pytest.mark.parametrize(("name", "seed"), seeds(of_rankings=False))
def test_a_target_holds(name: str, seed: int) -> None:
    message = failed(TARGETS[name], seed, shrink_seconds=20)
    assert message is None, message
