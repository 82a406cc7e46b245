"""The page of a history: the answer, plots, releases and queries in one HTML file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cranfield.present.table import DIGITS, Column, Table, numbers
from cranfield.releases.history import History
from cranfield.releases.plots import releases
from cranfield.releases.tables import change_row, history_tables
from cranfield.reporting.content import Content, Passage, main_files
from cranfield.reporting.figures import figure
from cranfield.reporting.page import Report
from cranfield.text import counted

PLOTTED = 6  # measures
LISTED = 50  # queries


def history_page(history: History, *, title: str = "", digits: int = DIGITS) -> Report:
    """The history as a self-contained HTML page."""
    board, *tables = history_tables(history, digits=digits, shown=None)
    n = len(set(history.releases["release"]))
    content = Content(
        title=title or f"History of {history.settings['system']}",
        subtitle=f"{counted(n, 'release')}, {history.releases[0].time[:10]} to {history.releases[-1].time[:10]}",
        lead=(history.answer, *board.lead),
        findings=tuple(history.findings()),
        board=replace(board, title="", lead=()),
        tables=(*tables, *_queries(history, digits)),
        figures=tuple(
            figure(f"releases-{m}", releases(history, name)) for m, name in enumerate(history.measures[:PLOTTED])
        ),
        passages=tuple(_passages(history)),
        cited=(),
        provenance=history.provenance,
        files=main_files("history.csv", "all releases", history.to_csv(), history.to_json(), board, "history"),
        heading="Changes",
    )
    return Report(content)


def _queries(history: History, digits: int) -> Iterator[Table]:
    """The queries that turned most often between rising and falling."""
    for measure in history.measures:
        of = sorted((one for one in history.queries if one.measure == measure), key=lambda one: -one.reversals)
        turned = [one for one in of if one.reversals][:LISTED]
        if turned:
            columns = (
                Column("query"), *numbers("before", "now", digits=digits), Column("change"),
                *numbers("rose", "fell", "reversals", digits=0),
            )  # fmt: skip
            rows = tuple(change_row(one, digits) for one in turned)
            yield Table(columns, rows, title=f"Queries that changed direction most often in {measure}")


def _passages(history: History) -> Iterator[Passage]:
    confidence, level = history.settings["confidence"], history.settings["level"]
    yield Passage(
        "Changes",
        (
            "Releases are compared query by query, within periods of the same judgments, queries and settings. The "
            f"interval of a change is Student's t interval of the mean difference ({100 * confidence:g} %). A single "
            f"change is significant if the paired t-test has a p-value below {level:g}; these tests are not adjusted "
            "for the number of releases.",
        ),
    )
    yield Passage(
        "Change points",
        (
            "A change point is the release at which a measure left its level. Each release is tested against the "
            "release before and the one with which the level began, by e-values of the mean difference, which bets on "
            "bounded differences give without assumptions on their distribution. The j-th test has the level "
            f"{level:g} / (j (j + 1)): if nothing ever changed, the probability of any false change point is at most "
            f"{level:g}, however many releases there are.",
        ),
    )
    if history.notes:
        yield Passage("Notes", history.notes)
