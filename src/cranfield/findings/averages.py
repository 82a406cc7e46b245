"""Rules about what is averaged: queries or documents, precision or recall."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cranfield.assessment.classification import Classification
from cranfield.evidence.altered import only
from cranfield.evidence.hits import Hits
from cranfield.findings.finding import Said, said
from cranfield.findings.rankings import averaged, counted, mean
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, listed, number, numbers
from cranfield.registry import Measure
from cranfield.results.values import Result

_TRIED = 10  # queries that are left out to see whether they cause a difference
_CAUSE = 0.25  # of the difference must go with a query for it to be named


@rule(
    "macro-micro",
    title="Macro and micro averages far apart",
    severity="caution",
    why="The mean over queries (macro) counts every query alike, so small queries weigh as much as large ones; the "
    "value over all documents pooled (micro) is that of the large queries. Where they differ, size decides.",
    action="Say which of the two is meant, and why; look at the queries named. If every user's query matters alike, "
    "it is the macro average.",
)
def macro_micro(result: Result, *, apart: float = 0.1) -> Iterator[Said]:
    """The mean of a measure over queries and its value over all documents pooled differ by at least `apart`."""
    for s, system, hits in counted(result):
        gaps = {m: abs(mean(result, s, result.values[s, m]) - result.micro[s, m]) for m, _ in averaged(result)}
        wide = sorted((m for m in gaps if reaches(gaps[m], apart)), key=lambda m: -gaps[m])
        if not wide:
            continue
        m, measure = wide[0], str(result.measures[wide[0]])
        macro, micro = mean(result, s, result.values[s, m]), float(result.micro[s, m])
        causes = _causes(result, s, m, hits)
        each = [_described(result, s, m, hits, q) for q in causes]
        because = f", mostly because of {listed(each)}" if each else ""
        also = f"; the same goes for {listed([str(result.measures[m]) for m in wide[1:]])}" if wide[1:] else ""
        one, other = numbers(macro, micro)
        yield said(
            f"{system}: {measure} is {one} as a mean over queries (macro) but {other} over all documents pooled "
            f"(micro){because}{also}.",
            {"macro": macro, "micro": micro, "queries": [result.queries[q] for q in causes]},
            system=system,
            measure=measure,
        )


def _causes(result: Result, s: int, m: int, hits: Hits) -> list[int]:
    """The queries without which the two averages would be closer, by at least a quarter, the worst first."""
    measure, values = result.measures[m], np.nan_to_num(result.values[s, m])
    gap = abs(mean(result, s, result.values[s, m]) - result.micro[s, m])
    size = hits.n_relevant(float(measure.options.get("rel") or 1)) + hits.n_retrieved  # type: ignore[arg-type]
    pull = np.argsort(-np.abs(values - result.micro[s, m]) * size, kind="stable")[:_TRIED]
    odd = np.argsort(-np.abs(values - values.mean()), kind="stable")[:_TRIED]
    closer = []
    for q in dict.fromkeys([*pull.tolist(), *odd.tolist()]):
        kept = np.arange(len(hits)) != q
        if not result.counted[s, q] or not (kept & result.counted[s]).any():
            continue
        without = float(values[kept & result.counted[s]].mean())
        closer.append((gap - abs(without - measure.micro(only(hits, kept))), q))
    return [q for gain, q in sorted(closer, key=lambda pair: -pair[0]) if gain >= _CAUSE * gap][:2]


def _described(result: Result, s: int, m: int, hits: Hits, q: int) -> str:
    n_relevant = float(hits.n_relevant(float(result.measures[m].options.get("rel") or 1))[q])  # type: ignore[arg-type]
    value = number(float(np.nan_to_num(result.values[s, m, q])))
    return (
        f"{result.queries[q]} ({value}, {count(n_relevant, 'relevant document')}, "
        f"{count(int(hits.n_retrieved[q]), 'document')} retrieved)"
    )


def other_way(measure: Measure) -> tuple[float, Measure] | None:
    """How many times recall weighs in an F-measure what precision does, and the measure that turns the two round."""
    options = measure.options
    beta, alpha = options.get("beta"), options.get("alpha")
    if measure.name != "F" or not isinstance(beta, int | float):
        return None
    if isinstance(alpha, int | float):
        return (1 / alpha - 1, measure(alpha=1 - alpha)) if 0 < alpha < 1 and alpha != 0.5 else None
    return (beta**2, measure(beta=round(1 / beta, 12))) if beta not in (0, 1) else None


def weighed(measure: Measure, value: float, times: float, turned: Measure, other: float) -> str:
    """An F-measure in words: what weighs how much, and what it would be the other way round."""
    heavy, light = ("recall", "precision") if times > 1 else ("precision", "recall")
    now, then = numbers(value, other)
    return (
        f"{measure} is {now} and weighs {heavy} {max(times, 1 / times):.3g} times as much as {light}; "
        f"the other way round, {turned}, it would be {then}."
    )


@rule(
    "f-beta",
    title="An F-measure that is easily read the wrong way round",
    severity="note",
    why="In F with beta, precision has 1/beta² of the weight of recall: beta above 1 favours recall, below 1 "
    "precision. Some textbooks say the opposite.",
    action="Say in words which of the two matters more, and how much; beta = 2 suits those who must not miss "
    "anything, beta = 0.5 those who check every answer.",
)
def f_beta(result: Result | Classification, *, apart: float = 0.05) -> Iterator[Said]:
    """An F-measure with beta other than 1 differs by at least `apart` from the one with 1/beta."""
    for measure in result.measures:
        turned = other_way(measure)
        if turned is None:
            continue
        times, inverse = turned
        values = _both_ways(result, measure, inverse)
        system = max(values, key=lambda name: abs(values[name][0] - values[name][1]), default="")
        value, other = values.get(system, (0.0, 0.0))
        if reaches(abs(value - other), apart):
            whose = f"{system}: " if isinstance(result, Result) else ""  # of answers it is named where it is not alone
            sentence = f"{whose}{weighed(measure, value, times, inverse, other)}"
            figures = {"value": value, "other_way": other, "weight_of_recall": times}
            yield said(sentence, figures, system=system, measure=str(measure))


def _both_ways(result: Result | Classification, measure: Measure, inverse: Measure) -> dict[str, tuple[float, float]]:
    """The value of an F-measure and of the one that turns it round, by system."""
    if isinstance(result, Classification):
        return {each.predictions.system: (each.value(measure), each.value(inverse)) for each in result.assessed}
    m = result.measures.index(measure)
    return {
        system: (mean(result, s, result.values[s, m]), mean(result, s, inverse.values(hits)))
        for s, system, hits in counted(result)
    }
