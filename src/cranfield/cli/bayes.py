"""`cranfield bayes`: how probable is it that a system is better, or equivalent?"""

from __future__ import annotations

from functools import partial
from typing import Any

from cranfield.cli.compare import TOPICS
from cranfield.cli.inputs import INPUTS, runs_or_table
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken, topics_of_queries
from cranfield.commands.output import Answer
from cranfield.commands.parameters import Constant, OneOf

BAYES_EXAMPLES = """
  cranfield bayes qrels.txt *.run --baseline bm25 -m nDCG@10 --rope 0.01
  cranfield bayes qrels.txt *.run -m AP --model signed-rank
  cranfield bayes --values folds.csv --model "correlated t" --overlap 0.111
"""
OVERLAP = partial(o.OVERLAP, help="For correlated t: size of a test fold divided by the size of its training set.")
MODEL = partial(
    o.MODEL, type=OneOf("cranfield.inference.bayesian:Model"), default="t", show_default=True,
    help="Model of the differences: t (normal), correlated t (of folds, whose training sets overlap) or signed-rank "
    "(of any distribution).",
)  # fmt: skip
RESAMPLES = partial(o.RESAMPLES, default=Constant("cranfield.inference.resampling:RESAMPLES"))


@command(
    "bayes",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.MEASURES, o.BASELINE, o.ROPE, MODEL,
    o.CREDIBILITY, OVERLAP, RESAMPLES, o.SEED, TOPICS, *o.EVALUATION, *o.DELIVERY, examples=BAYES_EXAMPLES,
)  # fmt: skip
def bayes_command(**settings: Any) -> Answer:
    """Compare systems by posterior probabilities: better, practically equivalent, or worse."""
    from cranfield.verbs.bayesian import compare_bayesian

    topic = topics_of_queries(settings)
    data = runs_or_table(**taken(settings, INPUTS))
    return Answer(compare_bayesian(data, topic=topic, **settings))
