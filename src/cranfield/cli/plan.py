"""`cranfield plan`: how many queries does it take to see a difference?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.evaluated import evaluated
from cranfield.cli.options import (
    Alternative,
    Baseline,
    Depth,
    Digits,
    FormatOption,
    Level,
    Measures,
    Missing,
    Output,
    Quiet,
    TieOrder,
    Undefined,
    format_of,
)
from cranfield.cli.output import require_place
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.planning import Plan

EXAMPLES = """\b
Examples:
  cranfield plan qrels.txt bm25.run dense.run --difference 0.02
  cranfield plan qrels.txt *.run -b bm25 -m AP --difference 0.02 --power 0.9
  cranfield plan qrels.txt *.run -m nDCG@10 --queries 200
  cranfield plan --deviation 0.1 --difference 0.02
  cranfield plan --deviation 0.1 --queries 50
"""

Pilot = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="QRELS RUN",
        show_default=False,
        help="Judgments and two or more runs, a pilot that tells how differences vary from query to query; or none, "
        "where --deviation says it.",
    ),
]
Difference = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="The mean difference that should be seen."),
]
Deviation = Annotated[
    float | None,
    typer.Option(metavar="NUMBER", help="The standard deviation of the differences of two systems, if it is known."),
]
Queries = Annotated[
    int | None,
    typer.Option(min=2, metavar="N", help="Plan for so many queries, not for those of the pilot."),
]
Power = Annotated[float, typer.Option(metavar="SHARE", help="How likely a difference that is there should be seen.")]


def plan_queries(
    pilot: Pilot = None,
    difference: Difference = None,
    deviation: Deviation = None,
    queries: Queries = None,
    measure: Measures = None,
    baseline: Baseline = None,
    power: Power = 0.8,
    level: Level = 0.05,
    alternative: Alternative = "two-sided",
    ties: TieOrder = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: Depth = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say how many queries show a difference, how likely these show it, and the smallest that these show."""
    from cranfield.certainty.systems import plan

    require_place(output)
    how = {"ties": ties, "missing": missing, "undefined": undefined, "depth": depth}
    known = _known(pilot, deviation, measure, quiet, how)
    asked: dict[str, Any] = {"baseline": baseline, "queries": queries, "power": power, "level": level}
    found = plan(known, difference, alternative=alternative, **asked)
    answer = replace(_answer(found), provenance=getattr(known, "provenance", None))
    deliver(answer, format or format_of(output), output, digits)


def _known(
    pilot: list[str] | None, deviation: float | None, measure: list[str] | None, quiet: bool, how: dict[str, Any]
) -> Any:
    """What tells how differences vary: the deviation given, or the result of the pilot."""
    if (deviation is None) == (not pilot):
        raise BadSetting("either a pilot (QRELS RUN RUN …) or --deviation must say how differences vary")
    if not pilot:
        if measure:
            raise BadSetting("--measure goes with a pilot; a deviation is already that of some measure")
        return deviation
    qrels, *runs = pilot
    if len(runs) < 2:
        raise BadSetting(f"a pilot is a file of judgments and two runs at least; after {qrels!r} there are {len(runs)}")
    return evaluated(qrels, runs, measure, quiet, **how)


def _answer(found: Plan) -> Answer:
    from cranfield.present.planning import plans

    design = found.design
    settings = {"difference": design.difference, "power": design.power, "level": design.level, "test": "paired t-test"}
    settings |= {"alternative": design.alternative}
    return Answer(
        lambda digits: [plans(found, digits)],
        {"plan": found.to_dicts()},
        {"settings": settings, "notes": list(found.notes)},
    )
