"""`cranfield classify`: how good labels, scores or probabilities are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from cranfield.cli.findings import FindingsOption, closing, examined, require_room
from cranfield.cli.options import Digits, Format, FormatOption, Output, Quiet, format_of
from cranfield.cli.output import require_place, show, write
from cranfield.cli.warned import warnings_told
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.assessment.classification import Classification
    from cranfield.findings.finding import Finding

EXAMPLES = """\b
Examples:
  cranfield classify answers.csv --actual label --predicted guess
  cranfield classify scores.csv --actual label --score score --positive spam
  cranfield classify scores.csv --actual label --score score --positive spam --goal "Recall where Specificity >= 0.9"
  cranfield classify probabilities.csv --actual label --probability cat --probability dog --probability bird
  cranfield classify folds.parquet --actual y --score tree --score forest --by fold --format json
"""

# the choices are those of cranfield.classify, written out here because importing it takes longer than printing help
Average = Literal["macro", "micro", "weighted"]
Undefined = Literal["zero", "skip"]
Side = Literal["actual", "predicted"]

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="A row an item: CSV, TSV, JSON Lines, JSON, Parquet or Arrow; - is stdin.",
    ),
]
Actual = Annotated[str, typer.Option("--actual", "-a", metavar="COLUMN", show_default=False, help="The true labels.")]
Item = Annotated[str | None, typer.Option(metavar="COLUMN", help="What the items are called.")]
Predicted = Annotated[
    list[str] | None,
    typer.Option(
        "--predicted", "-p", metavar="COLUMN", help="Labels that were given; repeated for several classifiers."
    ),
]
Score = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        metavar="COLUMN",
        help="Numbers, higher the surer of the positive class; repeated for several scorers.",
    ),
]
Probability = Annotated[
    list[str] | None,
    typer.Option(
        "--probability",
        metavar="COLUMN",
        help="The probability of the positive class; or, repeated, of each class: a column called as the class is, "
        "or LABEL=COLUMN.",
    ),
]
Positive = Annotated[str | None, typer.Option(metavar="LABEL", help="The label that is the positive one.")]
Labels = Annotated[
    list[str] | None, typer.Option("--label", metavar="LABEL", help="All labels, in the order to show them; repeated.")
]
Weight = Annotated[str | None, typer.Option(metavar="COLUMN", help="How much each item counts.")]
By = Annotated[str | None, typer.Option(metavar="COLUMN", help="The group of each item, such as its fold.")]
Goals = Annotated[
    list[str] | None,
    typer.Option(
        "--goal",
        "-g",
        metavar="GOAL",
        help="What the threshold is chosen for: a measure, or one within limits, as in "
        '"Recall where Specificity >= 0.9"; may be repeated: the first decides, the others are shown.',
    ),
]
Threshold = Annotated[float | None, typer.Option(metavar="NUMBER", help="The score from which on an answer is yes.")]
Measures = Annotated[
    list[str] | None,
    typer.Option("-m", "--measure", metavar="MEASURE", help="A measure, such as F1 or AUC; may be repeated."),
]
AverageOption = Annotated[Average, typer.Option(help="How the values of classes become one.")]
UndefinedOption = Annotated[Undefined, typer.Option(help="What an undefined value counts as in a mean.")]
Separator = Annotated[str | None, typer.Option(metavar="TEXT", help="Between the labels of items that have several.")]
RowsOption = Annotated[Side, typer.Option("--rows", help="Which classes are in the rows of the matrix.")]
Seriate = Annotated[bool, typer.Option("--reorder", help="Put classes that are often confused side by side.")]
Resamples = Annotated[
    int,
    typer.Option(min=0, metavar="N", help="Resample the items so often to say how sure chosen thresholds are."),
]
Invert = Annotated[
    bool,
    typer.Option("--invert", help="Negate scores and take probabilities for those of the opposite."),
]


def classify_items(
    file: File,
    actual: Actual,
    predicted: Predicted = None,
    score: Score = None,
    probability: Probability = None,
    item: Item = None,
    positive: Positive = None,
    label: Labels = None,
    weight: Weight = None,
    by: By = None,
    goal: Goals = None,
    threshold: Threshold = None,
    measure: Measures = None,
    average: AverageOption = "macro",
    undefined: UndefinedOption = "skip",
    separator: Separator = None,
    invert: Invert = False,
    rows: RowsOption = "actual",
    reorder: Seriate = False,
    resamples: Resamples = 0,
    format: FormatOption = None,  # noqa: A002
    output: Output = None,
    digits: Digits = None,
    findings: FindingsOption = False,
    quiet: Quiet = False,
) -> None:
    """Say how good labels, scores or probabilities are.

    Shows the confusion matrix with its margins, every rate with its interval, classes and folds, the thresholds around
    the one in use and the best threshold for each goal.

    cranfield plot draws the curves of scores, and with -o FILE.csv writes their points.
    """
    from cranfield.assessment.classify import classify

    require_place(output)
    chosen = format or format_of(output)
    require_room(findings, chosen)
    with warnings_told(quiet):
        found = classify(
            actual,
            _several(predicted),
            score=_several(score),
            probability=_classes(probability),
            data=file,
            item=item,
            measures=measure,
            labels=label,
            positive=positive,
            weight=weight,
            by=by,
            goal=goal[0] if goal else None,
            threshold=threshold,
            average=average,
            undefined=undefined,
            separator=separator,
            invert=invert,
        )
        said = examined(findings, found)
        _deliver(found, chosen, output, rows, reorder, goal or [], resamples, digits, said)


def _several(columns: list[str] | None) -> Any:
    """One column as it is, several as classifiers of these names."""
    if not columns:
        return None
    return columns[0] if len(columns) == 1 else {column: column for column in columns}


def _classes(columns: list[str] | None) -> Any:
    """One column is of the positive class; several are of the classes they are called by."""
    if not columns:
        return None
    if len(columns) == 1 and "=" not in columns[0]:
        return columns[0]
    pairs = [(name, column or name) for name, _, column in (text.partition("=") for text in columns)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise BadSetting(f"the class {name!r} has two columns of probabilities; give it one")
    return dict(pairs)


def _deliver(
    found: Classification,
    format: Format,  # noqa: A002
    output: str | None,
    rows: Side,
    reorder: bool,
    goals: list[str],
    resamples: int,
    digits: int | None,
    said: Sequence[Finding] | None,
) -> None:
    from cranfield.present import classification, classification_data, results

    if format == "json":
        content = classification_data.document(found, goals=goals, samples=resamples, digits=digits, findings=said)
        write(content, output)
    elif format == "csv":
        grouped = bool(found.assessed[0].predictions.groups)
        write(found.result.to_csv(per_query=grouped, digits=digits), output)
    else:
        shown = results.DIGITS if digits is None else digits
        tables = classification.tables(found, rows=rows, seriated=reorder, goals=goals, samples=resamples, digits=shown)
        show(tables, format, output, closing(said, format))
