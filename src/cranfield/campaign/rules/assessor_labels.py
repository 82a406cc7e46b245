"""The labels of judged documents by assessor, by period, and with one assessor's grades in place of the others'."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from datetime import UTC, datetime
from itertools import pairwise

from cranfield.campaign.rules.conflicts import JudgedDocument, Rule, Ties, decided

Labels = dict[str, dict[str, dict[str, int]]]  # by assessor, topic (or period) and document
CURRENT = "current labels"
LEAST = 10  # fewest documents in a period
MOST = 6  # most periods


def judged_by_several(documents: Iterable[JudgedDocument]) -> list[JudgedDocument]:
    """The documents graded by at least two assessors."""
    return [document for document in documents if len(document.grades) > 1]


def by_topic(documents: Iterable[JudgedDocument]) -> Labels:
    """The grades of each assessor by topic."""
    return _labels(documents, lambda one: (one.topic, one.document))


def by_period(documents: Sequence[JudgedDocument]) -> Labels:
    """The grades of each assessor by period: groups of documents of equal size, in the order of their last judgment.

    There are at most six periods of at least ten documents, and none if there are too few documents for two.
    """
    ordered = sorted(documents, key=lambda one: (max(opinion.at for opinion in one.opinions), one.id))
    n_periods = min(MOST, len(ordered) // LEAST)
    if n_periods < 2:
        return {}
    bounds = [len(ordered) * place // n_periods for place in range(n_periods + 1)]
    periods = [ordered[start:end] for start, end in pairwise(bounds)]
    period_of = {one.id: f"{place}. {_days(period)}" for place, period in enumerate(periods, 1) for one in period}
    return _labels(ordered, lambda one: (period_of[one.id], f"{one.topic} {one.document}"))


def substituted(documents: Sequence[JudgedDocument], rule: Rule, ties: Ties) -> Labels:
    """For each assessor who judged documents in common with others, the current labels with that assessor's grades."""
    shared = dict.fromkeys(opinion.assessor for one in judged_by_several(documents) for opinion in one.opinions)
    tables: Labels = {judge: {} for judge in (CURRENT, *shared)}
    for document in documents:
        grades = {opinion.assessor: opinion.judged.grade for opinion in document.opinions}
        label = decided(document, rule, ties).grade
        for judge, table in tables.items():
            grade = grades.get(judge)
            if (chosen := label if grade is None else grade) is not None:
                table.setdefault(document.topic, {})[document.document] = chosen
    return tables if shared else {}


def as_completed(
    documents: Sequence[JudgedDocument], complete: Set[str], rule: Rule, ties: Ties
) -> list[tuple[str, dict[str, int]]]:
    """The labels of the completely judged topics without an open conflict, in order of completion."""
    labels: dict[str, dict[str, int]] = {}
    last: dict[str, int] = {}
    undecided = {one.topic for one in documents if decided(one, rule, ties).reason == "conflict"}
    for document in documents:
        if document.topic in complete - undecided:
            last[document.topic] = max(last.get(document.topic, 0), *(opinion.at for opinion in document.opinions))
            if (grade := decided(document, rule, ties).grade) is not None:
                labels.setdefault(document.topic, {})[document.document] = grade
    return [(topic, labels[topic]) for topic in sorted(labels, key=lambda topic: (last[topic], topic))]


def _labels(documents: Iterable[JudgedDocument], placed: Callable[[JudgedDocument], tuple[str, str]]) -> Labels:
    labels: Labels = {}
    for document in documents:
        group, name = placed(document)
        for opinion in document.opinions:
            if opinion.judged.grade is not None:
                labels.setdefault(opinion.assessor, {}).setdefault(group, {})[name] = opinion.judged.grade
    return labels


def _days(documents: Sequence[JudgedDocument]) -> str:
    """The first and last day on which the documents were judged, in UTC."""
    times = [max(opinion.at for opinion in document.opinions) for document in documents]
    first, last = (datetime.fromtimestamp(at / 1000, UTC).date().isoformat() for at in (min(times), max(times)))
    return first if first == last else f"{first} to {last}"
