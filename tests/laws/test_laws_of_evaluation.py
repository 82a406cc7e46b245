"""Laws of a whole evaluation: what a measure must not depend on."""

from __future__ import annotations

import warnings
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalogue import RANKING, measures
from cranfield import Measure, Result, evaluate
from cranfield.engines.choice import engine
from cranfield.evidence.hits import Hits, hits
from cranfield.tables.sources import as_judgments, as_run
from pictures import hits_of, lists_of_rankings
from reference.ranking import Ranking

pytestmark = pytest.mark.usefixtures("engine")

Qrels = dict[str, dict[str, float]]
Run = dict[str, dict[str, float]]


def tables(rankings: list[Ranking]) -> tuple[Qrels, Run]:
    """Judgments and a run that have these rankings, without ties."""
    qrels: Qrels = {}
    run: Run = {}
    for number, ranking in enumerate(rankings):
        found = [(f"d{rank:02}", -float(rank), grade) for rank, grade in enumerate(ranking.grades)]
        missed = {f"m{place:02}": grade for place, grade in enumerate(ranking.missed)}
        qrels[f"q{number}"] = {name: grade for name, _, grade in found if grade is not None} | missed
        run[f"q{number}"] = {name: score for name, score, _ in found}
    return qrels, run


def renamed(name: str) -> str:
    """Another name, which comes at another place in the order of names."""
    return f"{sum(name.encode()) * 7919 % 101}-{name}"


def shuffled(table: dict[str, dict[str, float]], random: Random) -> dict[str, dict[str, float]]:
    """The same table under other names, its rows in another order."""
    queries = random.sample(sorted(table), len(table))
    return {
        renamed(query): {
            renamed(name): table[query][name] for name in random.sample(sorted(table[query]), len(table[query]))
        }
        for query in queries
    }


def evaluated(qrels: Qrels, run: Run, wanted: list[Measure]) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate(qrels, run, wanted)


def answered(rankings: list[Ranking]) -> list[Ranking]:
    """The rankings that leave something to evaluate: one judged document, one retrieved."""
    return [Ranking((*ranking.grades, None), (*ranking.missed, 1.0)) for ranking in rankings]


queries = lists_of_rankings(least=2, most=5).map(answered)
chosen = st.lists(st.sampled_from(RANKING).flatmap(measures), min_size=5, max_size=5)


@given(rankings=queries, wanted=chosen, random=st.randoms(use_true_random=False))
def test_names_and_order_do_not_matter(rankings: list[Ranking], wanted: list[Measure], random: Random) -> None:
    qrels, run = tables(rankings)
    plain = evaluated(qrels, run, wanted)
    other = evaluated(shuffled(qrels, random), shuffled(run, random), wanted)
    place = [other.units.index(renamed(query)) for query in plain.units]
    assert np.array_equal(plain.values, other.values[:, :, place], equal_nan=True)
    assert np.array_equal(plain.micro, other.micro, equal_nan=True)


@given(rankings=queries, wanted=chosen)
def test_an_evaluation_is_that_of_the_pictures(rankings: list[Ranking], wanted: list[Measure]) -> None:
    result = evaluated(*tables(rankings), wanted)
    for place, measure in enumerate(result.measures):
        alone = [measure.values(hits_of(ranking))[0] for ranking in rankings]
        assert np.array_equal(result.values[0, place], alone, equal_nan=True), str(measure)


@given(rankings=queries, other=queries)
def test_evidence_of_all_is_the_sum_of_the_evidence_of_parts(rankings: list[Ranking], other: list[Ranking]) -> None:
    qrels, run = tables(rankings + other)
    names = list(qrels)
    parts = [names[: len(rankings)], names[len(rankings) :]]
    whole = counted(qrels, run)
    added = counted(*only(qrels, run, parts[0])) + counted(*only(qrels, run, parts[1]))
    assert whole.queries == added.queries
    for field in ("n_retrieved", "unit", "rank", "grade", "pool_unit", "pool_grade", "tie_start", "tie_size", "size"):
        assert np.array_equal(getattr(whole, field), getattr(added, field)), field


def only(qrels: Qrels, run: Run, names: list[str]) -> tuple[Qrels, Run]:
    return {name: qrels[name] for name in names}, {name: run[name] for name in names}


def counted(qrels: Qrels, run: Run) -> Hits:
    judged = as_judgments(qrels)
    return hits(judged, engine().judged_ranks(as_run(run, "run"), judged))
