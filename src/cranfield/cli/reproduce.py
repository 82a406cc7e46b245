"""`cranfield reproduce`: would other topics have shown the same?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.compare import Level, Seed
from cranfield.cli.evaluated import evaluated
from cranfield.cli.options import Digits, FormatOption, Measures, Output, Qrels, Quiet, Runs, format_of
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
    qrels: Qrels,
    runs: Runs,
    measure: Measures = None,
    test: TestOption = "randomised tukey",
    level: Level = 0.05,
    rate: Rate = 0.05,
    draws: Draws = 1_000,
    seed: Seed = 0,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say which share of the runs a measure tells apart, and how stable their order is under other topics."""
    from cranfield.certainty.queries import reproduce

    require_place(output)
    result = evaluated(qrels, runs, measure, quiet)
    with progress_shown(len(result.measures), quiet) as progress:
        found = reproduce(result, level=level, test=test, rate=rate, draws=draws, seed=seed, progress=progress)
    deliver(_answer(found), format or format_of(output), output, digits)


def _answer(found: Reproduction) -> Answer:
    from cranfield.present import reproduction

    return Answer(
        lambda digits: [reproduction.figures(found, digits), reproduction.orders(found, digits)],
        {"measures": found.to_dicts(), "orders": found.orders(), "swaps": found.exchanges()},
        {"settings": dict(found.settings)},
    )
