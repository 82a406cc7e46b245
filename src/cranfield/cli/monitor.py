"""`cranfield monitor`: have enough queries been judged?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.cli.inputs import INPUTS, runs_or_table
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken
from cranfield.commands.output import Answer
from cranfield.errors import BadSetting

MONITOR_EXAMPLES = """
  cranfield monitor qrels.txt bm25.run dense.run -m nDCG@10
  cranfield monitor --values judged.csv --range 0,1 -b bm25 --half-width 0.05
"""
HALF_WIDTH = partial(o.HALF_WIDTH, help="Also report the number of queries after which the interval was ± NUMBER.")


@command(
    "monitor",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.MEASURES, o.BASELINE, o.VALUE_RANGE, o.LEVEL,
    HALF_WIDTH, *o.EVALUATION, *o.DELIVERY, examples=MONITOR_EXAMPLES,
)  # fmt: skip
def monitor_command(*, bounds: Sequence[float] = (), **settings: Any) -> Answer:
    """Monitor differences query by query: bounds valid at every look, and whether enough queries were judged."""
    from cranfield.verbs.monitoring import monitor

    if bounds and (len(bounds) != 2 or not bounds[0] < bounds[1]):
        raise BadSetting("--range takes the lowest and highest possible values, such as 0,1")
    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(monitor(data, bounds=(bounds[0], bounds[1]) if bounds else None, **settings))
