"""`cranfield reproduce`: would other topics give the same ranking of systems?"""

from __future__ import annotations

from functools import partial
from typing import Any

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.delivery import Answer
from cranfield.cli.inputs import INPUTS, runs_or_table
from cranfield.cli.progress import progress_shown
from cranfield.commands.inputs import quiet, taken

REPRODUCE_EXAMPLES = """
  cranfield reproduce qrels.txt *.run
  cranfield reproduce qrels.txt *.run -m AP,nDCG@10,P@10 --test t --level 0.01
  cranfield reproduce qrels.txt *.run -m AP --resamples 10000 -o stability.json
"""
TEST = partial(o.TEST, default="randomised tukey", show_default=True)


@command(
    "reproduce",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.MEASURES, TEST, o.LEVEL, o.RATE,
    partial(o.RESAMPLES, default=o.COSTLY), o.SEED, *o.EVALUATION, *o.DELIVERY, examples=REPRODUCE_EXAMPLES,
)  # fmt: skip
def reproduce_command(**settings: Any) -> Answer:
    """Estimate the discriminative power of measures, and how stable the ranking of systems is over topics."""
    from cranfield.verbs.stability import reproduce

    data = runs_or_table(**taken(settings, INPUTS))
    n_measures = 1 if isinstance(data, str) else len(data.measures)  # those of a table are not known yet
    with progress_shown(n_measures, quiet()) as progress:
        return Answer(reproduce(data, progress=progress, **settings))
