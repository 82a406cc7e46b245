"""Evidence of kinds that few measures need, and that is therefore imported only for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cranfield.engines.protocol import Ties
from cranfield.engines.watched_runs import Watched
from cranfield.evidence.aspects import Aspects, aspects
from cranfield.evidence.groups import Groups, groups
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.preferences import Preferences, preferences
from cranfield.evidence.ranked_items import RankedItems, ranked_items
from cranfield.tables.item_table import Items
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource

_BUILDERS: dict[type, Callable[[Judgments, JudgedRanks], Any]] = {Aspects: aspects, Groups: groups}


def rarer_evidence(
    kind: type, judged: Judgments, judged_ranks: JudgedRanks, run: RunSource, items: Items | None, ties: Ties
) -> Any:
    """Evidence of a kind other than hits."""
    if kind is RankedItems and isinstance(run, Watched) and items is not None:
        return ranked_items(run.first, judged, items)
    if kind is Preferences:  # trec_eval breaks ties by ascending name only here
        return preferences(judged, judged_ranks, ties="name" if ties == "trec" else "ranked")
    return _BUILDERS[kind](judged, judged_ranks)
