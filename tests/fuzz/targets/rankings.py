"""Rankings from files: against the reference evaluator, and against trec_eval."""

from __future__ import annotations

import math
import struct
import tempfile
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytrec_eval

from cranfield import Result, evaluate
from cranfield.errors import CranfieldWarning
from fuzz.target import assume, target
from generators.rankings import Collection, collections, text_collections, tied_collections
from oracles.declared import MICRO
from reference import rankings as reference
from reference.measures import MEASURES

WAYS: list[dict[str, Any]] = [{}, {"ties": "name"}, {"ties": "given"}, {"depth": 3}]


def evaluated(case: Collection, measures: list[str], **settings: Any) -> Result:
    """What cranfield makes of the collection as two TREC files; its warnings are not what this is about."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
        qrels.write_bytes(case.qrels_file())
        run.write_bytes(case.run_file())
        return evaluate(qrels, run, measures, **settings)


def close(value: float, wanted: float) -> bool:
    """Whether two figures are the same but for rounding."""
    return math.isclose(value, wanted, rel_tol=1e-10, abs_tol=1e-12) or (math.isnan(value) and math.isnan(wanted))


@target(collections, seeds=60)
def rankings_are_as_in_the_reference(case: Collection) -> None:
    """Every measure, query by query, however ties are broken and wherever the ranking is cut."""
    assume(case.is_valid)
    for way in WAYS:
        wanted, result = (
            reference.evaluate(case.qrels_file(), case.run_file(), **way),
            evaluated(case, list(MEASURES), **way),
        )
        assert [query.encode("utf-8", "surrogateescape") for query in result.units] == list(wanted.rankings)
        for measure in MEASURES if not way else ("AP", "nDCG@10", "P@5", "Bpref", "NumRet"):
            values = wanted.per_query(measure)
            for query, value in result.per_query(measure).items():
                known = values[query.encode("utf-8", "surrogateescape")]
                assert close(value, known), f"{measure} of {query!r} is {known}, not {value} ({way})"


@target(collections, seeds=10)
def means_are_as_in_the_reference(case: Collection) -> None:
    """The mean of every measure, with missing queries and undefined values counted as 0 or left out."""
    assume(case.is_valid)
    wanted = reference.evaluate(case.qrels_file(), case.run_file())
    for missing in (False, True):
        for undefined in (False, True):
            settings = {"missing": "skip" if missing else "zero", "undefined": "skip" if undefined else "zero"}
            result = evaluated(case, list(MEASURES), **settings)
            for measure in MEASURES:
                known = wanted.mean(measure, skip_missing=missing, skip_undefined=undefined)
                assert close(result[measure], known), f"{measure} is {known}, not {result[measure]} ({settings})"


TREC_EVAL = {
    "map": "AP", "recip_rank": "RR", "Rprec": "Rprec", "bpref": "Bpref", "infAP": "infAP", "ndcg": "nDCG",
    "set_P": "set_P", "set_recall": "set_recall", "P_5": "P@5", "recall_5": "recall_5", "ndcg_cut_5": "ndcg_cut_5",
    "success_1": "Success@1", "num_ret": "NumRet", "num_rel": "NumRel", "num_rel_ret": "NumRelRet",
}  # fmt: skip


@target(text_collections, seeds=100)
def the_reference_is_as_trec_eval(case: Collection) -> None:
    """The reference evaluator beside NIST's code, which holds scores in 32 bits and ids as text."""
    assume(case.is_valid and case.is_text)
    assume(all(grade >= 0 for _, _, grade in case.qrels))
    case = single(case)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for query, document, grade in case.qrels:
        qrels.setdefault(query, {})[document] = grade
    for query, document, score in case.run:
        run.setdefault(query, {})[document] = float(score)
    theirs = pytrec_eval.RelevanceEvaluator(qrels, set(TREC_EVAL)).evaluate(run)
    wanted = reference.evaluate(case.qrels_file(), case.run_file())
    for name, measure in TREC_EVAL.items():
        values = wanted.per_query(measure)
        for query, found in theirs.items():
            known = values[query.encode()]
            assert close(found[name], 0 if math.isnan(known) else known), f"{name} of {query!r}"


def single(case: Collection) -> Collection:
    """The collection with scores as 32 bits hold them."""
    return replace(case, run=[(query, document, _single(score)) for query, document, score in case.run])


def _single(score: str) -> str:
    try:
        return repr(struct.unpack("f", struct.pack("f", float(score)))[0])
    except OverflowError:
        return repr(math.copysign(math.inf, float(score)))


ORDERED = ("AP", "nDCG@10", "P@5", "RR", "P(rel=2)@10", "Success@1", "RBP", "Bpref", "infAP", "ERR(top=3)@10")
MONOTONE = ("AP", "nDCG@10", "P@5", "RR", "Success@1", "RBP")  # no document is better lower down


@target(tied_collections, seeds=10)
def ties_are_as_over_all_orders(case: Collection) -> None:
    """Expected, best and worst values beside those of every order that the ties allow."""
    assume(case.is_valid)
    expected, best, worst = (evaluated(case, list(ORDERED), ties=ties) for ties in ("expected", "best", "worst"))
    for measure in ORDERED:
        values = reference.over_orders(case.qrels_file(), case.run_file(), measure)
        for query, found in expected.per_query(measure).items():
            every = values[query.encode("utf-8", "surrogateescape")]
            assert close(found, sum(every) / len(every)), f"{measure} of {query!r}, expected"
            if measure in MONOTONE and not math.isnan(found):
                assert close(best.per_query(measure)[query], max(every)), f"{measure} of {query!r}, best"
                assert close(worst.per_query(measure)[query], min(every)), f"{measure} of {query!r}, worst"


@target(collections, seeds=20)
def micro_averages_are_as_in_the_reference(case: Collection) -> None:
    """Measures of all queries pooled, counts added up."""
    assume(case.is_valid)
    wanted = reference.evaluate(case.qrels_file(), case.run_file())
    names = [measure for measure, (name, _) in MEASURES.items() if name in MICRO]
    result = evaluated(case, names)
    for measure in names:
        value = result.aggregated("micro")[0, result.place(measure)]
        name, settings = MEASURES[measure]
        known = MICRO[name](list(wanted.rankings.values()), settings)
        assert close(value, known), f"{measure} is {known}, not {value}"


@target(collections, seeds=10)
def single_precision_is_that_of_rounded_scores(case: Collection) -> None:
    """Scores compared as 32-bit numbers are as good as scores written with 32 bits."""
    assume(case.is_valid)
    rounded = evaluated(case, list(ORDERED), precision="single")
    assert str(rounded.values.tolist()) == str(evaluated(single(case), list(ORDERED)).values.tolist())
