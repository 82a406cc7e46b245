"""`cranfield report`: one page with everything, which opens without a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import typer

from cranfield.cli.classify import By, Invert, Separator, Threshold, Weight
from cranfield.cli.completion import measure_names
from cranfield.cli.options import Quiet
from cranfield.cli.output import require_place
from cranfield.cli.progress import progress_shown
from cranfield.cli.warned import warnings_told
from cranfield.errors import BadSetting

EXAMPLES = """\b
Examples:
  cranfield report qrels.txt bm25.run dense.run -o report.html
  cranfield report qrels.txt *.run -m nDCG@10 -m AP --baseline bm25 -o report.html
  cranfield report --classify answers.csv --actual label --score score --positive spam -o report.html
  cranfield report --classify tree.csv forest.csv --predicted answer -o report.html
"""

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="QRELS RUN…",
        show_default=False,
        help="Judgments and runs; with --classify, files with a row for each item.",
    ),
]
OutputFile = Annotated[str, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        autocompletion=measure_names,
        help="A measure, as for cranfield eval; may be repeated. The first decides the order of the systems.",
    ),
]
Baseline = Annotated[str | None, typer.Option(metavar="SYSTEM", help="The system that the others are compared with.")]
Title = Annotated[str, typer.Option(metavar="TEXT", show_default="says what is compared", help="The title.")]
Classify = Annotated[bool, typer.Option("--classify", help="Report on labels, scores or probabilities.")]
Actual = Annotated[str, typer.Option(metavar="COLUMN", help="The column with the true labels.")]
Predicted = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with the labels that were given.")]
Score = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with scores.")]
Probability = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with probabilities.")]
Item = Annotated[str | None, typer.Option(metavar="COLUMN", help="The column with the names of the items.")]
Positive = Annotated[str | None, typer.Option(metavar="LABEL", help="The label that is the positive one.")]
Goal = Annotated[
    str | None, typer.Option("--goal", "-g", metavar="GOAL", help="What the threshold is chosen for, as for classify.")
]


def write_report(
    files: Files,
    output: OutputFile = "report.html",
    measure: Measures = None,
    baseline: Baseline = None,
    title: Title = "",
    classify: Classify = False,
    actual: Actual = "actual",
    predicted: Predicted = None,
    score: Score = None,
    probability: Probability = None,
    positive: Positive = None,
    item: Item = None,
    separator: Separator = None,
    threshold: Threshold = None,
    goal: Goal = None,
    weight: Weight = None,
    by: By = None,
    invert: Invert = False,
    quiet: Quiet = False,
) -> None:
    """Write a page with findings, leaderboard, figures, queries, methods and data."""
    require_place(output)
    columns = {"predicted": predicted, "score": score, "probability": probability}
    settings = {"positive": positive, "item": item, "separator": separator, "threshold": threshold}
    settings |= {"goal": goal, "weight": weight, "by": by, "invert": invert or None}
    chosen = {name: value for name, value in settings.items() if value is not None}
    if classify:
        _refuse({"baseline": baseline}, "with")
        with warnings_told(quiet):
            _classified(files, measure, title, actual, columns, chosen).save(output)
        return
    _refuse(columns | chosen, "without")
    if len(files) < 2:
        raise BadSetting("a report on rankings needs judgments and at least one run: cranfield report QRELS RUN…")
    with warnings_told(quiet), progress_shown(len(files) - 1, quiet) as progress:
        _ranked(files, measure, baseline, title, progress).save(output)


def _refuse(given: Mapping[str, Any], how: str) -> None:
    for option, value in given.items():
        if value is not None:
            raise BadSetting(f"--{option} has no meaning {how} --classify")


def _ranked(files: Sequence[str], measures: list[str] | None, baseline: str | None, title: str, progress: Any) -> Any:
    from cranfield.api import STANDARD
    from cranfield.present.report.rankings import report

    if files.count("-") > 1:
        raise BadSetting("standard input (-) can be read only once")
    return report(files[0], list(files[1:]), measures or STANDARD, baseline=baseline, title=title, progress=progress)


def _classified(
    files: Sequence[str],
    measures: list[str] | None,
    title: str,
    actual: str,
    columns: dict[str, str | None],
    settings: dict[str, Any],
) -> Any:
    from cranfield.assessment.classify import classify
    from cranfield.present.report.classification import classification_report, together
    from cranfield.tables.sheets import read_sheet
    from cranfield.tables.systems import system_names

    names = system_names(list(files))
    given = [_columns(path, columns) for path in files]
    assess = partial(classify, actual, measures=measures, **settings)
    found = [assess(data=path, **named) for path, named in zip(files, given, strict=True)]
    labels = list(dict.fromkeys(label for each in found for label in each.assessed[0].labels))
    if any(len(each.assessed[0].labels) < len(labels) for each in found):  # a class that only some of them answer
        found = [assess(data=path, labels=labels, **named) for path, named in zip(files, given, strict=True)]
    item = settings.get("item")
    called = None if item is None else read_sheet(files[0]).column(item).to_pylist()
    return classification_report(together(dict(zip(names, found, strict=True))), title=title, items=called)


def _columns(path: str, given: dict[str, str | None]) -> dict[str, Any]:
    """The columns that were named, or those with the usual names."""
    from cranfield.tables.sheets import read_sheet

    named = {what: column for what, column in given.items() if column is not None}
    if named:
        return named
    there = read_sheet(path).table.column_names
    usual = {what: what for what in given if what in there}
    if not usual:
        raise BadSetting(
            f"{path}: say which column to assess with --predicted, --score or --probability; "
            f"there are {', '.join(map(repr, there))}"
        )
    return usual
