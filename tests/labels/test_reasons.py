"""What is undefined says why, and says what is so."""

from __future__ import annotations

import pytest

from cranfield import classify, regress
from cranfield.registry import families, parse

BOUNDLESS = "so that the ratio has no bound"


@pytest.mark.parametrize(
    ("actual", "predicted", "measure", "reason"),
    [
        ("110", "000", "F(beta=0)", "nothing was predicted positive"),
        ("000", "110", "F(alpha=0)", "nothing is positive"),
        ("000", "000", "F", "nothing is positive and nothing was predicted positive"),
        ("110", "100", "LR+", f"there are no false positives, {BOUNDLESS}"),
        ("110", "000", "LR+", "nothing was predicted positive"),  # 0/0, which has no bound either way
        ("000", "100", "LR+", "nothing is positive"),
        ("111", "100", "LR+", "nothing is negative"),
        ("110", "011", "LR-", f"there are no true negatives, {BOUNDLESS}"),
        ("110", "111", "LR-", "nothing was predicted negative"),
        ("1100", "1000", "DOR", f"there are no false positives, {BOUNDLESS}"),
        ("1100", "1110", "DOR", f"there are no false negatives, {BOUNDLESS}"),
        ("1100", "1111", "DOR", "nothing was predicted negative"),
        ("1100", "1111", "MCC", "nothing was predicted negative"),
        ("1100", "0000", "GMeasure", "nothing was predicted positive"),
        ("1100", "0011", "FGain", "there are no true positives"),
        ("1111", "0011", "FGain", "nothing is negative"),
        ("0000", "0011", "Lift", "nothing is positive"),
    ],
)
def test_answers(actual: str, predicted: str, measure: str, reason: str) -> None:
    given = classify([*map(int, actual)], [*map(int, predicted)])
    assert given.interval(measure).method == f"undefined: {reason}"


@pytest.mark.parametrize(
    ("measure", "reason"), [("PartialAUC(fallout=0)", "the fall-out is 0"), ("LiftAt(share=0)", "the share is 0")]
)
def test_scores(measure: str, reason: str) -> None:
    assert classify([1, 0, 1], score=[3, 1, 2]).interval(measure).method == f"undefined: {reason}"


def test_classes() -> None:
    assert (
        classify(list("aab"), list("aaa")).interval("MCC").method == "undefined: all items were predicted to be "
        "of one class"
    )
    assert classify(list("aaa"), list("aab")).interval("MCC").method == "undefined: all items are of one class"


def test_all_reasons_there_may_be_are_listed() -> None:
    known = families("binary")["LRplus"]
    assert known.undefined == f"{', '.join([*known.reasons][:-1])}, or {[*known.reasons][-1]}"


def test_a_bare_word_is_a_text() -> None:
    assert parse("Kappa(weights=quadratic)", "classes") == parse("Kappa(weights='quadratic')", "classes")
    assert parse("nDCG(gain=exp2)@10") == parse("nDCG(gain='exp2')@10")


def test_values() -> None:
    assert regress([1, 0], [1, 1]).interval("MAPE").method == "undefined: an actual value is 0"
    assert regress([2, 2], [1, 3]).interval("Correlation").method == "undefined: the actual values are all the same"
    assert regress([1, 3], [2, 2]).interval("Correlation").method == "undefined: the predicted values are all the same"
