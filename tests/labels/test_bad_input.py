"""Predictions that cannot be used: one clear error, with the row and the value."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from cranfield import classify, regress
from cranfield.errors import BadInput, BadSetting, CranfieldError


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: classify([1, 0, 1], [1, 0]), "predicted: there are 2 of them for 3 items; row 2 has no match"),
        (lambda: classify([1, 0, 1], score=[1, 0]), "score: there are 2 of them for 3 items; row 2 has no match"),
        (lambda: classify([1, 0], [1, 0], by=[1]), "group: there are 1 of them for 2 items"),
        (lambda: classify([1, 0], [1, 0], weight=[1]), "weight: there are 1 of them for 2 items"),
        (lambda: classify([1, 0], score=[0.5, float("nan")]), "row 1: score is missing"),
        (lambda: classify([1, 0], score=[0.5, None]), "row 1: score is missing"),
        (lambda: classify([1, 0], score=[0.5, float("inf")]), "row 1: score is inf, which is no finite number"),
        (lambda: classify([1, 0], score=["a", "b"]), "row 0: score 'a' is not a number"),
        (lambda: classify([1, 0], probability=[0.5, 1.5]), "row 1: probability is 1.5, which is not between 0 and 1"),
        (
            lambda: classify(["a", "b"], probability=np.array([[0.5, 0.5], [0.6, 0.6]])),
            "row 1: the probabilities add up to 1.2, not to 1",
        ),
        (
            lambda: classify(["a", "b"], probability=np.array([[0.5, 0.5], [-0.2, 1.2]])),
            "row 1: probability of 'a' is -0.2, which is not between 0 and 1",
        ),
        (
            lambda: classify(["a", "b", "c"], probability=np.full((3, 2), 0.5)),
            "predictions: there are 2 columns of probabilities for 3 classes",
        ),
        (
            lambda: classify(["a", "b", "c"], probability=[[0.5, 0.5, 0], [0.5, 0.5], [1, 0, 0]]),
            "row 1: there are 2 probabilities for 3 classes",
        ),
        (
            lambda: classify(["a", "x"], probability={"a": [1, 0], "b": [0, 1]}),
            "row 1: actual is 'x', which is none of the labels 'a', 'b'",
        ),
        (
            lambda: classify([1, 1], score=[1, 0]),
            "row 0: actual is 1, as in every row; scores need items of two classes",
        ),
        (
            lambda: classify(["P", "P"], score=[1, 0], labels=["N", "P"], positive="P"),
            "row 0: actual is 'P', as in every row; scores need items of two classes",
        ),
        (
            lambda: classify(["a", "b"], ["a", "c"], labels=["a", "b"]),
            "row 1: predicted is 'c', which is none of the labels 'a', 'b'",
        ),
        (lambda: classify(["a", "b"], [1, 2]), "both must be texts or both whole numbers"),
        (lambda: classify([1, None], [1, 0]), "row 1: actual is missing"),
        (lambda: classify([0.5, 1.0], [1, 0]), "row 0: actual is 0.5, which is no label; is it a score?"),
        (lambda: classify([], []), "there are no items"),
        (lambda: classify([1, 0], [1, 0], weight=[1, -2]), "row 1: weight is -2.0, which is negative"),
        (lambda: classify([1, 0], [1, 0], weight=[0, 0]), "the weights are all 0"),
        (lambda: classify(np.array([[1, 2]]), np.array([[1, 0]])), "row 0: actual of 1 is 2, neither 0 nor 1"),
        (lambda: classify("a", "b", data={"a": [1], "c": [1]}), "there is no column 'b'"),
        (lambda: classify(object(), [1]), "actual: cannot read a column from object"),
        (lambda: classify([1, 0], [1, 0], positive=3), "no item is of the positive class 3; there are 0, 1"),
        (lambda: classify(["a", "b"], ["a", "b"], labels=["a", "a"]), "a label is listed twice"),
        (lambda: classify([1, 0, 1], [1, 0, 0], item=["a", "b", "a"]), "row 2, item 'a': this item appears again"),
        (lambda: classify([1, 0], [1, 0], item=["a"]), "item: there are 1 of them for 2 items"),
        (lambda: classify([1, 0], score=[1, None], item=["a", "b"]), "row 1, item 'b': score is missing"),
        (lambda: regress([1, 2], [1]), "predicted: there are 1 of them for 2 items"),
        (lambda: regress([1, float("nan")], [1, 2]), "row 1: actual is missing"),
        (lambda: regress([], []), "there are no items"),
    ],
)
def test_what_is_wrong_is_said(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadInput) as error:
        call()
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: classify(["a", "b"], score=[1, 0]), "say which label is positive: positive='a' or positive='b'"),
        (lambda: classify(["a", "b", "c"], score=[1, 0, 2]), "there are 3 classes and one score an item"),
        (lambda: classify([1, 0], [1, 0]).choose("F1"), "a threshold is chosen where there is one score an item"),
        (lambda: regress([1], {"a": [1], "b": [2]}).of(), "say which system: one of 'a', 'b'"),
    ],
)
def test_what_must_be_said_is_asked_for(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadSetting) as error:
        call()
    assert said in str(error.value)


def test_every_error_is_one_of_ours() -> None:
    assert issubclass(BadInput, CranfieldError)
