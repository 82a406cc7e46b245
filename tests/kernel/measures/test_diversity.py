"""Measures of diversity agree with ndeval and with their papers, and their evidence adds."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import reduce
from operator import add

import ir_measures
import numpy as np
import pyndeval
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cranfield.errors import BadInput
from cranfield.evidence.subtopics import Aspects, aspects
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure, declarations
from kernel.measures import oracles_diversity as papers
from kernel.measures.rows import Row, Run, found, judged, ranking

DIVERSITY = [name for name, declared in declarations().items() if declared.evidence is Aspects]
NDEVAL = {
    "alpha_DCG": "alpha-DCG",
    "alpha_nDCG": "alpha-nDCG",
    "ERR_IA": "ERR-IA",
    "nERR_IA": "nERR-IA",
    "P_IA": "P-IA",
    "StRecall": "strec",
    "AP_IA": "MAP-IA",
    "NRBP": "NRBP",
    "nNRBP": "nNRBP",
}


def collection(seed: int, n_queries: int = 6) -> tuple[list[Row], dict[str, dict[str, float]]]:
    """Queries with several subtopics, some without a relevant document; scores that differ."""
    chance = random.Random(seed)
    rows: list[Row] = []
    run = {}
    for number in range(n_queries):
        query, documents = f"q{number}", [f"d{place:02}" for place in range(chance.randint(2, 30))]
        for subtopic in range(chance.randint(1, 6)):
            share = chance.choice((0.1, 0.5, 0.9))
            own = [document for document in documents if chance.random() < share] or documents[:1]
            rows += [(query, f"s{subtopic}", document, chance.choice((-1, 0, 0, 1, 1, 2))) for document in own]
        retrieved = [document for document in documents if chance.random() < 0.7] + ["u1", "u2", "u3"]
        run[query] = {document: chance.random() for document in retrieved}
    return rows, run


def built(rows: list[Row], run: Run) -> Aspects:
    judgments = judged(rows)
    return aspects(judgments, found(judgments, run))


def by_ndeval(rows: list[Row], run: Run, name: str, **settings: float) -> dict[str, float]:
    """What ndeval has; 0 where it divides by 0."""
    every = [(query, document, score) for query, own in run.items() for document, score in own.items()]
    evaluator = pyndeval.RelevanceEvaluator(rows, [name], **settings)
    return {query: float(np.nan_to_num(own[name])) for query, own in evaluator.evaluate(every).items()}


def ours(measure: Measure, rows: list[Row], run: Run) -> dict[str, float]:
    evidence = built(rows, run)
    values = np.nan_to_num(measure.values(evidence))
    return {query.decode(): float(value) for query, value in zip(evidence.queries, values, strict=True)}


@pytest.mark.parametrize(
    ("name", "alpha", "rel"),
    [  # measures without alpha once in `make test`
        pytest.param(name, alpha, rel, marks=() if alpha == 0.5 or "alpha" in takes else pytest.mark.thorough)
        for name, takes in ((name, parse(name).declaration.settings) for name in NDEVAL)
        for alpha in (0, 0.5, 0.25, 1)
        for rel in (1, 2)
    ],
)
def test_a_measure_is_that_of_ndeval(name: str, alpha: float, rel: int) -> None:
    for seed in range(8):
        rows, run = collection(seed)
        measure = parse(name)(rel=rel)
        takes = measure.declaration.settings
        measure = measure(alpha=alpha) if "alpha" in takes else measure
        for k in (2, 3, 10, 20) if "k" in takes else (None,):
            wanted = by_ndeval(
                rows, run, NDEVAL[name] + (f"@{k}" if k else ""), relevance_level=rel, alpha=alpha, beta=0.5
            )
            assert ours(measure if k is None else measure @ k, rows, run) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("name", ["NRBP", "nNRBP"])
def test_patience_is_that_of_ndeval(name: str) -> None:
    rows, run = collection(1)
    wanted = by_ndeval(rows, run, name, alpha=0.3, beta=0.8)
    assert ours(parse(name)(alpha=0.3, beta=0.8), rows, run) == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize("name", ["alpha_DCG@1", "ERR_IA@1"])
def test_the_first_rank_is_a_share_as_well_which_ndeval_forgets(name: str) -> None:
    rows, run = collection(1)
    n_subtopics = built(rows, run).n_aspects()
    undivided = by_ndeval(rows, run, name.replace("_", "-"))
    wanted = {query: value / n for (query, value), n in zip(sorted(undivided.items()), n_subtopics, strict=True)}
    assert ours(parse(name), rows, run) == pytest.approx(wanted)


@pytest.mark.parametrize(
    "name", ["alpha_nDCG(alpha=0.5, rel=2)@10", "ERR_IA@20", "nNRBP", "AP_IA", "P_IA@5", "StRecall@5"]
)
def test_a_measure_of_ir_measures_has_its_values(name: str) -> None:
    rows, run = collection(3)
    qrels = [ir_measures.Qrel(query, document, int(grade), subtopic) for query, subtopic, document, grade in rows]
    theirs = {m.query_id: m.value for m in ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)}
    assert ours(parse(name), rows, run) == pytest.approx(theirs, abs=1e-9)


ORACLES: dict[str, Callable[..., float]] = {
    "alpha_DCG": papers.alpha_dcg,
    "alpha_nDCG": papers.alpha_ndcg,
    "ERR_IA": papers.err_ia,
    "nERR_IA": papers.nerr_ia,
    "NRBP": papers.nrbp,
    "nNRBP": papers.nnrbp,
    "P_IA": papers.p_ia,
    "AP_IA": papers.ap_ia,
    "StRecall": papers.subtopic_recall,
}


def test_every_measure_has_an_oracle() -> None:
    assert set(ORACLES) == set(NDEVAL) == set(DIVERSITY)


@pytest.mark.parametrize("name", DIVERSITY)
@given(data=st.data())
def test_a_measure_is_what_its_paper_says(name: str, data: st.DataObject) -> None:
    rows, run = collection(data.draw(st.integers(0, 10**6)), n_queries=2)
    measure = parse(name)(rel=data.draw(st.sampled_from((0, 1, 1.5, 2))))
    choices = {"k": (1, 2, 5, 40), "alpha": (0.5, 0.25, 0.75), "beta": (0.2, 0.5, 0.8)}
    chosen = {
        word: data.draw(st.sampled_from(of)) for word, of in choices.items() if word in measure.declaration.settings
    }
    values = measure(**chosen).values(built(rows, run))
    wanted = [
        ORACLES[name](ranking(run[query]), covers(rows, query, measure.options["rel"]), **chosen)
        for query in sorted({row[0] for row in rows})
    ]
    np.testing.assert_allclose(values, wanted, rtol=1e-9, atol=1e-12)


def covers(rows: list[Row], query: str, rel: object) -> papers.Covers:
    """The subtopics of a query that each document is relevant to."""
    covered: papers.Covers = {}
    for of, subtopic, document, grade in rows:
        if of == query and isinstance(rel, int | float) and grade >= rel:
            covered.setdefault(document, set()).add(subtopic)
    return covered


@pytest.mark.parametrize("name", DIVERSITY)
@given(seed=st.integers(0, 10**6), n_queries=st.integers(2, 5), skip=st.booleans())
def test_a_query_is_scored_alone_and_evidence_adds(name: str, seed: int, n_queries: int, skip: bool) -> None:
    rows, run = collection(seed, n_queries)
    measure = parse(name)(unjudged="skip") if skip else parse(name)
    alone = [built([row for row in rows if row[0] == query], run) for query in run]
    together = measure.values(built(rows, run))
    assert np.array_equal(together, measure.values(reduce(add, alone)), equal_nan=True)
    assert np.array_equal(together, np.concatenate([measure.values(query) for query in alone]), equal_nan=True)


@given(seed=st.integers(0, 10**6))
def test_evidence_adds_up_to_the_same(seed: int) -> None:
    rows, run = collection(seed, 4)
    first, second = (built([row for row in rows if row[0] in half], run) for half in (("q0", "q1"), ("q2", "q3")))
    total, whole = first + second, built(rows, run)
    assert total.queries == whole.queries
    for field in ("n_retrieved", "unit", "rank", "aspect_unit", "document", "aspect", "grade"):
        assert np.array_equal(getattr(total, field), getattr(whole, field)), field


@pytest.mark.parametrize("name", DIVERSITY)
@given(seed=st.integers(0, 10**6), alpha=st.sampled_from((0, 0.3, 0.5, 1)))
def test_values_stay_within_the_declared_bounds(name: str, seed: int, alpha: float) -> None:
    rows, run = collection(seed)
    measure = parse(name)
    values = (measure(alpha=alpha) if "alpha" in measure.declaration.settings else measure).values(built(rows, run))
    known = values[~np.isnan(values)]
    low, high = measure.declaration.bounds
    assert ((known >= low) & (known <= high + 1e-12)).all()


@pytest.mark.parametrize("name", DIVERSITY)
def test_leaving_out_the_unjudged_is_evaluating_a_ranking_without_them(name: str) -> None:
    rows, run = collection(5)
    rows = [row for row in rows if row[3] >= 0]
    known = {(row[0], row[2]) for row in rows}
    shorter = {query: {d: s for d, s in own.items() if (query, d) in known} for query, own in run.items()}
    assert ours(parse(name)(judged_only=True), rows, run) == ours(parse(name), rows, shorter)


def test_a_second_document_on_a_subtopic_is_worth_less() -> None:
    rows: list[Row] = [("q", "1", "a", 1), ("q", "1", "b", 1), ("q", "2", "c", 1)]
    repeats, varies = ({"q": {name: -place for place, name in enumerate(order)}} for order in ("abc", "acb"))
    for name in ("alpha_nDCG@2", "ERR_IA@2", "NRBP", "StRecall@2"):
        assert parse(name).values(built(rows, repeats)) < parse(name).values(built(rows, varies))
    assert parse("alpha_nDCG@3").values(built(rows, varies)) == pytest.approx([1.0])


def test_without_subtopics_all_judgments_are_on_one() -> None:
    rows: list[Row] = [("q", "0", "a", 1), ("q", "0", "b", 0)]
    assert parse("StRecall@1").values(built(rows, {"q": {"a": 2.0, "b": 1.0}})) == pytest.approx([1.0])


def test_what_has_no_relevant_document_is_undefined() -> None:
    evidence = built([("q", "1", "a", 0)], {"q": {"a": 1.0}})
    for name in DIVERSITY:
        assert np.isnan(parse(name).values(evidence)).all()


def test_a_document_judged_twice_for_a_subtopic_is_refused() -> None:
    with pytest.raises(BadInput, match="duplicate judgment of document 'a'"):
        built([("q", "1", "a", 1), ("q", "1", "a", 0)], {"q": {"a": 1.0}})
