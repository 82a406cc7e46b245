"""Ratings and what is made of them, against tables gone through one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from counted_ratings import from_counts, from_table, of_topic
from cranfield.errors import BadInput
from cranfield.evidence import ratings as module
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.tables.ratings import Rated

GAP = -1
TABLE = [  # topic, and the category that each of three raters chose
    ("t1", (0, 0, 1)),
    ("t1", (0, 0, 1)),
    ("t1", (2, GAP, 2)),
    ("t2", (1, 1, 1)),
    ("t2", (GAP, GAP, 0)),
    ("t2", (0, 0, 1)),
    ("t1", (0, 0, 1)),
]
CATEGORIES, RATERS, UNITS = (1.0, 2.0, 4.0), ("ann", "bob", "cid"), ("t1", "t2")


def built(table: list[tuple[str, tuple[int, ...]]] = TABLE) -> Ratings:
    rows = [(i, r, c) for i, (_, row) in enumerate(table) for r, c in enumerate(row) if c != GAP]
    item, rater, category = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    unit = np.array([UNITS.index(topic) for topic, _ in table], np.int64)
    weight = np.arange(1.0, len(table) + 1)
    return Ratings(CATEGORIES, True, RATERS, UNITS, unit, weight, item, rater, category)


def test_what_is_counted_of_the_items() -> None:
    made = built()
    assert made.n_ratings.tolist() == [sum(c != GAP for c in row) for _, row in TABLE]
    assert made.pairable.tolist() == [sum(c != GAP for c in row) > 1 for _, row in TABLE]
    assert made.counts().tolist() == [[row.count(c) for c in range(3)] for _, row in TABLE]
    assert made.by_rater.tolist() == [list(row) for _, row in TABLE]
    assert made.pairs == [(0, 1), (0, 2), (1, 2)]
    item, category, count = made.cells
    wanted = [(i, c, row.count(c)) for i, (_, row) in enumerate(TABLE) for c in range(3) if row.count(c)]
    assert list(zip(item.tolist(), category.tolist(), count.tolist(), strict=True)) == wanted


def test_what_is_counted_of_the_topics() -> None:
    made, weight = built(), range(1, 8)
    value = np.arange(7.0) ** 2
    by_topic = {t: [i for i, (topic, _) in enumerate(TABLE) if topic == t] for t in UNITS}
    assert made.sum(value).tolist() == [sum(value[i] * weight[i] for i in rows) for rows in by_topic.values()]
    assert made.category_totals(value).tolist() == [
        [sum(value[i] * weight[i] * TABLE[i][1].count(c) for i in rows) for c in range(3)] for rows in by_topic.values()
    ]
    assert made.n_items().tolist() == [sum(weight[i] for i in (0, 1, 2, 6)), sum(weight[i] for i in (3, 5))]
    agreeing = [sum(row.count(c) * (row.count(c) - 1) for c in range(3)) for _, row in TABLE]
    pairs = [n * (n - 1) for n in (sum(c != GAP for c in row) for _, row in TABLE)]
    wanted = [
        sum(weight[i] * agreeing[i] / pairs[i] for i in rows if pairs[i]) / sum(weight[i] for i in rows if pairs[i])
        for rows in by_topic.values()
    ]
    assert made.observed.tolist() == pytest.approx(wanted)
    last = made.by_rater[:, 2]
    assert made.chosen(last, last != 1).tolist() == [
        [sum(weight[i] for i in rows if last[i] == c != 1) for c in range(3)] for rows in by_topic.values()
    ]


def test_two_raters_keep_the_items_that_either_rated() -> None:
    two = built().between(0, 2)
    assert two.raters == ("ann", "cid")
    kept = [(at, [row[0], row[2]]) for at, (_, row) in enumerate(TABLE, 1) if (row[0], row[2]) != (GAP, GAP)]
    assert two.by_rater.tolist() == [pair for _, pair in kept]
    assert two.weight.tolist() == [at for at, _ in kept]
    assert built().between(2, 0).by_rater.tolist() == [row[::-1] for row in two.by_rater.tolist()]


def test_topics_are_taken_one_by_one() -> None:
    one, other = (of_topic(built(), topic) for topic in range(2))
    assert (one.units, other.units) == (("t1",), ("t2",))
    for part, topic in ((one, "t1"), (other, "t2")):
        assert part.by_rater.tolist() == [list(row) for name, row in TABLE if name == topic]
        assert part.weight.tolist() == [i for i, (name, _) in enumerate(TABLE, 1) if name == topic]
        assert part.unit.tolist() == [0] * len(part.weight)
    assert (built().pooled.units, built().pooled.unit.tolist()) == (("all",), [0] * 7)


def test_topics_of_other_ratings_come_after() -> None:
    one, other = built(), built(TABLE[::-1])
    both = one + other
    assert both.by_rater.tolist() == one.by_rater.tolist() + other.by_rater.tolist()
    assert both.unit.tolist() == one.unit.tolist() + [unit + 2 for unit in other.unit.tolist()]
    assert both.weight.tolist() == [*range(1, 8), *range(1, 8)]
    for odd in (one.on_scale((1.0, 2.0, 4.0, 5.0)), one.between(0, 1)):
        with pytest.raises(BadInput, match="ratings with different categories or raters cannot be added"):
            _ = one + odd


def test_weights_say_how_often_items_count() -> None:
    made, weights = built(), np.array([[1.0, 0, 2, 1, 1, 0, 3], [0.0, 1, 1, 1, 2, 2, 0]])
    many = made.reweighted(weights)
    assert many.units == UNITS * 2
    for n, unit in ((0, 0), (0, 1), (1, 0), (1, 1)):
        part = of_topic(many, 2 * n + unit)
        inside = made.unit == unit
        assert part.by_rater.tolist() == made.by_rater[inside].tolist()
        assert part.weight.tolist() == weights[n][inside].tolist()
    fresh = replace(many)  # without what is known beforehand
    for name in ("n_ratings", "by_rater"):
        assert np.array_equal(getattr(many, name), getattr(fresh, name))
    assert all(map(np.array_equal, many.cells, fresh.cells))


@pytest.mark.parametrize("known", [True, False], ids=["raters", "no raters"])
def test_items_that_were_rated_alike_are_put_together(known: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    made = built() if known else from_counts(built().counts())
    few = made.condensed_items
    weight, first = ([10, 3, 4, 5, 6], [0, 2, 3, 4, 5]) if known else ([4, 1, 1, 1], [0, 2, 3, 4])
    assert few.weight.tolist() == weight
    assert few.counts().tolist() == made.counts()[first].tolist()
    assert few.sum(few.n_ratings).tolist() == made.sum(made.n_ratings).tolist()
    for most, same in ((3, False), (2, True)):
        monkeypatch.setattr(module, "_MANY", most)
        again = built() if known else from_counts(built().counts())
        assert (again.condensed_items is again) is same


def test_scales_and_what_is_not_used_of_them() -> None:
    made = built()
    assert (made.numeric, made.unused, made.skipped) == (True, (), (3.0,))
    assert made.scale.tolist() == [1, 2, 4]
    wide = made.on_scale((0.0, 1.0, 2.0, 3.0, 4.0))
    assert (wide.unused, wide.skipped) == ((0.0, 3.0), ())
    assert wide.counts()[:, [1, 2, 4]].tolist() == made.counts().tolist()
    words = from_table([[1, 2], [3, 4]], categories=("low", "high"))
    assert (words.numeric, words.skipped, words.ordered) == (False, (), False)
    halves = from_table([[1, 2], [3, 4]], categories=(1.0, 2.5))
    assert (halves.skipped, halves.ordered) == ((), True)
    assert from_table([[1, 2], [3, 4]], categories=(4.0, 1.0)).skipped == ()
    assert from_table([[1, 2], [3, 4]], categories=(0.0, 64.0)).skipped == tuple(map(float, range(1, 64)))
    assert from_table([[1, 2], [3, 4]], categories=(0.0, 65.0)).skipped == ()


def test_texts_without_an_order_have_no_scale() -> None:
    words = from_table([[1, 2], [3, 4]], categories=("low", "high"))
    with pytest.raises(BadInput, match="the categories low, high are texts without an order"):
        _ = words.scale
    with pytest.raises(BadInput, match=r"the level ratio needs non-negative numbers .* the categories are low, high"):
        words.require_amounts()
    with pytest.raises(BadInput, match=r"the categories are -1, 2.5"):
        from_table([[1, 2], [3, 4]], categories=(-1.0, 2.5)).require_amounts()
    from_table([[1, 2], [3, 4]], categories=(0.0, 2.5)).require_amounts()
    many = tuple(map(float, range(-1, 9)))
    with pytest.raises(BadInput, match=r"are -1, 0, 1, 2, 3, 4, 5, 6$"):
        from_counts(np.eye(10), categories=many).require_amounts()


def test_ratings_from_tables_of_counts() -> None:
    counts = from_counts([[2, 0, 1], [0, 3, 0]])
    assert (counts.categories, counts.ordered, counts.raters, counts.units) == ((0.0, 1.0, 2.0), True, (), ("all",))
    assert counts.counts().tolist() == [[2, 0, 1], [0, 3, 0]]
    assert (counts.weight.tolist(), counts.unit.tolist(), counts.rater.tolist()) == ([1, 1], [0, 0], [-1] * 6)
    assert from_counts([[1, 2]], categories=("a", "b")).ordered is False
    assert from_counts([[1, 2]], categories=(1.0, 2.0)).ordered is True
    two = from_table([[5, 0], [2, 3]])
    assert (two.categories, two.ordered, two.raters) == ((0.0, 1.0), True, ("first", "second"))
    assert (two.by_rater.tolist(), two.weight.tolist()) == ([[0, 0], [1, 0], [1, 1]], [5, 2, 3])
    assert (two.units, two.unit.tolist()) == (("all",), [0, 0, 0])


def test_ratings_from_rows() -> None:
    one = built()
    given = Rated(
        categories=one.categories,
        ordered=True,
        raters=RATERS,
        units=UNITS,
        names=np.arange(7),
        unit=one.unit,
        item=one.item,
        rater=one.rater,
        category=one.category,
    )
    assert ratings(given).by_rater.tolist() == one.by_rater.tolist()
    assert ratings(given).weight.tolist() == [1] * 7
