"""The working of the measures of rankings."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Floats
from cranfield.engines.evaluation import Counting
from cranfield.engines.protocol import Ties
from cranfield.engines.top_grades import highest_grade, with_top_grade
from cranfield.engines.watched import Watched
from cranfield.errors import BadSetting
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.measures.graded import Discount, divisor, gain_of
from cranfield.measures.naming import Requested, measures_named
from cranfield.measures.registry import Measure
from cranfield.present.table import Column, Table, numbers, row
from cranfield.rankings import cautions
from cranfield.results.provenance import NOTHING_READ, Provenance, origins, run_names, warn
from cranfield.results.values import Result
from cranfield.results.verb_result import Records, VerbResult, number
from cranfield.results.writing import decoded
from cranfield.settings import Value
from cranfield.tables.judgments import Judgments
from cranfield.tables.names import decode
from cranfield.tables.numbers import short_number
from cranfield.tables.sources import as_judgments, as_runs
from cranfield.text import counted

# The working of the measures of one ranking: precision, recall, F, AP and DCG, rank by rank


@frozen
class Conventions:
    """The settings of the measures whose working is shown."""

    rel: float = 1
    beta: float = 1
    gain: Any = "linear"
    discount: Discount = "log(i+1)"
    base: float = 2
    ideal: str = "judged"  # whether the ideal ranking is of all judged or of the retrieved documents
    gain_rel: float | None = None  # lower grades have no gain
    top: Any = "query"  # the top grade; of a ranking whose judgments are all that is known, the highest in them


def rank_by_rank(grade: Floats, judged: Floats, how: Conventions) -> dict[str, Floats]:
    """The columns of the table, one row per rank.

    `grade[i]` is the grade of the document at rank i + 1, NaN if unjudged; `judged` are the grades of all judged
    documents of the query, retrieved or not.
    """
    rank = np.arange(1, len(grade) + 1)
    known = np.nan_to_num(grade, nan=-np.inf)
    relevant = known >= how.rel
    hits, total = np.cumsum(relevant), float((judged >= how.rel).sum())
    precision, recall = hits / rank, ratio(hits, total)
    gain = gain_of(known, how.gain, how.gain_rel)
    factor = 1 / divisor(rank, how.discount, how.base)
    best = judged if how.ideal == "judged" else known
    best_gain = np.sort(np.maximum(gain_of(best, how.gain, how.gain_rel), 0))[::-1]
    ideal = np.append(best_gain, np.zeros(len(rank)))[: len(rank)]
    discounted = gain * factor
    dcg, ideal_dcg = np.cumsum(discounted), np.cumsum(ideal * factor)
    top = float(judged.max(initial=0)) if how.top == "query" else how.top
    return {
        "P": precision,
        "R": recall,
        "F": _f(hits, rank, total, how.beta),
        "AP_part": ratio(np.where(relevant, precision, 0), total),
        "gain": gain,
        "CG": np.cumsum(gain),
        "nCG": ratio(np.cumsum(np.clip(known, 0, top)), rank * top),
        "discount": factor,
        "DCG_part": discounted,
        "DCG": dcg,
        "ideal_gain": ideal,
        "IDCG": ideal_dcg,
        "nDCG": ratio(dcg, ideal_dcg),
    }


def _f(hits: NDArray[Any], rank: NDArray[Any], total: float, beta: float) -> Floats:
    weight = 1 / (1 + beta * beta)
    return ratio(hits, weight * rank + (1 - weight) * total)


def closing(grade: Floats, judged: Floats, how: Conventions, cutoff: int | None) -> dict[str, float]:
    """The values at a cutoff below the last document of a ranking; without a cutoff, those of the whole ranking.

    Ranks below the last document are empty, but the ideal ranking may fill them.
    """
    n, total = len(grade), float((judged >= how.rel).sum())
    deep = max(n, len(judged), 1) if cutoff is None else cutoff
    columns = rank_by_rank(np.append(grade, np.full(deep - n, np.nan)), judged, how)
    at = max(n, 1) if cutoff is None else cutoff
    last = {name: float(columns[name][at - 1]) for name in ("P", "R", "F", "CG", "nCG", "DCG")}
    if cutoff is None and not n:
        nothing = np.zeros(1)
        last |= {"P": np.nan, "nCG": np.nan, "F": float(_f(nothing, nothing, total, how.beta)[0])}
    ideal = float(columns["IDCG"][deep - 1])
    return last | {"IDCG": ideal, "nDCG": last["DCG"] / ideal if ideal else np.nan}


def conventions(options: list[dict[str, Value]], top: float) -> Conventions:
    """The conventions of the first measure with each of these settings; the top grade is that of all judgments."""
    conventions_found: dict[str, Any] = {}
    for settings in options:
        discounted = "discount" in settings
        names = {"gain": "gain", "discount": "discount", "base": "base", "ideal": "ideal", "rel": "gain_rel"}
        for name, setting in names.items() if discounted else (("rel", "rel"), ("top", "top")):
            if name in settings and settings[name] not in (None, "judgments"):
                conventions_found.setdefault(setting, settings[name])
        if "alpha" in settings and "beta" in settings:
            alpha: Any = settings["alpha"]
            conventions_found.setdefault(
                "beta", settings["beta"] if alpha is None else np.sqrt(ratio(1 - alpha, alpha))
            )
    return Conventions(**({"top": top} | conventions_found))


# The working of rankings: one table per system and query, rank by rank, with missed documents


COLUMNS = ("P", "R", "F", "AP_part", "gain", "CG", "nCG", "discount", "DCG_part", "DCG", "ideal_gain", "IDCG", "nDCG")
_OUTCOMES = {(True, True): "TP", (True, False): "FP", (False, True): "FN", (False, False): "TN"}  # retrieved, relevant

CLOSING = ("empty", "end")  # outcomes of rows without a document
_FEW, _LONGEST = 2, 40  # rankings, and rows of each, shown by `repr`; `str` and the command line show all


@frozen(eq=False)
class RankedList:
    """The ranking of one system for one query: grades by rank, NaN if unjudged, and the judged documents not retrieved.

    Names of documents are None where they are not known.
    """

    system: str
    query: str
    grade: Floats
    missed_grade: Floats
    document: tuple[str | None, ...]
    missed: tuple[str | None, ...]


@frozen(eq=False)
class RankingSteps(VerbResult):
    """The working of each ranking; `records()["steps"]` has one row per document, retrieved or judged.

    Examples
    --------
    >>> import cranfield
    >>> qrels, run = {"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "c": 2}}
    >>> steps = cranfield.steps(qrels, run)
    >>> [(row["document"], row["outcome"]) for row in steps.records()["steps"]]
    [('a', 'TP'), ('c', 'FP'), ('b', 'FN')]
    """

    kind = "ranking-steps"

    rankings: tuple[RankedList, ...]
    conventions: Conventions
    k: int | None = None
    cutoffs: tuple[int | None, ...] = (None,)  # whose values the working ends with; None is the whole ranking
    provenance: Provenance = NOTHING_READ

    def __repr__(self) -> str:
        return self._first.shown(longest=_LONGEST) + self._more

    def _repr_html_(self) -> str:
        return self._first.shown("html", longest=_LONGEST) + self._more

    @property
    def _first(self) -> RankingSteps:
        return replace(self, rankings=self.rankings[:_FEW])

    @property
    def _more(self) -> str:
        """A note on the number of rankings left out of a short text."""
        return f"… and {counted(more, 'more ranking')}" if (more := len(self.rankings) - _FEW) > 0 else ""

    def records(self) -> Records:
        """One row per document: those retrieved by rank, the values below the last one, then the judged others."""
        return {"steps": [row for ranking in self.rankings for row in self.rows(ranking)]}

    def about(self) -> dict[str, Any]:
        """The conventions."""
        return {"settings": {**vars(self.conventions), "k": self.k}}

    def rows(self, ranking: RankedList) -> list[dict[str, Any]]:
        """The rows of one ranking."""
        grade = ranking.grade[: self.k]
        judged = np.append(ranking.grade, ranking.missed_grade)
        pool = judged[judged >= 0]
        columns = rank_by_rank(ranking.grade, pool, self.conventions)
        figures = [{name: number(columns[name][place]) for name in COLUMNS} for place in range(len(grade))]
        retrieved = zip(range(1, len(grade) + 1), ranking.document, grade, figures, strict=False)
        below = list(zip(ranking.document, ranking.grade, strict=True))[len(grade) :]
        rest = [*((name, grade) for name, grade in below if grade >= 0), *zip(ranking.missed, ranking.missed_grade)]
        missed = ((None, *one, dict.fromkeys(COLUMNS)) for one in rest)
        documents = [
            {
                "system": ranking.system,
                "query": ranking.query,
                "rank": rank,
                "document": name,
                "grade": number(grade),
                "relevant": bool(grade >= self.conventions.rel),
                "outcome": _OUTCOMES[rank is not None, bool(grade >= self.conventions.rel)],
                **of_rank,
            }
            for rank, name, grade, of_rank in (*retrieved, *missed)
        ]
        return [*documents[: len(grade)], *self._closing(ranking, pool, figures), *documents[len(grade) :]]

    def _closing(self, ranking: RankedList, pool: Floats, figures: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """One row per cutoff below the last document, and one for the whole ranking if its ideal is longer."""
        for cutoff in self.cutoffs:
            if cutoff is not None and cutoff <= len(ranking.grade):
                continue  # it has a row
            values = closing(ranking.grade, pool, self.conventions, cutoff)
            if cutoff is None and figures and values["IDCG"] == figures[-1]["IDCG"]:
                continue  # the row of the last document has the same values
            yield {
                "system": ranking.system,
                "query": ranking.query,
                "rank": cutoff,
                "document": None,
                "grade": None,
                "relevant": False,
                "outcome": "end" if cutoff is None else "empty",
                **dict.fromkeys(COLUMNS),
                **{name: number(value) for name, value in values.items()},
            }


def of_hits(system: str, query: str, hits: Hits, unit: int) -> RankedList:
    """The ranking of one query from its hits, without document names."""
    grade = np.full(int(hits.n_retrieved[unit]), np.nan)
    of_query = (hits.unit == unit) & hits.judged
    grade[hits.rank[of_query] - 1] = hits.grade[of_query]
    pool = hits.pool_grade[(hits.pool_unit == unit) & (hits.pool_grade >= 0)]
    values, n_judged = np.unique(pool, return_counts=True)
    n_missed = n_judged - np.array([(hits.grade[of_query] == value).sum() for value in values], np.int64)
    missed = np.repeat(values, n_missed)[::-1]
    return RankedList(system, query, grade, missed, (None,) * len(grade), (None,) * len(missed))


def chosen(queries: Sequence[str], query: str | None) -> list[int]:
    """The places of the queries whose working is shown: all, or one."""
    if query is None:
        return list(range(len(queries)))
    if query not in queries:
        raise BadSetting(f"query {query!r} has no judgments; available: {', '.join(list(queries)[:5])} …")
    return [list(queries).index(query)]


_STEP_WHOLE = 1 << 62  # longer than any ranking
_MEASURES = ("AP", "nDCG")


def steps(
    qrels: Any,
    runs: Any,
    measures: Requested = None,
    *,
    query: str | None = None,
    k: int | None = None,
    ties: Ties = "trec",
) -> RankingSteps:
    """The working of rankings, rank by rank: precision, recall, F, AP, CG, DCG and nDCG, and missed documents.

    Parameters
    ----------
    qrels, runs
        As for `evaluate`.
    measures
        Measures whose settings apply: the relevance level of `"AP(rel=2)"`, the beta of `"F(beta=2)"`, the gain,
        discount and ideal ranking of `"nDCG(gain='exp2')@10"`. The largest cutoff, if all have one, is the depth.
    query
        The query to show; by default, all.
    k
        The depth to show.
    ties
        As for `evaluate`: `"trec"`, `"name"` or `"given"`.

    Returns
    -------
    RankingSteps
        One row per document: rank, document, grade, outcome (TP, FP, FN, TN) and the figures at each rank.

    Examples
    --------
    >>> working = steps({"q": {"a": 3, "b": 2}}, {"q": {"c": 3, "a": 2, "b": 1}}, "nDCG", query="q")
    >>> [round(row["nDCG"], 4) for row in working.records()["steps"]]
    [0.0, 0.4441, 0.6788]
    """
    if ties not in ("trec", "name", "given"):
        raise BadSetting(
            f"steps need a single order of the documents: ties must be 'trec', 'name' or 'given', not {ties!r}"
        )
    judged = as_judgments(qrels)
    requested = with_top_grade(measures_named(measures, "ranking", _MEASURES), judged.grade)
    judged.require_once("the judgments")
    places = chosen([decoded(decode(name)) for name in judged.queries], query)
    sources = as_runs(runs)
    names = run_names(sources)
    watched = [Watched(source, judged, _STEP_WHOLE, ties) for source in sources]
    counted = {n: Counting(ties).counted(run, judged, Hits) for n, run in zip(names, watched, strict=True)}
    warn(warned := cautions.of_rankings({n: ranks for n, (ranks, _) in counted.items()}, judged, sources, ties))
    rankings = [
        _named(of_hits(name, decoded(decode(judged.queries[place])), counted[name][1], place), run, judged, place)
        for place in places
        for name, run in zip(names, watched, strict=True)
    ]
    provenance = Provenance(origins(judged, sources), {"ties": ties}, warned)
    how = conventions(_options(requested), highest_grade(judged.grade))
    return RankingSteps(tuple(rankings), how, _depth(requested, k), _cutoffs(requested, k), provenance)


def steps_of(result: Result, *, query: str | None = None, k: int | None = None) -> RankingSteps:
    """The working of a result, without document names, which it does not store."""
    if not result.evidence:
        raise BadSetting("the result has no rankings, because it has no ranking measure")
    places = chosen(list(result.units), query)
    rankings = [of_hits(s, result.units[u], result.evidence[s], u) for u in places for s in result.systems]
    how = conventions(_options(result.measures), highest_grade(next(iter(result.evidence.values())).pool_grade))
    depth, cutoffs = _depth(result.measures, k), _cutoffs(result.measures, k)
    return RankingSteps(tuple(rankings), how, depth, cutoffs, result.provenance)


def _options(measures: Sequence[Measure]) -> list[dict[str, Any]]:
    """The settings of the measures; a treatment of unjudged documents cannot be shown."""
    special = next((measure for measure in measures if measure.options.get("unjudged") is not None), None)
    if special is not None:
        raise BadSetting(f"the working cannot be shown for {special}, which changes unjudged documents")
    return [dict(measure.options) for measure in measures if measure.declaration.evidence is Hits]


def _cutoffs(measures: Sequence[Measure], k: int | None) -> tuple[int | None, ...]:
    """The cutoffs whose values the working ends with, shallowest first; None is the whole ranking."""
    cutoffs: set[Any] = {k} if k is not None else {one.options.get("k") for one in measures}
    return tuple(sorted(cutoffs, key=lambda cutoff: math.inf if cutoff is None else cutoff))


def _depth(measures: Sequence[Measure], k: int | None) -> int | None:
    cutoffs: list[Any] = [measure.options.get("k") for measure in measures]
    return max(cutoffs) if k is None and all(cutoffs) else k


def _named(ranking: RankedList, run: Watched, judged: Judgments, place: int) -> RankedList:
    """The ranking with the names of its documents and of those it missed."""
    query = judged.queries[place]
    retrieved = run.first.get(query, [])
    grades, retrieved_names = judged.grades_of(place), set(retrieved)
    missed = {name: grade for name, grade in grades.items() if grade >= 0 and name not in retrieved_names}
    order = sorted(missed, key=lambda name: (-missed[name], name))
    return replace(
        ranking,
        document=tuple(decoded(decode(name)) for name in retrieved),
        missed=tuple(decoded(decode(name)) for name in order),
        missed_grade=np.array([missed[name] for name in order], np.float64),
    )


# The working of rankings as tables: one per system and query


_WHOLE = ("gain", "CG", "ideal_gain")  # no decimals if the gains are integers
_NAMED = 20  # documents named; others are only counted


def tables(steps: RankingSteps, *, digits: int) -> Iterator[Table]:
    """One row per rank, with the missed documents below."""
    for ranking in steps.rankings:
        title, rows = f"{ranking.system}, query {ranking.query}", steps.rows(ranking)
        retrieved = [step for step in rows if step["rank"] is not None or step["outcome"] in CLOSING]
        named = any(step["document"] is not None for step in rows)
        heads = (
            *numbers("rank"),
            *([Column("document")] if named else []),
            *numbers("grade"),
            Column(""),
            Column("outcome"),
            *_columns(retrieved, digits),
        )
        lines = tuple(
            row(
                step["rank"],
                *([step["document"]] if named else []),
                None if step["grade"] is None else short_number(step["grade"]),
                "" if step["outcome"] in CLOSING else "+" if step["relevant"] else "-",
                step["outcome"],
                *(step[name] for name in COLUMNS),
            )
            for step in retrieved
        )
        yield Table(heads, lines, title=title, notes=tuple(_notes(steps, rows, digits)))


def _columns(retrieved: list[dict[str, Any]], digits: int) -> Iterator[Column]:
    """The figures of each rank; gains without decimals if all are whole numbers."""
    gains = [step[name] for step in retrieved for name in _WHOLE if step[name] is not None]
    whole = all(float(gain).is_integer() for gain in gains)
    for name in COLUMNS:
        yield from numbers(name.replace("_", " "), digits=0 if whole and name in _WHOLE else digits)


def _notes(steps: RankingSteps, rows: list[dict[str, Any]], digits: int) -> Iterator[str]:
    how = steps.conventions
    relevant = [step for step in rows if step["relevant"]]
    parts = [step["AP_part"] or 0 for step in rows if step["outcome"] == "TP"]
    at = "" if steps.k is None else f"@{steps.k}"
    yield f"+ relevant at grade {how.rel:g} or higher: {len(relevant)} documents; – unjudged, counted as not relevant"
    if relevant:
        yield f"AP{at} = {' + '.join(f'{part:.{digits}f}' for part in parts) or 0} = {math.fsum(parts):.{digits}f}"
    log = "log(rank + 1)" if how.discount == "log(i+1)" else "max(1, log(rank))"
    gain = "the grade" if how.gain == "linear" else "2^grade - 1" if how.gain == "exp2" else f"{dict(how.gain)}"
    yield f"AP part: P / number of relevant documents; F: beta {how.beta:g}"
    yield f"gain: {gain}; discount: 1 / {log}, base {how.base:g}; nCG: CG / (rank × top grade)"
    documents = "all judged documents" if how.ideal == "judged" else "the retrieved documents"
    yield f"DCG part: gain × discount; DCG: their sum; ideal gain: for the best order of {documents}; nDCG: DCG / IDCG"
    if any(step["outcome"] == "empty" for step in rows):
        yield "empty: the values at a cutoff below the last document; empty ranks are not relevant"
    if any(step["outcome"] == "end" for step in rows):
        yield "end: the values of the whole ranking, whose ideal ranking is longer"
    for outcome, what in (("TP", "retrieved and relevant"), ("FP", "retrieved, not relevant"),
                          ("FN", "missed"), ("TN", "judged not relevant, not retrieved")):  # fmt: skip
        listed = [step["document"] for step in rows if step["outcome"] == outcome]
        yield f"{outcome} ({what}): {len(listed)}" + _names(listed)


def _names(documents: list[str | None]) -> str:
    names = [name for name in documents[:_NAMED] if name is not None]
    more = f" and {len(documents) - _NAMED} more" if len(documents) > _NAMED else ""
    return f": {', '.join(names)}{more}" if names else ""
