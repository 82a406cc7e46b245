"""Beside ir_measures, query by query: every measure that it computes without Perl or Java."""

from __future__ import annotations

import warnings
from typing import Any

import ir_measures
import numpy as np
import pytest

from cranfield import evaluate
from generated import Qrels, Run, collection

# ranked by 32-bit scores, then by name from the last to the first
AS_TREC = (
    "P@1",
    "P@5",
    "P(rel=2)@10",
    "P(judged_only=True)@5",
    "R@5",
    "R(rel=2)@20",
    "AP",
    "AP(rel=2)@10",
    "AP(judged_only=True)",
    "RR",
    "RR(rel=2)",
    "nDCG",
    "nDCG@10",
    "nDCG(judged_only=True)@5",
    "nDCG(gains={1: 5, 2: 2, 3: 7})",
    "nDCG(gains={1: 5, 2: 2, 3: 7})@10",
    "Rprec",
    "Rprec(rel=3)",
    "Bpref",
    "Bpref(rel=2)",
    "IPrec@0.1",
    "IPrec(rel=2)@0.55",
    "Success@1",
    "Success(rel=3)@10",
    "SetP",
    "SetP(rel=2)",
    "SetP(relative=True,rel=2)",
    "SetR",
    "SetR(rel=2)",
    "SetF",
    "SetF(rel=2)",
    "SetAP",
    "SetAP(rel=2)",
    "NumRet",
    "NumRet(rel=2)",
    "NumRelRet",
    "infAP",
    "infAP(rel=2)",
)
BY_NAME = ("RR@1", "RR@10", "RR(rel=2)@5", "Judged", "Judged@5", "Judged@100")  # by score, then by name
AS_GIVEN = ("Accuracy", "Accuracy@5", "Accuracy(rel=2)@10")  # by score, then as they came


def agree(names: tuple[str, ...], qrels: Qrels, run: Run, **counting: Any) -> None:
    measures = [ir_measures.parse_measure(name) for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = evaluate(qrels, run, [str(measure) for measure in measures], **counting)
    for measure in measures:  # one at a time: asked together, the gains of one nDCG reach the others
        for theirs in ir_measures.iter_calc([measure], qrels, run):
            mine = np.nan_to_num(result.per_query(str(measure))[theirs.query_id])
            assert mine == pytest.approx(theirs.value, abs=1e-9), (str(measure), theirs.query_id)


@pytest.mark.parametrize("seed", range(4))
def test_what_trec_eval_computes_agrees(seed: int) -> None:
    agree(AS_TREC, *collection(seed), precision="single")


@pytest.mark.parametrize("seed", range(4))
def test_what_orders_ties_by_name_agrees(seed: int) -> None:
    agree(BY_NAME, *collection(seed, grades=(0, 1, 2)), ties="name")


@pytest.mark.parametrize("name", AS_GIVEN)
@pytest.mark.parametrize("seed", range(4))
def test_pairwise_accuracy_agrees(seed: int, name: str) -> None:
    agree((name,), *collection(seed, grades=(0, 0, 1, 2)), ties="given")


def test_a_query_that_the_run_lacks_still_has_relevant_documents() -> None:
    """ir_measures gives NumRel and NumQ of 0 to it, trec_eval -c and we count it."""
    qrels, run = {"a": {"d": 1}, "b": {"d": 1}}, {"a": {"d": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.NumRel], qrels, run)
    assert theirs[ir_measures.NumRel] == 1
    with pytest.warns(UserWarning, match="missing"):
        assert evaluate(qrels, run, "NumRel")["NumRel"] == 2


def test_a_document_that_was_pooled_and_not_judged_is_not_judged() -> None:
    """ir_measures counts whatever is in the qrels as judged."""
    qrels, run = {"q": {"a": -1, "b": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    assert ir_measures.calc_aggregate([ir_measures.Judged @ 2], qrels, run)[ir_measures.Judged @ 2] == 1
    assert evaluate(qrels, run, "Judged@2")["Judged@2"] == 0.5


def test_the_beta_of_ir_measures_is_the_square_of_van_rijsbergens() -> None:
    """It hands its beta to trec_eval, which takes the square: with P = 1/2, R = 1 its F2 is 3/4 and not 5/6."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    theirs = ir_measures.calc_aggregate([ir_measures.SetF(beta=2.0)], qrels, run)
    assert theirs[ir_measures.SetF(beta=2.0)] == pytest.approx(3 / 4)
    assert evaluate(qrels, run, "SetF(beta=2)")["SetF(beta=2)"] == pytest.approx(3 / 4)
    assert evaluate(qrels, run, "F(beta=2)")["F(beta=2)"] == pytest.approx(5 / 6)


def test_accuracy_with_nothing_but_relevant_documents_is_undefined() -> None:
    """ir_measures divides by zero there."""
    qrels, run = {"q": {"a": 1}}, {"q": {"a": 1.0}}
    with pytest.raises(ZeroDivisionError):
        ir_measures.calc_aggregate([ir_measures.Accuracy], qrels, run)
    assert np.isnan(evaluate(qrels, run, "Accuracy").per_query("Accuracy")["q"])
