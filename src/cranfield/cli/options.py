"""Arguments and options that several commands have."""

from __future__ import annotations

from pathlib import PurePath
from typing import Annotated, Literal

import typer

from cranfield.cli.completion import measure_names
from cranfield.errors import BadSetting

Qrels = Annotated[
    str, typer.Argument(metavar="QRELS", show_default=False, help="Judgments; - reads them from standard input.")
]
Runs = Annotated[
    list[str], typer.Argument(metavar="RUN", show_default=False, help="Runs to evaluate; - reads standard input.")
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        autocompletion=measure_names,
        help='A measure, such as nDCG@10, "AP(rel=2)" or trec_eval\'s map; may be repeated. '
        "Without it: AP, nDCG@10, RR, P@10, R@1000.",
    ),
]
# the choices are those of cranfield.evaluate, written out here because importing it takes longer than printing help
Ties = Literal["trec", "name", "given", "best", "worst", "expected"]
Counted = Literal["zero", "skip"]
TieOrder = Annotated[
    Ties,
    typer.Option(
        help="Order of documents with the same score: by name, descending (trec) or ascending (name); as given; "
        "best or worst for the run; or the expected value over all orders.",
    ),
]
Missing = Annotated[Counted, typer.Option(help="What a judged query counts as that a run does not answer.")]
Undefined = Annotated[Counted, typer.Option(help="What an undefined value counts as in an aggregate.")]
Depth = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Keep only the first N documents of each ranking."),
]
Baseline = Annotated[
    str | None,
    typer.Option("-b", "--baseline", metavar="RUN", help="Pair all others with this run; without it, every two runs."),
]
Level = Annotated[float, typer.Option(metavar="SHARE", help="The level of significance.")]
Alternative = Annotated[
    Literal["two-sided", "greater", "less"], typer.Option(help="Whether only more, or only less, counts.")
]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="From which chance is simulated.")]
Confidence = Annotated[float, typer.Option(metavar="SHARE", help="How often intervals hold the true value.")]
Format = Literal["table", "csv", "json", "markdown", "latex", "html"]
FormatOption = Annotated[
    Format | None,
    typer.Option(
        "-f",
        "--format",
        show_default="as --output ends, or table",
        help="CSV has a row for each value; JSON has the settings and the sources too.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write to a file; .csv, .json, .md, .tex and .html choose the format.",
    ),
]
Digits = Annotated[
    int | None,
    typer.Option(
        "-d",
        "--digits",
        min=0,
        max=17,
        metavar="N",
        help="Decimals of the values: 4 in tables, all in CSV and JSON.",
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="No warnings and no progress.")]

_BY_SUFFIX: dict[str, Format] = {
    "": "table",
    ".txt": "table",
    ".csv": "csv",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
}


def format_of(output: str | None) -> Format:
    """The format that the ending of a file asks for."""
    suffix = PurePath(output or "").suffix.lower()
    if suffix not in _BY_SUFFIX:
        known = ", ".join(filter(None, _BY_SUFFIX))
        raise BadSetting(f"{output}: no format goes by {suffix!r}; end it in one of {known}, or say --format")
    return _BY_SUFFIX[suffix]
