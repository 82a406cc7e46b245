"""Scorers: scores of positives and negatives by name, and the points of their curves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from cranfield.arrays import Floats, Ints
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.thresholds import Thresholds
from cranfield.inference.delong import AreaMethod
from cranfield.present.plots.data_tables import table_of
from cranfield.present.plots.thinning import BOX, TOLERANCE, coarsened, growing, note, thinned
from cranfield.results.classification import Classification
from cranfield.results.evaluated import Evaluated
from cranfield.results.writing import decoded

Scorers = Thresholds | Mapping[str, Thresholds] | Classification
Classifiers = Scorers | Cells | Mapping[str, Thresholds | Cells]  # also without scores


class Drawn(NamedTuple):
    """The data of one scorer: points, notes, and the value of a measure shown next to its name."""

    tables: Sequence[pa.Table]
    notes: Sequence[str] = ()
    value: float = np.nan


def curves_of(
    by_name: Mapping[str, Thresholds], draw: Callable[[str, Thresholds], Drawn]
) -> tuple[pa.Table, dict[str, float], tuple[str, ...]]:
    """The points of all scorers, their values by name, and their notes."""
    drawn = {name: draw(name, scores) for name, scores in by_name.items()}
    table = pa.concat_tables([table for curve in drawn.values() for table in curve.tables])
    notes = tuple(note for curve in drawn.values() for note in curve.notes)
    return table, {name: curve.value for name, curve in drawn.items()}, notes


def scores_by_name(scorers: Classifiers) -> dict[str, Thresholds]:
    """The scores by name; both classes must be present."""
    by_name = _by_name(scorers)
    if isinstance(scorers, Classification):
        for evaluated in scorers.evaluated:
            if not evaluated.of_each_class:
                raise BadInput(f"{evaluated.predictions.system}: a curve needs scores or probabilities, not labels")
    if not by_name:
        raise BadInput("there are no scores to plot")
    return _two_sided(by_name)


def _two_sided(by_name: dict[str, Thresholds]) -> dict[str, Thresholds]:
    for name, scores in by_name.items():
        if scores.one_class:
            raise BadInput(f"{name}: only one class is present; a curve needs positives and negatives")
    return by_name


def curves_and_points(classifiers: Classifiers) -> tuple[dict[str, Thresholds], dict[str, Cells]]:
    """The scores by name, and the cells of label-only classifiers; both classes must be present."""
    answers = _answers(classifiers)
    for name, cells in answers.items():
        if not (np.all(cells.positive > 0) and np.all(cells.negative > 0)):
            raise BadInput(f"{name}: only one class is present; a point in ROC space needs positives and negatives")
    return (_two_sided(_by_name(classifiers)) if answers else scores_by_name(classifiers)), answers


def _answers(classifiers: Classifiers) -> dict[str, Cells]:
    """The cells of the binary classifiers without scores."""
    if isinstance(classifiers, Cells):
        return {"classifier": classifiers}
    if isinstance(classifiers, Mapping):
        return {decoded(name): cells for name, cells in classifiers.items() if isinstance(cells, Cells)}
    if not isinstance(classifiers, Classification):
        return {}
    without = [evaluated for evaluated in classifiers.evaluated if not evaluated.of_each_class]
    for evaluated in without:
        if not evaluated.predictions.binary:
            raise BadInput(
                f"{evaluated.predictions.system}: ROC space needs a binary decision; choose the class with positive="
            )
    return {decoded(evaluated.predictions.system): evaluated.cells for evaluated in without}


def _by_name(scorers: Classifiers) -> dict[str, Thresholds]:
    if isinstance(scorers, Thresholds):
        return {"scores": scorers}
    if isinstance(scorers, Cells):
        return {}
    if not isinstance(scorers, Classification):
        return {decoded(name): scores for name, scores in scorers.items() if isinstance(scores, Thresholds)}
    return {
        name: scores
        for evaluated in scorers.evaluated
        for name, scores in of_each(evaluated, len(scorers.evaluated) > 1)
    }


def of_each(evaluated: Evaluated, several: bool) -> Iterator[tuple[str, Thresholds]]:
    """The scores of a system; with several classes, those of each class against the rest."""
    system = decoded(evaluated.predictions.system)
    if evaluated.thresholds is not None:
        yield system, evaluated.thresholds
        return
    for label, scores in zip(evaluated.units if evaluated.of_each_class else (), evaluated.of_each_class, strict=True):
        yield f"{system}: {decoded(str(label))}" if several else decoded(str(label)), scores


def thresholds_in_use(scorers: Classifiers, threshold: float | None) -> dict[str, float]:
    """The threshold of each scorer: this one, or by default that of the classification."""
    if threshold is not None:
        return dict.fromkeys(_by_name(scorers), threshold)
    if not isinstance(scorers, Classification):
        return {}
    binary = [evaluated for evaluated in scorers.evaluated if evaluated.thresholds is not None]
    systems = {decoded(evaluated.predictions.system): evaluated.threshold for evaluated in binary}
    return {name: value for name, value in systems.items() if value is not None}


def is_strict(scorers: Classifiers, threshold: float | None) -> bool:
    """Whether only scores above the threshold are predicted positive, as set in the classification."""
    return threshold is None and isinstance(scorers, Classification) and bool(scorers.settings.get("strict"))


def area_methods(scorers: Classifiers, method: AreaMethod | None) -> dict[str, AreaMethod]:
    """The method for the confidence interval of each AUC: this one, or by default that of the classification."""
    if method is None and isinstance(scorers, Classification):
        method = scorers.evaluated[0].auc_interval  # the same for all
    return dict.fromkeys(_by_name(scorers), method or "auto")


def one_scorer(scorers: Scorers, system: str | None) -> str:
    """The name of the scorer to plot; optional if there is only one."""
    by_name = _by_name(scorers)
    if system is None and len(by_name) == 1:
        return next(iter(by_name))
    if system is None or decoded(system) not in by_name:
        raise BadSetting(f"choose the system to plot: one of {', '.join(map(repr, by_name))}")
    return decoded(system)


def points(system: str, part: str, **columns: Floats) -> pa.Table:
    """Points of one part of a plot: the curve, its convex hull or the chosen threshold."""
    return table_of(system=system, part=part, **columns)


def coarse(scores: Thresholds, recall: Floats, pixels: float) -> Thresholds:
    """The scores, with those merged that are indistinguishable in precision and at these levels of recall.

    When the accepted positives and negatives each grow by a given proportion, precision changes by at most a quarter of
    the two together, and precision gain by at most both where it is not negative.
    """
    n_positive, n_negative = scores.n_items
    part = BOX / np.sqrt(2) / pixels / 2
    return coarsened(scores, growing(n_negative, part), np.append(growing(n_positive, part), recall))


def of_coarse(
    system: str, drawn: Thresholds, scores: Thresholds, x: Floats, y: Floats, *, pixels: float
) -> tuple[Ints, tuple[str, ...]]:
    """Which points of the curve of coarse scores to draw, and a note if some are left out."""
    if drawn is scores:
        thin = thinned(x, y, domain=(0, 1), pixels=pixels)
        return thin, note(system, len(thin), len(y))
    thin = thinned(x, y, domain=(0, 1), pixels=pixels, column=TOLERANCE - BOX)
    return thin, coarse_note(system, len(thin), drawn, scores)


def coarse_note(system: str, n_drawn: int, drawn: Thresholds, scores: Thresholds) -> tuple[str, ...]:
    """A note if the scores were coarsened."""
    return () if drawn is scores else note(system, n_drawn, sum(scores.n_items))
