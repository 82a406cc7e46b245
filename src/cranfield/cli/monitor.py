"""`cranfield monitor`: have enough queries been judged?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.inputs import runs_or_table
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.monitoring import Monitoring

EXAMPLES = """
  cranfield monitor qrels.txt bm25.run dense.run -m nDCG@10
  cranfield monitor --values judged.csv --range 0,1 -b bm25 --half-width 0.05
"""
HALF_WIDTH = partial(o.HALF_WIDTH, help="Also report the number of queries after which the interval was ± NUMBER.")


@command(
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.MEASURES, o.BASELINE, o.VALUE_RANGE, o.LEVEL,
    HALF_WIDTH, *o.EVALUATION, *o.DELIVERY, examples=EXAMPLES,
)  # fmt: skip
def run(*, bounds: Sequence[float] = (), lower_is_better: Sequence[str] = (), **settings: Any) -> Monitoring:
    """Monitor differences query by query: bounds valid at every look, and whether enough queries were judged."""
    from cranfield.verbs.monitoring import monitor

    if bounds and len(bounds) != 2:
        raise BadSetting("--range takes the lowest and highest possible values, such as 0,1")
    verb_settings: Any = {name: settings.pop(name) for name in ("baseline", "level", "half_width") if name in settings}
    verb_settings |= {"bounds": tuple(bounds) or None, "lower_is_better": lower_is_better}
    return monitor(runs_or_table(lower_is_better, **settings), **verb_settings)
