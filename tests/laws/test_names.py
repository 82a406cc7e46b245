"""A measure is what it prints, and goes by the names that other tools give it."""

from __future__ import annotations

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given, settings
from hypothesis import strategies as st

from catalogue import RANKING, measures
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.registry import Measure, families, parse

every = pytest.mark.parametrize("name", RANKING)


def words(text: str) -> list[str]:
    return text.split()


TREC_EVAL = words("""
    num_q num_ret num_rel num_rel_ret map gm_map Rprec bpref recip_rank iprec_at_recall_0.10 P_5 recall_5 infAP
    gm_bpref Rprec_mult_0.20 utility 11pt_avg binG G dcg ideal_dcg ndcg ndcg_rel Rndcg ndcg_cut_5 map_cut_5
    relative_P_5 success_1 set_P set_relative_P set_recall set_map set_F num_nonrel_judged_ret yaap rbp rbp_p=0.8
    rbp_resid rbp_resid_p=0.8 unj_5
""")

IR_MEASURES = words("""
    P@5 Precision@5 R@5 Recall@5 AP MAP AP@10 RR MRR RR@10 nDCG NDCG nDCG(dcg='exp-log2')@10 nDCG(gains={1:2,2:5})@5
    Rprec RPrec Bpref BPref infAP IPrec@0.1 Success@1 SetP SetRelP SetP(relative=True) SetP(relative=False) SetR SetF
    SetF(beta=2) SetAP NumQ NumRel NumRet NumRet(rel=2) Judged Judged@10 ERR@10 RBP RBP(p=0.9,rel=1) Accuracy
    P(rel=2,judged_only=True)@5 P(judged_only=False)@5
""")

RANX = words("""
    hits hits@5 hits-l2 hits@5-l2 hit_rate hit_rate@5 precision precision@5 precision@5-l2 recall recall@5 f1 f1@5
    r-precision r-precision-l2 mrr mrr@5 mrr@5-l2 map map@5 map@5-l2 dcg dcg@5 dcg_burges dcg_burges@5 ndcg ndcg@5
    ndcg_burges ndcg_burges@5 bpref bpref-l2 rbp.95 rbp.5 rbp.95-l2
""")


@every
@given(data=st.data())
@settings(max_examples=40)
def test_a_measure_parses_back_from_what_it_prints(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    again = parse(str(measure))
    assert (again, hash(again), str(again)) == (measure, hash(measure), str(measure))


@every
def test_a_measure_goes_by_all_its_names(name: str) -> None:
    for other in families()[name].names:
        assert parse(other) == parse(name)


@pytest.mark.parametrize("name", TREC_EVAL)
def test_trec_eval_s_names_are_understood(name: str) -> None:
    assert isinstance(parse(name), Measure)


@pytest.mark.parametrize("name", sorted(pytrec_eval.supported_measures - {"runid", "relstring"}))
def test_what_pytrec_eval_prints_is_understood(name: str) -> None:
    printed = pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {name}).evaluate({"q": {"d": 1.0}})["q"]
    assert all(isinstance(parse(column), Measure) for column in printed)


@pytest.mark.parametrize("name", IR_MEASURES)
def test_ir_measures_names_are_understood_as_it_reads_and_as_it_prints_them(name: str) -> None:
    assert parse(name) == parse(str(ir_measures.parse_measure(name)))


@pytest.mark.parametrize("name", RANX)
def test_ranx_s_names_are_understood(name: str) -> None:
    assert isinstance(parse(name), Measure)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ndcg_cut_10", "nDCG@10"),
        ("P_5", "P@5"),
        ("map", "AP"),
        ("recip_rank", "RR"),
        ("iprec_at_recall_0.10", "IPrec@0.1"),
        ("Rprec_mult_0.20", "Rprec(multiple=0.2)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp2')@10"),
        ("ndcg_burges@5", "nDCG(gain='exp2')@5"),
        ("AP(judged_only=True)", "AP(unjudged='skip')"),
        ("P(cutoff=5)", "P@5"),
        ("precision@10-l2", "P(rel=2)@10"),
        ("SetP(relative=True, rel=2)", "RelP(rel=2)"),
        ("rbp.95", "RBP(p=0.95)"),
        ("rbp", "RBP(p=0.9, gain='linear')"),
        ("IPrec@1e-05", "IPrec@0.00001"),
        ("P(k=10.0)", "P@10"),
        ("nDCG(gain={2: 5, 1: 3})", "nDCG(gain={1: 3, 2: 5})"),
    ],
)
def test_a_name_means(written: str, meant: str) -> None:
    assert parse(written) == parse(meant)


@pytest.mark.parametrize("text", ["NDGC", "P@", "P@1.2.3", "", "@5", "nDCG@10@5"])
def test_no_measure_goes_by_another_name(text: str) -> None:
    with pytest.raises(UnknownMeasure):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "P@0",
        "P@2.5",
        "P(k=True)",
        "RBP(p=1)",
        "nDCG(base=1)",
        "nDCG(gain='log')",
        "nDCG(gain={'a': 1})",
        "IPrec@1.5",
        "F(beta=-1)",
        "F(beta=1e999)",
        "AP(level=2)",
        "AP(2)",
        "P(rel=2)(k=5)",
        "Rprec(multiple=0)",
    ],
)
def test_a_setting_out_of_its_range_is_refused(text: str) -> None:
    with pytest.raises(BadSetting):
        parse(text)


def test_a_measure_without_its_setting_is_refused_where_it_is_used() -> None:
    with pytest.raises(BadSetting, match="IPrec needs recall"):
        parse("IPrec").require_settings()
