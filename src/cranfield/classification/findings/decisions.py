"""Rules about binary decisions: what accuracy hides, and what predictions can be used for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cranfield.classification.findings.groups import Estimate
from cranfield.classification.result import Classification
from cranfield.evidence.cells import Cells
from cranfield.evidence.counterfactual import only
from cranfield.evidence.hits import Hits
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.results.leaderboard import averaged, counted, mean, places
from cranfield.results.values import Result
from cranfield.settings import CONFIDENCE
from cranfield.statistics.rates import by_formula
from cranfield.text import amount, count, listed, number, numbers, percent, verb


class _Rates(NamedTuple):
    """The four cells of a 2x2 table and the rates computed from them; NaN where the denominator is zero."""

    tp: float
    fp: float
    fn: float
    tn: float
    recall: float
    fallout: float
    precision: float
    npv: float
    accuracy: float
    prevalence: float


class Decision(NamedTuple):
    """A binary decision: the cells of its 2x2 table, and the numbers of items in them, None if their weights differ."""

    cells: Cells
    counted: Cells | None

    @property
    def rates(self) -> _Rates:
        """The four cells and the rates computed from them."""
        tp, fp, fn, tn = (float(cell[0]) for cell in self.cells.counts)
        return _Rates(
            *(tp, fp, fn, tn),
            recall=_rate(tp, tp + fn),
            fallout=_rate(fp, fp + tn),
            precision=_rate(tp, tp + fp),
            npv=_rate(tn, tn + fn),
            accuracy=_rate(tp + tn, tp + fp + fn + tn),
            prevalence=_rate(tp + fn, tp + fp + fn + tn),
        )

    def bounds(self, measure: str) -> tuple[float, float]:
        """The confidence interval of a rate, as in the result tables; NaN if it is undefined or weights differ."""
        if self.counted is None:
            return np.nan, np.nan
        interval = by_formula(parse(measure, "binary"), self.counted, CONFIDENCE)
        return (float(interval.low[0]), float(interval.high[0])) if interval else (np.nan, np.nan)

    def interval(self, measure: str) -> str:
        """The confidence interval of a rate, as written in a sentence."""
        low, high = numbers(*self.bounds(measure))
        return f"{percent(CONFIDENCE)} CI [{low}, {high}]"


def _precision(rates: _Rates) -> str:
    return "no item is predicted positive" if np.isnan(rates.precision) else f"precision is {percent(rates.precision)}"


def _rate(part: float, whole: float) -> float:
    return part / whole if whole else float("nan")


@rule(
    "extreme-prevalence",
    about="binary decisions",
    title="One of the two classes is rare",
    severity="caution",
    why="When nearly all items belong to one class, accuracy is high for almost any classifier, and precision falls "
    "with the prevalence even if the classifier stays the same.",
    action="Report recall, specificity, precision and NPV separately, MCC or balanced accuracy instead of accuracy, "
    "and precision-recall-gain (AUPRG) for scores.",
)
def extreme_prevalence(decision: Decision, *, low: float = 0.1, high: float = 0.9) -> Observations:
    """Less than `low`, or more than `high`, of the items are positive."""
    rates = decision.rates
    total = sum(rates[:4])
    if rates.prevalence < low or rates.prevalence > high:
        class_ = "positive" if rates.prevalence < low else "negative"
        n_rare = min(rates.tp + rates.fn, rates.fp + rates.tn)
        yield observation(
            f"{amount(n_rare)} of {count(total, 'item')} ({percent(n_rare / total)}) are {class_}: accuracy is not "
            "informative here.",
            {"prevalence": rates.prevalence, "n_items": total},
        )


@rule(
    "low-precision",
    about="binary decisions",
    title="High accuracy, but most positive predictions are wrong",
    severity="serious",
    why="The high accuracy comes from the many true negatives. Anyone who acts on the positive predictions acts "
    "mostly on false alarms.",
    action="Confirm positive predictions by other means before acting on them, raise the threshold, and report "
    "precision.",
    covers=("favoured-class",),
)
def low_precision(decision: Decision, *, accuracy: float = 0.85, precision: float = 0.5) -> Observations:
    """Accuracy is at least `accuracy`, but the upper bound of the confidence interval of precision is below
    `precision`."""
    rates = decision.rates
    if reaches(rates.accuracy, accuracy) and decision.bounds("Precision")[1] < precision:
        n_predicted = rates.tp + rates.fp
        yield observation(
            f"Accuracy is {number(rates.accuracy)}, but only {amount(rates.tp)} of "
            f"{count(n_predicted, 'positive prediction')} {verb(rates.tp, 'is', 'are')} correct: precision is "
            f"{number(rates.precision)} ({decision.interval('Precision')}).",
            {"accuracy": rates.accuracy, "precision": rates.precision, "tp": rates.tp, "fp": rates.fp},
        )


@rule(
    "rule-out",
    about="binary decisions",
    title="Negative predictions are reliable: usable to rule out",
    severity="note",
    why="Nearly all negative predictions are correct (high negative predictive value), and positives are much rarer "
    "among them than among all items. Positive predictions are less reliable.",
    action="Use it as a cheap first step that rules items out, and confirm positive predictions by other means. If no "
    "positive may be missed, check recall as well.",
)
def rule_out(decision: Decision, *, npv: float = 0.95, ratio: float = 0.5, precision: float = 0.95) -> Observations:
    """At least `npv` of the negative predictions are correct (lower bound of the 95 % confidence interval), positives
    are at most `ratio` times as frequent among them as among all items, and precision is below `precision`.

    Not reported when there are so few negative predictions that positives could be as frequent among them as overall.
    """
    rates = decision.rates
    remains, (lower, _) = _rate(1 - rates.npv, rates.prevalence), decision.bounds("NPV")
    if lower >= max(npv, 1 - rates.prevalence) and remains <= ratio and not rates.precision >= precision:
        missed = "" if rates.fn == 0 else f", though {percent(1 - rates.recall)} of the positives are missed"
        yield observation(
            f"{percent(rates.npv)} of {count(rates.tn + rates.fn, 'negative prediction')} are correct "
            f"({decision.interval('NPV')}), good enough to rule out{missed}; {_precision(rates)}.",
            {"npv": rates.npv, "recall": rates.recall, "precision": rates.precision, "prevalence": rates.prevalence},
        )


@rule(
    "rule-in",
    about="binary decisions",
    title="Positive predictions are reliable: usable to rule in",
    severity="note",
    why="Nearly all positive predictions are correct (high precision), and positives are much more frequent among "
    "them than among all items. Negative predictions are less reliable.",
    action="Act on positive predictions, but do not rely on negative ones: check those items by other means.",
)
def rule_in(decision: Decision, *, precision: float = 0.95, ratio: float = 0.5, npv: float = 0.95) -> Observations:
    """At least `precision` of the positive predictions are correct (lower bound of the 95 % confidence interval),
    negatives are at most `ratio` times as frequent among them as among all items, and NPV is below `npv`.

    Not reported when there are so few positive predictions that negatives could be as frequent among them as overall.
    """
    rates = decision.rates
    remains, (lower, _) = _rate(1 - rates.precision, 1 - rates.prevalence), decision.bounds("Precision")
    if lower >= max(precision, rates.prevalence) and remains <= ratio and not rates.npv >= npv:
        yield observation(
            f"{percent(rates.precision)} of {count(rates.tp + rates.fp, 'positive prediction')} are correct "
            f"({decision.interval('Precision')}), good enough to rule in, though {percent(1 - rates.recall)} of the "
            f"positives are missed; {percent(rates.npv)} of the negative predictions are correct.",
            {"precision": rates.precision, "recall": rates.recall, "npv": rates.npv, "prevalence": rates.prevalence},
        )


@rule(
    "one-sided",
    about="binary decisions",
    title="Nearly all predictions are the same",
    severity="serious",
    why="Positives and negatives nearly always get the same prediction. A recall or specificity near 1 then means "
    "little: a test that is always positive finds every positive.",
    action="Move the threshold, or find out why the predictions are so one-sided; never report only one of the two "
    "rates.",
    covers=("rule-in", "rule-out", "favoured-class"),
    explains=("accuracy-below-constant", "low-precision"),
)
def one_sided(decision: Decision, *, near: float = 0.1) -> Observations:
    """All but a proportion `near` of both positives and negatives get the same prediction."""
    rates = decision.rates
    ends = (rates.recall, rates.fallout)
    if np.isnan(ends).any():
        return
    for answer, alike in (("negative", reaches(near, max(ends))), ("positive", reaches(min(ends), 1 - near))):
        if alike:
            of_positives, of_negatives = ends if answer == "positive" else (1 - ends[0], 1 - ends[1])
            yield observation(
                f"{percent(of_positives)} of the positives and {percent(of_negatives)} of the negatives are predicted "
                f"{answer}: the prediction hardly depends on the item.",
                {"recall": rates.recall, "fallout": rates.fallout, "prediction": answer},
            )


@rule(
    "answers-reversed",
    about="binary decisions",
    title="The opposite predictions would be better",
    severity="serious",
    why="Negatives are predicted positive more often than positives are: the point lies below the diagonal of the "
    "ROC plot, so guessing would be better. The predictions do carry information, but inverted.",
    action="Check which label is the positive one and the sign of the score; then invert the predictions.",
    explains=("accuracy-below-constant", "low-precision"),
)
def answers_reversed(decision: Decision) -> Observations:
    """Recall is below the false positive rate: the confidence interval of their difference, from the
    intervals of both, excludes 0."""
    rates = decision.rates
    if not (decision.cells.positive[0] > 0 and decision.cells.negative[0] > 0):
        return
    hits, alarms = (
        Estimate.of(rate, *decision.bounds(name))
        for rate, name in ((rates.recall, "Recall"), (rates.fallout, "Fallout"))
    )
    if alarms.exceeds(hits):
        recall, fallout, turned, other = numbers(rates.recall, rates.fallout, 1 - rates.recall, 1 - rates.fallout)
        yield observation(
            f"Recall is {recall}, below the false positive rate of {fallout}. With every prediction inverted, recall "
            f"would be {turned} and the false positive rate {other}.",
            {"recall": rates.recall, "fallout": rates.fallout, "recall_reversed": 1 - rates.recall},
        )


# Rules about averages: macro or micro, precision or recall


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
