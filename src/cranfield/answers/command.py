"""`cranfield answers`: do answers contain what was asked for, and do their citations support it?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import interval_settings
from cranfield.commands.output import Answer

ANSWERS_EXAMPLES = """
  cranfield answers nuggets.csv
  cranfield answers nuggets.csv citations.csv -m V_strict -m CitationPrecision -m CitationRecall
  cranfield answers nuggets.csv -m "NuggetRecall(importance='vital')" -q --format csv
  cranfield compare --answers nuggets.csv --answers citations.csv -m V_strict --baseline bm25
"""
MEASURES = partial(
    o.MEASURES, show_default="those that fit the tables",
    help="A measure, such as NuggetRecall, V_strict or CitationPrecision; may be repeated or separated by commas.",
)  # fmt: skip


@command(
    "answers",
    o.JUDGED_ANSWERS, MEASURES, o.PER_QUERY, o.MISSING, o.UNDEFINED, o.AGGREGATE, o.INTERVAL, o.CONFIDENCE, o.TOPICS,
    *o.DELIVERY, examples=ANSWERS_EXAMPLES,
)  # fmt: skip
def answers_command(
    files: Sequence[str],
    measures: Sequence[str] = (),
    *,
    per_query: bool,
    aggregates: Sequence[Any] = (),
    **settings: Any,
) -> Answer:
    """Evaluate judged answers: the nuggets that they contain, and the support of their citations."""
    from cranfield.answers.answers import evaluate_answers

    intervals = interval_settings(settings)
    result = evaluate_answers(list(files), measures or None, **settings)
    return Answer(result, per_query=per_query, aggregates=list(aggregates), **intervals)
