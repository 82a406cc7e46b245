"""Histories of releases that make each rule speak, and the nearest that do not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from cranfield.releases.history import History, history
from examination.pictured import Case
from releases.stores import ONE, OTHER, add, stored

BASE = np.linspace(0.3, 0.7, 40)


def released(*changes: float, judgments: Sequence[str] = ()) -> History:
    """Releases 1.0, 1.1 … of which each changed 40 queries by this much on average."""
    with TemporaryDirectory() as folder:
        store = stored(Path(folder), {})
        for place, total in enumerate(np.cumsum([0.0, *changes])):
            noise = 0.05 * np.cos(np.pi * (place + 1) * (np.arange(40) + 0.5) / 40)  # different and 0 on average
            digest = judgments[place] if judgments else ONE
            add(store, f"1.{place}", BASE + total + noise, place=place, judgments=digest)
        return history(store.folder)


HISTORIES = {
    "slow-drift": Case(
        released(-0.01, -0.01),
        released(-0.02, 0.0),
        "AP is worse by 0.020 than in 1.0, although none of the 2 releases since made it significantly worse.",
    ),
    "worse-release": Case(
        released(0.0, -0.02),
        released(0.0, -0.01),
        "1.2 is worse than the release before in AP, by 0.020.",
    ),
    "other-conditions": Case(
        released(0.0, 0.0, judgments=(ONE, OTHER, OTHER)),
        released(0.0, 0.0),
        "1 of 3 releases is not comparable with the last one, 1.2.",
    ),
}
