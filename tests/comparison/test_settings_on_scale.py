"""Margins, differences and values that a measure cannot have are refused: they are often percentages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cranfield import (
    check,
    compare,
    compare_bayesian,
    correlate,
    estimate,
    evaluate,
    meta_analysis,
    monitor,
    plan,
)
from cranfield.errors import BadSetting

VALUES = {"a": [0.1, 0.4, 0.3, 0.8, 0.5], "b": [0.2, 0.1, 0.5, 0.7, 0.9]}
QRELS = {"q": {"a": 1}, "r": {"a": 1}, "s": {"a": 1}}
RUN = {"q": {"a": 1.0, "b": 2.0}, "r": {"a": 1.0}, "s": {"b": 2.0, "c": 1.0, "a": 0.5}}
OTHER = {"q": {"a": 1.0}, "r": {"a": 1.0, "b": 3.0}, "s": {"a": 1.0}}
HUMAN = {"a": {"1": 0.2, "2": 0.4, "3": 0.9, "4": 0.1, "5": 0.5}}
MACHINE = {"a": {"1": 0.3, "2": 0.4, "3": 0.8, "4": 0.3, "5": 0.6, "6": 0.7}}


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: compare(VALUES, test="tost", margin=5), "the margin"),
        (lambda: compare_bayesian(VALUES, rope=5), "rope"),
        (lambda: plan(VALUES, 5), "the difference"),
        (lambda: monitor(VALUES, bounds=(0, 1), half_width=5), "half_width"),
        (lambda: estimate(HUMAN, MACHINE, half_width=5), "half_width"),
        (lambda: compare(evaluate(QRELS, {"x": RUN, "y": OTHER}, "AP"), test="tost", margin=5), "the margin"),
    ],
    ids=["tost", "rope", "plan", "monitor", "estimate", "AP"],
)
def test_a_difference_that_proportions_cannot_have_is_refused(call: Callable[[], object], what: str) -> None:
    with pytest.raises(BadSetting, match=rf"{what} is 5, but .* between 0 and 1, .* for 5 % use 0\.05"):
        call()


def test_the_same_is_possible_for_percentages() -> None:
    percent = {system: [100 * value for value in values] for system, values in VALUES.items()}
    p = compare(VALUES, test="tost", margin=0.05).rows[0].p
    assert compare(percent, test="tost", margin=5).rows[0].p == pytest.approx(p)
    assert plan(percent, 5).rows[0].needed == plan(VALUES, 0.05).rows[0].needed


@pytest.mark.parametrize(
    ("gate", "message"),
    [
        ({"require": "at most", "value": 60}, "the value is 60, but AP lies between 0 and 1; for 60 % use 0.6"),
        ({"require": "at least", "value": -1}, "the value is -1, but AP lies between 0 and 1"),
        ({"require": "not worse", "margin": 5}, "the margin is 5, but AP lies between 0 and 1"),
        ({"require": "better", "baseline": 30}, "the baseline is 30, but AP lies between 0 and 1; for 30 % use 0.3"),
    ],
)
def test_a_gate_that_could_never_fail_or_pass_is_refused(gate: dict[str, object], message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        check({"qrels": QRELS, "run": RUN, "baseline": OTHER, "gate": [{"measure": "AP"} | gate]})


def test_a_number_that_a_measure_cannot_have_is_no_baseline() -> None:
    with pytest.raises(BadSetting, match=r"the baseline is 30, but AP lies between 0 and 1; for 30 % use 0\.3"):
        compare(evaluate(QRELS, RUN, "AP"), 30)
    assert compare(evaluate(QRELS, RUN, "DCG"), 30).rows[0].baseline_mean == 30


def test_people_and_machine_or_collections_on_two_scales_are_pointed_out() -> None:
    percent = {system: {unit: 100 * value for unit, value in values.items()} for system, values in HUMAN.items()}
    assert any("are some of them percentages" in note for note in estimate(percent, MACHINE).notes)
    assert not any("percentages" in note for note in estimate(HUMAN, MACHINE).notes)
    web = {system: [100 * value for value in values] for system, values in VALUES.items()}
    assert any("values of web from 10 to 90" in note for note in meta_analysis({"news": VALUES, "web": web}).notes)


def test_ranks_read_as_scores_are_pointed_out() -> None:
    ranks, scores = {"a": 1, "b": 2, "c": 3, "d": 4}, {"a": 0.9, "b": 0.8, "c": 0.7, "d": 0.6}
    (note,) = correlate(ranks, scores).notes
    assert note.startswith(
        "the numbers from 1 in 'first' are read as scores, the highest as the best; if they are ranks"
    )
    other = {"a": 2, "b": 1, "c": 3, "d": 4}
    assert not correlate(ranks, other, "tau-b").notes  # the same for ranks
    assert correlate(ranks, other, "tau-AP").notes
    assert not correlate(["a", "b", "c", "d"], scores).notes
