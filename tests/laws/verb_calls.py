"""A small call of every verb, and the command that answers the same."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield
from cranfield.errors import CranfieldWarning
from model_server import Said, chat, model_server

EXAMPLES = Path(__file__).parents[2] / "examples"
QRELS, BM25, DENSE, HYBRID, PEOPLE, SCORES = (
    str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run", "hybrid.run", "people.csv", "scores.csv")
)
RUNS = [BM25, DENSE, HYBRID]
RELEASES = str(EXAMPLES / "releases")
NUGGETS, CITATIONS = str(EXAMPLES / "nuggets.csv"), str(EXAMPLES / "citations.csv")

VALUES = "fold,system,value\n" + "".join(
    f"f{n},{s},{(n * k % 7) / 7}\n" for n in range(8) for s, k in (("a", 3), ("b", 5))
)
RATINGS = "topic,item,rater,category\n" + "".join(
    f"t{n % 2},d{n},{rater},{(n * k) % 3}\n" for n in range(12) for rater, k in (("ann", 1), ("bob", 4), ("cy", 2))
)
SOFT = "a,b,p,q\n.7,.3,.6,.4\n1,0,.9,.1\n.5,.5,.2,.8\n"
GATES = f"""
qrels = '{QRELS}'
run = '{DENSE}'
baseline = '{BM25}'
min_queries = 5
gate = [
    {{measure = "nDCG@10", require = "at least", value = 0.5}},
    {{measure = "AP", require = "not worse", margin = 0.5}},
]
"""
HUMAN = "query,a,b\n" + "".join(f"q{n},{n % 5 / 5},{n % 3 / 3}\n" for n in range(0, 20, 2))
MACHINE = "query,a,b\n" + "".join(f"q{n},{n % 4 / 4},{n % 3 / 4}\n" for n in range(20))
SHARDS = "topic,shard,system,value\n" + "".join(
    f"t{t},{shard},{s},{(3 * t + k * t * t + 2 * n) % 11 / 11}\n"
    for t in range(6)
    for n, shard in enumerate("xyz")
    for s, k in (("a", 1), ("b", 2))
)
PRICES = "price,tree,forest,fold\n" + "".join(f"{n},{n + n % 3},{n - n % 2},{'xy'[n % 2]}\n" for n in range(1, 13))


CLINIC = "actual,score\n1,{}.9\n1,1.8\n1,0.3\n0,1.4\n0,0.2\n0,0.1\n"


@cache
def folder() -> Path:
    """A folder with the tables above."""
    import tempfile

    place = Path(tempfile.mkdtemp())
    tables = {"values.csv": VALUES, "ratings.csv": RATINGS, "prices.csv": PRICES, "soft.csv": SOFT, "gates.toml": GATES}
    tables |= {"clinic.csv": CLINIC.format(2), "trial.csv": CLINIC.format(0)}
    tables |= {"people.csv": HUMAN, "machine.csv": MACHINE, "shards.csv": SHARDS}
    for name, text in tables.items():
        (place / name).write_text(text)
    return place


def learnt() -> Any:
    learners = {
        "mean": (lambda _, y: y.mean(), lambda model, x: np.full(len(x), model)),
        "zero": (lambda _x, _y: 0.0, lambda model, x: np.full(len(x), model)),
    }
    x, y = np.arange(12.0), np.arange(12.0) % 5
    return cranfield.cross_validate(learners, x, y, cranfield.k_fold(12, 4), "MAE")


def table(name: str) -> str:
    return str(folder() / name)


def sampled_labels() -> str:
    """Every fourth of the judgments, as if by people."""
    path = folder() / "people.qrels"
    path.write_text("\n".join(Path(QRELS).read_text().splitlines()[::4]) + "\n")
    return str(path)


def labels_and_runs() -> list[str]:
    return [sampled_labels(), "--machine", QRELS, *RUNS]


def collection(name: str) -> str:
    """A folder with judgments and runs."""
    place = folder() / name
    place.mkdir(exist_ok=True)
    for path in (QRELS, *RUNS):
        (place / Path(path).name).write_bytes(Path(path).read_bytes())
    return str(place)


def evaluated(**settings: Any) -> Any:
    return cranfield.evaluate(QRELS, RUNS, ["nDCG@10", "AP", "NumRet"], **settings)


EVALUATED = [QRELS, *RUNS, "-m", "nDCG@10", "-m", "AP", "-m", "NumRet"]
SCORED: dict[str, Any] = {"score": "score", "positive": "P", "data": SCORES}

TOPICS, TEXTS, TOP = {"1": "bears"}, {"d1": "Black bears.", "d2": "White swans."}, {"1": {"d1": 2.0, "d2": 1.0}}


ANSWERS = [{"query": "1", "system": "a", "answer": [{"text": "Bears sleep.", "citations": ["d1"]}]}]


def _answer(request: dict[str, Any]) -> Said:
    """An answer of the form that the request asks for."""
    form = request["response_format"]["json_schema"]["schema"]["properties"]
    several = form.get("support", {}).get("type") == "array"
    merged = form.get("nuggets", {}).get("items", {}).get("type") == "object"
    nugget = {"nugget": "Bears sleep.", "importance": "vital"} if merged else "Bears sleep."
    texts = {"grade": 1, "reason": "so", "preferred": "first", "nuggets": [nugget]}
    return chat(json.dumps(texts | {"support": ["support"] if several else "full"}))


def asked(verb: Callable[..., Any], *data: Any) -> Any:
    """The labels of a model that answers every question."""
    with model_server(_answer) as (endpoint, _):
        return verb(*data, endpoint=endpoint, model="small")


# a small call of every verb, the command that answers the same, and the options of both
CALLS: dict[str, tuple[Callable[[], Any], list[str] | None, dict[str, Any]]] = {
    "evaluate": (evaluated, ["eval", *EVALUATED], {}),
    "evaluate by query": (evaluated, ["eval", *EVALUATED, "-q"], {"per_query": True}),
    "history": (lambda: cranfield.history(RELEASES), ["history", RELEASES], {}),
    "compare": (lambda: cranfield.compare(evaluated()), ["compare", *EVALUATED], {}),
    "compare values": (
        lambda: cranfield.compare(table("values.csv"), "a"),
        ["compare", "--values", "values.csv", "-b", "a"],
        {},
    ),
    "compare steps": (
        lambda: cranfield.compare(evaluated(), "bm25", test="sign"),
        ["compare", *EVALUATED, "-b", "bm25", "-t", "sign", "--steps"],
        {"steps": True},
    ),
    "compare_bayesian": (
        lambda: cranfield.compare_bayesian(evaluated(), "bm25", rope=0.02),
        ["bayes", *EVALUATED, "-b", "bm25", "--rope", "0.02"],
        {},
    ),
    "compare_bayesian values": (
        lambda: cranfield.compare_bayesian(table("values.csv"), model="signed-rank", resamples=500, seed=3),
        ["bayes", "--values", "values.csv", "--model", "signed-rank", "--resamples", "500", "--seed", "3"],
        {},
    ),
    "mixed_model": (
        lambda: cranfield.mixed_model(table("shards.csv"), "a", random=["topic", "shard"]),
        ["mixed", "--values", "shards.csv", "-b", "a", "--random", "topic", "--random", "shard"],
        {},
    ),
    "meta_analysis": (
        lambda: cranfield.meta_analysis([collection("one"), collection("two")], "bm25", measures="AP"),
        ["meta", collection("one"), collection("two"), "-b", "bm25", "-m", "AP"],
        {},
    ),
    "monitor": (
        lambda: cranfield.monitor(table("values.csv"), "a", bounds=(0, 1), half_width=0.9),
        ["monitor", "--values", "values.csv", "-b", "a", "--range", "0,1", "--half-width", "0.9"],
        {},
    ),
    "estimate": (
        lambda: cranfield.estimate(table("people.csv"), table("machine.csv"), "a", half_width=0.1),
        ["estimate", "--human", "people.csv", "--machine", "machine.csv", "-b", "a", "--half-width", "0.1"],
        {},
    ),
    "plan_area": (
        lambda: cranfield.plan_area(0.85, 0.75, prevalence=0.3),
        ["plan", "--area", "0.85", "--null", "0.75", "--prevalence", "0.3"],
        {},
    ),
    "plan_kappa": (
        lambda: cranfield.plan_kappa(0.6, 0.4, items=100),
        ["plan", "--kappa", "0.6", "--null", "0.4", "--items", "100"],
        {},
    ),
    "compare_independent_areas": (
        lambda: cranfield.compare_independent_areas({"new": table("clinic.csv"), "old": table("trial.csv")}),
        ["compare", "--areas", f"new={table('clinic.csv')}", "--areas", f"old={table('trial.csv')}"],
        {},
    ),
    "estimate_documents": (
        lambda: cranfield.estimate_documents(sampled_labels(), QRELS, RUNS, "P@5", "bm25"),
        ["estimate", "--documents", "--human", *labels_and_runs(), "-m", "P@5", "-b", "bm25"],
        {},
    ),
    "plan_judging": (
        lambda: cranfield.plan_judging(QRELS, RUNS, "P@5", half_width=0.1, seed=3),
        ["estimate", "--choose", "--machine", QRELS, *RUNS, "-m", "P@5", "--half-width", "0.1", "--seed", "3"],
        {},
    ),
    "classify": (
        lambda: cranfield.classify("actual", "predicted", data=PEOPLE),
        ["classify", PEOPLE, "--actual", "actual", "--predicted", "predicted"],
        {},
    ),
    "classify scores": (
        lambda: cranfield.classify("class", **SCORED, goal="Accuracy"),
        ["classify", SCORES, "--actual", "class", "--score", "score", "--positive", "P", "--goal", "Accuracy"],
        {},
    ),
    "classify groups": (
        lambda: cranfield.classify("class", **SCORED, by="fold"),
        ["classify", SCORES, "--actual", "class", "--score", "score", "--positive", "P", "--by", "fold"],
        {},
    ),
    "classification_report": (lambda: cranfield.classification_report("actual", "predicted", data=PEOPLE), None, {}),
    "regress": (
        lambda: cranfield.regress("price", {"tree": "tree", "forest": "forest"}, data=table("prices.csv")),
        ["regress", "prices.csv", "--actual", "price", "--predicted", "tree", "--predicted", "forest"],
        {},
    ),
    "regress outputs": (
        lambda: cranfield.regress(["price", "tree"], {"a": ["tree", "forest"]}, data=table("prices.csv")),
        ["regress", "prices.csv", "--target", "price", "--target", "tree", "-p", "a=tree", "-p", "a=forest"],
        {},
    ),
    "evaluate_answers": (
        lambda: cranfield.evaluate_answers([NUGGETS, CITATIONS]),
        ["answers", NUGGETS, CITATIONS],
        {},
    ),
    "regress forecasts": (
        lambda: cranfield.regress("price", "tree", deviation="forest", data=table("prices.csv")),
        ["regress", "prices.csv", "-a", "price", "-p", "tree", "--standard-deviation", "forest"],
        {},
    ),
    "regress groups": (
        lambda: cranfield.regress(
            "price", {"tree": "tree", "forest": "forest"}, measures=["MAE"], data=table("prices.csv"), by="fold"
        ),
        ["regress", "prices.csv", "-a", "price", "-p", "tree", "-p", "forest", "--by", "fold", "-m", "MAE"],
        {},
    ),
    "agree": (
        lambda: cranfield.agree(table("ratings.csv"), resamples=10),
        ["agree", "ratings.csv", "--resamples", "10"],
        {},
    ),
    "reorder": (lambda: cranfield.reorder(_judged(), RUNS, "AP"), None, {}),
    "correlate": (lambda: cranfield.correlate(evaluated()), ["correlate", *EVALUATED], {}),
    "correlate two": (lambda: cranfield.correlate(["a", "b", "c"], ["a", "c", "b"], "tau-AP"), None, {}),
    "plan": (lambda: cranfield.plan(evaluated(), 0.05), ["plan", *EVALUATED, "--difference", "0.05"], {}),
    "plan a deviation": (
        lambda: cranfield.plan(0.1, queries=50),
        ["plan", "--deviation", "0.1", "--queries", "50"],
        {},
    ),
    "reproduce": (
        lambda: cranfield.reproduce(evaluated(), resamples=20),
        ["reproduce", *EVALUATED, "--resamples", "20"],
        {},
    ),
    "latent": (
        lambda: cranfield.latent(cranfield.evaluate(QRELS, RUNS, "AP")),
        ["latent", QRELS, *RUNS, "-m", "AP"],
        {},
    ),
    "select_queries": (lambda: cranfield.select_queries(evaluated(), 3, "AP"), None, {}),
    "precision_recall": (lambda: cranfield.precision_recall(QRELS, RUNS), ["curve", QRELS, *RUNS], {}),
    "compare_published": (
        lambda: cranfield.compare_published({"new": (170, 200), "old": (150, 200)}),
        ["compare", "--published", "new=170/200", "--published", "old=150/200"],
        {},
    ),
    "cross_entropy": (
        lambda: cranfield.cross_entropy({"yes": "a", "no": "b"}, {"yes": "p", "no": "q"}, data=table("soft.csv")),
        [
            "classify",
            "soft.csv",
            *("--actual-probability", "yes=a", "--actual-probability", "no=b"),
            *("--probability", "yes=p", "--probability", "no=q"),
        ],
        {},
    ),
    "correlate_runs": (lambda: cranfield.correlate_runs(RUNS), ["correlate", "--documents", *RUNS], {}),
    "steps": (lambda: cranfield.steps(QRELS, RUNS), ["eval", QRELS, *RUNS, "--steps"], {}),
    "precision_recall by query": (
        lambda: cranfield.precision_recall(QRELS, RUNS, form="ranks", points=[2]),
        ["curve", QRELS, *RUNS, "--form", "ranks", "--points", "2"],
        {},
    ),
    "check": (lambda: cranfield.check(table("gates.toml")), ["check", "gates.toml"], {}),
    "pool": (lambda: cranfield.pool(RUNS, depth=3), ["pool", *RUNS, "--depth", "3"], {}),
    "pool_quality": (
        lambda: cranfield.pool_quality(QRELS, RUNS, teams={"dense": "x", "hybrid": "x"}),
        ["pool", "--quality", "--qrels", QRELS, *RUNS, "--team", "dense=x", "--team", "hybrid=x"],
        {},
    ),
    "evaluate_sample": (
        lambda: cranfield.evaluate_sample(cranfield.pool(_by_name(), "uniform", budget=9), _complete(), _by_name()),
        None,
        {},
    ),
    "pool samples": (
        lambda: cranfield.pool(RUNS, "stratified", strata="2:1,10:0.3", seed=3),
        ["pool", *RUNS, "--method", "stratified", "--strata", "2:1,10:0.3", "--seed", "3"],
        {},
    ),
    "cross_validate": (learnt, None, {}),
    "examine": (lambda: cranfield.examine(evaluated()), None, {}),
    "audit": (
        lambda: cranfield.audit(sampled_labels(), QRELS, RUNS, "P@5", margin=0.1),
        ["audit", "--human", sampled_labels(), "--machine", QRELS, *RUNS, "-m", "P@5", "--margin", "0.1"],
        {},
    ),
    "label": (lambda: asked(cranfield.label, TOPICS, TEXTS, TOP), None, {}),
    "label_preferences": (lambda: asked(cranfield.label_preferences, TOPICS, TEXTS, TOP), None, {}),
    "label_nuggets": (lambda: asked(cranfield.label_nuggets, TOPICS, TEXTS, TOP, ANSWERS), None, {}),
    "label_citations": (lambda: asked(cranfield.label_citations, TEXTS, ANSWERS), None, {}),
}
NOT_VERBS = {
    "confusion", "power", "smallest_difference", "units_needed", "halves", "holdout", "k_fold", "leave_one_out",
    "named_splits", "parse", "limits", "load", "report", "report_collections", "record", "fetch",
}  # fmt: skip

called = pytest.mark.parametrize("name", CALLS)


def _by_name() -> dict[str, str]:
    return dict(zip(("bm25", "dense", "hybrid"), RUNS, strict=True))


def _complete() -> dict[str, dict[str, int]]:
    """The judgments of all pooled documents; those that nobody judged are not relevant."""
    pooled: dict[str, dict[str, int]] = {}
    for row in cranfield.pool(_by_name()):
        pooled.setdefault(row.topic, {})[row.document] = 0
    for query, _, document, grade in (line.split() for line in Path(QRELS).read_text().splitlines()):
        pooled[query][document] = int(grade)
    return pooled


def _judged() -> dict[str, Any]:
    rows = [line.split() for line in Path(QRELS).read_text().splitlines()]
    judged: dict[str, Any] = {"ann": {}, "bob": {}}
    for place, (query, _, document, grade) in enumerate(rows):
        judged["ann"].setdefault(query, {})[document] = int(grade)
        judged["bob"].setdefault(query, {})[document] = int(grade) if place % 5 else 0
    return judged


@cache
def result_of(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return CALLS[name][0]()


def commands() -> list[str]:
    return [name for name, (_, command, _) in CALLS.items() if command is not None]
