"""Laws of weights, for every measure of labels, scores, probabilities and values: only their proportions matter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from classification.generated import AWKWARD, SCALES
from classification.test_laws import SAMPLING, chosen
from cranfield import classify, regress
from cranfield.arrays import Floats
from cranfield.errors import BadSetting
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion, confusion
from cranfield.evidence.curves import gains
from cranfield.evidence.items import LabelRankings, LabelSets
from cranfield.evidence.residuals import Residuals
from cranfield.evidence.thresholds import Thresholds, thresholds
from cranfield.measures.declaration import Declaration
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, bound, declarations

CLASSES = ("a", "b", "c")


class Items(NamedTuple):
    """Items with a class, an answer, a score and probabilities, and their weights."""

    actual: NDArray[np.int64]
    predicted: NDArray[np.int64]
    score: Floats
    given: Floats
    weight: Any

    def weighing(self, weight: Any) -> Items:
        return self._replace(weight=weight)

    def take(self, rows: Any) -> Items:
        return Items(*(None if column is None else column[rows] for column in self))


@st.composite
def items(draw: st.DrawFn, weights: tuple[float, ...] = AWKWARD) -> Items:
    """A few items of three classes with ties; to draw every cell from Hypothesis would take most of the time."""
    n, rng = draw(st.integers(2, 12)), np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    raw = rng.integers(1, 10, (n, 3)).astype(float)
    return Items(
        rng.integers(0, 3, n),
        rng.integers(0, 3, n),
        rng.choice((0.0, 0.1, 0.25, 0.5, 0.55, 0.9, 1.0), n),
        raw / raw.sum(axis=1, keepdims=True),
        rng.choice(weights, n),
    )


def matrix(own: Items) -> Confusion:
    actual, predicted = (np.array(CLASSES)[codes].tolist() for codes in (own.actual, own.predicted))
    return confusion(actual, predicted, weight=own.weight)


EVIDENCE: dict[type, Callable[[Items], Any]] = {
    Cells: lambda own: matrix(own).cells,
    Confusion: matrix,
    Thresholds: lambda own: thresholds(own.actual == 1, own.score, own.weight),
    ClassScores: lambda own: ClassScores(CLASSES, own.actual, own.given, own.weight),
    LabelRankings: lambda own: LabelRankings(own.given > 0.3, own.given, own.weight),
    LabelSets: lambda own: LabelSets(np.abs(own.actual - own.predicted), own.weight),
    Residuals: lambda own: regress(own.actual.astype(float), own.score, weight=own.weight).of(),
}

DECLARATIONS = [declared for kind in ("binary", "classes", "values") for declared in declarations(kind).values()]  # type: ignore[arg-type]
PAIRS = ("RandIndex", "ARI", "FMI", "AMI")  # pairs of items: an item of weight 2 is two, which are a pair of their own
every = pytest.mark.parametrize("declared", DECLARATIONS, ids=lambda declared: f"{declared.kind} {declared.name}")


def of(data: st.DataObject, declared: Declaration) -> Measure:
    """The measure, which is no sum over the items."""
    return bound(declared, {}) if "total" in declared.settings else data.draw(chosen(declared))


def values(measure: Measure, own: Items) -> Floats:
    return np.atleast_1d(np.asarray(measure.values(EVIDENCE[measure.declaration.evidence](own)), float))


def same(one: Floats, other: Floats) -> bool:
    return bool(np.allclose(one, other, rtol=1e-9, atol=1e-9, equal_nan=True))


@every
@given(data=st.data(), own=items())
def test_values_never_leave_their_bounds_whatever_the_weights(
    declared: Declaration, data: st.DataObject, own: Items
) -> None:
    found = values(of(data, declared), own)
    low, high = declared.bounds
    assert (((found >= low) & (found <= high)) | np.isnan(found)).all(), found


@every
@given(data=st.data(), own=items(), scale=st.sampled_from(SCALES))
def test_multiplying_all_weights_changes_nothing(
    declared: Declaration, data: st.DataObject, own: Items, scale: float
) -> None:
    if declared.name in PAIRS:
        return
    measure = of(data, declared)
    assert same(values(measure, own), values(measure, own.weighing(own.weight * scale)))


@every
@given(data=st.data(), own=items(), weight=st.sampled_from((*AWKWARD, 1e-20)))
def test_equal_weights_are_as_none(declared: Declaration, data: st.DataObject, own: Items, weight: float) -> None:
    if declared.name in PAIRS:
        return
    measure = of(data, declared)
    equal = own.weighing(np.full(len(own.actual), weight))
    assert same(values(measure, own.weighing(None)), values(measure, equal))


@every
@given(data=st.data(), own=items((0.0, 0.1, 0.3, 1.0)))
def test_an_item_of_no_weight_is_as_though_it_were_not_there(
    declared: Declaration, data: st.DataObject, own: Items
) -> None:
    counting = np.flatnonzero(own.weight)
    if not len(counting):
        return
    measure = of(data, declared)
    assert same(values(measure, own), values(measure, own.take(counting)))


@every
@given(data=st.data(), own=items((1.0, 2.0, 3.0)))
def test_whole_weights_are_items_so_many_times(declared: Declaration, data: st.DataObject, own: Items) -> None:
    measure = of(data, declared)
    if declared.name in SAMPLING:
        return
    if dict(measure.settings).get("by") == "count" and own.weight.min() > 1:
        return  # weights are in terms of the least
    repeated = own.take(np.repeat(np.arange(len(own.actual)), own.weight.astype(int))).weighing(None)
    assert same(values(measure, own), values(measure, repeated))


@every
@given(data=st.data(), own=items((1e-20, 1.0)))
def test_weights_far_apart_are_never_an_error(declared: Declaration, data: st.DataObject, own: Items) -> None:
    found = values(of(data, declared), own)
    low, high = declared.bounds
    assert (((found >= low) & (found <= high)) | np.isnan(found)).all(), found


@pytest.mark.parametrize("scale", [1.0, *SCALES])
def test_ties_and_limits_hold_whatever_equal_weights_are(scale: float) -> None:
    score = np.array([0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505, 0.4, 0.39, 0.38, 0.37, 0.36, 0.35])
    actual = np.array([1, 1, 0, 1, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0])
    for weight in (1 / 3, 0.3, 0.1):
        plain, weighted = (
            classify(actual, score=score, weight=own) for own in (None, np.full(len(score), weight * scale))
        )
        for goal in ("CornerDistance", "Accuracy", "Informedness", "Recall where Specificity >= 0.875", "F"):
            assert weighted.choose(goal).thresholds == plain.choose(goal).thresholds


def test_weights_below_one_in_all() -> None:
    light = [0.01] * 6
    found = classify([0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 1, 0], weight=light, measures=["Kappa", "MCC"])
    assert found["Kappa"] == pytest.approx(0.5)
    scored = classify(
        [0, 1, 1, 0, 1],
        probability=[0.1, 0.9, 0.4, 0.5, 0.8],
        weight=light[:5],
        measures=["ExpectedAccuracy", "Resolution"],
    )
    assert (scored["ExpectedAccuracy"], scored["Resolution"]) == pytest.approx((0.66, 0.24))


def test_curves_of_light_items_are_those_of_items() -> None:
    actual, given = np.array([False, True, True, False, True]), np.array([0.1, 0.9, 0.4, 0.5, 0.8])
    plain, light = (thresholds(actual, given, weight) for weight in (None, np.full(5, 0.01)))
    for name in ("Reliability", "Resolution", "Uncertainty"):
        measure = parse(name, "binary")
        assert float(measure.values(light)) == pytest.approx(float(measure.values(plain)))
    for one, other in zip(gains(light), gains(plain), strict=True):
        assert one == pytest.approx(other)
    assert gains(light).recall_gain[0] == gains(plain).recall_gain[0] == 0


@pytest.mark.parametrize("seed", range(20))
def test_what_is_told_apart_without_fail_is_worth_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    actual = np.arange(60) < 25
    found = thresholds(actual, actual + rng.random(60) / 2, rng.random(60))
    for name in ("AUC", "Gini"):
        assert float(parse(name, "binary").values(found)) == 1
        assert float(parse(name, "binary").values(found.inverted)) == (0 if name == "AUC" else -1)
    assert float(parse("AUPRG", "binary").values(found)) == pytest.approx(1, abs=1e-12)


def test_a_negative_of_almost_no_weight() -> None:
    assert classify([1, 0, 1], score=[3, 1, 2], weight=[1, 1e-20, 1], measures="AUPRG")["AUPRG"] == pytest.approx(1)


def test_a_clip_that_rounds_away_is_refused() -> None:
    with pytest.raises(BadSetting, match=r"clip must be a number between 1.1e-16 and 0\.5, not 1e-20"):
        parse("LogLoss(clip=1e-20)", "binary")
    sure = thresholds(np.array([False, True]), np.array([1.0, 0.0]))
    assert np.isfinite(parse("LogLoss(clip=1.2e-16)", "binary").values(sure))


def test_residuals_are_summed_up_by_their_weights() -> None:
    rng = np.random.default_rng(8)
    actual, predicted, weight = rng.normal(size=20), rng.normal(size=20), np.append(1.0, rng.integers(1, 4, 19))
    repeated = Residuals(*(np.repeat(column, weight.astype(int)) for column in (actual, predicted))).summary
    for scale in (1.0, 0.1):
        found = Residuals(actual, predicted, weight * scale).summary
        assert (found.n, found.mean) == (20, pytest.approx(repeated.mean))
        assert found[3:] == pytest.approx(repeated[3:])
    even = Residuals(actual, predicted, np.full(20, 0.3)).summary
    assert even == pytest.approx(tuple(Residuals(actual, predicted).summary))


def test_a_class_without_negatives_has_no_specificity_whatever_the_weights_leave() -> None:
    found = classify(list("bbb"), list("abc"), weight=[0.7, 0.3, 0.3])
    assert np.isnan(found.interval("Specificity", label="b").value)


def test_classes_and_groups_of_items_of_no_weight_are_gone() -> None:
    found = classify(list("abc"), list("abb"), weight=[1, 1, 0], by=[1, 2, 3], measures="Accuracy")
    assert found.confusion is not None
    assert found.confusion.labels == ("a", "b")
    assert found.result.units == ("1", "2")
    listed = classify(list("abc"), list("abb"), weight=[1, 1, 0], labels=list("abc"))
    assert listed.confusion is not None
    assert listed.confusion.labels == ("a", "b", "c")


def test_values_of_no_weight_are_no_residuals() -> None:
    found = regress([0, 1, 2], [100, 1, 2.5], weight=[0, 1, 1], measures=["MaxError", "MAPE"])
    assert (found["MaxError"], found["MAPE"]) == (0.5, 0.125)
    assert found.of().summary.n == 2
