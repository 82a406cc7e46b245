"""A measure is what it prints, and goes by the names that other tools give it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import get_args

import ir_measures
import pytest
import pytrec_eval
from hypothesis import given
from hypothesis import strategies as st

import cranfield
from catalogue import RANKING, measures
from cranfield import evaluate
from cranfield.errors import BadSetting, UnknownMeasure
from cranfield.measures.declaration import Kind
from cranfield.measures.naming import measures_named, parse
from cranfield.measures.registry import Measure, declarations
from cranfield.measures.trec_names import NICKNAMES, TABLE, Listed

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
    ndcg_burges ndcg_burges@5 bpref bpref-l2
""")
RANX += [  # each metric that takes a cutoff and a level, with both, one and none
    f"{metric}{at}{level}"
    for metric in words("hits hit_rate precision recall f1 mrr map dcg dcg_burges ndcg ndcg_burges")
    for at in ("", "@5")
    for level in ("", "-l2")
]

GRADES = {"q": {"a": 1, "b": 2, "c": 0, "d": 1}}
RANKED = {"q": {"a": 4.0, "c": 3.0, "b": 2.0, "e": 1.0}}  # grades 1, 0, 2 and none; d is missed


@every
@given(data=st.data())
def test_a_measure_parses_back_from_what_it_prints(name: str, data: st.DataObject) -> None:
    measure = data.draw(measures(name))
    again = parse(str(measure))
    assert (again, hash(again), str(again)) == (measure, hash(measure), str(measure))


@every
@given(data=st.data())
def test_measures_separated_by_commas_are_all_named(name: str, data: st.DataObject) -> None:
    several = [data.draw(measures(each)) for each in (name, data.draw(st.sampled_from(RANKING)), name)]
    assert measures_named(",".join(map(str, several)), "ranking") == tuple(dict.fromkeys(several))


@every
def test_a_measure_goes_by_all_its_names(name: str) -> None:
    for other in declarations()[name].names:
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


@pytest.mark.parametrize("name", sorted(ir_measures.measures.registry))
def test_every_measure_of_ir_measures_is_understood(name: str) -> None:
    assert isinstance(parse(name), Measure)


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
        ("iprec_at_recall_0.10", "IPrec(rounding='trec10')@0.1"),
        ("Rprec_mult_0.20", "Rprec(multiple=0.2)"),
        ("nDCG(dcg='exp-log2')@10", "nDCG(gain='exp2')@10"),
        ("ndcg_burges@5", "nDCG(gain='exp2')@5"),
        ("AP(judged_only=True)", "AP(unjudged='skip')"),
        ("P(cutoff=5)", "P@5"),
        ("precision@10-l2", "P(rel=2)@10"),
        ("SetP(relative=True, rel=2)", "RelP(rel=2)"),
        ("hits@10", "Hits@10"),
        ("SetF(beta=4, rel=2)", "F(beta=2, rel=2)"),
        ("rbp", "RBP(p=0.9, gain='linear', top='query')"),
        ("IPrec@1e-05", "IPrec@0.00001"),
        ("P(k=10.0)", "P@10"),
        ("nDCG(gain={2: 5, 1: 3})", "nDCG(gain={1: 3, 2: 5})"),
    ],
)
def test_a_name_means(written: str, meant: str) -> None:
    assert parse(written) == parse(meant)


@pytest.mark.parametrize("listed", TABLE, ids=lambda listed: listed.name)
def test_every_measure_of_trec_eval_is_understood_as_it_reads_them(listed: Listed) -> None:
    if listed.name in ("runid", "relstring"):
        with pytest.raises(UnknownMeasure, match="is a text, not a number; cranfield trec_eval prints it"):
            measures_named(listed.name, "ranking")
    elif listed.name in ("P", "recall"):
        assert measures_named(listed.name, "ranking") == (parse(f"set_{listed.name}"),)
    else:
        several = listed.form in ("cutoffs", "levels")
        assert len(measures_named(listed.name, "ranking")) == (len(listed.default) if several else 1)


@pytest.mark.parametrize("nickname", NICKNAMES)
def test_a_nickname_of_trec_eval_stands_for_its_measures_but_for_the_texts(nickname: str) -> None:
    numbers = [name for name in NICKNAMES[nickname] if name not in ("runid", "relstring")]
    depths = {"P": "P.5,10,15,20,30,100,200,500,1000", "recall": "recall.5,10,15,20,30,100,200,500,1000"}
    named = [measures_named(depths.get(name, name), "ranking") for name in numbers]
    assert measures_named(nickname, "ranking") == tuple(dict.fromkeys(one for several in named for one in several))


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("success", "Success@1 Success@5 Success@10"),
        ("unj", "Unjudged@5 Unjudged@10 Unjudged@20"),
        ("P.5,10", "P@5 P@10"),
        ("P_5,10", "P@5 P@10"),
        ("iprec_at_recall.0.1,0.2", "IPrec(rounding='trec10')@0.1 IPrec(rounding='trec10')@0.2"),
        ("Rprec_mult.0.5,1", "Rprec(multiple=0.5) Rprec"),
        ("set_F.4", "F(beta=2)"),
        ("set_F_0.25", "F(beta=0.5)"),
        ("utility_1,-1,0,0", "Utility"),
        ("utility.2,-1,0,0.5", "Utility(found_relevant=2,spared=0.5)"),
        ("11pt_avg.0,0.5,1", "IAP(levels=(0,0.5,1),rounding='trec10')"),
        ("ndcg.1=3,2=9", "nDCG(gain={1:3,2:9})"),
        ("ndcg_1=3,2=9", "nDCG(gain={1:3,2:9})"),
        ("ndcg_rel_1=3", "NdcgRel(gain={1:3})"),
        ("G.1=3", "G(gain={1:3})"),
        ("dcg.1=3", "DCG(gain={1:3})"),
        ("ideal_dcg_2=0.5", "IDCG(gain={2:0.5})"),
        ("Rndcg.0=-1", "Rndcg(gain={0:-1})"),
        ("rbp.p=0.8", "RBP(gain='linear',top='query')"),
        ("rbp_resid.p=0.5", "RBPRes(p=0.5,rule='trec')"),
        ("ndcg_burges@10-l2", "nDCG(gain='exp2',rel=2)@10"),
        ("SetRelP(relative=True)", "RelP"),
        ("SetRelP(relative=False)", "P"),
    ],
)
def test_a_name_stands_for(written: str, meant: str) -> None:
    assert measures_named(written, "ranking") == tuple(map(parse, words(meant)))


@pytest.mark.parametrize(
    ("written", "values"),
    [
        ("P.1,2", [1, 1 / 2]),
        ("iprec_at_recall.0,0.5", [1, 2 / 3]),
        ("set_F.3", [4 * (1 / 2) * (2 / 3) / (3 * (1 / 2) + 2 / 3)]),
        ("utility.3,-1,-2,0", [3 * 2 - 2 - 2]),
        ("11pt_avg.0,1", [1 / 2]),
        ("dcg.1=3,2=9", [3 + 9 / 2]),
        ("rbp.p=0.5", [(1 / 2 + 1 / 4) / 2]),
        ("dcg-l2", [2 / 2]),
        ("ndcg-l2", [1 / 2]),
        ("dcg_burges@2-l2", [0]),
        ("ndcg_burges-l2", [1 / 2]),
    ],
)
def test_a_name_has_the_value_that_its_tool_gives_it(written: str, values: list[float]) -> None:
    result = evaluate(GRADES, RANKED, written)
    assert [result[measure] for measure in result.measures] == pytest.approx(values)


@pytest.mark.parametrize("nickname", ["official", "set", "all_trec"])
def test_a_nickname_of_trec_eval_has_the_values_that_pytrec_eval_gives_it(nickname: str) -> None:
    result = evaluate(GRADES, RANKED, nickname)
    known = pytrec_eval.RelevanceEvaluator(GRADES, pytrec_eval.supported_measures).evaluate(RANKED)["q"]
    texts, rounded = ("runid", "relstring"), ("iprec_at_recall", "11pt_avg")  # which pytrec_eval rounds as version 9
    shared = [name for name in known if name not in texts and not name.startswith(rounded)]
    shared = [name for name in shared if parse(name) in result.measures]
    for name in shared:
        value = pytrec_eval.compute_aggregated_measure(name, [known[name]])  # of a geometric mean it is the logarithm
        assert result[name] == pytest.approx(value), name
    assert len(shared) >= 10


def test_a_result_is_asked_for_one_measure_at_a_time() -> None:
    with pytest.raises(BadSetting, match=r"'success' stands for several measures: Success@1, .*; choose one of them"):
        parse("success")


@pytest.mark.parametrize(
    "text",
    ["map.5", "P.5,", "P.2.5", "utility.1,2", "set_F.-1", "set_F.1,2", "ndcg.5", "ndcg.p=3", "rbp.p=2", "P.-5,1"],
)
def test_parameters_that_trec_eval_s_measure_does_not_have_are_refused(text: str) -> None:
    with pytest.raises(BadSetting):
        measures_named(text, "ranking")


@pytest.mark.parametrize("text", ["ndcg_ctu", "official.5", "NDGC", "P@", "P@1.2.3", "", "@5", "nDCG@10@5"])
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


def named_in(kind: Kind) -> list[tuple[str, str]]:
    """Every name and alias of a kind in lower case, and the measure it is for."""
    return [
        (written.lower(), declared.name)
        for declared in declarations(kind).values()
        for written in {
            name.lower()
            for name in (
                declared.name,
                *declared.names,
                *(each.pattern for each in declared.aliases if not each.refused),
            )
        }
    ]


@pytest.mark.parametrize("kind", get_args(Kind))
def test_no_two_measures_have_names_that_differ_in_case_only(kind: Kind) -> None:
    names = [written for written, _ in named_in(kind)]
    assert [written for written in set(names) if names.count(written) > 1] == []


@pytest.mark.parametrize("kind", get_args(Kind))
def test_names_ignore_case(kind: Kind) -> None:
    for name in (name for declared in declarations(kind).values() for name in (declared.name, *declared.names)):
        for written in (name.upper(), name.lower(), name.title()):
            with suppress(BadSetting):  # names of trec_eval stand for several, and others are refused
                assert parse(written, kind).name in (parse(name, kind).name, *TREC_EVAL)


@pytest.mark.parametrize(
    ("written", "kinds", "meant"),
    [
        ("nDCG@10,AP", "ranking", "nDCG@10 AP"),
        ("P.5,10,AP", "ranking", "P@5 P@10 AP"),
        (
            "P(rel=2)@5, nDCG(gain={1:3,2:9})@10 ,11pt_avg,",
            "ranking",
            "P(rel=2)@5 nDCG(gain={1:3,2:9})@10 IAP(rounding='trec10')",
        ),
        (["AP,RR", "AP", "NDCG@5"], "ranking", "AP RR nDCG@5"),
        ("success@1", "ranking", "Success@1"),
        ("Hits@10", "ranking", "Hits@10"),
        ("HR@10", "ranking", "Success@10"),
        ("hitrate@10", "ranking", "Success@10"),
        ("recall_at_100", "ranking", "R@100"),
        ("mean_average_precision", "ranking", "AP"),
        ("Reciprocal rank@10", "ranking", "RR@10"),
        ("ndcg_score", "ranking", "nDCG"),
        ("f1_score", "binary", "F"),
        ("f2_score", "binary", "F(beta=2)"),
        ("roc_auc", "binary", "AUC"),
        ("ROC-AUC", "binary", "AUC"),
        ("roc_auc_score", "binary", "AUC"),
        ("average_precision_score", "binary", "AP"),
        ("matthews_corrcoef", "binary", "MCC"),
        ("brier_score_loss", "binary", "Brier"),
        ("zero_one_loss", "classes", "ErrorRate"),
        ("balanced_accuracy_score,cohen_kappa_score", "classes", "BalancedAccuracy Kappa"),
        ("f1_score,accuracy_score", ("classes", "binary"), "F Accuracy"),
        ("mean_squared_error", "values", "MSE"),
        ("rmse,mean_absolute_percentage_error,r2_score", "values", "RMSE MAPE R2"),
        ("cohen_kappa,krippendorff_alpha", "ratings", "Kappa Alpha"),
    ],
)
def test_a_user_s_words_name(written: str | list[str], kinds: Kind | tuple[Kind, ...], meant: str) -> None:
    assert [str(measure) for measure in measures_named(written, kinds)] == [
        str(parse(name, kinds)) for name in words(meant)
    ]


@pytest.mark.parametrize(
    ("asked", "kinds", "message"),
    [
        ("AP", "values", "AP measures rankings and classifiers; regress takes MSE, RMSE, "),
        (Measure("RR"), "binary", "RR measures rankings; classify takes Accuracy, "),
        ("rmse", "ranking", "rmse measures numeric predictions; evaluate takes nDCG@10, "),
        ("nDCG@5", "ratings", "nDCG measures rankings; agree takes Kappa, "),
        ("neg_mean_squared_error", "values", "'neg_mean_squared_error'; use MSE, which is not negated"),
        ("f1_macro", "binary", "'f1_macro'; use F with average='macro'"),
        ("AP,nDGC", "ranking", "there is no measure 'nDGC'; did you mean nDCG"),
        ("f1_scor", "binary", "there is no measure 'f1_scor'; did you mean F1, "),
        ("ndgc_cut_10", "ranking", "there is no measure 'ndgc_cut_10'; did you mean ndcg_cut_10, "),
        ("mean_sqared_error", "values", "there is no measure 'mean_sqared_error'; did you mean MSE, "),
        (7, "ranking", "there is no measure '7'"),
    ],
)
def test_what_is_not_a_measure_of_the_kind_gets_a_sentence(asked: str, kinds: Kind, message: str) -> None:
    with pytest.raises(UnknownMeasure, match=re.escape(message)):
        measures_named(asked, kinds)


@pytest.mark.parametrize(
    ("text", "kind", "message"),
    [("NCG@5", "ranking", "use RelCG"), ("fbeta_score", "binary", r"F2 or F\(beta=2\)"), ("IPrec", "ranking", "needs")],
)
def test_a_name_that_says_too_little_is_refused(text: str, kind: Kind, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        measures_named(text, kind)


def test_a_measure_of_one_kind_names_that_of_another() -> None:
    assert measures_named(cranfield.F(beta=2), "binary") == (parse("F2", "binary"),)
    assert cranfield.classify([1, 0, 1], [1, 1, 1], measures=cranfield.F)["F1"] == pytest.approx(0.8)
    assert cranfield.regress([1, 2], [1, 4], measures=cranfield.MSE)["mse"] == 2


def test_without_a_request_the_default_measures_are_named() -> None:
    assert measures_named(None, "ranking", ("AP", "RR")) == (parse("AP"), parse("RR"))
    with pytest.raises(BadSetting, match="no measure was requested"):
        measures_named((), "ranking", ("AP",))
