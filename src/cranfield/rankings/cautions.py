"""Warnings about runs: one line per kind of problem, however many runs have it.

Decided here: which problems of runs are warnings, because they may mislead in any result; the others are findings.

Decided here: whether a run ranks the wrong way round, for the warning and the finding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cranfield.arrays import Floats
from cranfield.engines.protocol import Ties
from cranfield.errors import BadInput
from cranfield.evidence.counterfactual import from_the_bottom, only, reordered
from cranfield.evidence.hits import Hits
from cranfield.evidence.judged_ranks import JudgedRanks, RunCounts
from cranfield.frozen import frozen
from cranfield.measures.ranking import average_precision, pairwise_accuracy
from cranfield.results.provenance import Caution
from cranfield.results.values import Result
from cranfield.statistics.distributions import t_tail
from cranfield.tables.judgments import MOST_GRADES, Judgments
from cranfield.tables.label_journals import is_journal, journal_of
from cranfield.tables.names import Lookalikes, decode, lookalikes, plain
from cranfield.tables.rankings import RunSource
from cranfield.text import counted

if TYPE_CHECKING:
    from cranfield.tables.items import Items


# Whether a run ranks the wrong way round, as if lower scores were better: distances, negated scores, ranks


LOW = 0.3  # accuracy of pairs, of which a random order has half right
_FEWEST = 5  # queries that tell
_SHORTEST = 5  # documents of a ranking that tells
_READ = 1000  # queries examined; more would not change the answer
_LEVEL = 1e-3
_BETTER = 2.0  # ratio of the values


@frozen
class Reversed:
    """Mean average precision as ranked and from the bottom up, over so many queries."""

    ranked: float
    from_the_bottom: float
    n_queries: int


def reversed_ranking(hits: Hits, *, low: float = LOW) -> Reversed | None:
    """What a run is worth from the bottom up, if that is far better on so many queries that chance cannot explain it.

    Relevant documents stand below the others in most pairs: of all retrieved documents and, where enough are judged,
    of these alone. A bad system ranks at random, with half of the pairs in the right order.
    """
    some = hits if len(hits) <= _READ else only(hits, np.arange(len(hits)) < _READ)
    accuracy, among_judged = _pairs_in_order(some), _pairs_in_order(some.condensed)
    if not _is_low(accuracy, low) or (len(among_judged) >= _FEWEST and among_judged.mean() > low):
        return None
    known = some.n_relevant() > 0
    ranked, other = (float(average_precision(one)[known].mean()) for one in (some, from_the_bottom(some)))
    return Reversed(ranked, other, int(known.sum())) if other >= _BETTER * ranked else None


def _pairs_in_order(hits: Hits) -> Floats:
    """The proportion of pairs of a relevant and another document that are in order, of queries that have such pairs."""
    accuracy = pairwise_accuracy(hits)
    return accuracy[~np.isnan(accuracy) & (hits.n_retrieved >= _SHORTEST)]


def _is_low(accuracy: Floats, low: float) -> bool:
    """Whether the mean is far below one half, and not by chance."""
    n = len(accuracy)
    if n < _FEWEST or accuracy.mean() > low:
        return False
    error = float(accuracy.std(ddof=1)) / math.sqrt(n)
    return not error or float(t_tail(np.array((accuracy.mean() - 0.5) / error), n - 1, "less")) < _LEVEL


# How the order of documents with the same score affects a result


def tie_bounds(result: Result) -> tuple[Floats, Floats]:
    """The lowest and the highest aggregate over the best and the worst order of ties, by system and measure."""
    low = result.aggregated()
    high = low.copy()
    for s, m, lowest, highest in tied_values(result):
        low[s, m], high[s, m] = result.aggregate_of(s, m, lowest), result.aggregate_of(s, m, highest)
    return low, high


def tied_values(result: Result) -> Iterator[tuple[int, int, Floats, Floats]]:
    """Systems and measures that ties may affect, with the lowest and the highest value of each query."""
    for s, system in enumerate(result.systems):
        hits = result.evidence.get(system)
        if hits is None or not (hits.tie_size > 1).any():
            continue
        tied = np.zeros(len(hits), np.bool_)
        tied[hits.unit[hits.tie_size > 1]] = True
        of_tied = only(hits, tied)
        orders = [reordered(of_tied, best=best) for best in (True, False)]
        for m, measure in enumerate(result.measures):
            if measure.declaration.evidence is Hits:
                values = np.array([result.values[s, m, tied], *(measure.values(order) for order in orders)])
                lowest, highest = result.values[s, m].copy(), result.values[s, m].copy()
                lowest[tied], highest[tied] = np.fmin.reduce(values), np.fmax.reduce(values)
                yield s, m, lowest, highest


NAMED = 5  # runs named in a warning; the others are counted
CONVENTIONS: tuple[Ties, ...] = ("trec", "name", "given")  # tie orders that another tool or other names would change
_DOMINANT = 0.99  # proportion of one feature in the squared length of all
_LEAST = 5e-5  # smaller changes are invisible with four decimals


class RunCaution(NamedTuple):
    """A warning about a run: worded for one run, and for several, where `{runs}` stands for their number."""

    kind: str
    run: str
    alone: str
    shared: str
    detail: str = ""  # what differs between runs


def lines(cautions: Sequence[RunCaution], n_runs: int, most: int | None = NAMED) -> list[Caution]:
    """One warning per kind of caution, with at most this many runs named."""
    kinds: dict[str, list[RunCaution]] = {}
    for caution in cautions:
        kinds.setdefault(caution.shared, []).append(caution)
    return [
        Caution(alike[0].kind, _message(shared, alike, n_runs, most), tuple(caution.run for caution in alike))
        for shared, alike in kinds.items()
    ]


def _message(shared: str, cautions: Sequence[RunCaution], n_runs: int, most: int | None) -> str:
    n = len(cautions)
    if n == 1:
        return f"{cautions[0].run}: {cautions[0].alone}"
    how_many = f"{n} of {n_runs} runs" if n < n_runs else "both runs" if n == 2 else f"all {n} runs"
    named = [f"{caution.run} ({caution.detail})" if caution.detail else caution.run for caution in cautions[:most]]
    more = f" and {n - len(named)} more" if n > len(named) else ""
    return f"{shared.replace('{runs}', how_many)}: {', '.join(named)}{more}"


def of_rankings(
    ranks: Mapping[str, JudgedRanks], judged: Judgments, sources: Sequence[RunSource], ties: str
) -> tuple[Caution, ...]:
    """Warnings about rankings that are plotted but not evaluated."""
    counts = {run: judged_ranks.counts for run, judged_ranks in ranks.items()}
    by_run = [*of_runs(counts, judged), *of_tags(sources, counts), *(of_ties(counts) if ties in CONVENTIONS else ())]
    return (*of_grades(judged, counts), *of_copies(sources), *lines(by_run, len(counts)))


def of_labels(judged: Judgments) -> Iterator[Caution]:
    """A warning that the judgments are labels by a language model."""
    path = journal_of(judged.name)
    if is_journal(path):
        message = f"{judged.name}: these are labels by a language model, whose answers are in {path}"
        yield Caution("machine-labels", f"{message}; cranfield audit compares them with people's", (judged.name,))


def of_order(evidence: Mapping[str, Hits]) -> Iterator[RunCaution]:
    """Warnings that runs rank the wrong way round."""
    for run, hits in evidence.items():
        if (two := reversed_ranking(hits)) is not None:
            values = f"AP {two.from_the_bottom:.4f} instead of {two.ranked:.4f}"
            ask = "are lower scores better, as with distances? If so, negate them"
            alone = f"reversed, its rankings of {counted(two.n_queries, 'query')} would have {values}: {ask}"
            yield RunCaution("reversed-scores", run, alone, f"{{runs}} would be far better reversed: {ask}", values)


def of_runs(counts: Mapping[str, RunCounts], judged: Judgments) -> Iterator[RunCaution]:
    """Warnings about the queries, documents and scores of each run."""
    for run, of_run in counts.items():
        yield from _of_queries(run, of_run, judged)
    known = _Known(judged)
    for run, of_run in counts.items():
        yield from _of_documents(run, of_run, known)
    for run, of_run in counts.items():
        yield from _of_kind("unsorted-queries", run, of_run.n_disordered_queries, "not sorted by score")
    for run, of_run in counts.items():
        what = "with integer scores beyond 2**53 that are tied when rounded to floating point"
        yield from _of_kind("merged-scores", run, of_run.n_merged_queries, what)


def _of_kind(kind: str, run: str, n_queries: int, what: str) -> Iterator[RunCaution]:
    """A caution that a run has queries of a kind, if there are any."""
    if n_queries:
        alone = f"{counted(n_queries, 'query')} {what}"
        yield RunCaution(kind, run, alone, f"{{runs}} have queries {what}", str(n_queries))


def _of_queries(run: str, counts: RunCounts, judged: Judgments) -> Iterator[RunCaution]:
    n_queries, missing = len(counts.answered), int((~counts.answered).sum())
    absent = judged.queries.take(np.flatnonzero(~counts.answered)).tolist() if counts.strangers else []
    alike = lookalikes(counts.strangers, absent, any_way=missing == n_queries)
    if missing == n_queries:
        written = f"which differ only by {alike.by}" if alike else "do both use the same query ids?"
        raise BadInput(
            f"{run}: no query of the run has judgments: the run has ids such as "
            f"{_shown(alike.first[0] if alike else counts.strangers[0])}, the judgments "
            f"{_shown(alike.first[1] if alike else absent[0])}{', ' if alike else '; '}{written}"
        )
    if missing:
        count = f"{missing} of {n_queries}"
        verb = "is" if missing == 1 else "are"
        alone = f"{count} judged queries {verb} missing from the run"
        yield RunCaution("missing-queries", run, alone, "{runs} lack judged queries", count)
    yield from _of_kind("unjudged-queries", run, counts.n_unjudged_queries, "without judgments, left out")
    if alike:
        yield _alike(run, "queries", alike)
    n_empty = int((counts.answered & (counts.n_retrieved == 0)).sum())
    yield from _of_kind("empty-queries", run, n_empty, "without a document")


class _Known(dict[int, tuple[list[bytes], bool]]):
    """The judged documents of queries, listed once for all runs, and whether they are plain."""

    def __init__(self, judged: Judgments) -> None:
        super().__init__()
        self._judged = judged

    def __missing__(self, query: int) -> tuple[list[bytes], bool]:
        names = self._judged.documents_of(query)
        self[query] = names, plain(names)
        return self[query]


def _of_documents(run: str, counts: RunCounts, judged: _Known) -> Iterator[RunCaution]:
    none = bool(counts.n_retrieved.any()) and not counts.any_judged
    for place, documents in counts.sample:
        known, known_plain = judged[place]
        if known_plain and not none and plain(documents):
            continue
        alike = lookalikes({*documents}.difference(known), {*known}.difference(documents), any_way=none)
        if alike:
            yield _alike(run, "documents", alike, none)
            return
        if none:
            mine, theirs = _shown(documents[0]), _shown(known[0])
            alone = f"no retrieved document is judged: the run has ids such as {mine}, the judgments {theirs}"
            shared = f"{{runs}} have no judged document; the judgments have ids such as {theirs}"
            yield RunCaution("no-judged-document", run, alone, shared, mine)
            return


def _alike(run: str, what: str, alike: Lookalikes, none: bool = False) -> RunCaution:
    """A caution that ids may be the same but spelled differently."""
    mine, theirs = map(_shown, alike.first)
    alone = (
        f"{what} differ from judged ones only by {alike.by}, such as {mine} in the run and {theirs} in the judgments"
    )
    shared = f"{{runs}} have {what} that differ from judged ones only by {alike.by}"
    first = "no retrieved document is judged: " * none
    return RunCaution(f"lookalike-{what}", run, f"{first}{alone}", shared, f"{mine}, {theirs}")


def of_ties(counts: Mapping[str, RunCounts], result: Result | None = None) -> Iterator[RunCaution]:
    """Runs with tied documents, and how much their order could change the values of the result."""
    tied = {run: of_run.n_tied_queries for run, of_run in counts.items() if of_run.n_tied_queries}
    moves = {} if result is None or not tied else _tie_effects(result)
    if result is not None and all(measure.declaration.evidence is Hits for measure in result.measures):
        tied = {run: n for run, n in tied.items() if run in {name for reach in moves.values() for name in reach}}
    shared = "{runs} have documents with the same score" + _effects_in_words(moves, len(tied) > 1)
    for run, n in tied.items():
        of_run = {measure: {run: reach[run]} for measure, reach in moves.items() if run in reach}
        alone = f"{counted(n, 'query')} with documents that have the same score{_effects_in_words(of_run, False)}"
        yield RunCaution("ties", run, alone, shared, counted(n, "query"))


def _tie_effects(result: Result) -> dict[str, dict[str, float]]:
    """By measure, how much the order of ties could change the aggregate of each run."""
    low, high = tie_bounds(result)
    apart = np.nan_to_num(high - low)
    return {
        str(measure): {result.systems[s]: float(apart[s, m]) for s in np.flatnonzero(apart[:, m] >= _LEAST)}
        for m, measure in enumerate(result.measures)
        if (apart[:, m] >= _LEAST).any()
    }


def _effects_in_words(moves: Mapping[str, Mapping[str, float]], several: bool) -> str:
    if not moves:
        return ""
    widest = {measure: max(reach, key=lambda run: reach[run]) for measure, reach in moves.items()}
    named = sorted(moves, key=lambda measure: -moves[measure][widest[measure]])[:3]
    same: dict[str, list[str]] = {}  # measures by the amount and the run that are printed
    for measure in named:
        run = widest[measure]
        same.setdefault(f"by up to {moves[measure][run]:.4f}" + f" ({run})" * several, []).append(measure)
    amounts = [f"{' and '.join(measures)} {amount}" for amount, measures in same.items()]
    more = len(moves) - len(named)
    others = [f"{more} other {'measure' if more == 1 else 'measures'} by less"] if more else []
    return f", whose order could change {', '.join(amounts + others)}"


def of_measures(notes: Mapping[str, Sequence[tuple[str, int]]]) -> Iterator[RunCaution]:
    """The notes of the engine on the measures of each run."""
    for run, run_notes in notes.items():
        for note, n in run_notes:
            alone = note + (f" for {counted(n, 'query')}" if n else "")
            yield RunCaution("measure", run, alone, f"{note}, in {{runs}}", counted(n, "query") if n else "")


def of_grades(judged: Judgments, counts: Mapping[str, RunCounts], result: Result | None = None) -> Iterator[Caution]:
    """A caution that grades look like scores, or are swapped with those of a run."""
    odd = judged.odd_grade
    if odd is None:
        return
    what = f"{judged.name}: {judged.n_grades} different grades" if judged.n_grades > MOST_GRADES else judged.name
    what += f", such as {odd:g}," if judged.n_grades > MOST_GRADES else f": grades such as {odd:g}"
    graded = [run for run, of_run in counts.items() if of_run.graded]
    if graded:
        message = f"{what} look like scores, and the scores of {graded[0]} like grades: are judgments and run swapped?"
        yield Caution("swapped-files", message, (judged.name, graded[0]))
    low = judged.grade[(judged.grade > 0) & (judged.grade < 1)]
    binary = (
        [str(measure) for measure in result.measures if measure.options.get("rel") == 1] if result is not None else []
    )
    if not graded and (judged.n_grades > MOST_GRADES or not (len(low) and binary)):
        message = f"{what} look like the scores of a run: are these judgments?"
        yield Caution("scores-as-grades", message, (judged.name,))
    if len(low) and binary:
        message = (
            f"{judged.name}: grades between 0 and 1, such as {low[0]:g}, count as not relevant in {binary[0]}; "
            f"rel={low.min():g} would count them as relevant"
        )
        yield Caution("fractional-grades", message, (judged.name,))


def of_levels(judged: Judgments, result: Result) -> Iterator[Caution]:
    """A caution that measures count documents as relevant only at a grade that no document has."""
    highest = float(judged.grade.max(initial=0))
    levels = {
        measure: level
        for measure in result.measures
        if measure.declaration.evidence is Hits and isinstance(level := measure.options.get("rel"), int | float)
    }
    above = [measure for measure, level in levels.items() if level > max(highest, 1)]
    if above and highest > 0:
        message = (
            f"{judged.name}: no document has grade {levels[above[0]]:g} or higher, so none is relevant in {above[0]}"
        )
        yield Caution("no-such-grade", message, (str(above[0]),))


def of_items(items: Items | None, result: Result) -> Iterator[Caution]:
    """Cautions about the table of items: one feature that outweighs the others, and items without a group."""
    names = {measure.name: str(measure) for measure in result.measures}
    if items is None:
        return
    if "ILD" in names and items.dominance > _DOMINANT:
        message = (
            f"{items.source[0]}: {items.largest!r} makes up {_percent(items.dominance)} of the squared length of the "
            f"features, so {names['ILD']} hardly depends on the others; scale the columns, or remove it"
        )
        yield Caution("dominant-feature", message, (items.largest,))
    if "AWRF" in names and (n := int((items.group < 0).sum())):
        message = (
            f"{items.source[0]}: {n} of {counted(len(items), 'item')} without a group, left out of {names['AWRF']}"
        )
        yield Caution("items-without-group", message, (names["AWRF"],))


def _percent(proportion: float) -> str:
    return "over 99.9 %" if proportion > 0.999 else f"{100 * proportion:.1f} %"


def of_copies(sources: Sequence[RunSource]) -> Iterator[Caution]:
    """A caution that runs are the same file under different names: one for each such file."""
    runs: dict[str, list[str]] = {}
    for source in sources:
        if source.digest is not None and source.name not in runs.setdefault(source.digest, []):
            runs[source.digest].append(source.name)
    for names in runs.values():
        if len(names) > 1:
            shown = names if len(names) <= NAMED else [*names[: NAMED - 1], f"{len(names) - NAMED + 1} more"]
            message = f"{', '.join(shown[:-1])} and {shown[-1]} have the same content"
            yield Caution("same-content", message, tuple(names))


def of_tags(sources: Sequence[RunSource], names: Iterable[str]) -> Iterator[RunCaution]:
    """Runs whose rows name several systems."""
    for source, run in zip(sources, names, strict=True):
        if len(source.tags) > 1:
            some = f"{source.tags[0]!r}, {source.tags[1]!r}"
            alone = (
                f"its rows have several tags ({some}{', …' * (len(source.tags) > 2)}) but are evaluated as one system"
            )
            shared = "{runs} have several tags in one run, which is evaluated as one system"
            yield RunCaution("several-tags", run, alone, shared, some)


def _shown(name: bytes) -> str:
    return repr(decode(name))
