"""`cranfield eval`: how good are runs?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import interval_settings
from cranfield.commands.output import Answer
from cranfield.commands.parameters import refuse_given
from cranfield.errors import BadSetting
from cranfield.rankings.inputs import evaluated
from cranfield.releases.options import RECORDING

EVAL_EXAMPLES = """
  cranfield eval qrels.txt bm25.run dense.run
  cranfield eval qrels.txt *.run -m nDCG@10,RR -m "AP(rel=2)" --sort nDCG@10
  cranfield eval qrels.txt bm25.run -m map -m P_5 -q --format csv
  cranfield eval qrels.txt *.run -m RR@10 --output table.tex
  cranfield eval qrels.txt *.run --findings
  cranfield eval qrels.txt *.run -m nDCG@10 --system-info costs.csv
  cranfield eval qrels.txt *.run -m "RI, URisk(of=nDCG@10, alpha=2)" --baseline bm25
  cranfield eval qrels.txt bm25.run -m nDCG@10 --steps --query 301
  cranfield eval test.qrels als.run popular.run -m nDCG@10,ItemCoverage@10,Novelty@10 --item-info movies.csv
  cranfield eval qrels.txt new.run -m nDCG@10,AP --record quality --release 1.5
  cat part1.run part2.run | cranfield eval qrels.txt - -m R@1000
"""
STEPS = partial(o.STEPS, help="Show the working instead of the results: one table per query and run with every rank.")
BASELINE = partial(
    o.BASELINE, help="The system that RI, URisk and TRisk compare the others with, unless the measure names its own."
)
QUERY = partial(o.QUERY, help="With --steps: show this query only.")
OPTIONS = (o.MEASURES, o.PER_QUERY, *o.EVALUATION, o.PRECISION, o.BOUNDS, o.JUDGMENTS, o.ENGINE, o.AGGREGATE, o.SORT,
           o.INTERVAL, o.CONFIDENCE, o.TOPICS, o.SYSTEM_INFO, o.ITEM_INFO)  # fmt: skip


@command("eval", o.QRELS, o.RUNS, *OPTIONS, BASELINE, STEPS, QUERY, *RECORDING, *o.DELIVERY, examples=EVAL_EXAMPLES)
def eval_command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str] = (),
    *,
    sort: str | None = None,
    per_query: bool,
    aggregates: Sequence[Any] = (),
    steps: bool,
    query: str | None = None,
    record: str | None = None,
    release: str | None = None,
    keep_files: bool,
    **settings: Any,
) -> Answer:
    """Evaluate runs against judgments.

    Files may be TREC text, MS MARCO or BEIR TSV, CSV, JSON, JSON Lines, Parquet or Arrow, compressed or not.
    """
    from cranfield.measures.naming import measures_named, parse
    from cranfield.present.values import ranked
    from cranfield.rankings.evaluate import STANDARD

    if record is None:
        refuse_given(("release", "keep_files"), "requires --record")
    if steps:
        refuse_given(("record",), "cannot be combined with --steps")
        return _working(qrels, runs, measures, query, settings)
    if query is not None:
        raise BadSetting("--query requires --steps; -q shows the values of all queries")
    chosen = measures_named(measures or None, "ranking", STANDARD)
    if sort and parse(sort) not in chosen:  # before the work starts
        raise BadSetting(f"cannot sort by {sort}; evaluated: {', '.join(map(str, chosen))}")
    intervals = interval_settings(settings)
    result = evaluated(qrels, runs, chosen, **settings)
    if record is not None:
        from cranfield.releases.record import record as add_record

        files = dict(zip(result.systems, runs, strict=True)) | {"judgments": qrels}
        add_record(record, result, release, files=files, keep_files=keep_files)
    if sort:
        result = ranked(result, sort, aggregates[0] if aggregates else None)
    return Answer(result, of_tables={"sort": sort}, per_query=per_query, aggregates=list(aggregates), **intervals)


def _working(qrels: str, runs: Sequence[str], measures: Sequence[str], query: str | None, settings: Any) -> Answer:
    """The working of the measures, rank by rank."""
    from cranfield.rankings.steps import steps

    return Answer(
        steps(qrels, list(runs), measures or None, query=query, k=settings.get("depth"), ties=settings["ties"])
    )


# `cranfield curve`: points of precision-recall curves


CURVE_EXAMPLES = """
  cranfield curve qrels.txt bm25.run dense.run
  cranfield curve qrels.txt *.run --form cutoffs --points 5,10,20,50
  cranfield curve qrels.txt bm25.run --form ranks --points 100 -o points.csv
"""


@command("curve", o.QRELS, o.RUNS, o.FORM, o.POINTS, o.REL, *o.DELIVERY, examples=CURVE_EXAMPLES)
def curve_command(qrels: str, runs: Sequence[str], **settings: Any) -> Answer:
    """Compute the points of precision-recall curves."""
    from cranfield.rankings.precision_recall import precision_recall

    return Answer(precision_recall(qrels, list(runs), **settings))
