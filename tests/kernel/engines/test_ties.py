"""Ties: the expected value over all orders of the tied documents."""

from itertools import permutations

import numpy as np
import pytest

from cranfield.engines.expected_ties import expected, expected_micro
from cranfield.evidence.hits import Hits, sum_of
from cranfield.evidence.possible_orders import n_orders
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from pictures import ranked

# a query is a list of groups of tied documents: + relevant, 2 of grade 2, - judged not relevant, ? unjudged
PICTURES = [
    ["+?-"],
    ["-", "+2?-", "+"],
    ["2+", "-?+", "?"],
    ["+-", "++", "-"],
    ["?", "?-"],
    ["--2++"],
]
GRADE = {"+": 1.0, "2": 2.0, "-": 0.0}


def one_order(groups, missed=(1.0,)):
    """The hits of a query whose groups stand as they are written."""
    documents = [mark for group in groups for mark in group]
    rows = [(rank, GRADE[mark]) for rank, mark in enumerate(documents, 1) if mark != "?"]
    start = np.cumsum([0] + [len(group) for group in groups])
    tie = [int(start[g]) + 1 for g, group in enumerate(groups) for mark in group if mark != "?"]
    tied = [len(group) for group in groups for mark in group if mark != "?"]
    pool = sorted([grade for _, grade in rows] + list(missed), reverse=True)
    return Hits(
        queries=(b"q",),
        n_retrieved=np.array([len(documents)]),
        unit=np.zeros(len(rows), np.int64),
        rank=np.array([rank for rank, _ in rows], np.int64),
        grade=np.array([grade for _, grade in rows]),
        pool_unit=np.zeros(len(pool), np.int64),
        pool_grade=np.array(pool),
        tie_start=np.array(tie, np.int64),
        tie_size=np.array(tied, np.int64),
        size=np.ones(1, np.int64),
    )


def every_order(groups):
    """The hits of every order of the tied documents, one by one."""
    if not groups:
        return [[]]
    return [["".join(first), *rest] for first in permutations(groups[0]) for rest in every_order(groups[1:])]


def catalogue():
    given = {"recall": 0.5, "collection": 50}
    for declared in declarations().values():
        if declared.evidence is Hits:
            settings = declared.settings.items()
            needed = {name: given.get(name, 3) for name, one in settings if one.required or one.default == "judgments"}
            yield Measure(declared.name)(**needed)
            if "k" in declared.settings and "k" not in needed:
                yield Measure(declared.name)(k=2, **needed)
                yield Measure(declared.name)(k=3, **needed)


@pytest.mark.parametrize("measure", list(catalogue()), ids=str)
@pytest.mark.parametrize("groups", PICTURES, ids="|".join)
def test_the_expected_value_is_the_mean_over_all_orders(measure, groups):
    mean = np.mean(measure.values(sum_of([one_order(order) for order in every_order(groups)])))
    values, n_estimated = expected(measure, one_order(groups))
    assert n_estimated == 0
    np.testing.assert_allclose(values[0], mean, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "RR@10", "P@10"])
@pytest.mark.parametrize("unjudged", ["skip", 0, 2])
def test_the_expected_value_respects_what_unjudged_documents_count_as(measure, unjudged):
    groups = ["+?-", "2?"]
    wanted = parse(measure)(unjudged=unjudged)
    mean = np.mean([wanted.values(one_order(order)) for order in every_order(groups)])
    np.testing.assert_allclose(expected(wanted, one_order(groups)).values[0], mean, rtol=1e-12)


def test_a_scorer_that_says_nothing_gets_what_chance_gets():
    hits = one_order(["+" * 10 + "?" * 990], missed=())
    assert expected(parse("P@10"), hits).values[0] == pytest.approx(10 / 1000)
    assert expected(parse("Success@10"), hits).values[0] == pytest.approx(
        1 - np.prod([(990 - i) / (1000 - i) for i in range(10)])
    )


def test_too_many_orders_are_drawn_with_the_seed_and_said():
    hits = one_order(["+" * 5 + "-" * 20 + "2" * 5])
    first = expected(parse("ERR@10"), hits, limit=200, seed=1)
    again = expected(parse("ERR@10"), hits, limit=200, seed=1)
    other = expected(parse("ERR@10"), hits, limit=200, seed=2)
    assert first.n_estimated == 1
    assert first.values == again.values
    assert first.values != other.values
    assert first.values[0] == pytest.approx(other.values[0], rel=0.2)


@pytest.mark.parametrize("measure", ["P@2", "R@2", "F@2", "Dice@2", "P", "Jaccard"])
def test_the_expected_micro_average_is_the_mean_over_all_orders(measure):
    first, second = ["+?-", "2?"], ["-", "2?+"]
    pairs = [(a, b) for a in every_order(first) for b in every_order(second)]
    mean = np.mean([parse(measure).micro(one_order(a) + one_order(b)) for a, b in pairs])
    both = one_order(first) + one_order(second)
    np.testing.assert_allclose(expected_micro(parse(measure), both), mean, rtol=1e-12)


def test_no_micro_average_is_expected_where_the_order_says_which_unjudged_documents_count():
    assert np.isnan(expected_micro(parse("P(unjudged=1)@2"), one_order(["+?-", "2?"])))


def test_queries_are_expected_each_on_its_own_however_many_there_are(monkeypatch):
    monkeypatch.setattr("cranfield.engines.expected_ties._TOGETHER", 2)
    pictures = [["+?-"], ["+", "-"], ["-", "+2?-"], ["?"], ["2+", "-?+"], ["++"], ["+" * 5 + "-" * 20 + "2" * 5]]
    alone = [expected(parse("ERR@10"), one_order(groups), limit=50) for groups in pictures]
    together = expected(parse("ERR@10"), sum_of([one_order(groups) for groups in pictures]), limit=50)
    assert together.values.tolist() == [each.values[0] for each in alone]
    assert together.n_estimated == sum(each.n_estimated for each in alone) == 1


@pytest.mark.parametrize(
    ("picture", "wanted"), [("??", 1), ("", 1), ("+-+", 1), ("(+-)", 2), ("(+-?)(2?)", 12), ("(++)", 1)]
)
def test_orders_are_counted_that_differ_in_where_grades_stand(picture, wanted):
    assert n_orders(ranked(picture)) == wanted
