"""Rules about runs: the wrong way round, too short, without judged documents, or too good to be true."""

from __future__ import annotations

import numpy as np

from cranfield.classification.evaluated import Evaluated
from cranfield.evidence.hits import Hits
from cranfield.evidence.residuals import Residuals
from cranfield.present.findings.rules import Observations, observation, reaches, rule
from cranfield.rankings.cautions import LOW, reversed_ranking
from cranfield.results.leaderboard import averaged, counted
from cranfield.results.values import Result
from cranfield.text import count, listed, number, verb

SHORT = 0.5  # of the documents of the longest run: runs with fewer are pointed out
_NAMED = 5  # number of measures or systems to name


@rule(
    "reversed-scores",
    about="runs",
    title="A run would be far better the other way round",
    severity="serious",
    why="Rankings are sorted by score, highest first. If relevant documents stand below the others on nearly every "
    "query, lower scores are probably better: distances, negated scores, or ranks in the place of scores. All values "
    "of the run are then those of its worst documents, and so are findings about what it retrieved.",
    action="If lower scores are better, negate them and evaluate again.",
    covers=("low-judged", "unequal-judged", "unjudged-order", "short-run"),
)
def reversed_scores(result: Result, *, pairs: float = LOW) -> Observations:
    """At most a proportion of `pairs` of a relevant and another document are in order, far fewer than by chance, and
    the reversed rankings have at least twice the AP."""
    for _, system, hits in counted(result):
        two = reversed_ranking(hits, low=pairs)
        if two is not None:
            yield observation(
                f"{system} has AP {number(two.ranked)}, but {number(two.from_the_bottom)} if its rankings of "
                f"{count(two.n_queries, 'query')} are reversed: lower scores are probably better.",
                {"ranked": two.ranked, "reversed": two.from_the_bottom, "n_queries": two.n_queries},
                run=system,
            )


@rule(
    "short-run",
    about="runs",
    title="A run has far fewer documents than others",
    severity="serious",
    why="A measure with a deeper cutoff than the run counts missing documents as not retrieved. Its value reflects "
    "where the run was truncated, not how well it ranks.",
    action="Get the run at full depth, or compare all runs at a cutoff that the shortest one reaches.",
)
def short_run(result: Result, *, proportion: float = SHORT) -> Observations:
    """The median number of documents per query is below `proportion` of that of the longest run, and a measure
    evaluates more."""
    typical = {system: typical_depth(hits) for _, system, hits in counted(result)}
    longest = max(typical.values(), default=0.0)
    short: dict[float, list[str]] = {}
    for system, depth in typical.items():
        if 0 < depth < proportion * longest:
            short.setdefault(depth, []).append(system)
    for depth, systems in sorted(short.items()):
        capped = [str(measure) for _, measure in averaged(result) if _deeper(measure.options.get("k"), depth)]
        if capped:
            yield observation(
                f"{listed(systems, _NAMED)} returned {count(depth, 'document')} per query, others up to "
                f"{longest:,.0f}; {listed(capped, _NAMED)} {verb(len(capped), 'needs', 'need')} deeper rankings.",
                {"depth": depth, "longest": longest, "measures": capped, "systems": systems},
                system=systems[0],
            )


def typical_depth(hits: Hits) -> float:
    """The median number of documents retrieved for queries that are not missing."""
    present = hits.n_retrieved[hits.n_retrieved > 0]
    return float(np.median(present)) if len(present) else 0.0


def _deeper(k: object, depth: float) -> bool:
    return k is None or (isinstance(k, int | float) and k > depth)


@rule(
    "nothing-judged",
    about="runs",
    title="No judged document was retrieved",
    severity="serious",
    why="A run that retrieves no judged document at all usually names its documents or queries differently, or belongs "
    "to another collection. All its values are 0, which says nothing about how it ranks.",
    action="Compare the names of documents and queries in the run with those in the judgments: prefixes, leading "
    "zeros, upper and lower case.",
    covers=("low-judged", "unequal-judged", "unjudged-order"),
)
def nothing_judged(result: Result, *, least: int = 1) -> Observations:
    """A run with at least `least` documents contains no judged document."""
    empty = [
        system for _, system, hits in counted(result) if not hits.judged.any() and int(hits.n_retrieved.sum()) >= least
    ]
    if empty:
        yield observation(
            f"{listed(empty, _NAMED)} retrieved no judged document for any query.", {"systems": empty}, system=empty[0]
        )


@rule(
    "too-perfect",
    about="runs",
    title="Too good to be true",
    severity="caution",
    why="Real systems make errors. A perfect value usually means that the answers leaked into the system: test items "
    "among the training items, a feature derived from the label, or judgments derived from this run.",
    action="Check the origin of training data, features and judgments before trusting it.",
)
def too_perfect(evidence: Result | Evaluated | Residuals, *, value: float = 0.999, least: int = 50) -> Observations:
    """Over at least `least` queries or items, a mean, the accuracy or R2 is at least `value`.

    Of several measures of rankings, at least half must be: a good system may well have a relevant document at rank 1
    for every query.
    """
    if isinstance(evidence, Result):
        yield from _perfect_rankings(evidence, value, least)
    elif isinstance(evidence, Residuals):
        spread = float(evidence.variance(evidence.actual))
        if len(evidence) >= least and spread > 0:
            yield from _perfect("R2", 1 - float(evidence.mean(evidence.error**2)) / spread, value, len(evidence))
    elif evidence.confusion is not None and len(evidence.predictions) >= least and evidence.confusion.total:
        accuracy = float(evidence.confusion.right.sum() / evidence.confusion.total)
        yield from _perfect("Accuracy", accuracy, value, len(evidence.predictions))


def _perfect(name: str, reached: float, least: float, n_items: int) -> Observations:
    if reaches(reached, least):
        yield observation(
            f"{name} is {number(reached)} over {count(n_items, 'item')}.", {"value": reached, "n": n_items}
        )


def _perfect_rankings(result: Result, value: float, least: int) -> Observations:
    if result.unit != "query":
        return
    eligible = [m for m, one in averaged(result) if one.declaration.higher_is_better and one.options.get("k") != 1]
    for s, system in enumerate(result.systems):
        values = {m: result.counted_values(s, m)[0] for m in eligible}
        bounded = {m: scores for m, scores in values.items() if len(scores) >= least and scores.max() <= 1}
        perfect = [m for m, scores in bounded.items() if reaches(float(scores.mean()), value)]
        if perfect and 2 * len(perfect) >= len(bounded):
            measure, scores = result.measures[perfect[0]], bounded[perfect[0]]
            mean = float(scores.mean())
            yield observation(
                f"{system}: the mean {measure} is {number(mean)} over {count(len(scores), 'query')}.",
                {"value": mean, "n": len(scores)},
                system=system,
                measure=str(measure),
            )
