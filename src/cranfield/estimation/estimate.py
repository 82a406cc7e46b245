"""How good is a system, from a few human and many machine judgments?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from cranfield.engines.local import judged_ranks
from cranfield.errors import BadInput
from cranfield.estimation.documents import Labelled, estimated_from_documents, labelled
from cranfield.estimation.judging import JudgingPlan, planned
from cranfield.estimation.result import Estimation, estimated
from cranfield.measures.naming import Requested, measures_named
from cranfield.results.provenance import Origin, Provenance, combined, differing, differing_runs, origins, run_names
from cranfield.results.samples import not_geometric, paired
from cranfield.settings import CONFIDENCE, Confidence, Means, Range, Seed
from cranfield.tables.sources import as_judgments, as_runs
from cranfield.verb import verb

Reference = Annotated[
    str | None, Means("Also estimate the difference of every other system from this one.", "SYSTEM", "-b")
]
HalfWidth = Annotated[
    float,
    Range("a positive number", low=0, open=True),
    Means("Desired precision: how much people must judge for confidence intervals of ± this number."),
]


@verb
def estimate(
    human: Any,
    machine: Any,
    baseline: Reference = None,
    *,
    confidence: Confidence = CONFIDENCE,
    half_width: HalfWidth | None = None,
) -> Estimation:
    """Means over all queries from human judgments of some queries and machine judgments of all.

    A language model judges every query, but its errors are systematic; people judge few. Prediction-powered inference
    corrects the machine's mean by the difference on the queries that both judged. The estimate is consistent whatever
    errors the machine makes. The better machine and people agree, the shorter its interval; with a useless machine, it
    is that of the human judgments alone. The queries judged by people must be a random sample of all queries.

    Parameters
    ----------
    human
        Values by human judgments: a result of `evaluate`, a table of values, or `{system: {query: value}}`.
    machine
        Values by the machine's judgments of the same systems, for these queries and others.

    Returns
    -------
    Estimation
        One row per measure and system: the estimate with its interval, the values from human judgments alone and from
        the machine alone, the bias of the machine, and how many human-judged queries the interval is worth.

    Examples
    --------
    >>> queries = [f"q{number}" for number in range(12)]
    >>> machine = {"dense": {query: 0.3 + 0.05 * number for number, query in enumerate(queries)}}
    >>> human = {"dense": {"q1": 0.2, "q3": 0.31, "q5": 0.44, "q8": 0.55, "q9": 0.62, "q10": 0.68}}
    >>> row = estimate(human, machine).rows[0]
    >>> round(row.estimate, 3), round(row.human, 3), round(row.machine, 3), round(row.bias, 3)
    (0.441, 0.467, 0.575, 0.133)
    """
    people, judge = paired(human), paired(machine)
    for role, source in (("human", people), ("machine", judge)):
        if not source.named:
            raise BadInput(f"{role}: queries have no names; add a column query, or pass {{system: {{query: value}}}}")
    sources = {"human": people.provenance, "machine": judge.provenance}
    for caution in (*differing(sources), *differing_runs(sources)):
        raise BadInput(f"{caution}; evaluate the same runs with the same settings by both kinds of judgments")
    estimation = estimated(people.samples, judge.samples, baseline, confidence=confidence, half_width=half_width)
    notes = (*estimation.notes, *not_geometric(people.samples))
    return replace(estimation, notes=notes, provenance=combined(sources))


@verb
def estimate_documents(
    human: Any,
    machine: Any,
    runs: Any,
    measures: Requested = None,
    baseline: Reference = None,
    *,
    sample: Any = None,
    confidence: Confidence = CONFIDENCE,
    half_width: HalfWidth | None = None,
) -> Estimation:
    """Measures from machine judgments of all documents and human judgments of a random sample of them.

    For measures that are sums over documents: P, CG, DCG and RBP, and recall pooled over queries. The difference
    estimator corrects the machine's value by the differences in the sample, weighted by inclusion probabilities. It is
    consistent whatever errors the machine makes; a useless machine gets no weight. Documents
    that the machine did not judge count as not relevant. Intervals are for the value that people would give if they
    judged all these documents, for these queries: they do not include the variation over queries.

    Parameters
    ----------
    human
        Human judgments of some documents, as for `evaluate`.
    machine
        The machine's judgments of these documents and all others.
    runs
        As for `evaluate`.
    measures
        P with a cutoff, CG, DCG, RBP or R (default: P@10).
    sample
        The documents that people were to judge, with their inclusion probabilities: a result of `plan_judging` or
        `pool`, or a table with columns query, document, probability and, for a stratified sample, stratum. By default,
        the documents with human judgments are assumed to be a simple random sample, and refused if they evidently are
        not.

    Returns
    -------
    Estimation
        One row per measure and system, as for `estimate`; `worth` is in documents.

    Examples
    --------
    >>> documents = [f"d{number}" for number in range(40)]
    >>> runs = {"dense": {"q": {name: -number for number, name in enumerate(documents)}}}
    >>> machine = {"q": {name: int(number % 2 == 0) for number, name in enumerate(documents)}}
    >>> human = {"q": {name: int(number % 4 == 0) for number, name in enumerate(documents) if number % 3 != 1}}
    >>> row = estimate_documents(human, machine, runs, "P@40").rows[0]
    >>> round(row.estimate, 3), round(row.human, 3), round(row.machine, 3)
    (0.25, 0.259, 0.5)
    """
    labels, provenance = _labels(human, machine, runs)
    chosen = measures_named(measures, "ranking", ("P@10",))
    settings = {"sample": sample, "confidence": confidence, "half_width": half_width}
    estimation = estimated_from_documents(labels, chosen, baseline, **settings)
    return replace(estimation, provenance=provenance)


@verb
def plan_judging(
    machine: Any,
    runs: Any,
    measures: Requested = None,
    baseline: Reference = None,
    *,
    half_width: HalfWidth,
    human: Any = None,
    confidence: Confidence = CONFIDENCE,
    seed: Seed = 0,
) -> JudgingPlan:
    """The documents that people should judge, so that `estimate_documents` has intervals of ± a half-width.

    Documents are grouped by the machine's grade and by their largest contribution to any of the estimates; people judge
    a random sample of each group, larger where contributions are larger and people's judgments vary more (Neyman
    allocation). Documents that count in no estimate are not judged.

    Parameters
    ----------
    machine, runs, measures
        As for `estimate_documents`; recall cannot be planned.
    human
        Human judgments of a pilot, from which the variance given the machine's grade is estimated. Without a pilot, the
        largest possible variance is assumed.

    Returns
    -------
    JudgingPlan
        One row per document to judge, with its stratum and inclusion probability.

    Examples
    --------
    >>> runs = {"dense": {f"q{q}": {f"d{number}": -number for number in range(20)} for q in range(30)}}
    >>> machine = {f"q{q}": {f"d{number}": int(number % 3 == 0) for number in range(20)} for q in range(30)}
    >>> judged = plan_judging(machine, runs, "P@10", half_width=0.05)
    >>> len(judged), judged.notes[0]
    (169, 'for intervals of ±0.05, judge these 169 documents')
    """
    labels, provenance = _labels(human, machine, runs)
    chosen = measures_named(measures, "ranking", ("P@10",))
    plan = planned(labels, chosen, baseline, half_width=half_width, confidence=confidence, seed=seed)
    return replace(plan, provenance=provenance)


def _labels(human: Any, machine: Any, runs: Any) -> tuple[Labelled, Provenance]:
    """The labels of all documents with their ranks in each run."""
    judge, sources = as_judgments(machine), as_runs(runs)
    people = None if human is None else as_judgments(human)
    rank = {name: judged_ranks(source, judge).rank for name, source in zip(run_names(sources), sources, strict=True)}
    by_people = () if people is None else (Origin.of("human qrels", people),)
    return labelled(people, judge, rank), Provenance((*by_people, *origins(judge, sources)))
