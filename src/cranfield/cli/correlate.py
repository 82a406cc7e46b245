"""`cranfield correlate`: do measures, or judgments, put runs in the same order?"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.evaluated import evaluated
from cranfield.cli.options import Digits, FormatOption, Measures, Output, Qrels, Quiet, Runs, format_of
from cranfield.cli.output import require_place
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.orders import Correlations

EXAMPLES = """\b
Examples:
  cranfield correlate qrels.txt *.run
  cranfield correlate qrels.txt *.run -m AP -m nDCG@10 -m RR -c tau-b -c RBO
  cranfield correlate official.qrels *.run -m AP --also shallow.qrels
"""


class Coefficient(StrEnum):  # Typer takes a list of these, but not of literals
    """How alike two orders are."""

    TAU_A = "tau-a"
    TAU_B = "tau-b"
    TAU_AP = "tau-AP"
    SPEARMAN = "spearman"
    WEIGHTED_TAU = "weighted tau"
    CONCORDANCE = "concordance"
    RBO = "RBO"


Coefficients = Annotated[
    list[Coefficient] | None,
    typer.Option("-c", "--coefficient", help="May be repeated.", show_default="tau-b and tau-AP"),
]
Also = Annotated[
    list[str] | None,
    typer.Option("--also", metavar="QRELS", help="Other judgments, by which runs are ordered too; may be repeated."),
]


def correlate_orders(
    qrels: Qrels,
    runs: Runs,
    measure: Measures = None,
    also: Also = None,
    coefficient: Coefficients = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say how alike the orders of runs are by every two measures, or by other judgments."""
    from cranfield.results.orders import correlations
    from cranfield.tables.systems import system_names

    require_place(output)
    judgments = [qrels, *(also or ())]
    if also and "-" in runs:
        raise BadSetting(
            "standard input (-) can be read only once, and other judgments take the runs again; give files"
        )
    names = system_names(judgments) if len(judgments) > 1 else judgments
    results = {name: evaluated(path, runs, measure, quiet) for name, path in zip(names, judgments, strict=True)}
    found = correlations(results, [each.value for each in coefficient or (Coefficient.TAU_B, Coefficient.TAU_AP)])
    deliver(_answer(found), format or format_of(output), output, digits)


def _answer(found: Correlations) -> Answer:
    from cranfield.present.orders import correlated

    return Answer(
        lambda digits: [correlated(found, digits)],
        {"correlations": found.to_dicts()},
        {"systems": list(found.systems)},
    )
