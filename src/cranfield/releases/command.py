"""`cranfield history`: how measures changed over releases."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import Answer
from cranfield.commands.parameters import InputFile, argument, option

HISTORY_EXAMPLES = """
  cranfield eval qrels.txt new.run -m nDCG@10 --record quality --release 1.5
  cranfield history quality
  cranfield history quality -m nDCG@10 --since 1.4 --slices slices.tsv
  cranfield report --history quality -o history.html
  cranfield history quality --import mlruns
"""
_STORE = argument("store", type=InputFile(), metavar="STORE", help="The folder of the store, which --record makes.")
_IMPORT = option(
    "sources", "--import", type=InputFile(), multiple=True, metavar="FILE",
    help="Add releases from a CSV file (release, measure, value and, optionally, time, system and query) or from "
    "MLflow: its folder of runs, or its table of them as CSV. May be repeated.",
)  # fmt: skip


_MEASURES = partial(o.MEASURES, show_default="all of the last release")
_SETTINGS = o.options_of("cranfield.releases.history:history", "system", "since", "slices", "confidence", "level")


@command("history", _STORE, _MEASURES, _SETTINGS, _IMPORT, o.FORMAT, o.OUTPUT, o.DIGITS, examples=HISTORY_EXAMPLES)
def history_command(store: str, *, sources: Sequence[str] = (), **settings: Any) -> Answer:
    """Show how measures changed over the releases in a store, with intervals, change points and queries.

    The releases are added by --record of cranfield eval and cranfield check. cranfield report --history is a page with
    plots.
    """
    from cranfield.releases.history import history

    if sources:
        from cranfield.releases.record import imported

        for path in sources:
            imported(store, path)
    return Answer(history(store, **settings))
