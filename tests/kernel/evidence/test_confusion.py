"""Confusion matrices counted in every way, against pairs of labels counted one by one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence import confusion as module
from cranfield.evidence.confusion import Confused, Confusion, _outside, confusion, counted

WAYS = {  # rows at a time, classes with a table, how far from 0 a number may be
    "as it is": (1 << 15, 256, 1 << 48),
    "few rows at a time": (3, 256, 1 << 48),
    "no tables": (3, 0, 1 << 48),
    "numbers too far": (3, 256, 1),
}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """How rows are counted, which changes no count."""
    for name, value in zip(("_BLOCK", "_WIDE", "_FAR"), request.param, strict=True):
        monkeypatch.setattr(module, name, value)


def pairs_of(found: Confusion) -> dict[tuple[Any, Any], float]:
    """How often each pair of labels occurs."""
    cells = zip(found.row.tolist(), found.column.tolist(), found.count.tolist(), strict=True)
    return {(found.labels[row], found.labels[column]): count for row, column, count in cells}


@pytest.mark.parametrize(
    ("low", "high"), [(0, 1), (0, 2), (-3, 4), (250, 260), (-(1 << 50), -(1 << 50) + 3), (0, 1000)]
)
@pytest.mark.parametrize("kind", [np.int64, np.int16, np.uint64, np.uint8])
@pytest.mark.parametrize("n", [0, 1, 3, 50])
def test_whole_numbers_are_counted_as_pairs(way: None, low: int, high: int, kind: type, n: int) -> None:
    if not np.iinfo(kind).min <= low <= high <= np.iinfo(kind).max:
        return
    rng = np.random.default_rng(n)
    actual, predicted = (rng.integers(low, high, n, endpoint=True).astype(kind) for _ in range(2))
    found = confusion(actual, predicted)
    assert pairs_of(found) == Counter(zip(actual.tolist(), predicted.tolist(), strict=True))
    assert found.labels == tuple(sorted({*actual.tolist(), *predicted.tolist()}))
    assert found.total == n


@pytest.mark.parametrize("n_classes", [1, 2, 5, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_labels_in_words_are_counted_as_pairs(way: None, n_classes: int, weighted: bool) -> None:
    rng = np.random.default_rng(n_classes)
    actual, predicted = ([f"class {code}" for code in rng.integers(0, n_classes, 100)] for _ in range(2))
    weight = rng.integers(0, 4, 100) / 4
    wanted: Counter[tuple[str, str]] = Counter()
    for one, other, each in zip(actual, predicted, weight.tolist() if weighted else [1] * 100, strict=True):
        wanted[one, other] += each  # type: ignore[assignment]
    found = confusion(actual, predicted, weight=weight if weighted else None)
    assert pairs_of(found) == {pair: count for pair, count in wanted.items() if count}


@pytest.mark.parametrize("n_classes", [1, 3, 255, 256, 257])
def test_codes_are_counted_as_pairs(way: None, n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    actual, predicted = (rng.integers(0, n_classes, 400).astype(np.int32) for _ in range(2))
    found = counted(actual, predicted, tuple(range(n_classes)))
    assert pairs_of(found) == Counter(zip(actual.tolist(), predicted.tolist(), strict=True))
    assert found.labels == tuple(range(n_classes))


@pytest.mark.parametrize("kind", [np.uint64, np.int64, np.uint8, np.bool_])
@pytest.mark.parametrize("n", [0, 600])
@pytest.mark.parametrize("wrap", [np.asarray, pa.array])
def test_labels_of_any_type_of_whole_number_may_have_weights(kind: type, n: int, wrap: Any) -> None:
    rng = np.random.default_rng(1)
    actual, predicted = (rng.integers(0, 2 if kind is np.bool_ else 250, n).astype(kind) for _ in range(2))
    found = confusion(wrap(actual), wrap(predicted), weight=np.full(n, 0.5))
    wanted = Counter(zip(actual.tolist(), predicted.tolist(), strict=True))
    assert pairs_of(found) == {pair: times / 2 for pair, times in wanted.items()}


def test_classes_that_were_named_stay_though_they_do_not_occur() -> None:
    found = confusion(["a", "b"], ["b", "b"], labels=["c", "b", "a"])
    assert found.labels == ("c", "b", "a")
    assert found.counts.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    weighted = confusion(["a", "b"], ["b", "b"], labels=["c", "b", "a"], weight=np.array([0.5, 0.0]))
    assert (weighted.labels, pairs_of(weighted)) == (("c", "b", "a"), {("a", "b"): 0.5})
    assert confusion(["a", "b"], ["b", "b"], weight=np.array([0.0, 2.0])).labels == ("b",)


def test_columns_of_different_lengths_are_refused() -> None:
    for convert in (list, np.array):
        with pytest.raises(BadInput, match="got 3 actual but 2 predicted labels"):
            confusion(convert([1, 2, 3]), convert([1, 2]))


def test_counts_are_added_over_the_classes_of_both() -> None:
    one, other = confusion(["a", "b", "b"], ["b", "b", "b"]), confusion(["c", "a", "b"], ["a", "b", "b"])
    both = one + other
    assert both.labels == ("a", "b", "c")
    assert pairs_of(both) == {("a", "b"): 2, ("b", "b"): 3, ("c", "a"): 1}
    assert both.count.dtype == one.count.dtype


MATRIX = np.array([[5, 2, 0, 0], [1, 7, 3, 0], [0, 3, 1, 2], [0, 0, 0, 0]])
LABELS = ("ant", "bee", "cat", "dog")


def test_what_a_matrix_says_of_its_classes() -> None:
    found = Confusion.of(LABELS, MATRIX)
    assert found.counts.tolist() == MATRIX.tolist()
    assert found.actual.tolist() == [7, 11, 6, 0]
    assert found.predicted.tolist() == [6, 12, 4, 2]
    assert found.right.tolist() == [5, 7, 1, 0]
    assert found.actual.dtype == np.int64
    assert pairs_of(found.collapsed("bee")) == {
        ("not bee", "not bee"): 8,
        ("not bee", "bee"): 5,
        ("bee", "not bee"): 4,
        ("bee", "bee"): 7,
    }
    assert found.place("cat") == 2
    with pytest.raises(BadSetting, match="there is no class 'eel'; the classes are 'ant', 'bee', 'cat', 'dog'"):
        found.place("eel")


def test_classes_are_chosen_and_put_in_order() -> None:
    found = Confusion.of(LABELS, MATRIX)
    assert found.largest(2).tolist() == [0, 1]
    assert found.largest(3).tolist() == [0, 1, 2]
    assert found.within(np.array([2, 0])).counts.tolist() == [[1, 0], [0, 5]]
    assert found.within(np.array([2, 1])).labels == ("cat", "bee")
    wide = found.widened(("eel", *LABELS[::-1]))
    assert wide.counts[1:, 1:].tolist() == MATRIX[::-1, ::-1].tolist()
    assert wide.counts[0].sum() + wide.counts[:, 0].sum() == 0
    with pytest.raises(BadSetting, match="the class 'bee' occurs but is not one of 'ant', 'cat', 'dog'"):
        found.widened(("ant", "cat", "dog"))


def test_pairs_that_were_mistaken_most_often_come_first() -> None:
    found = Confusion.of(LABELS, MATRIX)
    assert found.most_confused() == [
        Confused("bee", "cat", 3, 3 / 11),
        Confused("cat", "bee", 3, 3 / 6),
        Confused("ant", "bee", 2, 2 / 7),
        Confused("cat", "dog", 2, 2 / 6),
        Confused("bee", "ant", 1, 1 / 11),
    ]
    assert found.most_confused(1) == [Confused("bee", "cat", 3, 3 / 11)]
    many = Confusion.of(tuple(range(5)), np.ones((5, 5), np.int64))
    assert len(many.most_confused()) == 10
    assert len(many.most_confused(20)) == 20


def test_classes_that_are_often_confused_stand_side_by_side() -> None:
    counts = np.diag([10] * 6)
    for one, other in ((0, 3), (3, 5), (1, 4), (4, 2)):  # two chains
        counts[one, other] = counts[other, one] = 5
    order = Confusion.of(tuple("abcdef"), counts).seriated_order.tolist()
    place = {code: order.index(code) for code in range(6)}
    assert all(abs(place[one] - place[other]) == 1 for one, other in ((0, 3), (3, 5), (1, 4), (4, 2)))
    assert Confusion.of(tuple("abcdef"), counts).seriated.labels == tuple("abcdef"[code] for code in order)
    assert Confusion.of(("b", "a"), np.array([[0, 9], [9, 0]])).seriated_order.tolist() == [0, 1]
    three = Confusion.of(tuple("abc"), np.array([[5, 0, 5], [0, 9, 0], [5, 0, 5]])).seriated_order.tolist()
    assert abs(three.index(0) - three.index(2)) == 1


def test_numbers_between_whole_ones_are_no_labels_beside_whole_ones() -> None:
    with pytest.raises(BadInput, match=r"predicted is 1\.5, which is not a label; is it a score\?"):
        confusion(np.array([0, 1, 1]), np.array([0.0, 1.5, 1.0]))
    with pytest.raises(BadInput, match=r"actual is 1\.5, which is not a label; is it a score\?"):
        confusion(np.array([0.0, 1.5, 1.0]), np.array([0, 1, 1]))


@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5, 8, 9])
def test_weights_outside_a_class_are_those_of_the_pairs_that_do_not_include_it(n_classes: int) -> None:
    rng = np.random.default_rng(n_classes)
    low, high = np.sort(rng.integers(0, n_classes, (2, 20)), axis=0)
    weight = rng.random(20)
    expected = [weight[(low != label) & (high != label)].sum() for label in range(n_classes)]
    assert _outside(low, high, weight, n_classes) == pytest.approx(expected)
    assert _outside(low[:0], high[:0], weight[:0], n_classes).tolist() == [0] * n_classes
