"""`cranfield latent`: which queries are hard, and which tell systems apart?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from cranfield.cli.agree import Confidence
from cranfield.cli.answer import Answer, deliver
from cranfield.cli.compare import Seed
from cranfield.cli.completion import measure_names
from cranfield.cli.evaluated import evaluated
from cranfield.cli.options import Digits, FormatOption, Output, Qrels, Quiet, Runs, format_of
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
"""

MeasureOption = Annotated[
    str,
    typer.Option(
        "-m", "--measure", metavar="MEASURE", autocompletion=measure_names, help="The measure, with values from 0 to 1."
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


def fit_latent(
    qrels: Qrels,
    runs: Runs,
    measure: MeasureOption = "AP",
    model: ModelOption = None,
    select: Select = None,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    quiet: Quiet = False,
) -> None:
    """Say how able runs are, how difficult queries are, and which queries tell runs apart."""
    from cranfield.certainty.queries import latent, select_queries

    require_place(output)
    result = evaluated(qrels, runs, [measure], quiet)
    found = latent(result, model=model)
    chosen = None if select is None else select_queries(result, select, seed=seed)
    deliver(_answer(found, chosen, measure, confidence), format or format_of(output), output, digits)


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
        {"settings": settings},
    )
