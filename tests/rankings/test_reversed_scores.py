"""A run whose lower scores are better is asked about first, and no ordinary or bad run is."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.engines.evaluation import Counting
from cranfield.errors import CranfieldWarning
from cranfield.evidence.counterfactual import from_the_bottom
from cranfield.evidence.hits import Hits
from cranfield.rankings.cautions import reversed_ranking
from cranfield.tables.sources import as_judgments, as_run
from pictures import several
from trec_eval.running import qrels_text, run_text

Table = dict[str, dict[str, float]]


def collection(
    seed: int, n_queries: int = 8, depth: int = 30, n_relevant: int = 4, n_other: int = 8, advantage: float = 2.0
) -> tuple[dict[str, dict[str, int]], Table]:
    """Judgments of some documents, and scores that are higher for relevant ones by a number of standard deviations."""
    random = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    run: Table = {}
    for query in map(str, range(n_queries)):
        judged = random.permutation(depth)[: n_relevant + n_other].tolist()
        qrels[query] = {f"d{d}": int(random.integers(1, 4)) if n < n_relevant else 0 for n, d in enumerate(judged)}
        scores = random.normal(size=depth)
        scores[judged[:n_relevant]] += advantage
        run[query] = {f"d{d}": float(score) for d, score in enumerate(scores)}
    return qrels, run


def of_each(run: Table, function: Any) -> Table:
    return {query: function(scores) for query, scores in run.items()}


def negated(scores: dict[str, float]) -> dict[str, float]:
    return {name: -score for name, score in scores.items()}


def distances(scores: dict[str, float]) -> dict[str, float]:
    return {name: round(1 / (1 + np.exp(score)), 4) for name, score in scores.items()}


def ranks(scores: dict[str, float]) -> dict[str, float]:
    return {name: float(rank) for rank, name in enumerate(sorted(scores, key=lambda name: -scores[name]), 1)}


@pytest.mark.parametrize("wrong", [negated, distances, ranks])
@pytest.mark.parametrize("n_other", [0, 8])
def test_it_is_asked_whether_lower_scores_are_better(wrong: Any, n_other: int) -> None:
    qrels, run = collection(1, n_other=n_other)
    good = cranfield.evaluate(qrels, run, "AP")
    with pytest.warns(CranfieldWarning, match=r"run: reversed, its rankings of 8 queries would have AP 0\.\d+ instead"):
        result = cranfield.evaluate(qrels, of_each(run, wrong), ["AP", "nDCG@10"])
    first = result.findings()[0]
    assert (first.rule, first.severity, first.figures["n_queries"]) == ("reversed-scores", "serious", 8)
    assert first.figures["ranked"] == pytest.approx(result["AP"])
    assert first.figures["reversed"] == pytest.approx(good["AP"], abs=0.01)
    assert "lower scores are probably better" in first.sentence


def test_the_question_comes_before_its_consequences() -> None:
    qrels, run = collection(2, n_queries=30)
    worse = of_each(collection(2, n_queries=30, advantage=0.5)[1], dict)
    with pytest.warns(CranfieldWarning, match="reversed"):
        result = cranfield.evaluate(qrels, {"a": run, "b": worse, "c": of_each(run, negated)})
    rules = [finding.rule for finding in result.findings()]
    assert rules[0] == "reversed-scores"
    assert not {"low-judged", "unequal-judged", "unjudged-order"} & set(rules)


def test_it_replaces_the_remark_that_lines_are_not_sorted(tmp_path: Path) -> None:
    qrels, run = collection(3)
    (tmp_path / "qrels").write_text(qrels_text(qrels))
    in_order = {q: {d: s[d] for d in sorted(s, key=lambda d: s[d])} for q, s in of_each(run, negated).items()}
    by_rank = {q: dict(reversed(s.items())) for q, s in in_order.items()}
    (tmp_path / "run").write_text(run_text({q: dict(reversed(s.items())) for q, s in by_rank.items()}))
    with pytest.warns(CranfieldWarning) as caught:
        cranfield.evaluate(str(tmp_path / "qrels"), str(tmp_path / "run"))
    words = [str(one.message) for one in caught]
    assert "are lower scores better" in words[0]
    assert not any("not sorted" in one for one in words)


def test_several_runs_are_asked_about_at_once() -> None:
    qrels, run = collection(4)
    wrong = of_each(run, negated)
    with pytest.warns(CranfieldWarning, match=r"2 of 3 runs would be far better reversed: .*: x \(AP 0.*\), y \(AP 0"):
        cranfield.evaluate(qrels, {"x": wrong, "y": of_each(run, ranks), "z": run})


def test_rankings_are_reversed_with_what_was_not_judged() -> None:
    hits = from_the_bottom(several("+-?", "?2", "", "3???"))
    assert hits.rank.tolist() == [2, 3, 1, 4]
    assert hits.grade.tolist() == [0, 1, 2, 3]


def evidence(seed: int, **shape: Any) -> Hits:
    qrels, run = collection(seed, **shape)
    judged = as_judgments(qrels)
    return Counting(engine="local").counted(as_run(run, "run"), judged, Hits)[1]


@pytest.mark.simulation
@pytest.mark.parametrize("n_queries", [1, 4, 5, 8, 15, 50])
@pytest.mark.parametrize("advantage", [-0.3, 0.0, 0.5, 2.0])
def test_ordinary_and_bad_runs_are_not_asked_about(n_queries: int, advantage: float) -> None:
    shapes = [(depth, n, other) for depth in (5, 10, 30, 100) for n in (1, 2, 4) for other in (0, 3, 20)]
    asked = [
        reversed_ranking(evidence(seed, n_queries=n_queries, depth=d, n_relevant=n, n_other=o, advantage=advantage))
        for seed, (d, n, o) in enumerate(shapes * 6)
    ]
    assert sum(one is not None for one in asked) <= (1 if advantage >= 0 else 5)  # of 216


@pytest.mark.simulation
@pytest.mark.parametrize("n_queries", [8, 15, 50])
def test_runs_of_good_systems_with_negated_scores_are_asked_about(n_queries: int) -> None:
    asked = [reversed_ranking(evidence(seed, n_queries=n_queries, advantage=-2.0)) for seed in range(40)]
    assert sum(one is not None for one in asked) >= 38


def test_a_single_query_or_a_random_run_is_not_asked_about() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in ({"n_queries": 4, "advantage": -3.0}, {"n_queries": 50, "advantage": 0.0}):
            qrels, run = collection(5, **shape)  # type: ignore[arg-type]
            cranfield.evaluate(qrels, run, "AP")
