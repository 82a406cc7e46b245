"""Beside pytrec_eval, query by query: every measure it has, at every level of relevance, judged or not."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import pytrec_eval

from cranfield import Measure, evaluate, parse
from generated import Qrels, Run, collection

TEXTS = {"runid", "relstring"}  # not measures

# where pytrec_eval and we part, and why
EMPTY = ("iprec_at_recall", "11pt_avg")  # divides 0 by 0 where no judged document is left; we say 0
LEVEL = ("Rndcg",)  # gains know no level of relevance, yet it gives 0 where no document reaches the level


def ours(name: str, level: int, judged_only: bool) -> Measure:
    """The measure that pytrec_eval calls by this name."""
    measure = parse(name)
    if measure.options.get("rounding") == "trec10":  # pytrec_eval is version 9
        measure = measure(rounding="trec9")
    setting = measure.declaration.settings.get("rel")
    if setting is not None and setting.default is not None:  # gains and counts know no level unless told
        measure = measure(rel=level)
    return measure(unjudged="skip") if judged_only else measure


def theirs(qrels: Qrels, run: Run, level: int, judged_only: bool) -> dict[str, dict[str, float]]:
    """What pytrec_eval says, query by query."""
    wanted = pytrec_eval.supported_measures - TEXTS
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, wanted, relevance_level=level, judged_docs_only_flag=judged_only)
    return evaluator.evaluate(run)


def differs_by_design(name: str, value: float, qrels: dict[str, int], level: int) -> bool:
    """Whether this is where pytrec_eval is known to be wrong."""
    if name.startswith(EMPTY):
        return np.isnan(value)
    return name in LEVEL and max(qrels.values()) < level


@pytest.mark.parametrize("judged_only", [False, True], ids=["all", "judged"])
@pytest.mark.parametrize("level", [1, 2, 3])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_measure_agrees(seed: int, level: int, judged_only: bool) -> None:
    qrels, run = collection(seed)
    peer = theirs(qrels, run, level, judged_only)
    names = sorted(next(iter(peer.values())))
    measures = {name: ours(name, level, judged_only) for name in names}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # queries that either side lacks, and ties, are what this is about
        result = evaluate(qrels, run, list(measures.values()), precision="single")
    for name, measure in measures.items():
        value = result.per_query(measure)
        for query in peer:
            if not differs_by_design(name, peer[query][name], qrels[query], level):
                known = np.nan_to_num(value[query])  # undefined counts as 0 there
                mine = np.log(max(known, 1e-5)) if name.startswith("gm_") else known
                assert mine == pytest.approx(peer[query][name], abs=1e-9), (name, query)


@pytest.mark.parametrize("measure", ["P_3", "recall_7", "ndcg_cut_2", "map_cut_4", "success_3", "relative_P_6"])
def test_any_cut_off_agrees(measure: str) -> None:
    qrels, run = collection(7, grades=(0, 0, 1, 2, 4))
    peer = pytrec_eval.RelevanceEvaluator(qrels, {measure}).evaluate(run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = evaluate(qrels, run, measure, precision="single").per_query(measure)
    known = {query: np.nan_to_num(value[query]) for query in peer}
    assert known == pytest.approx({query: peer[query][measure] for query in peer}, abs=1e-9)


def test_scores_that_differ_below_32_bits_tie_there_and_not_here() -> None:
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.00000001, "b": 1.0}}
    peer = pytrec_eval.RelevanceEvaluator(qrels, {"recip_rank"}).evaluate(run)
    with pytest.warns(UserWarning, match="same score"):
        single = evaluate(qrels, run, "RR", precision="single")["RR"]
    assert single == peer["q"]["recip_rank"] == 0.5
    assert evaluate(qrels, run, "RR")["RR"] == 1


@pytest.mark.parametrize("name", ["map", "ndcg", "P_10", "gm_map", "gm_bpref", "num_rel_ret", "recall_100"])
def test_aggregates_agree(name: str) -> None:
    qrels, run = collection(4)
    del qrels["q3"]  # pytrec_eval averages over the queries that the run answers
    peer = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    values = [query[name] for query in peer.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine = evaluate(qrels, run, name, precision="single")[name]
    assert mine == pytest.approx(pytrec_eval.compute_aggregated_measure(name, values), abs=1e-9)
