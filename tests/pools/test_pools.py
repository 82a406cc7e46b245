"""Pools hold the documents that their definitions say, in the order that they say, with all contributors."""

from __future__ import annotations

import json
import math
import random
from collections import defaultdict
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.pools.methods import METHODS, judging_state_of_pool
from cranfield.pools.result import Pool
from pools.simulated import collection

# the example of the lectures: the union of what the systems return is judged
LECTURE = {
    "A": {"q": {"d1": 3, "d2": 2, "d3": 1}},
    "B": {"q": {"d2": 2, "d4": 1}},
    "C": {"q": {"d5": 2, "d1": 1}},
}


def documents(pool: Pool, query: str = "q", *, selected: bool = True) -> list[str]:
    return [row.document for row in pool[query] if row.selected or not selected]


def test_the_pool_of_the_lectures_is_the_union_of_the_results():
    assert sorted(documents(cranfield.pool(LECTURE, depth=2))) == ["d1", "d2", "d4", "d5"]
    assert sorted(documents(cranfield.pool(LECTURE))) == ["d1", "d2", "d3", "d4", "d5"]


def test_every_document_keeps_which_run_contributed_it_at_which_rank():
    pool = cranfield.pool(LECTURE, depth=2)
    assert {row.document: row.contributors for row in pool} == {
        "d1": (("A", 1), ("C", 2)),
        "d2": (("A", 2), ("B", 1)),
        "d4": (("B", 2),),
        "d5": (("C", 1),),
    }
    assert [row.order for row in pool["q"]] == [1, 2, 3, 4]


def messy(seed: int) -> dict[str, dict[str, dict[str, float]]]:
    """Runs with ties, topics that some runs miss, and ids of all lengths and scripts."""
    draw = random.Random(seed)
    names = ["d", "d" * 40, "документ-7", "文書", "a/b", "x y", "-1", "é\u0301", *(f"FT9{n:04}" for n in range(30))]
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for run in ("bm25", "dense;v2", '"quoted", run', "r:1"):
        topics = [topic for topic in ("9", "09", "τ", "q 1") if draw.random() < 0.8] or ["9"]
        runs[run] = {
            topic: {name: draw.choice([1.0, 2.0, 2.5, 1e-9, -3.0]) for name in draw.sample(names, draw.randint(1, 25))}
            for topic in topics
        }
    return runs


def ranked(run: dict[str, float]) -> list[str]:
    """As trec_eval ranks: by score, then by name, both descending."""
    return [name for name, _ in sorted(run.items(), key=lambda item: (item[1], item[0].encode()), reverse=True)]


def retrievals(runs, depth: int) -> dict[str, dict[str, dict[str, int]]]:
    """By topic and document, the rank of each run that retrieved it."""
    found: dict[str, dict[str, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    for run, topics in runs.items():
        for topic, scores in topics.items():
            for rank, name in enumerate(ranked(scores)[:depth], 1):
                found[topic][name][run] = rank
    return found


@pytest.mark.parametrize("seed", range(8))
def test_depth_pools_of_messy_runs_are_the_union_of_their_first_documents(seed):
    runs = messy(seed)
    pool = cranfield.pool(runs, depth=7)
    found = retrievals(runs, 7)
    assert {topic: {row.document: dict(row.contributors) for row in pool[topic]} for topic in pool.topics} == found
    for topic in pool.topics:
        best = [min(found[topic][row.document].values()) for row in pool[topic]]
        assert best == sorted(best)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("method", "weight"),
    [("rrf", lambda rank: Fraction(1, 60 + rank)), ("rbp", lambda rank: Fraction(1, 5) * Fraction(4, 5) ** (rank - 1))],
)
def test_a_fixed_budget_takes_the_heaviest_documents(seed, method, weight):
    runs = messy(seed)
    pool = cranfield.pool(runs, method, budget=6)
    for topic, found in retrievals(runs, 100).items():
        exact = {name: sum(map(weight, ranks.values())) for name, ranks in found.items()}
        chosen = documents(pool, topic)
        assert len(chosen) == min(6, len(exact))
        assert sorted((exact[name] for name in chosen), reverse=True) == sorted(exact.values(), reverse=True)[:6]
        assert [row.weight for row in pool[topic]] == pytest.approx([float(exact[name]) for name in chosen], rel=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_a_minimal_test_collection_takes_the_documents_on_which_runs_differ_most(seed):
    runs = messy(seed)
    pool = cranfield.pool(runs, "mtc", budget=6)
    for topic, found in retrievals(runs, 100).items():
        exact = {
            name: math.fsum(
                abs(discount(ranks.get(one)) - discount(ranks.get(other))) for one, other in combinations(runs, 2)
            )
            for name, ranks in found.items()
        }
        chosen = documents(pool, topic)
        heaviest = sorted(exact.values(), reverse=True)[:6]
        assert [exact[name] for name in chosen] == pytest.approx(heaviest, abs=1e-11)
        assert [row.weight for row in pool[topic]] == pytest.approx(heaviest, abs=1e-11)


def discount(rank):
    return 0 if rank is None else 1 / math.log2(rank + 1)


def test_documents_that_all_runs_rank_alike_come_last_in_a_minimal_test_collection():
    runs = {"a": {"q": {"same": 3, "x": 2, "y": 1}}, "b": {"q": {"same": 3, "y": 2, "x": 1}}}
    pool = cranfield.pool(runs, "mtc")
    assert documents(pool, "q") == ["x", "y", "same"]
    assert pool["q"][-1].weight == 0


def test_a_uniform_sample_stores_its_inclusion_probability_and_keeps_what_it_left_out():
    _, runs = collection(n_systems=5, n_topics=2)
    whole, pool = cranfield.pool(runs), cranfield.pool(runs, "uniform", proportion=0.25, seed=3)
    for topic in pool.topics:
        assert {*documents(pool, topic, selected=False)} == {*documents(whole, topic)}
        n_selected = len(documents(pool, topic))
        assert n_selected == round(0.25 * len(whole[topic]))
        assert {row.probability for row in pool[topic]} == {n_selected / len(whole[topic])}
    assert {len(documents(cranfield.pool(runs, "uniform", budget=9), topic)) for topic in whole.topics} == {9}


def test_every_document_is_sampled_as_often_as_its_probability_says():
    runs = {"a": {"q": {f"d{n}": -n for n in range(10)}}}
    pools = [cranfield.pool(runs, "stratified", strata={2: 1, 10: 0.25}, seed=seed) for seed in range(2000)]
    often = {f"d{n}": 0 for n in range(10)}
    for pool in pools:
        for name in documents(pool):
            often[name] += 1
    assert [often["d0"], often["d1"]] == [2000, 2000]
    expected, error = 2000 * 0.25, (2000 * 0.25 * 0.75) ** 0.5
    assert all(abs(often[f"d{n}"] - expected) < 4 * error for n in range(2, 10))
    assert {(row.stratum, row.probability) for row in pools[0]["q"]} == {(1, 1.0), (2, 0.25)}


def test_a_sample_of_a_topic_does_not_depend_on_other_topics():
    _, runs = collection(n_systems=4, n_topics=3)
    alone = {run: {"001": topics["001"]} for run, topics in runs.items()}
    samples = [cranfield.pool(each, "uniform", proportion=0.2, seed=5)["001"] for each in (runs, alone)]
    assert samples[0] == samples[1]
    assert samples[0] != cranfield.pool(runs, "uniform", proportion=0.2, seed=6)["001"]


@pytest.mark.parametrize("method", METHODS)
def test_the_same_runs_and_seed_give_the_same_bytes_through_every_door(method, tmp_path):
    qrels, runs = collection(n_systems=4, n_topics=3)
    settings = {"stratified": {"strata": "5:1,50:0.2"}, "uniform": {"proportion": 0.1}}.get(method, {})
    if METHODS[method].adaptive:
        settings["judgments"] = qrels
    paths = []
    for run, topics in runs.items():
        lines = [f"{q} Q0 {d} 0 {s!r} {run.replace(' ', '_')}" for q, own in topics.items() for d, s in own.items()]
        random.Random(1).shuffle(lines)  # topics scattered over the file
        paths.append(tmp_path / f"{run}.run")
        paths[-1].write_text("\n".join(lines) + "\n")
    pools = [cranfield.pool(runs, method, **settings), cranfield.pool(paths, method, **settings)]
    assert pools[0].to_csv() == pools[1].to_csv() == cranfield.pool(runs, method, **settings).to_csv()


def test_csv_has_a_header_and_one_row_per_query_and_document(tmp_path):
    runs = messy(2)
    path = tmp_path / "pool.csv"
    path.write_text(cranfield.pool(runs, depth=3).to_csv(), encoding="utf-8")
    import csv

    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    found = retrievals(runs, 3)
    assert len(rows) == sum(map(len, found.values()))
    for row in rows:
        name = row["document"].removeprefix("'")  # before what a spreadsheet would run as a formula
        assert json.loads(row["contributors"]) == found[row["query"]][name]


# adaptive orders, against slow versions with plain lists


def slow_move_to_front(rankings: dict[str, list[str]], relevant: set[str]) -> list[str]:
    runs = list(rankings)
    failures, judged, current = dict.fromkeys(runs, 0), [], None
    while True:
        left = [run for run in runs if any(name not in judged for name in rankings[run])]
        if not left:
            return judged
        n_judged = {run: sum(name in rankings[run] for name in judged) for run in runs}
        if current not in left:
            current = min(left, key=lambda run: (failures[run], n_judged[run], runs.index(run)))
        name = next(name for name in rankings[current] if name not in judged)
        judged.append(name)
        if name not in relevant:
            failures[current] += 1
            current = None


def slow_max_mean(rankings: dict[str, list[str]], relevant: set[str], burn_in: int) -> list[str]:
    judged: list[str] = []
    for rank in range(burn_in):
        judged += [r[rank] for r in rankings.values() if rank < len(r)]
        judged = list(dict.fromkeys(judged))
    while True:
        best = None
        for run, ranking in rankings.items():
            seen = [name for name in judged if name in ranking]
            if len(seen) < len(ranking):
                mean = Fraction(1 + sum(name in relevant for name in seen), 2 + len(seen))
                if best is None or (mean, -len(seen)) > best[:2]:
                    best = (mean, -len(seen), run)
        if best is None:
            return judged
        judged.append(next(name for name in rankings[best[2]] if name not in judged))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("method", ["mtf", "maxmean"])
def test_adaptive_orders_follow_their_definitions(seed, method):
    runs = messy(seed)
    draw = random.Random(seed)
    qrels = {topic: {name: draw.choice([0, 0, 1, 2]) for name in found} for topic, found in retrievals(runs, 9).items()}
    pool = cranfield.pool(runs, method, judgments=qrels, depth=9)
    for topic in pool.topics:
        relevant = {name for name, grade in qrels[topic].items() if grade >= 1}
        rankings = {run: ranked(topics.get(topic, {}))[:9] for run, topics in runs.items()}
        slow = slow_move_to_front(rankings, relevant) if method == "mtf" else slow_max_mean(rankings, relevant, 5)
        assert documents(pool, topic) == slow


def test_max_mean_finds_relevant_documents_with_clearly_fewer_judgments_than_depth_order():
    qrels, runs = collection(n_systems=20, n_topics=5, n_documents=3000, n_relevant=60)
    whole = cranfield.pool(runs)

    def judged(pool: Pool) -> float:
        """The proportion of the pool that is judged until 90 % of its relevant documents are found."""
        n_judged = 0
        for topic, grades in qrels.items():
            found = np.cumsum([grades[name] for name in documents(pool, topic)])
            n_judged += int(np.argmax(found >= 0.9 * found[-1])) + 1
        return n_judged / len(whole)

    by_depth = judged(whole)
    move_to_front = judged(cranfield.pool(runs, "mtf", judgments=qrels))
    max_mean, burnt_in = (judged(cranfield.pool(runs, "maxmean", judgments=qrels, burn_in=n)) for n in (0, 5))
    assert max_mean < move_to_front < by_depth
    assert burnt_in < 0.75 * by_depth


def contributions(pooled):
    return [(one.document, run, rank) for one in pooled for run, rank in one.contributors]


def test_judging_live_proposes_what_the_simulated_order_has():
    qrels, runs = collection(n_systems=6, n_topics=1)
    expected = documents(cranfield.pool(runs, "maxmean", judgments=qrels, depth=20, burn_in=3), "000")
    state = judging_state_of_pool(
        contributions(cranfield.pool(runs, depth=20)["000"]), list(runs), "maxmean", burn_in=3
    )
    order = []
    while (document := state.next()) is not None:
        order.append(document)
        state = state.judged(document, qrels["000"][document] > 0)
    assert order == expected


def test_documents_that_others_are_judging_are_passed_over():
    state = judging_state_of_pool(contributions(cranfield.pool(LECTURE)["q"]), "ABC", "maxmean", burn_in=1)
    assert state.next() == "d1"
    assert state.next({"d1"}) == "d2"
    assert state.next({"d1", "d2", "d3", "d4", "d5"}) is None
    assert state.judged("d2", True).next() == "d1"
    with pytest.raises(BadInput, match="already judged"):
        state.judged("d1", True).judged("d1", False)
    with pytest.raises(BadInput, match="not in the pool"):
        state.judged("d9", True)


def test_a_budget_is_per_topic():
    qrels, runs = collection(n_systems=4, n_topics=3)
    pool = cranfield.pool(runs, "maxmean", judgments=qrels, budget=30)
    assert np.diff(pool.starts).tolist() == [30, 30, 30]


def test_unjudged_documents_in_an_adaptive_order_are_counted_in_a_note():
    pool = cranfield.pool(LECTURE, "mtf", judgments={"q": {"d1": 1, "d2": -1}})
    assert pool.notes == ("4 unjudged documents treated as not relevant by the adaptive judging order",)


# waves


def test_a_later_wave_adds_documents_and_leaves_earlier_ones_as_they_are():
    first = cranfield.pool({name: LECTURE[name] for name in "AB"}, depth=2)
    second = cranfield.pool({"C": LECTURE["C"]}, depth=2, earlier=first)
    assert [(row.document, row.wave) for row in second["q"]] == [("d1", 1), ("d2", 1), ("d4", 1), ("d5", 2)]
    assert second["q"][0].contributors == (("A", 1), ("C", 2))
    assert second.run_wave == (1, 1, 2)
    assert second.later_waves == ({"method": "depth", "depth": 2},)


def test_the_same_runs_again_add_nothing():
    _, runs = collection(n_systems=4, n_topics=3)
    first = cranfield.pool(runs, "uniform", proportion=0.1)
    assert cranfield.pool(runs, "uniform", proportion=0.1, earlier=first).to_csv() == first.to_csv()
    assert cranfield.pool(runs, "uniform", proportion=0.1, earlier=first).n_waves == 1


def test_samples_of_two_waves_have_strata_of_their_own():
    _, runs = collection(n_systems=4, n_topics=1)
    names = list(runs)
    first = cranfield.pool({name: runs[name] for name in names[:2]}, "uniform", proportion=0.2)
    second = cranfield.pool({name: runs[name] for name in names[2:]}, "uniform", proportion=0.5, earlier=first)
    assert second["000"][: len(first)] != ()
    kept = [(row.document, row.selected, row.stratum, row.probability) for row in second["000"] if row.wave == 1]
    assert kept == [(row.document, row.selected, row.stratum, row.probability) for row in first["000"]]
    new = [row for row in second["000"] if row.wave == 2]
    assert {row.stratum for row in new} == {2}
    assert {row.probability for row in new} == {sum(row.selected for row in new) / len(new)}


def test_a_topic_that_only_the_later_wave_answers_is_added():
    first = cranfield.pool({"A": {"2": {"d": 1}}})
    second = cranfield.pool({"B": {"1": {"e": 1}, "3": {"f": 1}}}, earlier=first)
    assert [(row.topic, row.document, row.wave) for row in second] == [("1", "e", 2), ("2", "d", 1), ("3", "f", 2)]


def test_a_changed_run_under_an_earlier_name_is_refused():
    first = cranfield.pool(LECTURE)
    with pytest.raises(BadInput, match=r"'A' has document 'd2' .* at rank 1, but in the earlier pool at rank 2"):
        cranfield.pool({"A": {"q": {"d2": 9, "d1": 1}}}, earlier=first)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"method": "deep"}, "did you mean depth"),
        ({"budget": 5}, "'depth' has no setting 'budget'; it has depth"),
        ({"depth": 0}, "depth must be a positive integer"),
        ({"method": "uniform"}, "either a proportion"),
        ({"method": "uniform", "proportion": 0.0}, "greater than 0 and at most 1"),
        ({"method": "stratified"}, "needs strata, such as"),
        ({"method": "stratified", "strata": "10"}, "such as 50:0.3, not '10'"),
        ({"method": "stratified", "strata": "10:1,5:0.5"}, "ascending ranks"),
        ({"method": "stratified", "strata": {10: 1, 20: 1.5}}, "at most 1, not 1.5"),
        ({"method": "rbp", "p": 1}, "between 0 and 1"),
        ({"method": "maxmean"}, "pass judgments"),
        ({"judgments": {"q": {"d1": 1}}}, "does not depend on judgments"),
    ],
)
def test_settings_that_a_method_does_not_have_are_refused(settings, words):
    with pytest.raises(BadSetting, match=words):
        cranfield.pool(LECTURE, **settings)


def test_a_pool_is_saved_and_loaded_bit_for_bit(tmp_path):
    pool = cranfield.pool(messy(1), "stratified", strata={3: 1, 20: 0.4}, seed=2)
    pool.save(tmp_path / "pool.cranfield")
    loaded = cranfield.load(tmp_path / "pool.cranfield")
    assert loaded.to_json() == pool.to_json()
    assert list(loaded) == list(pool)
