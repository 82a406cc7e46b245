"""The input of a command: runs to evaluate, a table of values, or columns of predictions.

Decided here: which options apply to runs, and which to a table of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.commands.inputs import quiet, require_runs, taken
from cranfield.commands.parameters import is_given, refuse_given
from cranfield.commands.progress import progress_shown
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.values import Result


INPUTS = ("qrels", "runs", "values", "measures", "ties", "missing", "undefined", "depth")  # of `runs_or_table`


def evaluated(qrels: str | None, runs: Sequence[str], measures: Sequence[Any] = (), **settings: Any) -> Result:
    """The result of the runs on these measures, or the standard ones, with a progress bar."""
    from cranfield.rankings.evaluate import evaluate

    if qrels is None or not runs:
        raise BadSetting("give judgments and runs (QRELS RUN …), or a table of values (--values FILE)")
    with progress_shown(len(runs), quiet()) as progress:
        return evaluate(qrels, list(runs), measures or None, progress=progress, **settings)


def runs_or_table(*, values: str | None = None, answers: Sequence[str] = (), **evaluation: Any) -> Any:
    """The result of the runs or of judged answers, or the path of the table of values."""
    if answers:
        return _answered(answers, evaluation)
    if values is not None:
        require_runs(evaluation)
        return values
    if is_given("lower_is_better"):
        raise BadSetting("--lower-is-better requires --values; the direction of other measures is known")
    return evaluated(evaluation.pop("qrels", None), evaluation.pop("runs", ()), **evaluation)


def _answered(answers: Sequence[str], evaluation: dict[str, Any]) -> Result:
    """The result of judged answers; options that apply only to runs are refused."""
    from cranfield.answers.answers import evaluate_answers

    measures, shared = evaluation.pop("measures", ()), taken(evaluation, ("missing", "undefined"))
    refuse_given(("values", *evaluation), "cannot be combined with --answers")
    return evaluate_answers(list(answers), measures or None, **shared)
