"""The experiments of the demonstration; each produces a report and the files behind it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from cranfield.agreement.agree import agree
from cranfield.agreement.result import Agreement
from cranfield.classification.classify import classify
from cranfield.comparison.compare import compare
from cranfield.comparison.result import Comparison
from cranfield.demo.classifiers import DATA, FOLDS, Predicted, cross_validated
from cranfield.demo.collection import Collection, collection, passes, topics_text
from cranfield.demo.documents import documents
from cranfield.demo.models import HAS_EMBEDDINGS, SYSTEMS, Run, ranked
from cranfield.errors import MissingExtra, pip_line
from cranfield.frozen import frozen
from cranfield.pools.pool import pool
from cranfield.reporting.page import Report
from cranfield.reporting.report import report

POOL = 10  # depth of the pool
RANKING = ("nDCG@10", "AP", "RR(rel=2)", "P(rel=2)@5")
CLASSIFICATION = ("Accuracy", "F", "AUC", "LogLoss", "Brier", "ECE")


@frozen
class Rankings:
    """Retrieval models, evaluated on the test collection."""

    collection: Collection
    runs: Mapping[str, Run]
    n_pooled: int
    n_unjudged: int  # pooled documents without a judgment
    agreement: Agreement  # between the two passes of judging
    report: Report

    def files(self) -> dict[str, str]:
        """Topics, judgments, runs and report, by file name."""
        runs = {f"{system}.run": run_text(system, run) for system, run in self.runs.items()}
        return {
            "topics.tsv": topics_text(),
            "qrels.txt": self.collection.qrels(),
            **runs,
            "report.html": self.report.html,
        }


@frozen
class Classifiers:
    """Classifiers, evaluated on one data set."""

    name: str
    predicted: Predicted
    folds: Comparison
    report: Report

    def files(self) -> dict[str, str]:
        """Predictions and report, by file name."""
        return {f"{self.name}.csv": _predictions_text(self.name, self.predicted), f"{self.name}.html": self.report.html}


def file_names() -> set[str]:
    """The names of all files written by the demonstration."""
    runs = (f"{system}.run" for system in SYSTEMS)
    tables = (f"{name}{suffix}" for name in DATA for suffix in (".csv", ".html"))
    return {"topics.tsv", "qrels.txt", "report.html", *runs, *tables}


def require_extra() -> None:
    """Raise an error unless the libraries of the demonstration are installed."""
    try:
        import bm25s  # noqa: F401
        import sklearn  # noqa: F401

        if HAS_EMBEDDINGS:
            import wordllama  # noqa: F401
    except ImportError as error:
        raise MissingExtra(f"the demonstration needs {error.name}: {pip_line('all')}") from None


def rankings() -> Rankings:
    """Rank the collection with every model, pool the runs, evaluate and compare them."""
    data = collection(documents())
    runs = dict(ranked(data.documents, data.queries))
    to_judge = pool(runs, depth=POOL)
    n_unjudged = sum(row.document not in data.judgments[topic] for topic in data.queries for row in to_judge[topic])
    title = "Retrieval models on Python's standard library"
    page = report(data.judgments, runs, RANKING, title=title, queries=data.queries, documents=data.documents)
    return Rankings(data, runs, len(to_judge), n_unjudged, judging_agreement(), page)


def judging_agreement() -> Agreement:
    """The agreement between the two passes of judging, before adjudication."""
    grades = [(topic, document, rater, int(grade)) for topic, document, rater, grade in passes()]
    return agree(grades, ["Agreement", "Kappa", "Alpha(level='ordinal')"], per=["all"], resamples=0)


def classification(name: str) -> Classifiers:
    """Cross-validate the classifiers on one of the data sets, evaluate and compare them."""
    predicted, positive = cross_validated(name), DATA[name]
    settings: dict[str, Any] = {"measures": CLASSIFICATION, "positive": positive, "probability": _columns(predicted)}
    result = classify(predicted.actual, **settings)
    labels = {system: predicted.labelled(system) for system in predicted.probability}
    by_fold = classify(predicted.actual, labels, measures="Accuracy", positive=positive, by=predicted.fold)
    folds = compare(by_fold, test="corrected t", overlap=1 / (FOLDS - 1))
    return Classifiers(name, predicted, folds, report(result, title=f"Three classifiers: {name}"))


def _columns(predicted: Predicted) -> dict[str, Any]:
    """By classifier, the probability of the positive class, or of each of several classes."""
    if len(predicted.labels) > 2:
        return {
            system: {label: rows[:, place] for place, label in enumerate(predicted.labels)}
            for system, rows in predicted.probability.items()
        }
    place = predicted.labels.index("malignant")
    return {system: rows[:, place] for system, rows in predicted.probability.items()}


def run_text(system: str, run: Run) -> str:
    """A run in TREC format."""
    lines = (
        f"{topic} Q0 {name} {rank} {score:.6f} {system}\n"
        for topic, scores in run.items()
        for rank, (name, score) in enumerate(scores.items(), 1)
    )
    return "".join(lines)


def _predictions_text(name: str, predicted: Predicted) -> str:
    """One row per item: its class, its fold, and a probability or (with several classes) a label per classifier."""
    systems: Mapping[str, Sequence[Any]] = (
        {system: predicted.labelled(system) for system in predicted.probability}
        if DATA[name] is None
        else {system: column.tolist() for system, column in _columns(predicted).items()}  # not rounded
    )
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["actual", "fold", *systems])
    rows.writerows(zip(predicted.actual, predicted.fold.tolist(), *systems.values(), strict=True))
    return text.getvalue()
