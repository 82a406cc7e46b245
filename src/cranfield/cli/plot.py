"""`cranfield plot`: pictures of runs, scorers and classifiers, in files or drawn on the terminal."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import typer

from cranfield.cli.completion import measure_names
from cranfield.cli.options import Quiet
from cranfield.cli.output import require_place
from cranfield.cli.warned import warnings_told
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.assessment.regression import Regression
    from cranfield.present.plots.plot import Plot

EXAMPLES = """\b
Examples:
  cranfield plot precision-recall qrels.txt bm25.run dense.run -o curves.svg
  cranfield plot precision-recall qrels.txt bm25.run --form ranks --query 101
  cranfield plot differences qrels.txt bm25.run dense.run -m nDCG@10 -o differences.pdf
  cranfield plot tiers qrels.txt *.run -m AP -o tiers.png --theme print
  cranfield plot roc predictions.csv --actual label --score one --score other
  cranfield plot confusion predictions.csv --actual label --predicted answer -o confusion.html
  cranfield plot residuals prices.csv --actual price --predicted guess -o residuals.svg
  cranfield plot kappas ann.qrels bob.qrels cy.qrels -o kappas.svg
"""

Kind = Literal[
    "precision-recall",
    "buildup",
    "strips",
    "systems",
    "differences",
    "tiers",
    "difficulty",
    "power",
    "roc",
    "prg",
    "det",
    "gain",
    "lift",
    "calibration",
    "cost",
    "decision",
    "distributions",
    "confusion",
    "predictions",
    "residuals",
    "errors",
    "kappas",
]
OF_RANKINGS = ("precision-recall", "buildup", "strips")
OF_VALUES = ("predictions", "residuals", "errors")
OF_RESULTS = ("systems", "differences", "tiers", "difficulty", "power")
COEFFICIENT = "Kappa"
PROBABLE = ("calibration", "decision")  # these take scores to be probabilities
MEASURE = "nDCG@10"
WIDTH = 100  # of what is drawn into a pipe
FORMS = {"recalls": "at recalls", "cutoffs": "at cutoffs", "interpolated": "interpolated", "ranks": "every rank"}

KindArgument = Annotated[
    Kind, typer.Argument(metavar="KIND", show_default=False, help=f"One of {', '.join(get_args(Kind))}.")
]
Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE",
        show_default=False,
        help="Judgments and runs; or, where there is an --actual column, one table of predictions; for kappas, what "
        "cranfield agree takes.",
    ),
]
Output = Annotated[
    str | None,
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        help="Write the picture to .svg, .png, .pdf or .html, its specification in Vega-Lite to .json, or its data to "
        ".csv; without it, the plot is drawn on the terminal.",
    ),
]
Theme = Annotated[Literal["light", "dark", "print"], typer.Option(help="For white, for dark or for printed pages.")]
MeasureOption = Annotated[
    str | None,
    typer.Option(
        "-m",
        "--measure",
        metavar="MEASURE",
        autocompletion=measure_names,
        help=f"What is drawn of runs, {MEASURE} unless it is said, or DCG for buildup; of raters, Kappa.",
    ),
]
Query = Annotated[str | None, typer.Option("-q", "--query", metavar="QUERY", help="Draw one query.")]
Form = Annotated[
    Literal["recalls", "cutoffs", "interpolated", "ranks"] | None,
    typer.Option(help="Average precision over queries at levels of recall or at cut-offs, or draw one query."),
]
Points = Annotated[
    str | None, typer.Option(metavar="NUMBERS", help="Levels of recall or cut-offs, with commas between.")
]
Grade = Annotated[
    float | None, typer.Option("-l", "--rel", metavar="GRADE", help="The grade from which a document is relevant.")
]
Beta = Annotated[float | None, typer.Option(metavar="NUMBER", help="That of the lines of equal F-measure.")]
Depth = Annotated[int | None, typer.Option("-k", min=1, metavar="N", help="The ranks that are drawn.")]
Baseline = Annotated[str | None, typer.Option(metavar="SYSTEM", help="The system that others are compared with.")]
System = Annotated[str | None, typer.Option(metavar="SYSTEM", help="Draw this system.")]
Test = Annotated[str | None, typer.Option(metavar="TEST", help="The test of tiers: t, wilcoxon, tukey, nemenyi …")]
Level = Annotated[float | None, typer.Option(metavar="NUMBER", help="The level of significance.")]
Actual = Annotated[
    str | None, typer.Option("-a", "--actual", metavar="COLUMN", help="Where the true labels or values are.")
]
Predicted = Annotated[str | None, typer.Option("-p", "--predicted", metavar="COLUMN", help="Where the answers are.")]
Score = Annotated[
    list[str] | None, typer.Option("-s", "--score", metavar="COLUMN", help="Where the scores are; may be repeated.")
]
Positive = Annotated[str | None, typer.Option(metavar="LABEL", help="The label that is a yes.")]
Threshold = Annotated[
    float | None, typer.Option("-t", "--threshold", metavar="NUMBER", help="The score from which on it is a yes.")
]
Bins = Annotated[int | None, typer.Option(min=1, metavar="N", help="How many bins of probabilities or scores.")]


def draw_plot(
    kind: KindArgument,
    files: Files,
    output: Output = None,
    theme: Theme = "light",
    measure: MeasureOption = None,
    query: Query = None,
    form: Form = None,
    points: Points = None,
    rel: Grade = None,
    beta: Beta = None,
    k: Depth = None,
    baseline: Baseline = None,
    system: System = None,
    test: Test = None,
    level: Level = None,
    actual: Actual = None,
    predicted: Predicted = None,
    score: Score = None,
    positive: Positive = None,
    threshold: Threshold = None,
    bins: Bins = None,
    quiet: Quiet = False,
) -> None:
    """Draw a plot into a file, or on the terminal."""
    settings = {
        "measure": measure,
        "query": query,
        "form": None if form is None else FORMS[form],
        "points": None if points is None else _numbers(points),
        "rel": rel,
        "beta": beta,
        "k": k,
        "baseline": baseline,
        "system": system,
        "test": test,
        "level": level,
        "threshold": threshold,
        "bins": bins,
    }
    chosen = {name: value for name, value in settings.items() if value is not None}
    _require_writable(output)
    with warnings_told(quiet):
        if kind == "kappas":
            plot = _of_raters(files, chosen)
        elif actual is None:
            plot = _of_runs(kind, files, chosen)
        else:
            plot = _of_predictions(kind, files, chosen, actual, predicted, score or [], positive)
        _deliver(plot, output, theme)


def _of_runs(kind: Kind, files: Sequence[str], settings: dict[str, Any]) -> Plot:
    if kind not in OF_RANKINGS + OF_RESULTS:
        raise BadSetting(f"{kind} is drawn of one table of predictions: say with --actual where the true labels are")
    if len(files) < 2:
        raise BadSetting(f"{kind} needs judgments and runs: cranfield plot {kind} QRELS RUN…")
    function = _function(kind, settings)
    if kind in OF_RANKINGS:
        return function(files[0], list(files[1:]), **settings)
    from cranfield.api import evaluate

    measure = settings.pop("measure", MEASURE)
    return function(evaluate(files[0], list(files[1:]), measure), measure, **settings)


def _of_raters(files: Sequence[str], settings: dict[str, Any]) -> Plot:
    from cranfield.certainty.judges import agree

    function, measure = _function("kappas", settings), settings.get("measure", COEFFICIENT)
    return function(agree(files[0] if len(files) == 1 else list(files), measure), measure=measure)


def _of_predictions(
    kind: Kind,
    files: Sequence[str],
    settings: dict[str, Any],
    actual: str,
    predicted: str | None,
    scores: Sequence[str],
    positive: str | None,
) -> Plot:
    if kind in OF_RESULTS or kind in ("buildup", "strips"):
        raise BadSetting(f"{kind} is drawn of judgments and runs, which have no --actual column")
    if len(files) != 1:
        raise BadSetting(f"one table of predictions is drawn, not {len(files)}; several scorers are several columns")
    if predicted is None and not scores:
        raise BadSetting("say which column has the answers, with --predicted, or the scores, with --score")
    if kind in OF_VALUES:
        return _function(kind, settings)(_regressed(files[0], actual, predicted), **settings)
    from cranfield.assessment.classify import classify

    given: dict[str, Any] = {name: name for name in scores}
    probable = "probability" if kind in PROBABLE and len(scores) == 1 else "score"
    answers = {probable: given if len(given) > 1 else scores[0]} if scores else {"predicted": predicted}
    return _function(kind, settings)(classify(actual, data=files[0], positive=positive, **answers), **settings)


def _regressed(file: str, actual: str, predicted: str | None) -> Regression:
    if predicted is None:
        raise BadSetting("say with --predicted which column has the values that were predicted")
    from cranfield.assessment.regression import regress

    return regress(actual, predicted, data=file)


def _function(kind: Kind, settings: dict[str, Any]) -> Callable[..., Plot]:
    """The function that draws this kind, which must have all the settings."""
    from cranfield import plot

    function: Callable[..., Plot] = getattr(plot, kind.replace("-", "_"))
    known = inspect.signature(function).parameters
    for name in settings:
        if name not in known:
            raise BadSetting(f"{kind} has no --{name}")
    return function


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a list of numbers such as 5,10,20") from None


def _require_writable(output: str | None) -> None:
    """Refuse a file that cannot be written, before the work is done rather than after."""
    if output is not None:
        from cranfield.present.plots.plot import require_suffix

        require_suffix(output)
        require_place(output)


def _deliver(plot: Plot, output: str | None, theme: Literal["light", "dark", "print"]) -> None:
    if output is not None:
        plot.save(output, theme=theme)
        return
    from rich.console import Console

    from cranfield.present.blocks import printed

    if sys.stdout.isatty():
        printed(plot, Console(color_system=None if os.environ.get("NO_COLOR") else "auto", highlight=False))
    else:
        said = os.environ.get("COLUMNS", "")
        wide = int(said) if said.isdecimal() else WIDTH
        printed(plot, Console(file=sys.stdout, color_system=None, width=wide, highlight=False))
