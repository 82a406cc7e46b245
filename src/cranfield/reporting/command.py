"""`cranfield report`: a self-contained page with all results, readable offline."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from cranfield.classification.command import ITEMS
from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import interval_settings, only_one, prediction_columns, quiet, taken
from cranfield.commands.output import tell
from cranfield.commands.parameters import flag, is_given
from cranfield.commands.progress import progress_shown
from cranfield.comparison.command import BASELINE, TEST_OPTIONS, comparison, independent_comparison, test_settings
from cranfield.errors import BadSetting
from cranfield.rankings.command import OPTIONS
from cranfield.regression.command import OPTIONS as DISTRIBUTIONS
from cranfield.regression.command import distribution_columns

if TYPE_CHECKING:
    from cranfield.tables.readers.sheets import Sheet

REPORT_EXAMPLES = """
  cranfield report qrels.txt bm25.run dense.run -o report.html
  cranfield report qrels.txt *.run -m nDCG@10 -m AP --baseline bm25 -o report.html
  cranfield report qrels.txt *.run --query-texts topics.tsv --document-texts docs.jsonl -o report.html
  cranfield report --classify answers.csv --actual label --score score --positive spam -o report.html
  cranfield report --values folds.csv --test "corrected t" -o folds.html
  cranfield report --answers nuggets.csv --answers citations.csv -o answers.html
  cranfield report --collections beir/scifact beir/nfcorpus beir/fiqa -m nDCG@10 -o beir.html
  cranfield report --classify tree.csv forest.csv --predicted answer -o report.html
  cranfield report --regress prices.csv --actual price --predicted tree --predicted forest -o prices.html
  cranfield report --regress forecasts.csv --actual price --prediction-interval 0.9=low,high -o forecasts.html
  cranfield report --agree ann.qrels bob.qrels cy.qrels -o agreement.html
  cranfield report --history quality -o history.html
"""
COLUMNS = ("predicted", "score", "probability")
PREDICTIONS = ("actual", *COLUMNS, "positive", "normalise", "item", "weight", "by", "separator", "invert", "threshold",
               "strict", "goals", "auc_interval")  # fmt: skip
ACCEPTED = {
    "classify": ("measures", "average", *PREDICTIONS),
    "regress": ("measures", "digits", "actual", "predicted", *DISTRIBUTIONS, "item", "weight", "by"),
    "agree": ("measures", "digits", "steps", "order", "per", "confidence", "resamples", "seed"),
    "history": ("measures", "digits", "confidence", "level"),
    "collections": ("measures", "digits", "level", "missing", "undefined", "ties", "depth"),
}
ONLY = ("average", *PREDICTIONS, *DISTRIBUTIONS, "order", "per")  # options that do not apply to rankings and values
SUBJECTS = (o.CLASSIFY, o.REGRESS, o.AGREE, o.HISTORY, o.COLLECTIONS)
OUTPUT = partial(o.OUTPUT, default="report.html", help="The page to write; a named file is replaced.")
PAIRS = partial(o.PAIRS, help="Add a table of every pair of systems to the page.")
QUERY = partial(o.QUERY, help="Add the working of this query, rank by rank, for every run.")


@command(
    "report",
    o.REPORTED, o.VALUES, o.ANSWER_TABLES, o.LOWER_IS_BETTER, o.PUBLISHED, o.AREAS, OUTPUT, o.DIGITS, o.TITLE, *OPTIONS,
    BASELINE, *TEST_OPTIONS, PAIRS, o.STEPS, QUERY, o.QUERY_TEXTS, o.DOCUMENT_TEXTS, *SUBJECTS,
    partial(o.ACTUAL, show_default="actual"), *o.COLUMNS, *o.DISTRIBUTIONS, *ITEMS, o.AVERAGE, o.AUC_INTERVAL, o.SCALE,
    o.SCOPE, examples=REPORT_EXAMPLES,
)  # fmt: skip
def report_command(
    *,
    files: Sequence[str] = (),
    output: str,
    classify: bool,
    regress: bool,
    agree: bool,
    history: bool,
    collections: bool,
    title: str = "",
    **settings: Any,
) -> None:
    """Write an HTML page with findings, leaderboard, plots, queries, methods and data."""
    if not is_given("output") and os.path.lexists(output):
        raise BadSetting(f"{output} exists; replace it with -o {output}, or name another file")
    chosen = {"classify": classify, "regress": regress, "agree": agree}
    chosen |= {"history": history, "collections": collections}
    _report(files, title, settings, chosen).save(output)
    if sys.stderr.isatty() and not quiet():
        told = partial(tell, f"{output} is written; open it in a browser")
        click.get_current_context().call_on_close(told)  # after the elapsed time is erased


def _report(files: Sequence[str], title: str, settings: dict[str, Any], chosen: Mapping[str, bool]) -> Any:
    """The page on rankings, unless another subject is chosen."""
    settings = {name: value for name, value in settings.items() if is_given(name)}
    subject = _subject([name for name, requested in chosen.items() if requested], settings)
    if subject in PAGES:
        return PAGES[subject](files, title, settings)
    if {"values", "answers", "published", "areas"} & settings.keys():
        return _compared(files, title, settings)
    if "lower_is_better" in settings:
        raise BadSetting("--lower-is-better requires --values; the direction of other measures is known")
    if len(files) < 2:
        raise BadSetting("a report on rankings needs judgments and at least one run: cranfield report QRELS RUN…")
    from cranfield.reporting.report import report

    of_differences = {"interval": "bca"} if settings.get("interval") == "bca" else {}
    settings |= test_settings(settings) | interval_settings(settings) | of_differences
    with progress_shown(len(files) - 1, quiet()) as progress:
        return report(files[0], list(files[1:]), title=title, progress=progress, **settings)


def _subject(chosen: Sequence[str], settings: Iterable[str]) -> str:
    """The subject of the report, which determines the allowed options; empty for rankings and values."""
    if len(chosen) > 1:
        raise BadSetting(f"--{chosen[0]} cannot be combined with --{chosen[1]}")
    subject = chosen[0] if chosen else ""
    for name in settings:
        if subject and name not in ACCEPTED[subject]:
            raise BadSetting(f"{flag(name)} does not apply to --{subject}")
        if not subject and name in ONLY:
            needed = next(other for other, options in ACCEPTED.items() if name in options)
            raise BadSetting(f"{flag(name)} requires --{needed}")
    return subject


def _side_by_side(folders: Sequence[str], title: str, settings: dict[str, Any]) -> Any:
    """The report on several collections, each a folder."""
    from cranfield.reporting.collections import report_collections

    with progress_shown(1, quiet()) as progress:  # the same runs in every folder
        return report_collections(list(folders), title=title, progress=progress, **settings)


def _regressed(files: Sequence[str], title: str, settings: dict[str, Any]) -> Any:
    """The report on predicted values."""
    from cranfield.regression.regress import regress
    from cranfield.reporting.report import report
    from cranfield.tables.readers.sheets import as_sheet

    if len(files) != 1 or not any(settings.get(name) for name in ("predicted", *DISTRIBUTIONS)):
        raise BadSetting("--regress takes one table with one row per item, and its columns: --actual and --predicted")
    sheet = as_sheet(files[0])
    shown = taken(settings, ("digits",))
    settings |= distribution_columns(sheet, settings)
    columns = {column: column for column in settings.pop("predicted", ())} or None
    result = regress(settings.pop("actual", "actual"), columns, data=sheet, **settings)
    return report(result, title=title, **shown)


def _agreed(files: Sequence[str], title: str, settings: dict[str, Any]) -> Any:
    """The report on raters."""
    from cranfield.agreement.agree import agree
    from cranfield.reporting.report import report
    from cranfield.tables.raters import as_ratings

    if not files:
        raise BadSetting("--agree takes a table of ratings, or several qrels, one per rater")
    shown = taken(settings, ("digits", "steps"))
    order = settings.pop("order", None)
    scale = [part.strip() for part in order.split(",")] if order else None
    return report(agree(as_ratings(list(files), order=scale), **settings), title=title, **shown)


def _history(files: Sequence[str], title: str, settings: dict[str, Any]) -> Any:
    """The report on the releases of a store."""
    from cranfield.releases.history import history
    from cranfield.reporting.report import report

    if len(files) != 1:
        raise BadSetting("--history takes one store of releases, which cranfield eval --record makes")
    shown = taken(settings, ("digits",))
    return report(history(files[0], **settings), title=title, **shown)


def _compared(files: Sequence[str], title: str, settings: dict[str, Any]) -> Any:
    """The report on a table of values, on published figures, or on areas from different items."""
    from cranfield.reporting.report import report

    shown = taken(settings, ("digits", "pairs", "steps"))
    if files:
        raise BadSetting("judgments and runs cannot be combined with --values, --answers, --published or --areas")
    if "published" in settings or "areas" in settings:
        return report(independent_comparison(**settings), title=title, **shown)
    if settings.get("interval", "t") not in ("t", "bca"):
        raise BadSetting(f"--interval must be t or bca for a table of values, not {settings['interval']}")
    return report(comparison(**settings), title=title, **shown)


def _classified(files: Sequence[str], title: str, predictions: dict[str, Any]) -> Any:
    """The report on labels, scores or probabilities."""
    from cranfield.classification.classify import classify
    from cranfield.reporting.classification import together
    from cranfield.reporting.report import report
    from cranfield.tables.readers.sheets import as_sheet
    from cranfield.tables.system_names import system_names

    sheets = [as_sheet(path) for path in files]  # only once: a pipe cannot be reread
    requested = prediction_columns(*(predictions.pop(name, ()) for name in COLUMNS))
    predictions["goal"] = only_one(predictions.pop("goals", ()))
    evaluate = partial(classify, predictions.pop("actual", "actual"), **predictions)
    pairs = [(sheet, _columns(sheet, requested)) for sheet in sheets]
    results = [evaluate(data=sheet, **named) for sheet, named in pairs]
    labels = list(dict.fromkeys(label for result in results for label in result.evaluated[0].labels))
    if any(len(result.evaluated[0].labels) < len(labels) for result in results):  # predicted by only some
        results = [evaluate(data=sheet, labels=labels, **named) for sheet, named in pairs]
    item = predictions.get("item")
    names = None if item is None else sheets[0].names(item)
    by_name = dict(zip(system_names(list(files)), results, strict=True))
    return report(together(by_name), title=title, items=names)


def _columns(sheet: Sheet, requested: dict[str, Any]) -> dict[str, Any]:
    """The requested columns, or the ones with the usual names."""
    if requested:
        return requested
    present = sheet.table.column_names
    usual = {name: name for name in COLUMNS if name in present}
    if not usual:
        raise BadSetting(
            f"{sheet.name}: name the column to evaluate with --predicted, --score or --probability; "
            f"available: {', '.join(map(repr, present))}"
        )
    if "score" in usual and "probability" in usual:
        raise BadSetting(f"{sheet.name}: both scores and probabilities found; choose with --score or --probability")
    return usual


PAGES = {
    "classify": _classified,
    "regress": _regressed,
    "agree": _agreed,
    "history": _history,
    "collections": _side_by_side,
}
