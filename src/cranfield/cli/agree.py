"""`cranfield agree`: do judges agree, and does it matter for the order of the systems?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.answer import Answer, deliver
from cranfield.cli.completion import measure_names
from cranfield.cli.findings import FindingsOption, closing, examined, records, require_room
from cranfield.cli.options import Confidence, Digits, FormatOption, Output, Quiet, format_of
from cranfield.cli.output import require_place
from cranfield.cli.warned import warnings_told

if TYPE_CHECKING:
    from cranfield.findings.finding import Finding
    from cranfield.present.table import Table
    from cranfield.results.agreement import Agreement
    from cranfield.results.judges import Reordering
    from cranfield.results.provenance import Provenance
    from cranfield.tables.ratings import Rated

EXAMPLES = """\b
Examples:
  cranfield agree judgments.csv
  cranfield agree ann.qrels bob.qrels cy.qrels --per all --per pair
  cranfield agree judgments.csv -m Kappa -m "Alpha(level='ordinal')"
  cranfield agree labels.csv --order poor,fair,good
  cranfield agree assessed.qrels --run bm25.run --run dense.run --by AP
"""


class Scope(StrEnum):  # Typer takes a list of these, but not of literals
    """What coefficients are given for."""

    ALL = "all"
    PAIR = "pair"
    TOPIC = "topic"


Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Lines topic, rater, document, grade; CSV or TSV with a header (item, rater, category, and topic; or a "
        "column a rater); or several qrels, one a rater. - reads standard input.",
    ),
]
Coefficients = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        help="A coefficient, such as Kappa, \"Kappa(weights='linear')\", Fleiss, AC1 or \"Alpha(level='ordinal')\"; "
        "may be repeated. Without it: those that fit. cranfield measures --kind ratings lists them.",
    ),
]
Per = Annotated[
    list[Scope] | None,
    typer.Option(
        "--per",
        help="For all raters, every two raters (pair) or every topic; may be repeated.",
        show_default="all three",
    ),
]
Order = Annotated[
    str | None,
    typer.Option(
        metavar="CATEGORIES", help="The categories from lowest to highest, with commas, where they are texts."
    ),
]
Resamples = Annotated[int, typer.Option(min=0, metavar="N", help="For the intervals; 0 for none.")]
Resample = Annotated[
    Literal["item", "topic"], typer.Option(help="What is drawn again for the figures over all: items, or topics.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="From which resamples are drawn.")]
Run = Annotated[
    list[str] | None,
    typer.Option(
        "-r",
        "--run",
        metavar="RUN",
        help="Show how the order of runs changes with whose judgments are believed; give two or more.",
    ),
]


class Combined(StrEnum):
    """When a document counts as relevant by the judgments of all."""

    ANY = "any"
    ALL = "all"
    MAJORITY = "majority"


CombinedOption = Annotated[
    list[Combined] | None,
    typer.Option(
        "--combined",
        help="With --run: the judgments of all judges together, a document being relevant if any of them, all or the "
        "majority say so; may be repeated.",
        show_default="any and all",
    ),
]
Relevant = Annotated[
    float, typer.Option("--rel", metavar="GRADE", help="With --combined: from which grade on it is relevant.")
]
By = Annotated[
    list[str] | None,
    typer.Option(
        "--by",
        metavar="MEASURE",
        autocompletion=measure_names,
        help="The measures that order the runs; AP if not given.",
    ),
]


def agree_on_ratings(
    files: Files,
    measure: Coefficients = None,
    per: Per = None,
    order: Order = None,
    confidence: Confidence = 0.95,
    resamples: Resamples = 1_000,
    resample: Resample = "item",
    seed: Seed = 0,
    run: Run = None,
    by: By = None,
    combined: CombinedOption = None,
    rel: Relevant = 1,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Say how far raters agree, beyond chance: all of them, every two, and topic by topic."""
    from cranfield.certainty.judges import agree, reorder
    from cranfield.tables.raters import as_ratings

    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    rated = as_ratings(files, order=[part.strip() for part in order.split(",")] if order else None)
    drawn: dict[str, Any] = {"resamples": resamples, "seed": seed, "resample": resample}
    found = agree(rated, measure, per=[scope.value for scope in per or Scope], confidence=confidence, **drawn)
    ways = combined or [Combined.ANY, Combined.ALL]
    with warnings_told(quiet):
        changed = reorder(rated, run, by or ["AP"], combined=[way.value for way in ways], rel=rel) if run else None
    said = examined(findings, found)
    answer = replace(_answer(found, changed, said), provenance=_sources(rated))
    deliver(answer, chosen, output, digits, closing(said, chosen))


def _sources(rated: Rated) -> Provenance:
    from cranfield.results.provenance import Origin, Provenance

    return Provenance(tuple(Origin("ratings", *source) for source in rated.sources), {}, (), {})


def _answer(found: Agreement, changed: Reordering | None, said: Sequence[Finding] | None) -> Answer:
    from cranfield.present import agreement

    def tables(digits: int) -> Iterator[Table]:
        yield from agreement.coefficients(found, digits)
        if changed:
            yield agreement.orders(changed, digits)

    return Answer(
        tables,
        {"agreement": found.to_dicts()} | ({"orders": changed.to_dicts()} if changed else {}),
        {"settings": dict(found.settings), "notes": list(found.notes)} | records(said),
    )
