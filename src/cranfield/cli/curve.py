"""`cranfield curve`: points of precision-recall curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import Answer

CURVE_EXAMPLES = """
  cranfield curve qrels.txt bm25.run dense.run
  cranfield curve qrels.txt *.run --form cutoffs --points 5,10,20,50
  cranfield curve qrels.txt bm25.run --form ranks --points 100 -o points.csv
"""


@command("curve", o.QRELS, o.RUNS, o.FORM, o.POINTS, o.REL, *o.DELIVERY, examples=CURVE_EXAMPLES)
def curve_command(qrels: str, runs: Sequence[str], **settings: Any) -> Answer:
    """Compute the points of precision-recall curves."""
    from cranfield.verbs.precision_recall import precision_recall

    return Answer(precision_recall(qrels, list(runs), **settings))
