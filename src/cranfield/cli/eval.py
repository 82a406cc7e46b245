"""`cranfield eval`: the value of measures for runs."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.completion import measure_names
from cranfield.cli.evaluated import require_one_reader
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.options import (
    Confidence,
    Depth,
    Digits,
    Format,
    FormatOption,
    Measures,
    Missing,
    Output,
    Qrels,
    Quiet,
    Runs,
    TieOrder,
    Undefined,
    format_of,
)
from cranfield.cli.output import require_place, show, write
from cranfield.cli.progress import progress_shown
from cranfield.cli.warned import warnings_told
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.findings.finding import Finding
    from cranfield.registry import Aggregate, Measure
    from cranfield.results.values import Result

EXAMPLES = """\b
Examples:
  cranfield eval qrels.txt bm25.run dense.run
  cranfield eval qrels.txt *.run -m nDCG@10 -m "AP(rel=2)" --sort nDCG@10
  cranfield eval qrels.txt bm25.run -m map -m P_5 -q --format csv
  cranfield eval qrels.txt *.run -m RR@10 --output table.tex
  cranfield eval qrels.txt *.run --findings
  cat part1.run part2.run | cranfield eval qrels.txt - -m R@1000
"""

Precision = Literal["double", "single"]


class Kind(StrEnum):  # Typer takes a list of these, but not of literals
    """What the values of the queries come to."""

    MEAN = "mean"
    MACRO = "macro"
    MICRO = "micro"
    GEOMETRIC = "geometric"
    MEDIAN = "median"
    SUM = "sum"


PerQuery = Annotated[bool, typer.Option("-q", "--per-query", help="Show the values of each query.")]
ScorePrecision = Annotated[Precision, typer.Option(help="Compare scores as 64-bit or as 32-bit numbers.")]
Bounds = Annotated[
    bool,
    typer.Option(
        "--bounds",
        help="Add what each measure would be were all unjudged documents irrelevant, and all of the top grade.",
    ),
]
JudgmentForm = Annotated[
    Literal["qrels", "prefs"],
    typer.Option("--judgments", help="What the lines of QRELS hold: TREC's four fields, or the five of preferences."),
]
AggregateKinds = Annotated[
    list[Kind] | None,
    typer.Option(
        "-a",
        "--aggregate",
        metavar="KIND",
        help="What the values of the queries come to, if not each measure's own: mean (or macro), micro (all queries "
        "pooled), geometric, median or sum; may be repeated.",
    ),
]
Sort = Annotated[
    str | None,
    typer.Option(
        "-s",
        "--sort",
        metavar="MEASURE",
        autocompletion=measure_names,
        help="Put the best system by this measure first.",
    ),
]
Interval = Literal["auto", "t", "bca", "percentile", "none"]
IntervalKind = Annotated[
    Interval,
    typer.Option(
        "--interval",
        help="How sure each aggregate is: bounds by Student's t (Wilson's where all values are 0 or 1), by the "
        "bootstrap over queries (bca or percentile; too narrow below some 30 queries), or none.",
    ),
]
Topics = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="A query and its topic a line, where queries are variants of topics: intervals are then over topics, by "
        "Student's t or, if --interval says so, by the bootstrap.",
    ),
]


def evaluate_runs(
    qrels: Qrels,
    runs: Runs,
    measure: Measures = None,
    per_query: PerQuery = False,
    ties: TieOrder = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: Depth = None,
    precision: ScorePrecision = "double",
    bounds: Bounds = False,
    judgments: JudgmentForm = "qrels",
    aggregate: AggregateKinds = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    sort: Sort = None,
    interval: IntervalKind = "auto",
    confidence: Confidence = 0.95,
    topics: Topics = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Evaluate runs against judgments.

    Files may be TREC text, MS MARCO or BEIR TSV, CSV, JSON, JSON Lines, Parquet or Arrow, compressed or not.
    """
    from cranfield.api import STANDARD, evaluate
    from cranfield.inference.distributions import require_confidence
    from cranfield.present.results import ranked
    from cranfield.registry import parse_all
    from cranfield.tables.topics import read_topics

    wanted = [one for name in measure or STANDARD for one in parse_all(name)]
    require_one_reader([qrels, *runs, *filter(None, [topics])])
    topic = None if topics is None else read_topics(topics)
    _require_sortable(sort, wanted)
    require_confidence(confidence)
    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    with warnings_told(quiet), progress_shown(len(runs), quiet) as progress:
        result = evaluate(
            qrels,
            runs,
            wanted,
            ties=ties,
            missing=missing,
            undefined=undefined,
            depth=depth,
            precision=precision,
            bounds=bounds,
            form=judgments,
            progress=progress,
        )
    aggregates: list[Aggregate] = [kind.value for kind in aggregate or ()]
    if sort:
        result = ranked(result, sort, aggregates[0] if aggregates else None)
    found = examined(findings, result)
    sure: dict[str, Any] = {"confidence": None}
    if interval != "none":
        sure = {"confidence": confidence, "method": interval, "topic": topic}
    settings = sure | {"per_query": per_query, "aggregates": aggregates}
    _deliver(result, chosen, output, settings, digits, found)


def _require_sortable(sort: str | None, wanted: Sequence[Measure]) -> None:
    """Refuse to sort by what is not evaluated, before the work is done rather than after."""
    from cranfield.registry import parse

    if sort and parse(sort) not in wanted:
        raise BadSetting(f"cannot sort by {sort}: evaluated are {', '.join(map(str, wanted))}")


def _deliver(
    result: Result,
    format: Format,  # noqa: A002
    output: str | None,
    settings: dict[str, Any],
    digits: int | None,
    found: Sequence[Finding] | None,
) -> None:
    from cranfield.present import results
    from cranfield.results.writing import json_text

    if format == "csv":
        write(result.to_csv(digits=digits, **settings), output)
    elif format == "json":
        write(json_text(result.document(digits=digits, **settings) | records(found)), output)
    else:
        table = results.by_query if settings.pop("per_query") else results.overview
        shown = results.DIGITS if digits is None else digits
        show([table(result, digits=shown, **settings)], format, output, closing(found, format))
