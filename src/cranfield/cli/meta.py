"""`cranfield meta`: how large is a difference over several collections?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import Answer

META_EXAMPLES = """
  cranfield meta trec-6 trec-7 trec-8 -b bm25 -m AP
  cranfield meta beir/* -b bm25 -m nDCG@10 --heterogeneity dersimonian-laird
"""


@command(
    "meta",
    o.COLLECTION_FOLDERS, o.MEASURES, o.BASELINE, o.HETEROGENEITY, o.CONFIDENCE, *o.EVALUATION, *o.DELIVERY,
    examples=META_EXAMPLES,
)  # fmt: skip
def meta_command(*, folders: Sequence[str], measures: Sequence[Any] = (), **settings: Any) -> Answer:
    """Combine the differences between systems over several collections in a random-effects meta-analysis."""
    from cranfield.verbs.meta_analysis import meta_analysis

    return Answer(meta_analysis(list(folders), measures=measures or None, **settings))
