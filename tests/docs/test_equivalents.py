"""The names in the page of equivalents have the values that the other tools themselves compute, on the examples."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tools.docs import equivalents

from cranfield import classify, evaluate, regress
from cranfield.evidence.items import LabelRankings

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")


TOOLS: dict[str, Any] = {tool.name: tool for tool in equivalents.tools()}
NOT_IN_PYTREC_EVAL = {"yaap", "gm_bpref", "gm_map", "G", "Rndcg", "ndcg_rel", "binG"}


def lines(name: str) -> list[list[str]]:
    return [line.split() for line in (EXAMPLES / name).read_text().splitlines()]


def qrels() -> dict[str, dict[str, int]]:
    judged: dict[str, dict[str, int]] = {}
    for query, _, document, grade in lines("qrels.txt"):
        judged.setdefault(query, {})[document] = int(grade)
    return judged


def run() -> dict[str, dict[str, float]]:
    ranked: dict[str, dict[str, float]] = {}
    for query, _, document, _, score, _ in lines("bm25.run"):
        ranked.setdefault(query, {})[document] = float(score)
    return ranked


def ours(name: str) -> float:
    return float(evaluate(qrels(), run(), name).aggregated()[0][0])


def test_trec_eval_computes_the_same() -> None:
    import pytrec_eval

    compared = 0
    for name, measure, note in TOOLS["trec_eval"].rows:
        if note or name in NOT_IN_PYTREC_EVAL:
            continue  # of trec_eval 10, of other judgments, or not computed by that package
        asked = re.sub(r"_([0-9.]+)$", r".\1", name)
        try:
            evaluator = pytrec_eval.RelevanceEvaluator(qrels(), {asked})
        except ValueError:
            assert name in {"num_q", "relstring", "runid"}, f"pytrec_eval does not know {asked}"
            continue
        values = [one for each in evaluator.evaluate(run()).values() for one in each.values()]
        total = sum(values) if measure.declaration.aggregate == "sum" else np.mean(values)
        if measure.options.get("rounding") == "trec10":  # pytrec_eval is version 9
            measure = measure(rounding="trec9")
        assert ours(str(measure)) == pytest.approx(total, abs=1e-9), name
        compared += 1
    assert compared >= 25


def test_ir_measures_computes_the_same() -> None:
    import ir_measures

    for name, _, _ in TOOLS["ir_measures"].rows:
        theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels(), run())
        exact = 5e-6 if name == "ERR@10" else 1e-9  # of which gdeval, which it calls, prints five decimals
        assert ours(name) == pytest.approx(*theirs.values(), abs=exact), name


def test_ndeval_computes_the_same() -> None:
    import pyndeval

    rows = [
        (query, str(n % 3), document, grade)
        for query, judged in qrels().items()
        for n, (document, grade) in enumerate(judged.items())
    ]
    ranked = [(query, document, score) for query, documents in run().items() for document, score in documents.items()]
    judgments = [dict(zip(("query", "aspect", "document", "grade"), row, strict=True)) for row in rows]
    for name, _, _ in TOOLS["ndeval"].rows:
        theirs = [value[name] for value in pyndeval.RelevanceEvaluator(rows, [name]).evaluate(ranked).values()]
        assert evaluate(judgments, run(), name).aggregated()[0][0] == pytest.approx(np.mean(theirs), abs=1e-9), name


def test_every_measure_has_a_line() -> None:
    """A name in another tool, or a line that says which tools compute it, if any."""
    page = equivalents.page()
    for kind, name in equivalents.without_name():
        assert re.search(rf"^\| {equivalents.KINDS[kind]} +\| {name} ", page, re.MULTILINE), name
    listed = {*equivalents.without_name(), *equivalents.elsewhere()}
    for kind in equivalents.KINDS:
        for name in equivalents.declarations(kind):
            assert (kind, name) in listed or (kind, ("binary", name) in listed) == ("classes", True), name


def test_measures_that_other_tools_compute_are_in_the_catalogue() -> None:
    assert set(equivalents.COMPUTED_ELSEWHERE) <= set(equivalents.without_name())


def test_recbole_s_formulas_give_the_same() -> None:
    movies = EXAMPLES / "movies"
    shown = [line.split()[2] for line in (movies / "popular.run").read_text("utf-8").splitlines()]
    items = list(csv.DictReader((movies / "items.csv").read_text("utf-8").splitlines()))
    popularity = {item["item"]: int(item["popularity"]) for item in items}
    times, n = sorted(shown.count(name) for name in popularity), len(popularity)
    theirs = {
        "itemcoverage@10": len(set(shown)) / n,
        "averagepopularity@10": sum(popularity[name] for name in shown) / len(shown),
        "giniindex@10": sum((2 * i - n - 1) * p for i, p in enumerate(times, start=1)) / (n * sum(times)),
    }
    result = evaluate(movies / "likes.qrels", movies / "popular.run", list(theirs), item_info=movies / "items.csv")
    assert [name for name, *_ in TOOLS["RecBole"].rows] == list(theirs)
    assert result.aggregated()[0].tolist() == pytest.approx(list(theirs.values()))


def test_ranx_computes_the_same() -> None:
    import ranx

    judged, ranked = ranx.Qrels(qrels()), ranx.Run(run())
    for name, _, _ in TOOLS["ranx"].rows:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = ranx.evaluate(judged, ranked, name, make_comparable=False)
        assert ours(name) == pytest.approx(float(theirs), abs=1e-9), name


def mail() -> tuple[list[int], list[float]]:
    with (EXAMPLES / "mail.csv").open() as file:
        rows = list(csv.DictReader(file))
    return [int(row["actual"] == "spam") for row in rows], [float(row["probability"]) for row in rows]


def test_scikit_learn_computes_the_same() -> None:
    from sklearn import metrics

    actual, probability = mail()
    predicted = [int(value >= 0.5) for value in probability]
    scores = {"roc_auc_score", "average_precision_score", "log_loss", "brier_score_loss"}
    scores |= {"d2_log_loss_score", "d2_brier_score"}
    for name, measure, _ in TOOLS["scikit-learn"].rows:
        theirs: Callable[..., float] = getattr(metrics, name)
        if measure.kind == "values":
            numbers, guesses = np.arange(1.0, 9.0), np.array([1.5, 2, 2, 5, 4, 6.25, 7, 11])
            assert regress(numbers, guesses, measures=name)[name] == pytest.approx(theirs(numbers, guesses)), name
        elif name in ("top_k_accuracy_score", "hinge_loss"):
            table, classes = np.array([[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.2, 0.7, 0.1]]), [0, 1, 2]
            mine = classify(classes, score=table, labels=classes, measures=name)[name]
            assert mine == pytest.approx(theirs(classes, table)), name
        elif measure.declaration.evidence is LabelRankings:
            truth, table = np.array([[1, 0, 1], [0, 1, 0]]), np.array([[0.2, 0.3, 0.9], [0.5, 0.1, 0.5]])
            mine = classify(truth, score=table, threshold=0.5, measures=name)[name]
            assert mine == pytest.approx(theirs(truth, table)), name
        elif name in scores:
            mine = classify(actual, probability=probability, measures=name)[name]
            assert mine == pytest.approx(theirs(actual, probability)), name
        else:
            assert classify(actual, predicted, measures=name)[name] == pytest.approx(theirs(actual, predicted)), name
