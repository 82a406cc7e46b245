"""One name has one value: `eval` and `trec_eval` agree on every name of trec_eval, on messy data."""

from __future__ import annotations

import numpy as np
import pytest

from cranfield import evaluate
from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from cranfield.measures.trec_names import TABLE
from generated import collection
from trec_eval.running import Files, qrels_text, run, run_text

GIVEN = (
    "iprec_at_recall.0.15,0.33,1.0",
    "11pt_avg.0.15,0.5,0.85",
    "utility.2,-0.5,-1,0.25",
    "set_F.2.5",
    "Rprec_mult.0.3,2.5",
    "rbp.p=0.7",
    "rbp_resid.p=0.7",
    "ndcg_cut.3,7",
    "P.3,7",
    "Rprec_mult_avgjg.0.5,1.5",
    "P_avgjg.3,7",
    *(f"{name}.1=0.5,2=4" for name in ("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel", "Rndcg")),
)
TEXTS = ("runid", "relstring")
OURS_FIRST = ("P", "recall")  # cranfield's own names, over all that was retrieved; trec_eval's stand for nine cutoffs
NAMES = [listed.name for listed in TABLE if listed.name not in TEXTS + OURS_FIRST]


@pytest.mark.parametrize("name", [*NAMES, *GIVEN])
@pytest.mark.parametrize("seed", [3, pytest.param(4, marks=pytest.mark.thorough)])
@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")  # the data are messy
def test_a_name_has_one_value(name: str, seed: int, files: Files) -> None:
    qrels, ranked = collection(seed)
    needs = next(one.needs for one in TABLE if one.name == name.partition(".")[0]) or "qrels"
    judgments = qrels_text(qrels) if needs == "qrels" else in_groups(qrels_text(qrels), needs)
    paths = files(judgments, run_text(ranked))
    printed = [line.split("\t") for line in run("-q", "-c", "-R", needs, "-m", name, *paths).out.splitlines()]
    result = evaluate(*map(str, paths), name, form="prefs" if needs == "prefs" else "qrels")
    mine = dict(zip(dict.fromkeys(shown for shown, _, _ in printed), result.measures, strict=True))
    assert printed
    for shown, query, value in printed:
        if name in ("utility", "utility.2,-0.5,-1,0.25", "rbp_resid.p=0.7") and query in ("q3", "all"):
            continue  # trec_eval 10 gives a missing topic a document that was not judged; here nothing was retrieved
        values = result[mine[shown]] if query == "all" else np.nan_to_num(result.per_query(mine[shown])[query])
        assert value in (f"{values:.4f}", f"{values:.0f}"), (shown, query)


def in_groups(judgments: str, form: str) -> str:
    """The same judgments by two assessors, the second of whom saw half of the documents."""
    fields = [line.split() for line in judgments.splitlines()]
    rows = [(q, group, d, g) for q, _, d, g in fields for group in "12" if group == "1" or int(d[1:]) % 2]
    subgroup = " s" if form == "prefs" else ""
    return "".join(f"{q} {group}{subgroup} {d} {g}\n" for q, group, d, g in rows)


def test_gains_of_rbp_are_refused_because_trec_eval_rescales_them_by_topic() -> None:
    with pytest.raises(BadSetting, match=r"rescales the gains of rbp.p=0.6,1=0.25,3=0.5 in each topic"):
        parse("rbp.p=0.6,1=0.25,3=0.5")
