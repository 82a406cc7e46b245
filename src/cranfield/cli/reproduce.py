"""`cranfield reproduce`: would other topics have shown the same?"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.given import QrelsOrNone, RunsOrNone, Values, of_runs, of_table
from cranfield.cli.options import (
    Depth,
    Digits,
    FormatOption,
    Level,
    Measures,
    Missing,
    Output,
    Quiet,
    Seed,
    TieOrder,
    Undefined,
    format_of,
)
from cranfield.cli.output import require_place
from cranfield.cli.progress import progress_shown

if TYPE_CHECKING:
    from cranfield.results.reproduction import Reproduction

EXAMPLES = """\b
Examples:
  cranfield reproduce qrels.txt *.run
  cranfield reproduce qrels.txt *.run -m AP -m nDCG@10 -m P@10 --test t --level 0.01
  cranfield reproduce qrels.txt *.run -m AP --draws 10000 -o stability.json
"""

TestOption = Annotated[
    Literal["randomised tukey", "tukey", "t", "wilcoxon", "sign", "randomisation", "bootstrap", "nemenyi"],
    typer.Option("-t", "--test", help="The test that tells two systems apart."),
]
Rate = Annotated[float, typer.Option(metavar="SHARE", help="How often two systems may swap and be called stable.")]
Draws = Annotated[int, typer.Option(min=1, metavar="N", help="How many subsets of the topics are drawn.")]


def reproduce_order(
    qrels: QrelsOrNone = None,
    runs: RunsOrNone = None,
    values: Values = None,
    measure: Measures = None,
    test: TestOption = "randomised tukey",
    level: Level = 0.05,
    rate: Rate = 0.05,
    draws: Draws = 1_000,
    seed: Seed = 0,
    ties: TieOrder = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: Depth = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say which share of the runs a measure tells apart, and how stable their order is under other topics."""
    from cranfield.certainty.queries import reproduce

    require_place(output)
    how = {"ties": ties, "missing": missing, "undefined": undefined, "depth": depth}
    if values is None:
        data: Any = of_runs(qrels, runs, measure, quiet, **how)
        n_measures, source = len(data.measures), data.provenance
    else:
        data, source = of_table(values, **{"QRELS": qrels, "--measure": measure})
        n_measures = len(data)
    with progress_shown(n_measures, quiet) as progress:
        found = reproduce(data, level=level, test=test, rate=rate, draws=draws, seed=seed, progress=progress)
    deliver(replace(_answer(found), provenance=source), format or format_of(output), output, digits)


def _answer(found: Reproduction) -> Answer:
    from cranfield.present import reproduction

    return Answer(
        lambda digits: [reproduction.figures(found, digits), reproduction.orders(found, digits)],
        {"measures": found.to_dicts(), "orders": found.orders(), "swaps": found.exchanges()},
        {"settings": dict(found.settings)},
    )
