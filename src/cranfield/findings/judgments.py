"""Rules about judgments: how many there are, and what those that are missing could change."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from cranfield.evidence.hits import Hits
from cranfield.findings.finding import Said, said
from cranfield.findings.rankings import Turn, averaged, counted, mean, turning, turns
from cranfield.findings.rules import reaches, rule
from cranfield.findings.words import count, listed, share, verb
from cranfield.registry import Measure, parse
from cranfield.results.values import Result

Floats = NDArray[np.float64]

_NAMED = 3  # systems; others are counted


@rule(
    "sparse-judgments",
    title="Too few judgments for measures that count what was missed",
    severity="serious",
    why="Recall, average precision and nDCG divide by all that is relevant. Where only a few documents of each "
    "query were judged, nobody knows how many are: a good answer that was not judged counts as wrong.",
    action="Report reciprocal rank (RR), which asks only how soon the first known answer comes, or judge the top of "
    "every ranking.",
)
def sparse_judgments(result: Result, *, judged: float = 10, share_judged: float = 0.5, k: int = 10) -> Iterator[Said]:
    """Half the queries have fewer than `judged` judgments, less than `share_judged` of the first `k` are judged, and
    a measure counts what was missed.

    A measure that is the same as RR here, for want of a second relevant document, is not spoken of.
    """
    names = [str(measure) for m, measure in averaged(result) if counts_missed(measure) and not _same_as_rank(result, m)]
    shares = {system: _share_judged(result, s, hits, k) for s, system, hits in counted(result)}
    if not names or not shares or min(shares.values()) >= share_judged:
        return
    hits = next(hits for _, _, hits in counted(result))
    typical = float(np.median(hits.n_judged()))
    if typical < judged:
        system = min(shares, key=lambda name: shares[name])
        yield said(
            f"Half of the queries have {count(typical, 'judged document')} or fewer, and of the first {k} documents "
            f"of {system} {share(shares[system])} are judged: {listed(names, 5)} {verb(len(names), 'says', 'say')} "
            "little here, since what was missed is not known.",
            {"judged_per_query": typical, "judged": shares[system], "k": k, "measures": names},
            system=system,
        )


@cache
def counts_missed(measure: Measure) -> bool:
    """Whether a relevant document that was not retrieved lowers a measure."""
    if measure.family.evidence is not Hits:
        return False
    found, missed = (float(measure.values(_one_found(n_relevant))[0]) for n_relevant in (1, 3))
    return missed < found


def _same_as_rank(result: Result, m: int) -> bool:
    """Whether a measure tells of every query what the reciprocal rank tells."""
    shared = {name: result.measures[m].options.get(name) for name in ("rel", "k")}
    options = {name: value for name, value in shared.items() if value is not None}
    rank = parse("RR", "ranking")(**options)
    return all(np.allclose(result.values[s, m], rank.values(hits), equal_nan=True) for s, _, hits in counted(result))


def _one_found(n_relevant: int) -> Hits:
    """One query, for which one document was retrieved, which is relevant."""
    one, grade = np.ones(1, np.int64), np.full(n_relevant, 9.0)
    return Hits(
        queries=(b"q",),
        n_retrieved=one,
        unit=np.zeros(1, np.int64),
        rank=one,
        grade=grade[:1],
        pool_unit=np.zeros(n_relevant, np.int64),
        pool_grade=grade,
        tie=one,
        tied=one,
        size=one,
    )


def _share_judged(result: Result, s: int, hits: Hits, k: int) -> float:
    """The mean over the answered queries of the share of the first k that was judged."""
    values = parse("Judged", "ranking")(k=k).values(hits)[result.counted[s]]
    return float(np.nanmean(values)) if not np.isnan(values).all() else 1.0


@rule(
    "low-judged",
    title="Many of the first documents were never judged",
    severity="caution",
    why="A document that nobody judged counts as not relevant. The more of them stand at the top, the more a value "
    "says about the judgments and the less about the system.",
    action="Judge the top of these runs; until then report Judged@k beside every value, and bounds (--bounds) or "
    "condensed lists (unjudged='skip').",
)
def low_judged(result: Result, *, least: float = 0.8, k: int = 10) -> Iterator[Said]:
    """On average less than `least` of a system's first `k` documents was judged."""
    shares = {system: _share_judged(result, s, hits, k) for s, system, hits in counted(result)}
    low = sorted((system for system in shares if shares[system] < least), key=lambda system: shares[system])
    if low:
        named = [f"{share(shares[system])} of {system}'s" for system in low[:_NAMED]]
        more = len(low) - len(named)
        others = [f"less than {share(least)} of {count(more, 'other system')}'"] if more else []
        each = listed([*named, *others], _NAMED + 1)
        yield said(
            f"Of the first {k} documents of each query, on average only {each} were judged; the others count as not "
            "relevant.",
            {"judged": {system: shares[system] for system in low}, "k": k},
            system=low[0],
        )


@rule(
    "unequal-judged",
    title="The judgments know one system better than another",
    severity="serious",
    why="Judgments are usually made of what earlier systems found. A system that finds other documents has fewer of "
    "them judged and looks worse than it is.",
    action="Judge the top of the newer run too, or compare on condensed lists (unjudged='skip') and with bounds.",
)
def unequal_judged(result: Result, *, apart: float = 0.1, k: int = 10) -> Iterator[Said]:
    """The share of the first `k` documents that was judged differs by at least `apart` between two systems."""
    shares = {system: _share_judged(result, s, hits, k) for s, system, hits in counted(result)}
    if len(shares) < 2:
        return
    low, high = (end(shares, key=lambda name: shares[name]) for end in (min, max))
    if reaches(shares[high] - shares[low], apart):
        yield said(
            f"Of the first {k} documents of each query, {share(shares[high])} of {high}'s were judged but only "
            f"{share(shares[low])} of {low}'s: unjudged documents count as not relevant, to the harm of {low}.",
            {"judged": {high: shares[high], low: shares[low]}, "k": k},
            system=low,
        )


@rule(
    "unjudged-order",
    title="Unjudged documents could turn the order of two systems",
    severity="caution",
    why="The order rests on the guess that every unjudged document is not relevant. Were those of the lower system "
    "relevant, it could be the higher one.",
    action="Judge the unjudged documents at the top of both systems before you say which is better.",
)
def unjudged_order(result: Result, *, most: int = 1_000_000) -> Iterator[Said]:
    """One system is ahead, but would be behind were its unjudged documents not relevant and the other's of top grade.

    Measures without a cut-off are looked at where the systems retrieved no more than `most` documents each.
    """
    if len(result.evidence) < max(2, len(result.systems)):
        return
    top = max(1.0, *(float(hits.pool_grade.max(initial=1)) for hits in result.evidence.values()))
    found: dict[int, list[Turn]] = {}
    for m, measure in averaged(result):
        if _boundable(result, measure, most):
            bounds = np.array([_bounds(result, s, m, hits, top) for s, _, hits in counted(result)])
            found[m] = turns(result, m, bounds[:, 0], bounds[:, 1])
    if any(found.values()):
        how = "were the unjudged documents of the first not relevant and those of the second of the top grade"
        yield turning(result, {m: each for m, each in found.items() if each}, how)


def _boundable(result: Result, measure: Measure, most: int) -> bool:
    if measure.family.evidence is not Hits or measure.options.get("unjudged") is not None:
        return False
    k = measure.options.get("k")
    depth = int(k) if isinstance(k, int | float) else None
    return max(int(hits.depth(depth).sum()) for hits in result.evidence.values()) <= most


def _bounds(result: Result, s: int, m: int, hits: Hits, top: float) -> tuple[float, float]:
    """The mean were every query's unjudged documents as bad, and as good, as can be."""
    measure = result.measures[m]
    each = np.array([result.values[s, m], *(measure(unjudged=grade).values(hits) for grade in (0, top))])
    return mean(result, s, np.fmin.reduce(each)), mean(result, s, np.fmax.reduce(each))
