"""`cranfield mixed`: how do systems differ, after accounting for topics, shards, collections or annotators?"""

from __future__ import annotations

from typing import Any

from cranfield.cli.inputs import INPUTS, runs_or_table
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken
from cranfield.commands.output import Answer

MIXED_EXAMPLES = """
  cranfield mixed qrels.txt *.run -m AP -b bm25
  cranfield mixed --values values.csv --random topic --random shard
  cranfield mixed --values values.csv --random topic --random system:topic -b bm25
"""


@command(
    "mixed",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.MEASURES, o.BASELINE, o.RANDOM, o.CONFIDENCE, *o.EVALUATION,
    *o.DELIVERY, examples=MIXED_EXAMPLES,
)  # fmt: skip
def mixed_command(**settings: Any) -> Answer:
    """Compare systems in a linear mixed model with random effects of topics, shards or annotators."""
    from cranfield.verbs.mixed_models import mixed_model

    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(mixed_model(data, **settings))
