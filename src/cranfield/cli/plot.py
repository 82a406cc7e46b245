"""`cranfield plot`: plots of runs, scorers and classifiers, in a file or on the terminal."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import only_one, prediction_columns, quiet
from cranfield.commands.options import COUNT, FILE
from cranfield.commands.output import console, named_as_output
from cranfield.commands.parameters import OneOf, argument, flag, option
from cranfield.commands.progress import working
from cranfield.errors import BadSetting
from cranfield.rankings.inputs import evaluated
from cranfield.regression.command import OPTIONS as DISTRIBUTIONS
from cranfield.regression.command import distribution_columns

if TYPE_CHECKING:
    from cranfield.classification.result import Classification
    from cranfield.present.plots.plot import Plot


# Arguments and options of plots, each declared once


# fmt: off

KIND_OF_PLOT = argument("kind", type=OneOf("cranfield.cli.plot:kinds"), metavar="KIND", help="The kind of plot.")
PLOTTED = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Judgments and runs; with --actual, one table of predictions; with --counts, a confusion matrix; for kappas, "
    "the same as for cranfield agree.")
SYSTEM = option("--system", metavar="SYSTEM", help="Plot this system.")
RANKS = option("-k", "k", type=COUNT, metavar="N", help="Number of ranks to plot.")
BETA = option("--beta", type=float, metavar="NUMBER", help="Beta of the lines of equal F-measure.")
COLLECTION = option("--collection", type=COUNT, metavar="N", help="Documents in the collection, for fall-out.")
IDEAL = option("--ideal", is_flag=True, help="Mark the ideal point and the distance of each curve from it.")
BREAK_EVEN = option("--break-even", is_flag=True, help="Mark where precision equals recall.")
EACH_QUERY = option("--each-query", is_flag=True, help="Draw the curve of every query behind the mean curve.")
OVERVIEW = option(
    "--overview", is_flag=True, help="Surround the matrix of two classes with the rates of its rows and columns.")
OVERLAY = option("--overlay", is_flag=True, help="Draw both classes on one axis, with the four areas.")
SHADE = option("--shade", is_flag=True, help="Shade the area under each curve.")
CONNECT = option("--connect", is_flag=True, help="Join the points of label-only classifiers, in the order given.")
REGIONS = option(
    "--regions", type=float, metavar="RATIO",
    help="Mark the regions where a positive prediction rules in (positive likelihood ratio of at least RATIO, such as "
    "10) and a negative prediction rules out (negative likelihood ratio of at most 1/RATIO).")
AVERAGING = option(
    "--averaging", type=OneOf("cranfield.evidence.curves:Averaging"),
    help="Average the ROC curves of folds (--by) at equal false positive rates (vertical, the default) or at equal "
    "thresholds.")
BINS = option("--bins", type=COUNT, metavar="N", help="Number of bins for probabilities or scores.")
AGAINST = option("--against", metavar="COLUMN", help="Plot against this column of --system-info; lower is better.")
THEME = option(
    "--theme", type=OneOf("cranfield.present.plots.theme:Theme"), default="light",
    help="Colours for white, dark or printed pages.")


PLOT_EXAMPLES = """
  cranfield plot precision-recall qrels.txt bm25.run dense.run -o curves.svg
  cranfield plot precision-recall qrels.txt bm25.run --form ranks --query 101
  cranfield plot differences qrels.txt bm25.run dense.run -m nDCG@10 -o differences.pdf
  cranfield plot tiers qrels.txt *.run -m AP -o tiers.png --theme print
  cranfield plot roc predictions.csv --actual label --score one --score other
  cranfield plot roc predictions.csv --actual label --predicted A --predicted B --regions 10 -o roc.svg
  cranfield plot averaged-roc predictions.csv --actual label --score one --by fold -o averaged.svg
  cranfield plot confusion predictions.csv --actual label --predicted answer -o confusion.html
  cranfield plot confusion predictions.csv --actual label --predicted answer --collapse cat --overview --rows predicted
  cranfield plot confusion --counts TP=20 FP=180 FN=10 TN=1820 --overview --rows predicted -o overview.svg
  cranfield plot residuals prices.csv --actual price --predicted guess -o residuals.svg
  cranfield plot quantiles forecasts.csv --actual price --prediction-interval 0.9=low,high -o quantiles.svg
  cranfield plot pit forecasts.csv --actual price --member 'member*' -o pit.svg
  cranfield plot cost-quality qrels.txt *.run -m nDCG@10 --system-info costs.csv --against "seconds per query"
  cranfield plot kappas ann.qrels bob.qrels cy.qrels -o kappas.svg
"""
COEFFICIENT, MEASURE = "Kappa", "nDCG@10"
RESULTS = {"Result", "Classification", "Regression", "Agreement"}  # kinds of results that this command evaluates
WIDTH = 100  # width of plots written to a pipe
CUT = ("roc", "distributions", "confusion")  # these show the effect of the threshold
_SHOWN_BY = {"confusion": "Accuracy"}  # a matrix shows both of two classes, whichever is positive
SHOWN = {"threshold": CUT, "strict": CUT, "goals": CUT, "auc_interval": ("roc",), "by": ("averaged-roc",)}
PREDICTIONS = ("predicted", "score", "probability", "positive", "collapse", "normalise", "invert", *DISTRIBUTIONS,
               *SHOWN)  # fmt: skip
MEASURES = partial(o.MEASURES, show_default=f"{MEASURE}; DCG for buildup; {COEFFICIENT} for raters")
OUTPUT = partial(
    o.OUTPUT,
    help="Write the plot to .svg, .png, .pdf or .html, its Vega-Lite specification to .json, or its data to .csv, "
    "replacing the file if it exists; without it, the plot is drawn on the terminal.",
)


def kinds() -> tuple[str, ...]:
    """Every kind of plot of runs, predictions or raters."""
    from cranfield.plot import __all__ as names
    from cranfield.present.plots.plot import KINDS

    plotted = {name: {result.__name__ for result in KINDS[name].results} for name in names if name in KINDS}
    return tuple(name.replace("_", "-") for name, results in plotted.items() if results & RESULTS)


@command(
    "plot",
    KIND_OF_PLOT, PLOTTED, OUTPUT, THEME, MEASURES, o.QUERY, o.FORM, o.POINTS, o.REL, BETA, RANKS,
    o.BASELINE, SYSTEM, o.TEST, partial(o.LEVEL, default=None, show_default="0.05"), o.ACTUAL, *o.COLUMNS,
    *o.DISTRIBUTIONS, o.INVERT, o.THRESHOLD, o.STRICT, o.GOAL, o.AUC_INTERVAL, SHADE, CONNECT, REGIONS, BINS,
    o.BY, AVERAGING,
    partial(o.ROWS, default=None, show_default="actual"), o.REORDER, o.COLLAPSE, OVERVIEW, OVERLAY,
    IDEAL, BREAK_EVEN, EACH_QUERY, COLLECTION, o.SYSTEM_INFO, AGAINST, o.MATRIX,
    examples=PLOT_EXAMPLES,
)  # fmt: skip
def plot_command(
    kind: str,
    files: Sequence[str],
    *,
    output: str | None = None,
    theme: Any,
    actual: str | None = None,
    measures: Sequence[str] = (),
    counts: bool = False,
    **settings: Any,
) -> None:
    """Draw a plot into a file, or on the terminal."""
    if output is not None:
        from cranfield.present.plots.plot import require_suffix

        require_suffix(output)
    settings = {name: value for name, value in settings.items() if value is not False}
    kept_for_plot = ("collapse",) if kind == "confusion" else ()  # the plot does this itself, with the class first
    predictions = {name: settings.pop(name) for name in PREDICTIONS if name in settings and name not in kept_for_plot}
    settings |= {"measure": only_one(measures)} if measures else {}
    info = {name: settings.pop(name) for name in ("system_info",) if name in settings and kind == "cost-quality"}
    function = _function(kind, settings)
    settings |= info
    timed = output is not None  # the command itself shows the time until the file is written
    with working(quiet() or timed, since=click.get_current_context().obj):
        if counts:
            plot = function(_of_counts(kind, files, settings.get("rows", "actual"), actual, predictions), **settings)
        elif actual is not None:
            plot = function(_of_predictions(kind, files, actual, predictions), **settings)
        else:
            for option in predictions:
                raise BadSetting(f"{flag(option)} requires a table of predictions; give the true labels with --actual")
            plot = _of_files(kind, function, files, settings)
    _deliver(plot, output, theme)


def _function(kind: str, settings: Mapping[str, Any]) -> Callable[..., Plot]:
    """The function that draws this kind of plot, which must accept all the settings."""
    from cranfield import plot

    function: Callable[..., Plot] = getattr(plot, kind.replace("-", "_"))
    for name in settings:
        if name not in inspect.signature(function).parameters:
            raise BadSetting(f"{kind} has no --{name}")
    return function


def _subject(kind: str) -> str:
    """The subject of the plot: rankings, or the first result class it was declared for."""
    from cranfield.present.plots.plot import KINDS

    function, results = KINDS[kind.replace("-", "_")]
    return "rankings" if "runs" in inspect.signature(function).parameters else results[0].__name__


def _of_files(kind: str, function: Callable[..., Plot], files: Sequence[str], settings: dict[str, Any]) -> Plot:
    """A plot of raters, or of judgments and runs."""
    subject = _subject(kind)
    if subject == "Agreement":
        from cranfield.agreement.agree import agree

        measure = settings.get("measure", COEFFICIENT)
        return function(agree(files[0] if len(files) == 1 else list(files), measure), measure=measure)
    if subject not in ("rankings", "Result"):
        raise BadSetting(f"{kind} needs a table of predictions; give the true labels with --actual")
    if len(files) < 2:
        raise BadSetting(f"{kind} needs judgments and runs: cranfield plot {kind} QRELS RUN…")
    if subject == "rankings":
        return function(files[0], list(files[1:]), **settings)
    measure, info = settings.pop("measure", MEASURE), settings.pop("system_info", None)
    return function(evaluated(files[0], files[1:], [measure], system_info=info), measure, **settings)


def _of_counts(
    kind: str, files: Sequence[str], rows: Any, actual: str | None, predictions: Mapping[str, Any]
) -> Classification:
    """The classification result of a confusion matrix."""
    if _subject(kind) != "Classification":
        raise BadSetting(f"{kind} has no --counts")
    for name in (*(["actual"] if actual else []), *(name for name in predictions if name != "positive")):
        raise BadSetting(f"{flag(name)} applies to a table of predictions, not to a confusion matrix (--counts)")
    from cranfield.classification.classify import classify

    return classify(counts=list(files), rows=rows, measures=_SHOWN_BY.get(kind), **predictions)


def _of_predictions(kind: str, files: Sequence[str], actual: str, settings: dict[str, Any]) -> Any:
    """The result to plot, from a table of predictions."""
    subject = _subject(kind)
    if subject in ("Result", "Agreement") or (subject == "rankings" and kind != "precision-recall"):
        raise BadSetting(f"{kind} needs judgments and runs; --actual does not apply")
    if len(files) != 1:
        raise BadSetting(f"give one table of predictions, not {len(files)}, with one column per scorer")
    chosen = prediction_columns(*(settings.pop(name, ()) for name in ("predicted", "score", "probability")))
    if subject == "Regression":
        return _regressed(files[0], actual, chosen, settings)
    if not chosen:
        raise BadSetting("give the columns to plot with --predicted, --score or --probability")
    for name, fitting in SHOWN.items():
        if name in settings and kind not in fitting:
            raise BadSetting(f"{kind} has no {flag(name)}")
    from cranfield.classification.classify import classify

    goal = only_one(settings.pop("goals", ()))
    return classify(actual, data=files[0], goal=goal, measures=_SHOWN_BY.get(kind), **chosen, **settings)


def _regressed(file: str, actual: str, chosen: dict[str, Any], settings: dict[str, Any]) -> Any:
    """The predicted values or distributions to plot."""
    from cranfield.regression.regress import regress
    from cranfield.tables.readers.sheets import as_sheet

    sheet = as_sheet(file)
    distributed = distribution_columns(sheet, settings)
    if chosen.keys() - {"predicted"}:
        raise BadSetting("give only the column of predicted values, with --predicted")
    if not chosen and not distributed:
        raise BadSetting("give the columns to plot with --predicted, or a predicted distribution")
    return regress(actual, chosen.get("predicted"), data=sheet, **distributed)


def _deliver(plot: Plot, output: str | None, theme: Any) -> None:
    if output is not None:
        plot.save(output, theme=theme)
        return
    from cranfield.present.plots.terminal import printed

    columns = os.environ.get("COLUMNS", "")
    width = None if sys.stdout.isatty() else int(columns) if columns.isdecimal() else WIDTH
    with named_as_output():
        printed(plot, console(width))
