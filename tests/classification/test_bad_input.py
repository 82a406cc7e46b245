"""Predictions that cannot be used: one clear error, with the row and the value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from cranfield import classify, regress
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldError
from cranfield.evidence.confusion import confusion


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: classify([1, 0, 1], [1, 0]), "predicted: 2 values for 3 items; row 2 has no counterpart"),
        (lambda: classify([1, 0, 1], score=[1, 0]), "score: 2 values for 3 items; row 2 has no counterpart"),
        (lambda: classify([1, 0], [1, 0], by=[1]), "group: 1 values for 2 items"),
        (lambda: classify([1, 0], [1, 0], weight=[1]), "weight: 1 values for 2 items"),
        (lambda: classify([1, 0], score=[0.5, float("nan")]), "row 1: score is missing"),
        (lambda: classify([1, 0], score=[0.5, None]), "row 1: score is missing"),
        (lambda: classify([1, 0], score=[0.5, float("inf")]), "row 1: score is inf, which is not a finite number"),
        (lambda: classify([1, 0], score=["a", "b"]), "row 0: score 'a' is not a number"),
        (lambda: classify([1, 0], probability=[0.5, 1.5]), "row 1: probability is 1.5, which is not between 0 and 1"),
        (
            lambda: classify(["a", "b"], probability=np.array([[0.5, 0.5], [0.6, 0.6]])),
            "row 1: the probabilities add up to 1.2, not to 1 (allowed: 0.0005 per class, here 0.001, for rounding)",
        ),
        (
            lambda: classify(["a", "b"], probability=np.array([[0.5, 0.5], [-0.2, 1.2]])),
            "row 1: probability of 'a' is -0.2, which is not between 0 and 1",
        ),
        (
            lambda: classify(["a", "b", "c"], probability=np.full((3, 2), 0.5)),
            "predictions: got 2 columns",
        ),
        (
            lambda: classify(["a", "b", "c"], probability=[[0.5, 0.5, 0], [0.5, 0.5], [1, 0, 0]]),
            "row 1: got 2 columns, each the probability of a class, for 3 classes",
        ),
        (
            lambda: classify(["a", "x"], probability={"a": [1, 0], "b": [0, 1]}),
            "row 1: actual is 'x', for which there is no column; there is one for each of 'a', 'b'",
        ),
        (
            lambda: classify(["a", "b", "a"], score=np.ones((3, 2))),
            "got two scores per item, one for each of two classes; pass one score per item, such as their",
        ),
        (
            lambda: classify([1, 0, 1], score=[1, 2, 3], weight=[0, 0, 1]),
            "row 2: actual is 1, as in every row that has a weight; scores need items of two classes",
        ),
        (
            lambda: classify(["b", "c", "b"], score=[1, 2, 3], labels=["a", "b", "c"], positive="a"),
            "no item is 'a', the positive class; scores need items of two classes",
        ),
        (
            lambda: classify([1, 1], score=[1, 0]),
            "row 0: actual is 1, as in every row; scores need items of two classes",
        ),
        (
            lambda: classify(["P", "P"], score=[1, 0], labels=["N", "P"], positive="P", measures="AUC"),
            "row 0: actual is 'P', as in every row; scores need items of two classes",
        ),
        (
            lambda: classify(["a", "b"], ["a", "c"], labels=["a", "b"]),
            "row 1: predicted is 'c', which is not one of the labels 'a', 'b'",
        ),
        (lambda: classify(["a", "b"], [1, 2]), "both must be text or both integers"),
        (lambda: classify([1, None], [1, 0]), "row 1: actual is missing"),
        (lambda: classify([0.5, 1.0], [1, 0]), "row 0: actual is 0.5, which is not a label; is it a score?"),
        (lambda: classify([], []), "there are no items"),
        (lambda: classify([1, 0], [1, 0], weight=[1, -2]), "row 1: weight is -2.0, which is negative"),
        (lambda: classify([1, 0], [1, 0], weight=[0, 0]), "the weights are all 0"),
        (lambda: classify(np.array([[1, 2]]), np.array([[1, 0]])), "row 0: actual of 1 is 2, neither 0 nor 1"),
        (lambda: classify("a", "b", data={"a": [1], "c": [1]}), "there is no column 'b'"),
        (lambda: classify(object(), [1]), "actual: cannot read a column from object"),
        (lambda: classify([1, 0], [1, 0], positive=3), "no item belongs to the positive class 3; the classes are 0, 1"),
        (lambda: classify(["a", "b"], ["a", "b"], labels=["a", "a"]), "duplicate label"),
        (lambda: classify([1, 0, 1], [1, 0, 0], item=["a", "b", "a"]), "row 2, item 'a': duplicate item"),
        (lambda: classify([1, 0], [1, 0], item=["a"]), "item: 1 values for 2 items"),
        (lambda: classify([1, 0], score=[1, None], item=["a", "b"]), "row 1, item 'b': score is missing"),
        (lambda: classify(["a", 1], ["a", "b"]), "row 1: actual is 1, but 'a' before it"),
        (lambda: classify([1, 0], [1, 0], weight=[1, float("nan")]), "row 1: weight is missing"),
        (lambda: classify([1, 0], [1, 0], weight=[1, 1e200]), "row 1: weight 1e+200 is too extreme"),
        (lambda: classify([{"a"}, {"b"}], ["a", "b"]), "predicted: every item needs a set of labels"),
        (
            lambda: classify([["a", "b"], ["b"]], [["a"], ["b"]], labels=["a"]),
            "row 0: actual is 'b', which is not one of the labels 'a'",
        ),
        (lambda: classify([["a"], ["b", None]], [["a"], ["b"]]), "row 1: actual is missing"),
        (
            lambda: classify(["a", "b", "a"], probability=np.array([[1, 0], [0, 1]])),
            "probability: 2 values for 3 items; row 2 has no counterpart",
        ),
        (lambda: regress([1, 2], [3, "a"]), "row 1: predicted 'a' is not a number"),
        (lambda: regress([1, 2], [1]), "predicted: 1 values for 2 items"),
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
        (lambda: classify(["a", "b"], score=[1, 0]), "choose the positive class, 'a' or 'b', with positive="),
        (lambda: classify([1, 0], score=[1, 0], measures="Brier"), "needs probabilities; pass them as probability="),
        (lambda: classify([1, 2, 3], [1, 2, 2], invert=True), "only labels of two classes, one of them positive"),
        (lambda: classify([1, 0], [1, 0]).interval("F(beta=2, alpha=0.5)"), "F takes beta or alpha"),
        (lambda: classify([1, 0], score=[1, 0], threshold="1"), "threshold must be a number"),  # type: ignore[arg-type]
        (lambda: confusion(["a", "b"], ["a", "b"]).widened(["a"]), "the class 'b' occurs but is not one of 'a'"),
        (lambda: classify(["a", "b", "c"], score=[1, 0, 2]), "there are 3 classes but one score per item"),
        (lambda: classify([1, 0], [1, 0]).choose("F1"), "choosing a threshold needs one score per item"),
        (
            lambda: classify([1, 0], score=[1, 0]).choose("Recall where Specificity > 2").threshold,
            "no threshold satisfies Recall where Specificity > 2; Specificity is at most 1",
        ),
        (
            lambda: classify([1, 0], score=[1, 0]).choose("Recall where Specificity > 2").intervals(resamples=3),
            "no resample has a threshold that satisfies",
        ),
        (
            lambda: classify([1, 0], score=[1, 0], goal="Recall where Recall > 1.2.3"),
            "'Recall > 1.2.3' is not a constraint",
        ),
        (lambda: classify([1, 0], score=[1, 0], goal=3), "a goal is required"),  # type: ignore[arg-type]
        (lambda: classify([1, 0], score=[1, 0], goal=""), "a goal is required"),
        (lambda: classify(["a", "b"], ["a", "b"], separator=""), "separator must not be empty"),
        (
            lambda: classify([1, 0], [1, 0]).interval("Accuracy", confidence=95),
            "the confidence must lie between 0 and 1",
        ),
        (lambda: classify([1, 0], [1, 0]).interval("F1", resamples=0), "the number of resamples must be"),
        (
            lambda: classify([1, 0], [1, 0]).interval("F1", method="exact"),  # type: ignore[arg-type]
            "method must be one of 'auto', 'delong', 'logit', not 'exact'",
        ),
        (lambda: regress([1], {"a": [1], "b": [2]}).of(), "choose a system: one of 'a', 'b'"),
    ],
)
def test_what_must_be_said_is_asked_for(call: Callable[[], object], said: str) -> None:
    with pytest.raises(BadSetting) as error:
        call()
    assert said in str(error.value)


FILES = {
    "empty": ("", [], "f.csv: the file is empty", 1),
    "header only": ("y,s\n", [], "f.csv: there is a header but no rows", 1),
    "no such column": ("y,t\n1,2\n0,1\n", [], "f.csv: there is no column 's' (available: 'y', 't')", 1),
    "text": ("y,s\n1,0.9\n0,abc\n", [], "f.csv, line 3: score 'abc' is not a number", 1),
    "nothing": ("y,s\n1,0.9\n0,\n", [], "f.csv, line 3: score is missing", 1),
    "infinite": ("y,s\n1,0.9\n0,inf\n", [], "f.csv, line 3: score is inf, which is not a finite number", 1),
    "one class": ("y,s\n1,0.9\n1,0.1\n", [], "f.csv, line 2: actual is 1, as in every row", 1),
    "columns of one name": ("y,s,s\n1,2,3\n0,1,1\n", [], "f.csv: duplicate column 's'", 1),
    "a field too many": ("y,s\n1,0.9\n0,0.1,7\n", [], "f.csv, line 3: 3 fields, but the header has 2", 1),
    "no JSON": ('{"y": 1, "s": 2}\n{"y": 0, "s": }\n', [], "f.csv, line 2: this is not JSON", 1),
    "values of two kinds": (
        '{"y": [1], "s": 2}\n\n{"y": 0, "s": 1}\n', [], "f.csv, line 3: y is 0, but [1] before it; all must", 1,
    ),
    "a label of too many digits": (
        f"y,s\n1,2\n{'7' * 5000},1\n", [], "f.csv, line 3: actual is 7777", 1,
    ),
    "a positive label of too many digits": (
        "y,s\n1,2\n0,1\n", ["--positive", "7" * 5000], "no item belongs to the positive class '7777", 1,
    ),
    "no object": ('{"y": 1, "s": 2}\n[3]\n', [], "f.csv, line 2: every line must be a JSON object", 1),
    "not UTF-8": ("y,s\nca\xe9,1\nb,2\n", [], "f.csv, line 2: y is b'ca\\xe9', which is not UTF-8", 1),
    "negative weight": ("y,s,w\n1,2,1\n0,1,-1\n", ["--weight", "w"], "f.csv, line 3: weight is -1.0", 1),
    "item twice": ("y,s,i\n1,2,u\n0,1,u\n", ["--item", "i"], "duplicate item (first at f.csv, line 2)", 1),
    "no such positive": ("y,s\n1,2\n0,1\n", ["--positive", "7"], "no item belongs to the positive class 7", 1),
    "goal misspelt": ("y,s\n1,2\n0,1\n", ["--goal", "Acuracy"], "did you mean Accuracy", 2),
    "goal out of reach": (
        "y,s\n1,2\n0,1\n", ["--goal", "Recall where Specificity > 2"], "Specificity is at most 1", 2,
    ),
    "class twice": ("y,s\n1,2\n0,1\n", ["--probability", "0=s", "--probability", "0=y"], "given for class '0'", 2),
}  # fmt: skip


@pytest.mark.parametrize(("content", "options", "said", "code"), FILES.values(), ids=FILES)
def test_the_command_says_it_in_one_line(
    content: str,
    options: list[str],
    said: str,
    code: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f.csv").write_bytes(content.encode("latin-1"))
    assert main(["classify", "f.csv", "--actual", "y", "--score", "s", *options]) == code
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_a_label_that_is_a_number_beyond_all_numbers_is_a_label() -> None:
    huge = f"1e{10**19}"
    assert classify([huge, "a", "b"], ["a", "a", huge]).of().labels == (huge, "a", "b")


def test_every_error_is_one_of_ours() -> None:
    assert issubclass(BadInput, CranfieldError)
