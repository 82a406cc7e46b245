"""`cranfield classify`: how good are labels, scores or probabilities?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import click

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import class_columns, prediction_columns, quiet
from cranfield.commands.output import Answer
from cranfield.commands.parameters import option, refuse_given
from cranfield.commands.progress import progress_shown
from cranfield.errors import BadSetting

CLASSIFY_EXAMPLES = """
  cranfield classify answers.csv --actual label --predicted guess
  cranfield classify scores.csv --actual label --score score --positive spam
  cranfield classify scores.csv --actual label --score score --positive spam --goal "Recall where Specificity >= 0.9"
  cranfield classify probabilities.csv --actual label --probability cat --probability dog --probability bird
  cranfield classify soft.csv --actual-probability a=p1 --actual-probability b=p2 --probability a=q1 --probability b=q2
  cranfield classify --counts TP=20 FP=180 FN=10 TN=1820 --all
  cranfield classify --counts matrix.csv --rows predicted
  cranfield classify --counts matrix.csv --collapse woman
  cranfield classify folds.parquet --actual y --score tree --score forest --by fold --format json
"""
MEASURES = partial(
    o.MEASURES, show_default="those that fit the data",
    help='A measure, such as F, "F(beta=2)" or scikit-learn\'s f1_score; may be repeated or separated by commas.',
)  # fmt: skip
RESAMPLES = partial(o.RESAMPLES, type=o.WHOLE, default=0)
STEPS = partial(o.STEPS, help="Show the working: TP, FP, FN, TN and the rates at every threshold or for each class.")
THRESHOLDS = option(
    "--thresholds", is_flag=True, help="Show the thresholds around the one in use, and the best for each goal."
)
EVERY = partial(o.EVERY, help="Show everything: all measures with their methods, averages, thresholds.")
ITEMS = (o.ITEM, o.WEIGHT, o.BY, o.SEPARATOR, o.INVERT, o.THRESHOLD, o.STRICT, o.GOAL)


@command(
    "classify",
    o.TABLE_OR_COUNTS, o.MATRIX, o.ACTUAL, o.ACTUAL_PROBABILITY, *o.COLUMNS, *ITEMS, o.COLLAPSE, o.LABELS, MEASURES,
    o.AVERAGE, partial(o.UNDEFINED, default="skip"), o.AUC_INTERVAL, o.ROWS, o.REORDER, RESAMPLES, THRESHOLDS,
    STEPS, EVERY, *o.DELIVERY, examples=CLASSIFY_EXAMPLES,
)  # fmt: skip
def classify_command(
    files: Sequence[str],
    *,
    counts: bool,
    actual: str | None = None,
    actual_probability: Sequence[str] = (),
    predicted: Sequence[str] = (),
    score: Sequence[str] = (),
    probability: Sequence[str] = (),
    goals: Sequence[str] = (),
    rows: str,
    reorder: bool,
    resamples: int,
    thresholds: bool,
    steps: bool,
    every: bool,
    **settings: Any,
) -> Answer:
    """Evaluate predicted labels, scores or probabilities.

    Shows the confusion matrix and the essential measures with confidence intervals; --thresholds adds the thresholds
    around the current one and the best threshold for each goal, --all everything. --resamples adds bootstrap intervals
    for the best thresholds.

    Use cranfield plot to draw the curves of scores or, with -o FILE.csv, to write their points.
    """
    from cranfield.classification.classify import classify

    if actual_probability:
        return _soft(_only_file(files), actual_probability, probability, settings, steps)
    settings |= prediction_columns(predicted, score, probability)
    if counts:
        settings |= {"counts": list(files), "rows": rows}
    else:
        settings["data"] = _only_file(files)
        if actual is None:
            raise BadSetting("--actual is missing: the column with the true labels (or --counts for a matrix)")
    with progress_shown(1, quiet()) as progress:
        result = classify(actual, goal=goals[0] if goals else None, progress=progress, **settings)
    if resamples and all(system.thresholds is None for system in result.evaluated):
        raise BadSetting("--resamples has no effect: the best thresholds need one score per item")
    shown: dict[str, Any] = {
        "goals": list(goals),
        "resamples": resamples,
        "thresholds": thresholds,
        "steps": steps,
        "every": every,
    }
    return Answer(result, rows=rows, reorder=reorder, **shown)


def _soft(path: str, actual: Sequence[str], predicted: Sequence[str], settings: dict[str, Any], steps: bool) -> Answer:
    """The cross-entropy of soft labels."""
    from cranfield.classification.cross_entropy import cross_entropy

    accepted = ("files", "actual_probability", "probability", "item", "normalise", "steps")
    parameters = (str(parameter.name) for parameter in click.get_current_context().command.params)
    refused = (name for name in parameters if name not in (*accepted, "format", "output", "digits", "quiet"))
    refuse_given(refused, "does not apply to soft labels (--actual-probability)")
    if not predicted:
        raise BadSetting("give the predicted probability of each class with --probability LABEL=COLUMN")
    chosen = {"item": settings.get("item"), "normalise": settings["normalise"]}
    return Answer(cross_entropy(class_columns(actual), class_columns(predicted), data=path, **chosen), steps=steps)


def _only_file(files: Sequence[str]) -> str:
    """The file; more than one is an error."""
    if len(files) > 1:
        hint = "; are these counts? (--counts)" if all("=" in file for file in files) else ""
        raise BadSetting(f"give one file, not {len(files)}: {', '.join(files)}{hint}")
    return files[0]
