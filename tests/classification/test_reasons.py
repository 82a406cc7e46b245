"""What is undefined says why, and says what is so."""

from __future__ import annotations

import pytest

from cranfield import classify, regress
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations

BOUNDLESS = "so the ratio is infinite"


@pytest.mark.parametrize(
    ("actual", "predicted", "measure", "reason"),
    [
        ("110", "000", "F(beta=0)", "nothing was predicted positive"),
        ("000", "110", "F(alpha=0)", "there are no positives"),
        ("000", "000", "F", "there are neither positives nor predicted positives"),
        ("110", "100", "LR+", f"there are no false positives, {BOUNDLESS}"),
        ("110", "000", "LR+", "nothing was predicted positive"),  # 0/0, which has no bound either way
        ("000", "100", "LR+", "there are no positives"),
        ("111", "100", "LR+", "there are no negatives"),
        ("110", "011", "LR-", f"there are no true negatives, {BOUNDLESS}"),
        ("110", "111", "LR-", "nothing was predicted negative"),
        ("1100", "1000", "DOR", f"there are no false positives, {BOUNDLESS}"),
        ("1100", "1110", "DOR", f"there are no false negatives, {BOUNDLESS}"),
        ("1100", "1111", "DOR", "nothing was predicted negative"),
        ("1100", "1111", "MCC", "nothing was predicted negative"),
        ("1100", "0000", "GMeasure", "nothing was predicted positive"),
        ("1100", "0011", "FGain", "there are no true positives"),
        ("1111", "0011", "FGain", "there are no negatives"),
        ("0000", "0011", "Lift", "there are no positives"),
    ],
)
def test_answers(actual: str, predicted: str, measure: str, reason: str) -> None:
    given = classify([*map(int, actual)], [*map(int, predicted)])
    assert given.interval(measure).method == f"undefined: {reason}"


@pytest.mark.parametrize(
    ("measure", "reason"),
    [("PartialAUC(fallout=0)", "the false positive rate is 0"), ("LiftAt(proportion=0)", "the proportion is 0")],
)
def test_scores(measure: str, reason: str) -> None:
    assert classify([1, 0, 1], score=[3, 1, 2]).interval(measure).method == f"undefined: {reason}"


def test_classes() -> None:
    one_predicted = classify(list("aab"), list("aaa"), measures="MCC").interval("MCC")
    assert one_predicted.method == "undefined: all items were predicted to belong to one class"
    one_class = classify(list("aaa"), list("aab"), measures="MCC").interval("MCC")
    assert one_class.method == "undefined: all items belong to one class"


def test_all_reasons_there_may_be_are_listed() -> None:
    known = declarations("binary")["LRplus"]
    assert known.undefined == f"{', '.join([*known.reasons][:-1])}, or {[*known.reasons][-1]}"


def test_a_bare_word_is_a_text() -> None:
    assert parse("Kappa(weights=quadratic)", "classes") == parse("Kappa(weights='quadratic')", "classes")
    assert parse("nDCG(gain=exp2)@10") == parse("nDCG(gain='exp2')@10")


def test_values() -> None:
    assert regress([1, 0], [1, 1]).interval("MAPE").method == "undefined: an actual value is 0"
    assert regress([2, 2], [1, 3]).interval("Correlation").method == "undefined: all actual values are equal"
    assert regress([1, 3], [2, 2]).interval("Correlation").method == "undefined: all predicted values are equal"
