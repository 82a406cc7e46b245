"""What the runs behind a release gate lack for a verdict: answers, defined values, judgments, an order without ties."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from cranfield.arrays import Floats
from cranfield.evidence.hits import Hits
from cranfield.evidence.samples import counted
from cranfield.results.gate_decisions import Demand
from cranfield.results.provenance import Caution
from cranfield.results.rankings import Result
from cranfield.results.tie_effects import tied_values

JUDGED_AT = 10  # documents of a ranking whose judgments matter, if the cutoff of the measure is not smaller
JUDGED_GAP = 0.1  # difference in the proportion of judged documents that favours one side
# warnings that files were confused: what they say of a run makes every value meaningless
CONFUSED = (
    "swapped-files",
    "scores-as-grades",
    "lookalike-queries",
    "lookalike-documents",
    "no-judged-document",
    "no-such-grade",
)


def doubts_about(result: Result, demand: Demand) -> tuple[str, ...]:
    """Why the runs of a demand, evaluated in this result, allow no verdict."""
    places = [result.systems.index(name) for name in demand.systems]
    return (
        *_confused(result, demand),
        *_unanswered(result, demand, places),
        *_undefined(result, demand, places),
        *_unjudged(result, demand, places),
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


def extreme_orders(result: Result, demand: Demand) -> Iterator[Result]:
    """The result with tied documents in the order that favours the run over the baseline, and in the opposite one.

    Nothing if no documents are tied, or if the order of ties was chosen.
    """
    if result.provenance.settings["ties"] in ("expected", "given"):
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
