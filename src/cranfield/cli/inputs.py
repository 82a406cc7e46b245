"""The input of a command: runs to evaluate, a table of values, or columns of predictions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from cranfield.cli.parameters import flag, is_given
from cranfield.cli.progress import progress_shown
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.rankings import Result


def quiet() -> bool:
    """Whether progress is suppressed."""
    return bool(click.get_current_context().params["quiet"])


def evaluated(qrels: str | None, runs: Sequence[str], measures: Sequence[Any] = (), **settings: Any) -> Result:
    """The result of the runs on these measures, or the standard ones, with a progress bar."""
    from cranfield.verbs.rankings import evaluate

    if qrels is None or not runs:
        raise BadSetting("give judgments and runs (QRELS RUN …), or a table of values (--values FILE)")
    with progress_shown(len(runs), quiet()) as progress:
        return evaluate(qrels, list(runs), measures or None, progress=progress, **settings)


def runs_or_table(
    lower_is_better: Sequence[str] = (),
    *,
    qrels: str | None = None,
    runs: Sequence[str] = (),
    measures: Sequence[str] = (),
    values: str | None = None,
    answers: Sequence[str] = (),
    **settings: Any,
) -> Any:
    """The result of the runs or of judged answers, or the path of the table of values."""
    if answers:
        return answered(answers, measures, qrels=qrels, values=values, **settings)
    if values is not None:
        evaluation = {flag(name): name for name in settings if is_given(name)}
        require_runs_alone(**{"QRELS": qrels, "--measure": measures}, **evaluation)
        return values
    if lower_is_better:
        raise BadSetting("--lower-is-better requires --values; the direction of other measures is known")
    return evaluated(qrels, runs, measures, **settings)


def answered(answers: Sequence[str], measures: Sequence[str], **settings: Any) -> Result:
    """The result of judged answers; options that apply only to runs are refused."""
    from cranfield.verbs.answers import evaluate_answers

    shared = {name: settings.pop(name) for name in ("missing", "undefined") if name in settings}
    for name in settings:
        if is_given(name):
            raise BadSetting(f"{flag(name) if name != 'qrels' else 'QRELS'} cannot be combined with --answers")
    return evaluate_answers(list(answers), measures or None, **shared)


def require_runs_alone(**options: Any) -> None:
    """Refuse options for runs when a table of values is given."""
    for name, value in options.items():
        if value:
            raise BadSetting(f"{name} applies only to runs; a table of values already has units and measures")


def prediction_columns(
    predicted: Sequence[str] = (), score: Sequence[str] = (), probability: Sequence[str] = ()
) -> dict[str, Any]:
    """The columns of predictions for `classify`: a single one as is, several by name."""
    columns = {"predicted": _named("predicted", predicted)}
    columns |= {"score": _by_class("score", score), "probability": _by_class("probability", probability)}
    return {what: column for what, column in columns.items() if column is not None}


def _named(option: str, names: Sequence[str]) -> str | dict[str, str] | None:
    if not names:
        return None
    for column in names:
        if names.count(column) > 1:
            raise BadSetting(f"--{option} {column} is given twice")
    return names[0] if len(names) == 1 else {column: column for column in names}


def _by_class(option: str, texts: Sequence[str]) -> str | dict[str, str] | None:
    """Columns of scores or probabilities, which may be written CLASS=COLUMN."""
    return class_columns(texts) if any("=" in text for text in texts) else _named(option, texts)


def class_columns(texts: Sequence[str]) -> dict[str, str]:
    """Columns of the scores or probabilities of classes, written CLASS=COLUMN, or CLASS if the column has its name."""
    pairs = [(name, column or name) for name, _, column in (text.partition("=") for text in texts)]
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise BadSetting(f"two columns are given for class {name!r}; give only one")
    return dict(pairs)


def output_columns(texts: Sequence[str]) -> list[str] | dict[str, list[str]]:
    """The columns of several outputs, in order: of one system, or written SYSTEM=COLUMN."""
    if not any("=" in text for text in texts):
        return list(texts)
    by_system: dict[str, list[str]] = {}
    for text in texts:
        system, _, column = text.partition("=")
        if not column:
            raise BadSetting(f"--predicted {text} does not name a system; write SYSTEM={text}, like the others")
        by_system.setdefault(system, []).append(column)
    return by_system


def only_one(measures: Sequence[str]) -> str | None:
    """The measure, if any, where only one is allowed."""
    if len(measures) > 1:
        raise BadSetting(f"give one measure, not {len(measures)}: {', '.join(measures)}")
    return measures[0] if measures else None
