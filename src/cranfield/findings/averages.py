"""Rules about averages: macro or micro, precision or recall."""

from __future__ import annotations

import numpy as np

from cranfield.evidence.counterfactual import only
from cranfield.evidence.hits import Hits
from cranfield.findings.finding import Observations, observation
from cranfield.findings.leaderboard import averaged, counted, mean, places
from cranfield.findings.rules import reaches, rule
from cranfield.measures.registry import Measure
from cranfield.results.classification import Classification
from cranfield.results.rankings import Result
from cranfield.text import count, listed, number, numbers

_TRIED = 10  # queries left out one at a time to find the cause of a difference
_CAUSE = 0.25  # proportion of the difference that a query must explain to be named


@rule(
    "macro-micro",
    about="averages",
    title="Macro and micro averages far apart",
    severity="caution",
    why="The mean over queries (macro) gives every query the same weight, however few documents it has; the value "
    "over all documents pooled (micro) is dominated by large queries. When they differ, the choice matters.",
    action="Say which of the two is reported and why, and look at the queries named. If every query is equally "
    "important, use the macro average.",
)
def macro_micro(result: Result, *, difference: float = 0.1) -> Observations:
    """The mean of a measure over queries and its value over all documents pooled differ by at least `difference`."""
    wide = {s: gaps for s, _, _ in counted(result) if (gaps := _gaps(result, s, difference))}
    if not wide:
        return
    place = places(result)
    s = min(wide, key=lambda s: place[result.systems[s]])
    (m, *rest), system = wide[s], result.systems[s]
    hits, measure = result.evidence[system], str(result.measures[m])
    macro, micro = mean(result, s, result.values[s, m]), float(result.micro[s, m])
    causes = _causes(result, s, m, hits)
    because = f", mostly because of {listed([_described(result, s, m, hits, q) for q in causes])}" if causes else ""
    also = f"; the same applies to {listed([str(result.measures[m]) for m in rest])}" if rest else ""
    others = f"; the averages differ as much for {count(len(wide) - 1, 'other system')}" if len(wide) > 1 else ""
    one, other = numbers(macro, micro)
    yield observation(
        f"{system}: {measure} is {one} as a mean over queries (macro) but {other} over all documents pooled "
        f"(micro){because}{also}{others}.",
        {"macro": macro, "micro": micro, "queries": [result.units[q] for q in causes], "n_systems": len(wide)},
        system=system,
        measure=measure,
    )


def _gaps(result: Result, s: int, difference: float) -> list[int]:
    """The measures whose macro and micro averages differ by so much, the largest difference first."""
    gaps = {m: abs(mean(result, s, result.values[s, m]) - result.micro[s, m]) for m, _ in averaged(result)}
    return sorted((m for m in gaps if reaches(gaps[m], difference)), key=lambda m: -gaps[m])


def _causes(result: Result, s: int, m: int, hits: Hits) -> list[int]:
    """The queries whose removal would shrink the difference by at least a quarter, the most influential first."""
    measure, values = result.measures[m], np.nan_to_num(result.values[s, m])
    gap = abs(mean(result, s, result.values[s, m]) - result.micro[s, m])
    size = hits.n_relevant(float(measure.options.get("rel") or 1)) + hits.n_retrieved  # type: ignore[arg-type]
    influence = np.argsort(-np.abs(values - result.micro[s, m]) * size, kind="stable")[:_TRIED]
    deviation = np.argsort(-np.abs(values - values.mean()), kind="stable")[:_TRIED]
    closer = []
    for q in dict.fromkeys([*influence.tolist(), *deviation.tolist()]):
        others = np.arange(len(hits)) != q
        if not result.counted[s, q] or not (others & result.counted[s]).any():
            continue
        without = float(values[others & result.counted[s]].mean())
        closer.append((gap - abs(without - measure.micro(only(hits, others))), q))
    return [q for gain, q in sorted(closer, key=lambda pair: -pair[0]) if gain >= _CAUSE * gap][:2]


def _described(result: Result, s: int, m: int, hits: Hits, q: int) -> str:
    n_relevant = float(hits.n_relevant(float(result.measures[m].options.get("rel") or 1))[q])  # type: ignore[arg-type]
    value = number(float(np.nan_to_num(result.values[s, m, q])))
    return (
        f"{result.units[q]} ({value}, {count(n_relevant, 'relevant document')}, "
        f"{count(int(hits.n_retrieved[q]), 'document')} retrieved)"
    )


def swapped_weights(measure: Measure) -> tuple[float, Measure] | None:
    """The weight of recall relative to precision in an F-measure, and the F-measure with the two weights swapped."""
    options = measure.options
    beta, alpha = options.get("beta"), options.get("alpha")
    if measure.name != "F" or not isinstance(beta, int | float):
        return None
    if isinstance(alpha, int | float):
        return (1 / alpha - 1, measure(alpha=1 - alpha)) if 0 < alpha < 1 and alpha != 0.5 else None
    return (beta**2, measure(beta=round(1 / beta, 12))) if beta not in (0, 1) else None


def weights_in_words(measure: Measure, value: float, times: float, turned: Measure, other: float) -> str:
    """An F-measure in words: the weights, and its value with the weights swapped."""
    heavy, light = ("recall", "precision") if times > 1 else ("precision", "recall")
    now, then = numbers(value, other)
    return (
        f"{measure} is {now} and gives {heavy} {max(times, 1 / times):.3g} times the weight of {light}; "
        f"with the weights swapped, {turned} would be {then}."
    )


@rule(
    "f-beta",
    about="averages",
    title="Beta in an F-measure is easily misread",
    severity="note",
    why="In F with beta, recall has beta² times the weight of precision: beta > 1 favours recall, beta < 1 favours "
    "precision. Some textbooks say the opposite.",
    action="State which of the two matters more and by how much: beta = 2 suits tasks where nothing may be missed, "
    "beta = 0.5 tasks where every result is checked.",
)
def f_beta(result: Result | Classification, *, difference: float = 0.05) -> Observations:
    """An F-measure with beta other than 1 differs by at least `difference` from the one with 1/beta."""
    for measure in result.measures:
        turned = swapped_weights(measure)
        if turned is None:
            continue
        times, inverse = turned
        values = _with_swapped(result, measure, inverse)
        system = max(values, key=lambda name: abs(values[name][0] - values[name][1]), default="")
        value, other = values.get(system, (0.0, 0.0))
        if reaches(abs(value - other), difference):
            # `examine` names the systems of a classification
            whose = f"{system}: " if isinstance(result, Result) else ""
            sentence = f"{whose}{weights_in_words(measure, value, times, inverse, other)}"
            figures = {"value": value, "swapped": other, "weight_of_recall": times}
            yield observation(sentence, figures, system=system, measure=str(measure))


def _with_swapped(
    result: Result | Classification, measure: Measure, inverse: Measure
) -> dict[str, tuple[float, float]]:
    """The value of an F-measure and of the one with swapped weights, by system."""
    if isinstance(result, Classification):
        return {one.predictions.system: (one.value(measure), one.value(inverse)) for one in result.evaluated}
    m = result.measures.index(measure)
    return {
        system: (mean(result, s, result.values[s, m]), mean(result, s, inverse.values(hits)))
        for s, system, hits in counted(result)
    }
