"""Every name that other tools give a measure has the value those tools give it, query by query and over all."""

from __future__ import annotations

import importlib
import logging
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import ir_measures
import numpy as np
import pytest
import pytrec_eval

from cranfield import evaluate
from cranfield.errors import BadSetting
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from generated import Qrels, Run
from laws.test_names import RANX

logging.getLogger("ir_measures").setLevel(logging.ERROR)  # it warns that grades are scaled, which is the point

GIVEN = {"k": "5", "rel": "2", "p": "0.7", "multiple": "0.40", "recall": "0.30"}
ALIASES = [
    alias.pattern.format(**GIVEN)
    for declared in declarations().values()
    for alias in declared.aliases
    if not alias.refused and "prefs" not in alias.pattern and "avgjg" not in alias.pattern
]
ELSEWHERE = {  # of trec_eval 10, which cannot be installed, or of tools that are no Python packages
    *("dcg", "ideal_dcg", "rbp", "rbp_p=0.7", "rbp_resid", "rbp_resid_p=0.7", "unj_5", "unj.5", "yaap"),
    *("recip_rank_cut_5", "R_cap@5"),
}

SETTINGS: dict[str, tuple[Any, ...]] = {
    "cutoff": (5, 1000),
    "rel": (1, 2),
    "judged_only": (True,),
    "relative": (True, False),
    "beta": (0.5, 0.7, 2.0),
    "gains": ({1: 5, 2: 2, 3: 7},),
    "dcg": ("log2",),
    "p": (0.5,),
    "normalize": (False,),
    "T": (2.5,),
    "min_rel": (1,),
    "max_rel": (4,),
    "alpha": (0.3,),
    "recall": (0.3, 1.0),
}
REQUIRED = {"cutoff": 10, "max_rel": 3, "recall": 0.5}


@cache
def collection(seed: int) -> tuple[Qrels, Run]:
    """Judgments and a run with names of all lengths and scripts, and no two scores alike: tools differ on ties."""
    random = np.random.default_rng(seed)
    names = [("d", "文書", "clueweb09-en0000-00-", "É", "x" * 14, "0")[n % 6] + str(n) for n in range(60)]
    qrels: Qrels = {}
    run: Run = {}
    for number in range(30):
        query = ("q", "00", "query-with-a-long-name-")[number % 3] + str(number)
        judged, found = (random.choice(names, random.integers(12, 40), replace=False) for _ in range(2))
        grades = (0, 0, 0, 1, 1, 2, 3) if number % 7 else (0,)
        qrels[query] = {str(name): int(random.choice(grades)) for name in judged}
        scores = random.permutation(len(found)) * 0.25 + 1
        run[query] = {str(name): float(score) for name, score in zip(found, scores, strict=True)}
    return qrels, run


def agree(name: str, values: dict[str, float], total: float, seed: int, **counting: Any) -> None:
    qrels, run = collection(seed)
    result = evaluate(qrels, run, name, **counting)
    mine = {query: np.nan_to_num(value) for query, value in result.per_query(name).items()}
    assert mine == pytest.approx(values, abs=1e-9)
    assert result[name] == pytest.approx(total, abs=1e-9)


@pytest.fixture(scope="module")
def ranx() -> Any:
    """The library, which takes a second to import and is of use to these tests alone."""
    return importlib.import_module("ranx")


@pytest.mark.parametrize("name", dict.fromkeys(name for name in RANX if not name.startswith("rbp")))
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_name_of_ranx_has_its_value(name: str, seed: int, ranx: Any) -> None:
    qrels, run = collection(seed)
    theirs = ranx.Run(run)
    with np.errstate(all="ignore"):
        total = ranx.evaluate(ranx.Qrels(qrels), theirs, name)
    values = dict(theirs.scores[name])
    if name.startswith("bpref"):  # it divides by zero where nothing is relevant, or everything
        values = {query: value if np.isfinite(value) else bpref(name, query, seed) for query, value in values.items()}
        total = float(np.mean(list(values.values())))
    agree(name, values, total, seed)


def bpref(name: str, query: str, seed: int) -> float:
    qrels, run = collection(seed)
    level = 2 if name.endswith("-l2") else 1
    evaluator = pytrec_eval.RelevanceEvaluator({query: qrels[query]}, {"bpref"}, relevance_level=level)
    return float(evaluator.evaluate(run)[query]["bpref"])


@pytest.mark.parametrize("name", ["rbp.95", "rbp.5-l2", "rbp@95", "rbp0.8"])
def test_what_ranx_multiplies_by_the_grade_is_refused(name: str, ranx: Any) -> None:
    qrels, run = {"q": {"a": 3}}, {"q": {"a": 1.0}}
    assert ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), "rbp.5") == pytest.approx(3 * 0.5)
    with pytest.raises(BadSetting, match=r"ranx multiplies by the grade.*RBP\(p=…\)"):
        parse(name)


def test_what_beir_counts_over_all_queries_is_refused() -> None:
    with pytest.raises(BadSetting, match="Hole@10: BEIR counts documents not judged for any query"):
        parse("Hole@10")


ROUNDED = ("iprec_at_recall", "11pt_avg")  # as in trec_eval 10; pytrec_eval is version 9


def of_trec_eval(name: str) -> bool:
    """Whether pytrec_eval computes what goes by this name."""
    measure = next((known for known in sorted(pytrec_eval.supported_measures, key=len)[::-1] if known in name), "")
    return name.startswith(measure) and bool(measure) and name[len(measure) :].lstrip("_.0123456789") == ""


@pytest.mark.parametrize("name", [name for name in ALIASES if of_trec_eval(name) and name != "recall"])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_name_of_trec_eval_has_its_value(name: str, seed: int) -> None:
    qrels, run = collection(seed)
    each = pytrec_eval.RelevanceEvaluator(qrels, {name}).evaluate(run)
    values = {query: next(iter(own.values())) for query, own in each.items()}
    printed = next(iter(each[next(iter(qrels))]))
    total = pytrec_eval.compute_aggregated_measure(printed, list(values.values()))
    if name.startswith("gm_"):  # each query has the logarithm
        assert evaluate(qrels, run, name)[name] == pytest.approx(total)
    elif name == "num_q":
        assert evaluate(qrels, run, name)[name] == len(qrels)
    else:
        agree(f"{parse(name)(rounding='trec9')}" if name.startswith(ROUNDED) else name, values, total, seed)


def test_every_alias_is_computed_by_its_tool() -> None:
    assert [name for name in ALIASES if not of_trec_eval(name) and name not in ELSEWHERE and name not in RANX] == []


def variants(name: str) -> Iterator[str]:
    """A measure of ir_measures with the settings it needs, and with each of the others in turn."""
    measure = ir_measures.measures.registry[name]
    of_ndeval = name in NDEVAL
    known = measure.SUPPORTED_PARAMS
    words = [word for word in known if not (of_ndeval and word == "judged_only")]  # which makes it crash
    needed = {word: REQUIRED[word] for word in words if known[word].required or (of_ndeval and word == "cutoff")}
    shown = ir_measures.parse_measure(name)(**needed)
    yield str(shown)
    for word in words:
        choices = [value for value in SETTINGS[word] if not (of_ndeval and value in (1000, 2.0))]
        yield from (str(shown(**{word: value})) for value in choices)


NDEVAL = {name for name in ir_measures.measures.registry if name.endswith(("_IA", "NRBP", "_DCG", "_nDCG", "StRecall"))}
IR_MEASURES = dict.fromkeys(each for name in ir_measures.measures.registry for each in variants(name))
UNSUPPORTED = ("ERR", "RBP", "RBP(p=0.5)", "NumRel(rel=2)")  # by what is installed, in Python


@pytest.mark.parametrize("name", [name for name in IR_MEASURES if name.split("@")[0] not in UNSUPPORTED])
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.thorough)])
def test_a_name_of_ir_measures_has_its_value(name: str, seed: int) -> None:
    qrels, run = collection(seed)
    measure = ir_measures.parse_measure(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        total, each = ir_measures.calc([measure], qrels, run)
    values = {metric.query_id: metric.value for metric in each if np.isfinite(metric.value)}
    undefined = dict.fromkeys(qrels.keys() - values.keys(), 0.0)  # it leaves them out (Accuracy) or has NaN (nNRBP)
    known = total[measure] if np.isfinite(total[measure]) else float(np.mean(list(values.values())))
    agree(name, values | undefined, known, seed, undefined="skip" if undefined else "zero")


@pytest.mark.parametrize("dcg", ["exp-log2", False, 2])
def test_a_discount_that_ir_measures_does_not_know_is_refused_with_the_one_it_knows(dcg: Any) -> None:
    with pytest.raises(BadSetting, match=r"SDCG: dcg can only be 'log2', not"):
        parse(f"SDCG(dcg={dcg!r}, max_rel=3)@10")


@pytest.mark.parametrize("text", ["AP(judged_only='x')", "P(judged_only=([],))@5"])
def test_a_choice_of_ir_measures_is_yes_or_no(text: str) -> None:
    with pytest.raises(BadSetting, match="judged_only can only be True or False, not"):
        parse(text)


def authors(ranking: list[str], grades: dict[str, int], p: float, depth: int = 1000) -> float:
    """Compatibility as defined by Clarke, Vtyurina and Smucker, down to a fixed depth."""
    place = {name: rank for rank, name in enumerate(ranking)}
    relevant = [name for name in grades if grades[name] > 0]
    ideal = sorted(relevant, key=lambda name: (-grades[name], place.get(name, len(ranking))))

    def overlap(one: list[str], other: list[str]) -> float:
        return sum(p**i * len({*one[: i + 1]} & {*other[: i + 1]}) / (i + 1) for i in range(depth))

    return overlap(ranking, ideal) / overlap(ideal, ideal) if ideal else 0.0


@pytest.mark.parametrize("p", [0.95, 0.5])
def test_compatibility_has_its_authors_value_at_their_depth(p: float) -> None:
    qrels, run = collection(1)
    name = f"Compat(p={p}, depth=1000)"
    values = {
        query: authors(sorted(own, key=lambda document: -own[document]), qrels[query], p) for query, own in run.items()
    }
    agree(name, values, float(np.mean(list(values.values()))), 1)
    if p == 0.95:
        assert evaluate(qrels, run, "Compat")["Compat"] != pytest.approx(np.mean(list(values.values())), abs=1e-4)
