"""Runs evaluated for a command that asks something of the result."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.cli.progress import progress_shown
from cranfield.cli.warned import warnings_told
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.values import Result


def evaluated(qrels: str, runs: list[str], measures: list[str] | None, quiet: bool, **settings: Any) -> Result:
    """The result of the runs by these measures, or by the usual ones; warnings and progress are shown meanwhile.

    The settings are those of `evaluate`: ties, missing, undefined and depth.
    """
    from cranfield.api import STANDARD, evaluate

    require_one_reader([qrels, *runs])
    with warnings_told(quiet), progress_shown(len(runs), quiet) as progress:
        return evaluate(qrels, runs, measures or STANDARD, progress=progress, **settings)


def require_one_reader(files: Sequence[str]) -> None:
    """Refuse to read standard input twice, since the second time it would be empty."""
    if files.count("-") > 1:
        raise BadSetting("standard input (-) can be read only once")
