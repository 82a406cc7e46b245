"""`cranfield measures`: the catalogue, listed or explained."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from cranfield.cli.completion import measure_names
from cranfield.cli.output import show, write

EXAMPLES = """\b
Examples:
  cranfield measures
  cranfield measures --kind ranking
  cranfield measures nDCG
  cranfield measures ndcg_cut_10
  cranfield measures --format json
"""

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="NAME",
        show_default=False,
        autocompletion=measure_names,
        help="Measures to explain, by any name that is understood; without one, all are listed.",
    ),
]
Kind = Literal["ranking", "binary", "classes", "values", "ratings"]  # those of the registry, slow to import
KindOption = Annotated[
    Kind | None,
    typer.Option("-k", "--kind", help="Only measures of this kind; those of rankings are what cranfield eval takes."),
]
Format = Annotated[Literal["table", "json", "markdown"], typer.Option("-f", "--format", help="How to print it.")]


def explain_measures(names: Names = None, kind: KindOption = None, format: Format = "table") -> None:  # noqa: A002
    """List the measures, or explain some of them."""
    from cranfield.present.catalogue import card, everything, known_as, lists, record
    from cranfield.results.writing import json_text

    chosen = [family for name in names or () for family in known_as(name, kind)]
    if format == "json":
        content = [record(family) for family in chosen or everything(kind)]
        write(json_text(content), None)
    else:
        show([card(family) for family in chosen] or lists(kind), format, None)
