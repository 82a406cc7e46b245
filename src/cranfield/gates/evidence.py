"""What the runs behind a release gate lack for a verdict: answers, defined values, judgments, an order without ties."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.arithmetic import changes
from cranfield.evidence.counterfactual import filled, only
from cranfield.evidence.hits import Hits
from cranfield.evidence.samples import Samples, scales
from cranfield.gates.demands import Demand, Needs
from cranfield.measures.naming import known_measure
from cranfield.measures.registry import Measure
from cranfield.rankings.cautions import tied_values
from cranfield.results.provenance import Caution
from cranfield.results.samples import bounds_of, is_geometric, is_summed, may_be_lower
from cranfield.results.values import Result
from cranfield.rounding import ROUNDING, less
from cranfield.statistics.intervals import constant
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import spelled_alike
from cranfield.text import counted, plural

# What the values behind a release gate lack for a verdict: enough different units, one scale, variation, a loser


REPEATED = 0.1  # largest proportion of units that may be repetitions of others
_BY_CHANCE = 0.002  # that so many values occur twice, three times … if units are not repeated
_MOST_COPIES = 100
_ROUNDED = 1e-4  # differences below it, for values up to 1, are those of rounded values
_SINGLE = 1e-6  # relative error of values in single precision
_DIFFERENT = 5  # different values that lie on a line, or are sorted, for a reason
_DECIMALS = (2, 3)  # to which values may have been cut


def doubts_about_values(demand: Demand, samples: Samples, value: Mapping[str, float]) -> Iterator[str]:
    """Why the values of the systems of a demand, wherever they come from, allow no verdict."""
    values = samples.values[[samples.system(name) for name in demand.systems]]
    yield from _few(demand, samples, values)
    yield from _value_repeated(demand, samples, values)
    yield from _on_several_scales(demand, values)
    if demand.is_absolute:
        yield from _of_one_value(demand, samples, values[0])
    elif isinstance(demand.baseline, str):
        yield from _incomparable(demand, samples, values[0], values[1], value[demand.baseline])
    if not demand.is_absolute and may_be_lower(demand.measure, samples):
        yield (f"whether lower values of {demand.measure} are better is not known: set lower_is_better, or rename it")


def worst_value(measure: str, samples: Samples) -> float:
    """The worst value of a measure; infinite if there is none, or none is known."""
    low, high = bounds_of(measure, samples)
    if known_measure(measure) is None and samples.values.min(initial=0) >= 0:
        low = 0.0
    return high if samples.lower_is_better else low


def is_copy(first: Floats, second: Floats) -> bool:
    """Whether values are those of another system, up to rounding in single precision or to few decimals."""
    apart = np.abs(less(first, second))
    if not apart.any():
        return True
    unit = 10.0 ** math.ceil(math.log10(max(np.abs(first).max(), np.abs(second).max())))  # 1 for proportions
    steps = (unit * 10.0**-decimals for decimals in _DECIMALS if (apart < unit * 10.0**-decimals).all())
    cut = (not less(row, np.rint(row / step) * step).any() for step in steps for row in (first, second))
    return bool(apart.max() < _ROUNDED * unit) or any(cut)


def _linear(first: Floats, second: Floats) -> float:
    """The factor by which values are those of another system on another scale; 0 if they are not."""
    if len(np.unique(second)) < _DIFFERENT:
        return 0.0
    away, others_away = first - first.mean(), second - second.mean()
    factor = float((away * others_away).sum() / (others_away**2).sum())
    apart = np.abs(away - factor * others_away).max()
    return factor if apart < _SINGLE * np.abs(away).max() else 0.0


def _are_sorted(values: Floats) -> bool:
    steps = np.diff(values)
    return len(np.unique(values)) >= _DIFFERENT and bool((steps >= 0).all() or (steps <= 0).all())


def _few(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    n, least = len(samples), demand.needs.min_queries
    if n < least:
        yield f"{counted(n, samples.unit)}, but a verdict needs {least:g} (min_queries)"
    elif demand.requirement == "not worse" and isinstance(demand.baseline, str):
        worst = worst_value(demand.measure, samples)
        n_worst = int((values == worst).all(axis=0).sum())
        if n - n_worst < least:
            yield (
                f"both have the worst value, {worst:g}, on {n_worst:,} of {counted(n, samples.unit)}; a verdict needs "
                f"{least:g} others (min_queries)"
            )


def _value_repeated(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    """Whether names of units are the same or spelled alike, or values occur as often as if units were copied."""
    n, units = len(samples), plural(samples.unit)
    _, name = np.unique(spelled_alike(samples.units), return_inverse=True)
    n_names = len(set(samples.units))
    n_different = min(n_names, len(np.unique(np.vstack([name, values]), axis=1).T))
    if too_many_repeat(n, n_different, demand.needs):
        yield f"only {n_different} of {counted(n, samples.unit)} differ by more than the spelling of their names"
        return
    _, times = np.unique(values, axis=1, return_counts=True)
    copies = _copies(times)
    if copies > 1:
        yield (
            f"nearly every value occurs {copies} times, or a multiple of it: are {units} repeated? there may be only "
            f"{n // copies} {units}"
        )


def too_many_repeat(n: int, n_different: int, needs: Needs) -> bool:
    """Whether so many units repeat others that a verdict would rest on them."""
    return n_different < min(n, needs.min_queries) or n - n_different > REPEATED * n


def _copies(times: np.ndarray[tuple[int], np.dtype[np.int64]]) -> int:
    """How often each unit seems to be repeated, from how often each of the different values occurs; 1 if not at all.

    Of numbers that are multiples by chance, one in two is even, one in three a multiple of 3, and so on.
    """
    most, n_values = min(int(times.max(initial=1)), _MOST_COPIES), len(times)
    for copies in range(most, 1, -1):
        n_multiples = int((times % copies == 0).sum())
        if 2 * n_multiples > n_values and most * _tail(n_multiples, n_values, 1 / copies) < _BY_CHANCE:
            return copies
    return 1


def _tail(least: int, n: int, p: float) -> float:
    """The probability of at least this many of n independent events of probability p."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
        for k in range(least, n + 1)
    ]
    return math.fsum(map(math.exp, logs))


def _on_several_scales(demand: Demand, values: Floats) -> Iterator[str]:
    """Percentages beside proportions, and values that the measure cannot have."""
    required = demand.value if demand.is_absolute else demand.baseline
    named = dict(zip(demand.systems, values, strict=True))
    if isinstance(required, int | float) and not is_summed(demand.measure):
        named["the requirement"] = np.array([required], np.float64)
    if mixed := scales(named):
        yield from mixed
        return
    known = known_measure(demand.measure)
    if known is None:  # right or wrong, as 1 and as 100
        both = {100.0, 1.0} <= {float(row.max()) for row in named.values()} and np.isin(values, (0, 1, 100)).all()
        if both:
            yield "the values of one side are 0 and 1, those of the other 0 and 100: are some of them percentages?"
        return
    low, high = known.declaration.bounds
    beyond = {name: row for name, row in named.items() if row.min() < low - ROUNDING or row.max() > high + ROUNDING}
    for name, row in beyond.items():
        if row.min() < 100 * low or row.max() > 100 * high:
            yield (
                f"the values of {name} go from {row.min():g} to {row.max():g}, but {demand.measure} lies between "
                f"{low:g} and {high:g}"
            )
            return
    if 0 < len(beyond) < len(named):
        first, second = next(iter(beyond)), next(name for name in named if name not in beyond)
        yield f"values of {first} are beyond {high:g}, but not those of {second}: are some of them percentages?"


def _of_one_value(demand: Demand, samples: Samples, values: Floats) -> Iterator[str]:
    """Values that are all the same, and one that decides alone."""
    if len(values) < 2 or is_geometric(demand.measure):
        return
    if constant(values) and values[0] % 1:
        yield f"every value is {values[0]:g}: nothing varies, so nothing was tested"
    largest = int(np.abs(values).argmax())
    others = np.delete(values, largest)
    if np.abs(values[largest]) > np.abs(others).sum():
        without = float(others.sum() if is_summed(demand.measure) else others.mean())
        if without < demand.value if demand.requirement == "at least" else without > demand.value:  # type: ignore[operator]
            yield (
                f"{samples.unit} {samples.units[largest]!r} makes up more than half of the value, which without it "
                f"would be {without:.4f}"
            )


def _incomparable(
    demand: Demand, samples: Samples, first: Floats, second: Floats, baseline_value: float
) -> Iterator[str]:
    """A baseline that has the values of the system, or that any system would match."""
    n, worst = len(samples), worst_value(demand.measure, samples)
    if is_copy(first, second):
        if demand.needs.unchanged != "pass":
            yield (
                f"{demand.system} has the same values as {demand.baseline} on all {counted(n, samples.unit)}, so "
                'nothing was tested: is it a copy? (unchanged = "pass" accepts it as not worse)'
            )
    elif factor := _linear(first, second):
        yield (
            f"{demand.system} has {factor:g} times the value of {demand.baseline} on every {samples.unit}, up to a "
            "constant: is it the same on another scale?"
        )
    elif _are_sorted(first) and _are_sorted(second):
        yield f"the values of both are sorted: do those of one row belong to the same {samples.unit}?"
    elif (second == worst).all():
        yield f"{demand.baseline} has the worst value, {worst:g}, on every {samples.unit}: does it use the same ids?"
    elif demand.margin and not is_geometric(demand.measure):
        room = abs(baseline_value - worst * (n if is_summed(demand.measure) else 1))
        if demand.margin >= room:
            yield (
                f"the margin of {demand.margin:g} is not smaller than the value of {demand.baseline}, "
                f"{baseline_value:.4f}, so that the worst possible system would pass"
                if worst == 0
                else f"with a margin of {demand.margin:g}, a system with the worst value, {worst:g}, would pass"
            )


JUDGED_AT = 10  # documents of a ranking whose judgments matter, if the cutoff of the measure is not smaller
JUDGED_GAP = 0.1  # difference in the proportion of judged documents that favours one side
BEYOND_CHANCE = 4  # standard errors
MANY = 5  # documents of a ranking whose order is not that of chance
SAMPLED = 500  # queries
SHORT = 0.5  # of the documents of the other side
# warnings that files were confused: what they say of a run makes every value meaningless
CONFUSED = (
    "swapped-files",
    "scores-as-grades",
    "lookalike-queries",
    "lookalike-documents",
    "no-judged-document",
    "no-such-grade",
    "several-tags",
)


def doubts_about(result: Result, demand: Demand, judged: Judgments | None = None) -> tuple[str, ...]:
    """Why the runs of a demand, evaluated in this result, allow no verdict."""
    places = [result.systems.index(name) for name in demand.systems]
    hits = {name: result.evidence[name] for name in demand.systems if name in result.evidence}
    return (
        *_confused(result, demand),
        *_unanswered(result, demand, places),
        *_undefined(result, demand, places),
        *_unjudged(result, demand, places),
        *_unlike_rankings(hits),
        *_favoured(result, demand, hits),
        *(() if judged is None else _repeated(demand, hits, judged)),
        *_indifferent(result.measures[result.place(demand.measure)], hits, demand),
    )


def warnings_about(result: Result, demand: Demand) -> tuple[Caution, ...]:
    """The warnings of an evaluation that concern the systems of a demand, or no system in particular."""
    others = set(result.systems).difference(demand.systems)
    return tuple(
        caution for caution in result.warnings if not caution.subject or not others.issuperset(caution.subject)
    )


def _confused(result: Result, demand: Demand) -> Iterator[str]:
    for caution in warnings_about(result, demand):
        of_measure = caution.kind != "no-such-grade" or demand.measure in caution.subject
        if caution.kind in CONFUSED and of_measure:
            yield caution.message
        both = len(demand.systems) == 2 and {*demand.systems} <= {*caution.subject}
        if caution.kind == "same-content" and both and demand.needs.unchanged != "pass":
            yield caution.message


def _unanswered(result: Result, demand: Demand, places: list[int]) -> Iterator[str]:
    if result.answered is None:
        return
    n_queries = result.answered.shape[1]
    for s in places:
        n_answered = int(result.answered[s].sum())
        if n_answered < demand.needs.complete * n_queries:
            yield (
                f"{result.systems[s]} answers {n_answered:,} of {counted(n_queries, 'judged query')}; a verdict needs "
                f"{'all' if demand.needs.complete == 1 else f'{100 * demand.needs.complete:g} %'} of them (complete)"
            )


def _undefined(result: Result, demand: Demand, places: list[int]) -> Iterator[str]:
    m = result.place(demand.measure)
    for s in places:
        n_counted, n_undefined = int(result.counted[s].sum()), int(result.n_undefined[s, m])
        if n_counted - n_undefined < demand.needs.min_defined * n_counted:
            declared = result.measures[m].declaration
            why = f": {declared.undefined}" if declared.undefined else ", for example because nothing is relevant"
            yield (
                f"{demand.measure} of {result.systems[s]} is undefined on {n_undefined:,} of "
                f"{counted(n_counted, 'query')}{why}; a verdict needs it on {100 * demand.needs.min_defined:g} % "
                "(min_defined)"
            )


def _unjudged(result: Result, demand: Demand, places: list[int]) -> Iterator[str]:
    """Too few judged documents at the top, or more of them on the side that wins.

    Only where documents were also judged not relevant; otherwise the others count as such, and being judged is the same
    as being relevant.
    """
    k = result.measures[result.place(demand.measure)].options.get("k")
    depth = min(k, JUDGED_AT) if isinstance(k, int) else JUDGED_AT
    proportion = {}
    for s in places:
        hits = result.evidence.get(result.systems[s])
        if hits is None or np.median(hits.n_nonrelevant()) == 0 or not hits.n_retrieved.any():
            return
        known, possible, size = _judged_at(hits, depth)
        proportion[result.systems[s]] = known / size
        if known < demand.needs.min_judged * possible:
            yield (
                f"{100 * known / possible:.0f} % of the top {depth} documents of {result.systems[s]} that could be "
                f"judged are judged; a verdict needs {100 * demand.needs.min_judged:g} % (min_judged)"
            )
    if len(places) == 2 and demand.needs.min_judged > 0:
        first, second = (proportion[name] for name in demand.systems)
        values = result.aggregated()[places, result.place(demand.measure)]
        lower = result.measures[result.place(demand.measure)].declaration.higher_is_better is False
        ahead = values[0] < values[1] if lower else values[0] > values[1]
        if abs(first - second) > JUDGED_GAP and (first > second) == ahead:
            yield (
                f"{100 * first:.0f} % of the top {depth} documents of {demand.system} are judged, but "
                f"{100 * second:.0f} % of those of {demand.baseline}: unjudged documents count as not relevant, which "
                "could decide the comparison"
            )


def _judged_at(hits: Hits, k: int) -> tuple[float, float, float]:
    """The number of judged documents among the first k, of those that could be there, and of documents, in total."""
    size = np.minimum(hits.n_retrieved, k)
    possible = np.minimum(size, hits.n_judged())
    return float(hits.count(hits.judged & hits.top(k)).sum()), float(possible.sum()), float(size.sum())


def _favoured(result: Result, demand: Demand, hits: Mapping[str, Hits]) -> Iterator[str]:
    """Files that favour the side that is ahead: longer rankings, a filter by the judgments, a pool of its own."""
    if len(hits) < 2 or not all(of_run.n_retrieved.any() for of_run in hits.values()):
        return
    (name, ahead), (other, behind) = hits.items()
    values = result.aggregated()[[result.systems.index(system) for system in hits], result.place(demand.measure)]
    lower = result.measures[result.place(demand.measure)].declaration.higher_is_better is False
    if (values[0] > values[1]) == lower:
        (name, ahead), (other, behind) = (other, behind), (name, ahead)
    k = result.measures[result.place(demand.measure)].options.get("k")
    depth, short = typical_depth(ahead, k), typical_depth(behind, k)
    if short < SHORT * depth:
        yield f"{other} has {short:g} documents per query where {demand.measure} counts {depth:g} of {name}"
    judged, others_judged = (of_run.count(of_run.judged).sum() / of_run.n_retrieved.sum() for of_run in (ahead, behind))
    if judged == 1 and others_judged < 1 - JUDGED_GAP:
        proportion = f"{100 * others_judged:.0f} % of those of {other}"
        yield f"all documents of {name} are judged, but {proportion}: were its rankings filtered by the judgments?"
    n_judged = ahead.n_judged().sum()
    deepest = ahead.rank.max(initial=0)
    if (
        len(ahead.rank) == len(ahead.pool_grade) >= 3 * len(ahead)
        and behind.n_retrieved.all()
        and (behind.rank <= deepest).sum() < (1 - JUDGED_GAP) * n_judged
    ):
        yield f"all judged documents are among the first {deepest} of {name}, but not of {other}: was it pooled alone?"


def typical_depth(hits: Hits, k: object) -> float:
    """The median number of documents that a measure counts, of the queries that are not missing."""
    present = hits.n_retrieved[hits.n_retrieved > 0]
    return float(np.median(np.minimum(present, k) if isinstance(k, int) else present)) if len(present) else 0.0


def _unlike_rankings(hits: Mapping[str, Hits]) -> Iterator[str]:
    """Runs that no system ranked: upside down, or made from the judgments."""
    for name, of_run in hits.items():
        if _upside_down(of_run):
            yield f"{name} ranks relevant documents lower than by chance: are lower scores better?"
        n_judged = of_run.count(of_run.judged)
        if not len(of_run.rank) or (n_judged != of_run.n_retrieved).any():
            continue
        if of_run.relevant().all() and of_run.n_retrieved.max() > 1:
            yield f"every document that {name} retrieves is relevant: was it made from the judgments?"
        elif _is_ideal(of_run):
            yield f"{name} has the documents of the judgments in the order of their grades: was it made from them?"


def _upside_down(hits: Hits) -> bool:
    """Whether relevant documents are lower in the rankings than in a random order, by more than chance explains."""
    n_ranked = hits.n_retrieved[hits.unit]
    relevant = hits.relevant() & (n_ranked >= MANY)
    n_ranked = n_ranked[relevant]
    place = (hits.tie_start + (hits.tie_size - 1) / 2)[relevant]
    expected, variance = (n_ranked + 1) / (2 * n_ranked), (1 - 1.0 / n_ranked**2) / 12  # of place / n_ranked
    return bool((place / n_ranked - expected).sum() > BEYOND_CHANCE * math.sqrt(variance.sum()))


def _is_ideal(hits: Hits) -> bool:
    """Whether all relevant documents come in the order of their grades, with those of one grade tied or too many."""
    same, ties = ~changes(hits.unit), ~changes(hits.unit, hits.tie_start)
    step = np.diff(hits.grade, prepend=np.inf)
    ideal = (step[same] <= 0).all() and (step[same] < 0).any()
    complete = (hits.count(hits.relevant()) == hits.n_relevant()).all()
    by_grade = ties.any() and (ties == (same & (step == 0))).all()
    return bool(ideal and complete and (by_grade or (not ties.any() and len(hits.rank) >= MANY * len(hits))))


def _repeated(demand: Demand, hits: Mapping[str, Hits], judged: Judgments) -> Iterator[str]:
    """Queries with the same judged documents, which no other query has, and relevant ones at the same ranks."""
    if not hits:
        return
    columns = [  # the sums differ where ranks or grades do
        column
        for of_run in hits.values()
        for column in (of_run.n_retrieved, of_run.sum(np.sqrt(of_run.rank) * (of_run.grade + math.pi)))
    ]
    n_retrieved = np.min([of_run.count(of_run.judged) for of_run in hits.values()], axis=0)
    known = np.flatnonzero((n_retrieved >= 2) & (np.diff(judged.starts) >= 3))  # fewer are the same by chance
    _, kind, n_alike = np.unique(np.array(columns)[:, known], axis=1, return_inverse=True, return_counts=True)
    n_queries, n_kinds = len(judged.queries), len(n_alike)
    if not too_many_repeat(n_queries, n_queries - len(known) + n_kinds, demand.needs):
        return
    grades = [frozenset(judged.grades_of(query).items()) for query in known.tolist()]
    owners: dict[bytes, set[frozenset[tuple[bytes, float]]]] = {}
    for of_query in grades:
        for document, _ in of_query:
            owners.setdefault(document, set()).add(of_query)
    alone = [sum(len(owners[document]) == 1 for document, _ in of_query) > len(of_query) / 2 for of_query in grades]
    different = {(k, of_query) for k, of_query, is_own in zip(kind.tolist(), grades, alone, strict=True) if is_own}
    n_different = n_queries - sum(alone) + len(different)
    if too_many_repeat(n_queries, n_different, demand.needs):
        yield f"only {n_different:,} of {counted(n_queries, 'query')} differ in what is judged and ranked"


def _indifferent(measure: Measure, hits: Mapping[str, Hits], demand: Demand) -> Iterator[str]:
    """Measures that count nothing against a run."""
    rel = measure.options.get("rel", 1)
    declared = measure.declaration
    if declared.evidence is not Hits or declared.higher_is_better is None or demand.needs.min_judged == 0:
        return
    if isinstance(rel, int | float) and rel <= 0:
        yield f"{demand.measure} counts documents of grade {rel:g} as relevant"
    sign = 1 if declared.higher_is_better else -1
    grade = measure.options.get("unjudged")
    as_relevant = isinstance(grade, int | float) and grade > 0
    for name, of_run in hits.items():
        some = only(of_run, np.arange(len(of_run)) < SAMPLED) if len(of_run) > SAMPLED else of_run
        if np.median(some.n_nonrelevant()) > 0 and not as_relevant:
            continue
        if np.nansum(sign * (measure.values(some) - measure.values(filled(some, 0.0)))) <= 0:
            continue
        if as_relevant:
            yield f"{demand.measure} counts unjudged documents of {name} as relevant"
        else:
            yield (
                f"no document is judged not relevant, and {demand.measure} does not count unjudged documents against "
                f"{name}, so nothing could"
            )


def extreme_orders(result: Result, demand: Demand) -> Iterator[Result]:
    """The result with tied documents in the order that favours the run over the baseline, and in the opposite one.

    Nothing if no documents are tied, or if the order of ties was chosen.
    """
    if result.provenance.settings.get("ties") in ("expected", "given"):
        return
    measure = result.place(demand.measure)
    ranges: dict[int, tuple[Floats, Floats]] = {
        s: (lowest, highest)
        for s, m, lowest, highest in tied_values(result)
        if m == measure and result.systems[s] in demand.systems
    }
    if not ranges:
        return
    for favoured in (1, 0):
        values = result.values.copy()
        for s, ends in ranges.items():
            values[s, measure] = ends[favoured if result.systems[s] == demand.system else 1 - favoured]
        yield replace(result, values=values)
