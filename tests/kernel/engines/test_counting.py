"""Every measure of a run under every way to count it: order of ties, depth, missing queries, many queries at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cranfield.engines import evaluation as module
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.evidence import counterfactual
from cranfield.evidence.counterfactual import parts
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import parse
from cranfield.tables.sources import as_judgments, as_run
from pictures import several

QRELS = {"q1": {"b": 1, "c": 0, "d": 2}, "q2": {"a": 1, "z": 1}, "q3": {"a": 1}}
RUN = {"q1": {"c": 1.0, "d": 1.0, "b": 1.0, "u": 0.5}, "q2": {"b": 3.0, "a": 2.0}}
TOPICS = [
    {"qid": "q1", "docno": name, "subtopic": topic, "rel": rel}
    for name, topic, rel in (("b", "s", 1), ("c", "s", 0), ("d", "t", 1), ("x", "u", 1))
]
ORDERS: dict[Ties, list[str]] = {
    "trec": ["dcb"],
    "name": ["bcd"],
    "given": ["cdb"],
    "best": ["dbc"],
    "worst": ["cbd"],
    "expected": ["bcd", "bdc", "cbd", "cdb", "dbc", "dcb"],
}


def evaluated(counting: Counting, names: list[str], qrels: Any = QRELS) -> Any:
    measures = [parse(name) for name in names]
    return counting.evaluation(as_run(RUN, "run"), as_judgments(qrels), measures)


@pytest.mark.parametrize("ties", ORDERS)
def test_values_and_micro_averages_under_every_order_of_ties(ties: Ties) -> None:
    found = evaluated(Counting(ties), ["P@1", "RR(rel=2)", "P@2"])
    chosen = ORDERS[ties]
    first = np.mean([QRELS["q1"][order[0]] > 0 for order in chosen])
    top = np.mean([1 / (order.index("d") + 1) for order in chosen])
    two = np.mean([sum(QRELS["q1"][name] > 0 for name in order[:2]) for order in chosen])
    np.testing.assert_allclose(found.values[0], [first, 0, 0], rtol=1e-15)
    np.testing.assert_allclose(found.values[1], [top, 0, 0], rtol=1e-15)
    np.testing.assert_allclose(found.values[2], [two / 2, 1 / 2, 0], rtol=1e-15)
    np.testing.assert_allclose(found.micro, [first / 3, np.nan, (two + 1) / 6], rtol=1e-15)
    skipping = evaluated(Counting(ties, missing="skip"), ["P@2"])
    np.testing.assert_allclose(skipping.micro, [(two + 1) / 4], rtol=1e-15)
    assert found.notes == ()


@pytest.mark.parametrize("ties", ORDERS)
def test_other_evidence_takes_ties_by_name_and_says_so(ties: Ties) -> None:
    found = evaluated(Counting(ties), ["StRecall@1", "P@1", "StRecall@2"], TOPICS)
    order = {"name": "bcd", "given": "cdb"}.get(ties, "dcb")
    covered = [len({"b": "s", "d": "t"}.keys() & {*order[:k]}) / 3 for k in (1, 2)]
    assert [found.values[0, 0], found.values[2, 0]] == pytest.approx(covered)
    told = [
        f"{name} always breaks ties by name, descending; ties={ties!r} does not apply to it"
        for name in ("StRecall@1", "StRecall@2")
    ]
    assert found.notes == (tuple((note, 0) for note in told) if ties in ("best", "worst", "expected") else ())


@pytest.mark.parametrize(
    ("ties", "met"), [("trec", 1), ("name", 1), ("given", 1), ("best", 2), ("worst", 2), ("expected", 2)]
)
def test_preferences_take_ties_by_name_ascending_only_as_trec_eval_does(ties: Ties, met: int) -> None:
    """Of d over b, d over c and b over c, the order bcd meets one, cdb one and dcb two."""
    found = evaluated(Counting(ties), ["NumPrefsMet"], {"q1": QRELS["q1"]})
    assert found.values[0, 0] == met


@pytest.mark.parametrize("ties", ["trec", "best", "worst", "expected"])
def test_rankings_end_at_the_depth(ties: Ties) -> None:
    found = evaluated(Counting(ties, depth=1), ["NumRet", "R"])
    assert found.values[0].tolist() == [1, 1, 0]
    share = {"trec": 1, "best": 1, "worst": 0}.get(ties)
    if share is not None:
        assert found.values[1].tolist() == [share / 2, 0, 0]


def test_too_many_orders_are_estimated_and_the_note_counts_the_queries() -> None:
    qrels = {query: {f"d{place}": place % 3 for place in range(40)} for query in ("q1", "q2")} | {"q3": {"d1": 1}}
    run = {query: {f"d{place}": 1.0 for place in range(40)} for query in ("q1", "q2")} | {"q3": {"d1": 1.0}}
    found = Counting("expected").evaluation(as_run(run, "run"), as_judgments(qrels), [parse("ERR@10"), parse("P@1")])
    assert found.notes == (("ERR@10 is estimated from 1000 random orders of tied documents", 2),)


def test_what_was_counted_is_kept_without_what_was_cached() -> None:
    found = evaluated(Counting(), ["AP", "nDCG"])
    assert isinstance(found.hits, Hits)
    assert "ideal" not in found.hits.__dict__
    assert found.hits.n_retrieved.tolist() == [4, 2, 0]
    assert evaluated(Counting(), ["StRecall@1"], TOPICS).hits is None


@pytest.mark.parametrize("size", [1, 2, 3, 5])
def test_many_queries_are_scored_some_at_a_time(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    hits = several("+-2", "", "?+", "-", "(+-)")
    whole = parse("AP").values(hits)
    cut = list(parts(hits, size))
    assert [len(part) for part in cut] == [min(size, 5 - first) for first in range(0, 5, size)]
    np.testing.assert_array_equal(np.concatenate([parse("AP").values(part) for part in cut]), whole)
    assert [part.queries for part in cut] == [hits.queries[first : first + size] for first in range(0, 5, size)]
    assert next(parts(hits, 5)) is hits
    monkeypatch.setattr(module, "parts", lambda each: counterfactual.parts(each, size))
    assert evaluated(Counting(), ["P@2", "RR"]).values.tolist() == [[0.5, 0.5, 0], [1, 0.5, 0]]
