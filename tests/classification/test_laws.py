"""Laws that hold for every measure of labels, scores and probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import values
from classification.generated import cells_of_units, scores_of_items
from cranfield.evidence.cells import Cells
from cranfield.evidence.class_scores import ClassScores
from cranfield.evidence.confusion import Confusion
from cranfield.evidence.thresholds import Thresholds
from cranfield.measures.declaration import Declaration
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, bound, declarations

BINARY = [declared for declared in declarations("binary").values() if declared.evidence is Cells]
SCORES = [declared for declared in declarations("binary").values() if declared.evidence is Thresholds]
CLASSES = list(declarations("classes").values())
ROUNDING = 1e-12
SAMPLING = ("DebiasedECE", "DebiasedReliability")  # less the sampling error, which weights that are all 2 do not change

rates = pytest.mark.parametrize("declared", BINARY, ids=lambda declared: declared.name)
areas = pytest.mark.parametrize("declared", SCORES, ids=lambda declared: declared.name)
every = pytest.mark.parametrize(
    "declared", BINARY + SCORES + CLASSES, ids=lambda declared: f"{declared.kind} {declared.name}"
)


@st.composite
def chosen(draw: st.DrawFn, declared: Declaration) -> Measure:
    """The measure with some of its settings chosen."""
    own = {
        name: draw(values(setting))
        for name, setting in declared.settings.items()
        if setting.required or draw(st.booleans())
    }
    if "alpha" in own:
        own.pop("beta", None)  # which says the same
    return bound(declared, own)


@st.composite
def matrices(draw: st.DrawFn) -> Confusion:
    """Confusion matrices of two to four classes."""
    k = draw(st.integers(2, 4))
    counts = draw(st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k))
    return Confusion.of(tuple("abcd"[:k]), np.array(counts).reshape(k, k))


@st.composite
def probabilities(draw: st.DrawFn) -> ClassScores:
    """Probabilities of three classes for a few items."""
    n = draw(st.integers(1, 6))
    raw = draw(st.lists(st.integers(0, 9), min_size=3 * n, max_size=3 * n))
    table = np.array(raw, float).reshape(n, 3) + 1e-3
    actual = np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    return ClassScores(("a", "b", "c"), actual, table / table.sum(axis=1, keepdims=True))


GENERATED = {
    Cells: cells_of_units(), Thresholds: scores_of_items(), Confusion: matrices(), ClassScores: probabilities()
}  # fmt: skip


@every
@given(data=st.data())
def test_the_text_of_a_measure_parses_back(declared: Declaration, data: st.DataObject) -> None:
    measure = data.draw(chosen(declared))
    assert parse(str(measure), declared.kind) == measure


@every
@given(data=st.data())
def test_values_stay_within_the_declared_bounds(declared: Declaration, data: st.DataObject) -> None:
    measure = bound(declared, {}) if "total" in declared.settings else data.draw(chosen(declared))
    found = np.asarray(measure.values(data.draw(GENERATED[declared.evidence])), float)
    low, high = declared.bounds
    inside = (found >= low) & (found <= high)
    assert (inside | np.isnan(found)).all(), (measure, found)


@every
def test_every_measure_says_when_it_is_undefined_and_what_it_is(declared: Declaration) -> None:
    assert declared.undefined
    assert declared.definition.endswith(".") or declared.definition[0].isupper()
    assert declared.title


@rates
@given(data=st.data(), counts=cells_of_units(least=2))
def test_a_unit_is_scored_alone(declared: Declaration, data: st.DataObject, counts: Cells) -> None:
    measure = data.draw(chosen(declared))
    alone = [measure.values(counts.take(np.array([unit]))) for unit in range(len(counts))]
    assert np.array_equal(measure.values(counts), np.concatenate(alone), equal_nan=True)


@rates
@given(data=st.data(), counts=cells_of_units())
def test_fractions_give_what_floating_point_does(declared: Declaration, data: st.DataObject, counts: Cells) -> None:
    measure = data.draw(chosen(declared))
    exact = np.array([float(number) for number in measure.values(counts.exact)])
    assert exact == pytest.approx(measure.values(counts), rel=1e-9, abs=1e-9, nan_ok=True)


@rates
@given(data=st.data(), counts=cells_of_units())
def test_a_monotone_measure_never_loses_by_a_hit_nor_gains_by_a_false_alarm(
    declared: Declaration, data: st.DataObject, counts: Cells
) -> None:
    if not declared.monotone:
        return
    measure = data.draw(chosen(declared))
    sign = 1 if declared.higher_is_better else -1
    before = measure.values(counts)
    hit = measure.values(Cells(counts.tp + 1, counts.fp, np.maximum(counts.fn - 1, 0), counts.tn))
    alarm = measure.values(Cells(counts.tp, counts.fp + 1, counts.fn, np.maximum(counts.tn - 1, 0)))
    had_miss, had_rest = counts.fn > 0, counts.tn > 0
    assert not (sign * (hit - before) < -ROUNDING)[had_miss].any()
    assert not (sign * (alarm - before) > ROUNDING)[had_rest].any()


@areas
@given(data=st.data(), scores=scores_of_items())
def test_scores_of_no_weight_count_for_nothing(declared: Declaration, data: st.DataObject, scores: Thresholds) -> None:
    measure = data.draw(chosen(declared))
    doubled = Thresholds(
        np.repeat(scores.positive, 2),
        np.repeat(scores.negative, 2),
        np.tile([1.0, 0.0], len(scores.positive)),
        np.tile([1.0, 0.0], len(scores.negative)),
    )
    assert float(measure.values(doubled)) == pytest.approx(float(measure.values(scores)), abs=1e-12, nan_ok=True)


@areas
@given(data=st.data(), scores=scores_of_items())
def test_weights_of_two_are_items_twice(declared: Declaration, data: st.DataObject, scores: Thresholds) -> None:
    measure = data.draw(chosen(declared))
    if declared.name in SAMPLING or dict(measure.settings).get("by") == "count":
        return  # weights are in terms of the least
    twice = Thresholds(np.repeat(scores.positive, 2), np.repeat(scores.negative, 2))
    heavy = Thresholds(
        scores.positive, scores.negative, np.full(len(scores.positive), 2.0), np.full(len(scores.negative), 2.0)
    )
    assert float(measure.values(heavy)) == pytest.approx(float(measure.values(twice)), abs=1e-12, nan_ok=True)


@areas
@given(data=st.data(), parts=st.lists(scores_of_items(), min_size=2, max_size=3))
def test_evidence_adds(declared: Declaration, data: st.DataObject, parts: list[Thresholds]) -> None:
    measure = data.draw(chosen(declared))
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    whole = Thresholds(
        np.sort(np.concatenate([part.positive for part in parts])),
        np.sort(np.concatenate([part.negative for part in parts])),
    )
    assert np.array_equal(measure.values(total), measure.values(whole), equal_nan=True)


@areas
@given(data=st.data(), scores=scores_of_items())
def test_one_class_alone_is_undefined_or_a_number_never_an_error(
    declared: Declaration, data: st.DataObject, scores: Thresholds
) -> None:
    measure = data.draw(chosen(declared))
    nobody = np.empty(0)
    for alone in (Thresholds(scores.positive, nobody), Thresholds(nobody, scores.negative)):
        found = float(measure.values(alone))
        assert np.isnan(found) or np.isfinite(found)
