"""`cranfield correlate`: do measures, or judgments, put runs in the same order?"""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.given import QrelsOrNone, RunsOrNone, Values, of_runs, of_table
from cranfield.cli.options import (
    Depth,
    Digits,
    FormatOption,
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
    from cranfield.evidence.samples import Samples
    from cranfield.results.orders import Correlations
    from cranfield.results.provenance import Provenance

EXAMPLES = """\b
Examples:
  cranfield correlate qrels.txt *.run
  cranfield correlate qrels.txt *.run -m AP -m nDCG@10 -m RR -c tau-b -c RBO
  cranfield correlate official.qrels *.run -m AP --also shallow.qrels
  cranfield correlate --orders scores.csv -c RBO --p 0.8
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
Orders = Annotated[
    str | None,
    typer.Option(
        "--orders",
        metavar="FILE",
        help="Correlate orders in a table: a row a system or document, and a column an order with its scores, the "
        "higher the better.",
    ),
]
Persistence = Annotated[float, typer.Option("--p", metavar="SHARE", help="Of RBO: how much of each depth goes on.")]


def correlate_orders(
    qrels: QrelsOrNone = None,
    runs: RunsOrNone = None,
    values: Values = None,
    orders: Orders = None,
    measure: Measures = None,
    also: Also = None,
    coefficient: Coefficients = None,
    p: Persistence = 0.9,
    ties: TieOrder = "trec",
    missing: Missing = "zero",
    undefined: Undefined = "zero",
    depth: Depth = None,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say how alike the orders of runs are by every two measures, or by other judgments; or orders in a table."""
    from cranfield.results.orders import COEFFICIENTS, correlations

    require_place(output)
    if values or orders:
        _refuse_two(values, orders)
        own, source = of_table(values or str(orders), **{"QRELS": qrels, "--measure": measure, "--also": also})
        held = _by_mean(own) if values else _by_column(own)
    else:
        how = {"ties": ties, "missing": missing, "undefined": undefined, "depth": depth}
        held, source = _by_judgments(qrels, runs, also or [], measure, quiet, how)
    found = correlations(held, [each.value for each in coefficient or ()] or COEFFICIENTS, p=p)
    deliver(replace(_answer(found), provenance=source), format or format_of(output), output, digits)


def _refuse_two(values: str | None, orders: str | None) -> None:
    if values and orders:
        raise BadSetting("either --values, whose means order the systems, or --orders, which is an order a column")


def _by_mean(own: dict[str, Samples]) -> dict[str, dict[str, float]]:
    """The order of the systems by their means, for each measure."""
    return {
        measure: dict(zip(each.systems, each.values.mean(axis=1).tolist(), strict=True))
        for measure, each in own.items()
    }


def _by_column(own: dict[str, Samples]) -> dict[str, dict[str, float]]:
    """The order that each column of the only table is."""
    (table,) = own.values()
    return {
        name: dict(zip(table.units, scores.tolist(), strict=True))
        for name, scores in zip(table.systems, table.values, strict=True)
    }


def _by_judgments(
    qrels: str | None,
    runs: list[str] | None,
    also: list[str],
    measure: list[str] | None,
    quiet: bool,
    how: dict[str, Any],
) -> tuple[dict[str, dict[str, float]], Provenance]:
    """The orders of the runs by every measure under all judgments."""
    from cranfield.results.orders import orders_of
    from cranfield.tables.systems import system_names

    if also and "-" in (runs or ()):
        raise BadSetting(
            "standard input (-) can be read only once, and other judgments take the runs again; give files"
        )
    first = of_runs(qrels, runs, measure, quiet, **how)
    others = [of_runs(path, runs, measure, quiet, **how) for path in also]
    names = system_names([str(qrels), *also]) if also else [""]
    inputs = dict.fromkeys(origin for result in (first, *others) for origin in result.provenance.inputs)
    source = replace(first.provenance, inputs=tuple(inputs))
    return orders_of(dict(zip(names, (first, *others), strict=True))), source


def _answer(found: Correlations) -> Answer:
    from cranfield.present.orders import correlated

    return Answer(
        lambda digits: [correlated(found, digits)],
        {"correlations": found.to_dicts()},
        {"systems": list(found.systems), "settings": dict(found.settings)},
    )
