"""Aspects of queries, and what rankings cover of them, against documents gone through one by one."""

from __future__ import annotations

import random

import numpy as np
import pytest

from cranfield.errors import BadInput
from cranfield.evidence.subtopics import Aspects, Coverage, aspects, groups
from kernel.measures.rows import Row, Run, found, judged, ranking


def collection(seed: int) -> tuple[list[Row], Run]:
    """Subtopics that share documents, of which some are not retrieved and others not judged; scores that tie."""
    source = random.Random(seed)
    rows: list[Row] = []
    run: dict[str, dict[str, float]] = {}
    for number in range(source.randint(1, 3)):
        query, documents = f"q{number}", [f"d{place}" for place in range(source.randint(1, 7))]
        for topic in range(source.randint(1, 3)):
            own = source.sample(documents, source.randint(1, len(documents)))
            rows += [(query, f"t{topic}", name, source.choice((-1, 0, 1, 1, 2))) for name in own]
        retrieved = source.sample([*documents, "u1", "u2"], source.randint(1, len(documents) + 2))
        run[query] = {name: source.randint(0, 4) / 2 for name in retrieved}
    return rows, run


def built(rows: list[Row], run: Run) -> Aspects:
    read = judged(rows)
    return aspects(read, found(read, run))


def listed(covered: Coverage) -> list[tuple[int, int, int]]:
    return list(zip(covered.unit.tolist(), covered.aspect.tolist(), covered.rank.tolist(), strict=True))


def greedy(rows: list[Row], query: str, rel: float, alpha: float, k: int | None) -> list[str]:
    """Documents in the order of what each adds; of equals, the last by name."""
    topics: dict[str, set[str]] = {}
    for asked, topic, name, grade in rows:
        if asked == query and grade >= rel:
            topics.setdefault(name, set()).add(topic)
    seen: dict[str, int] = {}
    order: list[str] = []
    while topics and (k is None or len(order) < k):
        gain = {name: sum((1 - alpha) ** seen.get(topic, 0) for topic in own) for name, own in topics.items()}
        best = max(topics, key=lambda name: (round(gain[name], 9), name))
        order.append(best)
        for topic in topics.pop(best):
            seen[topic] = seen.get(topic, 0) + 1
    return order


@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("rel", [1, 2])
def test_what_rankings_cover(seed: int, rel: float) -> None:
    rows, run = collection(seed)
    made = built(rows, run)
    queries = sorted(run)
    topics = sorted({(query, topic) for query, topic, _, _ in rows})
    relevant = {each: [d for q, t, d, grade in rows if (q, t) == each and grade >= rel] for each in topics}
    assert made.aspect_unit.tolist() == [queries.index(query) for query, _ in topics]
    assert made.n_relevant(rel).tolist() == [len(relevant[each]) for each in topics]
    assert made.n_aspects(rel).tolist() == [
        sum(q == query and bool(relevant[q, t]) for q, t in topics) for query in queries
    ]

    def covers(orders: dict[str, list[str]]) -> list[tuple[int, int, int]]:
        return [
            (queries.index(query), place, rank)
            for place, (query, topic) in enumerate(topics)
            for rank, name in enumerate(orders[query], 1)
            if name in relevant[query, topic]
        ]

    assert listed(made.coverage(rel)) == covers({query: ranking(run[query]) for query in queries})
    for k in (None, 1, 2):
        for alpha in (0.5, 0.25, 1.0):
            best = {query: greedy(rows, query, rel, alpha, k) for query in queries}
            assert listed(made.ideal(rel, alpha=alpha, k=k)) == covers(best)
    known = {(query, name) for query, _, name, grade in rows if grade >= 0}
    short = {query: [name for name in ranking(run[query]) if (query, name) in known] for query in queries}
    assert listed(made.condensed.coverage(rel)) == covers(short)
    assert made.condensed.n_retrieved.tolist() == [len(short[query]) for query in queries]


def test_without_more_said_grade_1_is_relevant() -> None:
    made = built([("q", "t", "a", 1), ("q", "t", "b", 0), ("q", "u", "a", 2)], {"q": {"a": 1.0, "b": 2.0}})
    assert made.n_relevant().tolist() == [1, 1]
    assert made.n_aspects().tolist() == [2]
    assert listed(made.coverage()) == listed(made.coverage(1)) == [(0, 0, 2), (0, 1, 2)]
    assert listed(made.ideal(alpha=0.5)) == [(0, 0, 1), (0, 1, 1)]
    covered = made.coverage()
    assert (covered.top(None).tolist(), covered.top(1).tolist()) == ([True, True], [False, False])
    assert covered.sum(covered.rank).tolist() == [4]


@pytest.mark.parametrize("seed", range(5))
def test_queries_that_are_added_are_covered_as_before(seed: int) -> None:
    (rows, run), (more, others) = collection(seed), collection(seed + 100)
    more = [(f"r{query}", topic, name, grade) for query, topic, name, grade in more]
    both = built(rows, run) + built(more, {f"r{query}": own for query, own in others.items()})
    whole = built(rows + more, {**run, **{f"r{query}": own for query, own in others.items()}})
    assert (both.queries, len(both)) == (whole.queries, len(whole))
    for name in ("n_retrieved", "unit", "rank", "aspect_unit", "document", "aspect", "grade"):
        assert np.array_equal(getattr(both, name), getattr(whole, name)), name
    covered = whole.coverage()
    assert covered.before.tolist() == [
        sum(other == aspect for other in covered.aspect.tolist()[:place])
        for place, aspect in enumerate(covered.aspect.tolist())
    ]


@pytest.mark.parametrize("build", [aspects, groups])
def test_two_judgments_of_a_document_in_one_group_are_refused(build: object) -> None:
    rows = [("p", "t", "a", 1), ("q", "t1", "a", 1), ("q", "t2", "a", 0), ("q", "t2", "b", 0), ("q", "t2", "b", 1)]
    read = judged(rows, ["s", "s", "s", "s", "other"])
    with pytest.raises(
        BadInput, match=r"^query 'q', (subtopic|judgment group) 't2': document 'b' is judged more than once"
    ):
        build(read, found(read, {"q": {"a": 1.0}}))  # type: ignore[operator]


def test_the_mean_over_groups_counts_what_is_undefined_as_0_if_any_is_defined() -> None:
    read = judged([("p", "g", "a", 1), ("q", "g", "a", 1), ("q", "h", "a", 0), ("q", "i", "a", 0)])
    made = groups(read, found(read, {"q": {"a": 1.0}, "p": {"b": 1.0}}))
    np.testing.assert_array_equal(made.mean(np.array([np.nan, 0.5, np.nan, 1.0])), [np.nan, 0.5])
    np.testing.assert_array_equal(made.mean(np.array([0.25, np.nan, np.nan, np.nan])), [0.25, np.nan])
    assert made.hits.n_retrieved.tolist() == [1, 1, 1, 1]
    assert made.hits.size.tolist() == [1, 1, 1, 1]
    assert (made + made).unit.tolist() == [0, 1, 1, 1, 2, 3, 3, 3]
