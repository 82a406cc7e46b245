"""Rankings: incomplete, truncated, unjudged, tied, renamed, leaked."""

from __future__ import annotations

from typing import Any

from numpy.random import Generator

from cranfield import evaluate
from examination.planted.catalogue import clean, problem

MEASURES = ["AP", "nDCG@10", "P@5"]
Grades = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def collection(rng: Generator, n: int = 50, *, documents: int = 40, rate: float = 0.3, top: int = 1) -> Grades:
    """Queries with judged documents, a proportion of them relevant, at least one."""
    grades = rng.binomial(1, rate, (n, documents)) * rng.integers(1, top + 1, (n, documents))
    grades[:, 0] = top
    return {f"q{q}": {f"d{q}-{d}": int(grade) for d, grade in enumerate(row)} for q, row in enumerate(grades)}


def run(rng: Generator, qrels: Grades, skill: float) -> Run:
    """Scores that grow with the grade by this much, in units of the noise."""
    return {q: {d: float(skill * grade + rng.normal()) for d, grade in own.items()} for q, own in qrels.items()}


def first(run: Run, depth: int) -> Run:
    """The documents at the top of a run."""
    return {q: dict(sorted(own.items(), key=lambda one: -one[1])[:depth]) for q, own in run.items()}


@clean({"n": 30}, {"n": 60}, {"n": 100, "top": 3}, {"n": 60, "rate": 0.15})
def one_system(rng: Generator, **shape: Any) -> Any:
    qrels = collection(rng, **shape)
    return evaluate(qrels, {"bm25": run(rng, qrels, 1.5)}, MEASURES)


@clean({"n": 60}, {"n": 100}, {"n": 60, "top": 2}, {"n": 100, "rate": 0.15}, {"n": 80, "documents": 25})
def two_systems_that_differ(rng: Generator, **shape: Any) -> Any:
    qrels = collection(rng, **shape)
    return evaluate(qrels, {"old": run(rng, qrels, 0.7), "new": run(rng, qrels, 2.0)}, MEASURES)


@clean({"n": 100}, {"n": 150})
def three_systems_that_differ(rng: Generator, n: int) -> Any:
    qrels = collection(rng, n)
    runs = {name: run(rng, qrels, skill) for name, skill in {"a": 0.3, "b": 1.2, "c": 2.5}.items()}
    return evaluate(qrels, runs, ["AP", "nDCG@10"])


@problem("unanswered-queries")
def missing_queries(rng: Generator) -> Any:
    qrels = collection(rng)
    partial = {q: own for q, own in run(rng, qrels, 2.0).items() if int(q[1:]) % 5}
    return evaluate(qrels, {"old": run(rng, qrels, 0.7), "partial": partial}, MEASURES)


@problem("short-run")
def truncated_run(rng: Generator) -> Any:
    qrels = collection(rng)
    return evaluate(qrels, {"full": run(rng, qrels, 1.5), "short": first(run(rng, qrels, 1.5), 8)}, MEASURES)


@problem("nothing-judged")
def renamed_documents(rng: Generator) -> Any:
    qrels = collection(rng)
    renamed = {q: {f"doc{d}": score for d, score in own.items()} for q, own in run(rng, qrels, 1.5).items()}
    return evaluate(qrels, {"old": run(rng, qrels, 0.7), "renamed": renamed}, MEASURES)


def with_unjudged(rng: Generator, ranking: Run, rate: float) -> Run:
    """A run with documents that nobody judged spread over it."""
    return {
        q: own | {f"x{q}-{d}": float(rng.normal(1)) for d in range(rng.binomial(40, rate))}
        for q, own in ranking.items()
    }


@problem("unequal-judged", "low-judged", "unjudged-order")
def unjudged_documents_of_one_system(rng: Generator) -> Any:
    qrels = collection(rng)
    pooled, dense = run(rng, qrels, 1.5), with_unjudged(rng, run(rng, qrels, 1.5), 0.6)
    return evaluate(qrels, {"pooled": pooled, "dense": dense}, MEASURES)


@problem("low-judged", "sparse-judgments")
def hardly_judged_system(rng: Generator) -> Any:
    qrels = collection(rng)
    return evaluate(qrels, {"dense": with_unjudged(rng, run(rng, qrels, 1.0), 0.9)}, MEASURES)


@problem("ties-value", "ties-order")
def rounded_scores(rng: Generator) -> Any:
    qrels = collection(rng)
    runs = {
        name: {q: {d: round(score / 2) for d, score in own.items()} for q, own in run(rng, qrels, skill).items()}
        for name, skill in {"old": 1.0, "new": 1.3}.items()
    }
    return evaluate(qrels, runs, MEASURES)


@problem("too-perfect")
def leaked_judgments(rng: Generator) -> Any:
    qrels = collection(rng, 60)
    return evaluate(qrels, {"old": run(rng, qrels, 1.0), "leaked": run(rng, qrels, 60.0)}, MEASURES)


@problem("one-query")
def one_easy_query(rng: Generator) -> Any:
    qrels = collection(rng, 8, rate=0.02, documents=200)
    poor = run(rng, qrels, -0.5)
    poor["q0"] = {d: float(grade) + rng.random() / 2 for d, grade in qrels["q0"].items()}
    return evaluate(qrels, {"poor": poor}, ["AP", "nDCG@10"])


@problem("not-significant")
def two_systems_of_equal_skill(rng: Generator) -> Any:
    qrels = collection(rng, 30)
    return evaluate(qrels, {"old": run(rng, qrels, 1.2), "new": run(rng, qrels, 1.25)}, MEASURES)


@problem("undefined-queries")
def queries_without_relevant_documents(rng: Generator) -> Any:
    qrels = collection(rng)
    qrels = {q: dict.fromkeys(own, 0) if int(q[1:]) % 4 == 0 else own for q, own in qrels.items()}
    return evaluate(qrels, {"bm25": run(rng, qrels, 1.5)}, MEASURES)


@problem("ceiling")
def queries_that_are_too_easy(rng: Generator) -> Any:
    qrels = collection(rng, rate=0.5)
    runs = {name: run(rng, qrels, 8.0 if name == "old" else 8.5) for name in ("old", "new")}
    for q in rng.choice(50, 6, replace=False).tolist():
        runs["old"][f"q{q}"] = run(rng, {"q": qrels[f"q{q}"]}, 0.5)["q"]
    return evaluate(qrels, runs, ["AP", "nDCG@10"])


@problem("few-queries")
def a_single_query(rng: Generator) -> Any:
    qrels = collection(rng, 1)
    return evaluate(qrels, {"old": run(rng, qrels, 0.5), "new": run(rng, qrels, 1.5)}, MEASURES)


@problem("macro-micro")
def a_few_huge_queries(rng: Generator) -> Any:
    small, huge = collection(rng, 40, documents=12, rate=0.3), collection(rng, 3, documents=600, rate=0.5)
    qrels = small | {f"{q}-huge": {f"{d}-huge": grade for d, grade in own.items()} for q, own in huge.items()}
    return evaluate(qrels, {"bm25": first(run(rng, qrels, 2.0), 15)}, ["R", "P"])
