"""`cranfield latent`: which queries are hard, and which tell systems apart?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.completion import measure_names
from cranfield.cli.given import QrelsOrNone, RunsOrNone, Values, of_runs, of_table
from cranfield.cli.options import (
    Confidence,
    Depth,
    Digits,
    FormatOption,
    Missing,
    Output,
    Quiet,
    Seed,
    TieOrder,
    Undefined,
    format_of,
)
from cranfield.cli.output import require_place

if TYPE_CHECKING:
    from cranfield.inference.latent import Latent
    from cranfield.inference.selection import Selection
    from cranfield.present.table import Table

EXAMPLES = """\b
Examples:
  cranfield latent qrels.txt *.run -m AP
  cranfield latent qrels.txt *.run -m Success@10
  cranfield latent qrels.txt *.run -m nDCG@10 --select 15
  cranfield latent qrels.txt *.run -m AP -o difficulty.csv
  cranfield latent --values right.csv
"""

MeasureOption = Annotated[
    str | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        autocompletion=measure_names,
        show_default="AP; of a table, the only one",
        help="The measure, with values from 0 to 1.",
    ),
]
ModelOption = Annotated[
    Literal["success", "beta"] | None,
    typer.Option(
        "--model",
        show_default="as the values are",
        help="The two-parameter logistic model for values of 0 and 1, or the beta model for those between.",
    ),
]
Select = Annotated[
    int | None,
    typer.Option(min=1, metavar="K", help="Choose the K queries that would have given the same order of the runs."),
]


Squeeze = Annotated[float, typer.Option(metavar="NUMBER", help="How near to 0 and 1 values may be in the beta model.")]


def fit_latent(
    qrels: QrelsOrNone = None,
    runs: RunsOrNone = None,
    values: Values = None,
    measure: MeasureOption = None,
    model: ModelOption = None,
    squeeze: Squeeze = 0.005,
    select: Select = None,
    confidence: Confidence = 0.95,
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
    """Say how able runs are, how difficult queries are, and which queries tell runs apart."""
    from cranfield.certainty.queries import latent, select_queries

    require_place(output)
    if values is None:
        how = {"ties": ties, "missing": missing, "undefined": undefined, "depth": depth}
        data: Any = of_runs(qrels, runs, [measure or "AP"], quiet, **how)
        name, source, measure = str(data.measures[0]), data.provenance, None
    else:
        data, source = of_table(values, QRELS=qrels)
        name = measure or next(iter(data))
    found = latent(data, measure, model=model, squeeze=squeeze)
    chosen = None if select is None else select_queries(data, select, measure, seed=seed)
    answer = replace(_answer(found, chosen, name, confidence), provenance=source)
    deliver(answer, format or format_of(output), output, digits)


def _answer(found: Latent, chosen: Selection | None, measure: str, confidence: float) -> Answer:
    from cranfield.present import latent
    from cranfield.results.latents import parameters, selected

    def tables(digits: int) -> Iterator[Table]:
        yield latent.abilities(found, measure, confidence, digits)
        yield latent.difficulties(found, confidence, digits)
        if chosen:
            yield latent.choices(chosen, digits)

    settings = {"measure": measure, "model": found.model, "confidence": confidence, "converged": found.converged}
    return Answer(
        tables,
        {"parameters": parameters(found, confidence)} | ({"selected": selected(chosen)} if chosen else {}),
        {"settings": settings, "notes": list(found.notes)},
    )
