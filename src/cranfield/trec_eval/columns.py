"""The requested measures: the printed name of each, and its value for each topic."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from cranfield.arrays import Floats, Mask
from cranfield.evidence.arithmetic import ratio
from cranfield.evidence.hits import Hits
from cranfield.frozen import frozen
from cranfield.measures.ranking import documents_for
from cranfield.measures.registry import LEAST, Measure
from cranfield.measures.trec_names import TABLE, Listed
from cranfield.settings import Value
from cranfield.trec_eval.conventions import Quit, Version, decimal, whole
from cranfield.trec_eval.options import Options
from cranfield.trec_eval.topics import Topics

# The parameters of a measure: the part after the dot in `-m P.5,10` or `-m ndcg.1=3,2=9`


Gains = tuple[tuple[float, float], ...]

_PAIRS = re.compile(rb"[^,=]*=[^,=]*(,[^,=]*=[^,=]*)*")
_GRADE = re.compile(rb"[+-]?[0-9]+")


def cutoffs(name: str, text: bytes) -> list[int]:
    """Ranks in ascending order."""
    ranks = sorted(whole(part) for part in text.split(b","))
    if ranks[0] <= 0:
        raise _refused(name, "Negative cutoff detected")
    _require_once(name, ranks)
    return ranks


def levels(name: str, text: bytes) -> list[float]:
    """Recall levels or multiples of R, in ascending order."""
    ascending = sorted(numbers(text))
    _require_once(name, ascending)
    return ascending


def numbers(text: bytes) -> list[float]:
    """Numbers in the order written."""
    return [decimal(part) for part in text.split(b",")]


def pairs(name: str, text: bytes) -> list[tuple[bytes, float]]:
    """Names with their numbers, in the order written."""
    if not _PAIRS.fullmatch(text):
        raise _refused(name, f"malformed pair parameters in '{text.decode(errors='surrogateescape')}'")
    split = (pair.split(b"=") for pair in text.split(b","))
    return [(left, decimal(right)) for left, right in split]


def gains(pairs: list[tuple[bytes, float]]) -> Gains:
    """The gain of each grade from the pairs; if a grade is repeated, the first gain is used."""
    table: dict[float, float] = {}
    for grade, gain in pairs:
        if _GRADE.fullmatch(grade):
            table.setdefault(float(whole(grade)), gain)
    return tuple(sorted(table.items()))


def _require_once(name: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise _refused(name, "duplicate cutoffs detected")


def _refused(name: str, why: str) -> Quit:
    return Quit(f"trec_eval: {why}\ntrec_eval: Cannot initialize measure '{name}'\n", 2)


Values = Callable[[Topics], Floats]

_LONGEST = 1e9
NOTHING = np.copysign(np.nan, -1)  # trec_eval's 0/0, including its sign


@frozen
class Column:
    """A measure with its parameters: its printed name, and its value for each topic."""

    listed: Listed
    name: bytes
    values: Values
    length: int = 0  # length of the string of grades, for relstring
    refusal: str | None = None  # why it cannot be calculated, or None


class Request(NamedTuple):
    """A requested measure, its parameters as written (if any), and the options that it depends on."""

    listed: Listed
    written: bytes | None
    level: int
    collection: int
    version: Version

    def declared(self, **settings: Value) -> Measure:
        """The declared measure with these settings, which may be outside their declared ranges."""
        return self.other(self.listed.declared, **settings)

    def other(self, declared: str, **settings: Value) -> Measure:
        """Another declared measure at the same relevance level."""
        level: dict[str, Value] = {} if self.listed.graded else {"rel": self.level}
        return Measure(declared, tuple((level | settings).items()))

    @property
    def name(self) -> bytes:
        """Its name, with the parameters as they were written."""
        name = self.listed.name.encode()
        return name if self.written is None else name + b"_" + self.written

    @property
    def numbers(self) -> list[float]:
        """Its parameters, or their defaults."""
        return list(self.listed.default) if self.written is None else numbers(self.written)

    @property
    def pairs(self) -> list[tuple[bytes, float]]:
        """Its parameters in pairs."""
        return [] if self.written is None else pairs(self.listed.name, self.written)


def columns(options: Options) -> list[Column]:
    """The columns of the requested measures, in trec_eval's order."""
    level = max(options.level, 0)  # below 0, unjudged documents would count as relevant
    return [
        column
        for listed in TABLE
        if listed.name in options.measures
        for column in _columns(
            Request(listed, options.parameters.get(listed.name), level, options.collection, options.version)
        )
    ]


def _columns(request: Request) -> list[Column]:
    listed = request.listed
    if listed.form == "cutoffs":
        ranks = listed.default if request.written is None else cutoffs(listed.name, request.written)
        return [_at(request, f"{rank:.0f}", int(rank)) for rank in ranks]
    if listed.form == "levels":
        at = listed.default if request.written is None else levels(listed.name, request.written)
        return [_at(request, f"{level:3.2f}"[:8], level) for level in at]  # the original truncates to 8 characters
    if not listed.declared:
        length = int(max(0, min(request.numbers[0], _LONGEST))) if listed.form == "numbers" else 0
        return [Column(listed, request.name, lambda topics: np.zeros(len(topics)), length)]
    if listed.form == "gains":
        _ = request.pairs  # malformed ones are refused before any topic is evaluated
    name = listed.name.encode() if listed.form == "plain" else request.name
    return [Column(listed, name, partial(_SPECIAL.get(listed.name, _values), request), refusal=_refusal(request))]


def _refusal(request: Request) -> str | None:
    if request.listed.name == "utility" and len(request.numbers) != 4:
        return "trec_eval.calc_utility: improper number of coefficients\n"
    return None


def _at(request: Request, shown: str, at: float) -> Column:
    name = f"{request.listed.name}_{shown}".encode()
    if request.listed.name == "iprec_at_recall":
        return Column(request.listed, name, partial(_interpolated, request, recall=at))
    settings: dict[str, Any] = {request.listed.setting: at}
    return Column(request.listed, name, partial(_values, request, **settings))


def _values(request: Request, topics: Topics, **settings: Value) -> Floats:
    """The values of the declared measure, 0 where it is undefined; for a geometric mean, their logarithms."""
    measure = request.declared(**({"pairs": request.listed.pairs} if request.listed.pairs else {}) | settings)
    known = _zero(measure.values(topics.evidence(measure.declaration.evidence)))
    return np.log(np.maximum(known, LEAST)) if measure.declaration.aggregate == "geometric" else known


def _zero(value: Floats) -> Floats:
    """The values with 0 where undefined, and no negative zero."""
    return np.where(np.isnan(value), 0, value) + 0.0


def _interpolated(request: Request, topics: Topics, recall: float) -> Floats:
    measure = request.other("IPrec", recall=recall, rounding=request.version.rounding)
    return np.where(_void(request, topics, recall), NOTHING, _zero(measure.values(topics.hits)))


def _void(request: Request, topics: Topics, recall: float) -> Mask:
    """Topics where this recall level needs no document and none was retrieved, so precision is 0/0."""
    return (_needed(request, topics, recall) <= 0) & (topics.hits.n_retrieved == 0)


def _needed(request: Request, topics: Topics, recall: float) -> Floats:
    return documents_for(recall, topics.hits.n_relevant(request.level), request.version.rounding)


def _average(request: Request, topics: Topics) -> Floats:
    """The mean of interpolated precision, added up from the last recall level to the first, as trec_eval does."""
    recalls = request.numbers[::-1]
    if recalls != sorted(recalls, reverse=True):
        return _average_of_unsorted(request, topics, recalls)
    total = sum((_interpolated(request, topics, recall) for recall in recalls), np.zeros(len(topics)))
    return np.where(_void(request, topics, recalls[-1]), NOTHING, total / len(recalls))


def _average_of_unsorted(request: Request, topics: Topics, recalls: list[float]) -> Floats:
    """The mean as computed by trec_eval, which walks up the ranking once.

    A level that needs more documents than an earlier one has already been passed; it and all later levels get the value
    at recall 0.
    """
    n_hits = topics.hits.count(topics.hits.relevant(request.level))
    start = _interpolated(request, topics, 0.0)
    begun, passed = np.zeros(len(topics), np.bool_), np.zeros(len(topics), np.bool_)
    total, last = np.zeros(len(topics)), n_hits
    for recall in recalls:
        needed = _needed(request, topics, recall)
        passed |= begun & (needed > last)
        begun |= needed <= n_hits
        last = np.where(begun & ~passed, needed, last)
        total = total + np.where(passed, start, _interpolated(request, topics, recall))
    return total / len(recalls)


def _utility(request: Request, topics: Topics) -> Floats:
    worth = dict(zip(("found_relevant", "found_other", "missed", "spared"), request.numbers))
    return request.declared(**worth, collection=request.collection).values(topics.hits)


def _f_measure(request: Request, topics: Topics) -> Floats:
    """trec_eval's F, whose parameter is beta squared, from the declared precision and recall."""
    x = request.numbers[0]
    p, r = (_zero(request.other(name).values(topics.hits)) for name in ("P", "R"))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(p > 0, (x + 1) * p * r / (x * p + r), 0)


def _gained(request: Request, topics: Topics) -> Floats:
    """A gain-based measure, over all retrieved documents if ungraded ones have a gain too."""
    return _zero(_with_gains(request, topics)[1])


def _gained_at_levels(request: Request, topics: Topics) -> Floats:
    """Rndcg, which is 0 without relevant documents, and 0/0 if the relevant documents have no gain."""
    hits, known = _with_gains(request, topics)
    return np.where(hits.n_relevant(request.level) == 0, 0, np.where(np.isnan(known), NOTHING, known))


def _with_gains(request: Request, topics: Topics) -> tuple[Hits, Floats]:
    table = gains(request.pairs)
    hits = topics.traced if any(grade < 0 for grade, _ in table) else topics.hits
    return hits, request.declared(gain=table or "linear").values(hits)


def _persistence(request: Request) -> float:
    return next((value for name, value in reversed(request.pairs) if name == b"p"), 0.9)


def _rank_biased(request: Request, topics: Topics) -> Floats:
    """Rank-biased precision with gains, rescaled to [0, 1] in topics whose gains lie outside."""
    p, table = _persistence(request), gains(request.pairs)
    if not table:
        return _zero(request.declared(p=p, gain="linear", top="query").values(topics.hits))
    hits = topics.traced if table[0][0] < 0 else topics.hits
    low, high = _extremes(table, hits.ideal.greatest(hits.ideal.grade))
    scaled = (low < 0) | (high > 1)
    gain_of, total = dict(table), np.zeros(len(topics))
    for grade in np.unique(hits.grade):
        gain = gain_of.get(grade, max(grade, 0))
        worth = np.where(scaled, ratio(gain - low, high - low), gain) if grade >= 0 or grade in gain_of else 0
        at_grade = request.declared(p=p, rel=grade).values(hits) - request.declared(p=p, rel=grade + 1).values(hits)
        total += np.nan_to_num(worth) * at_grade
    return total


def _extremes(table: Gains, top: Floats) -> tuple[Floats, Floats]:
    """The lowest and highest gain in each topic, over the gain table and the grades up to the highest not in it."""
    grades = [grade for grade, _ in table]
    gained = [gain for _, gain in table]
    lowest = next(grade for grade in range(len(grades) + 1) if grade not in grades)
    highest = top
    for grade in reversed(grades):
        highest = np.where(highest == grade, grade - 1, highest)
    low = np.where(top >= lowest, min(lowest, *gained), min(gained))
    return low, np.where(highest >= 0, np.maximum(highest, max(gained)), max(gained))


def _residual(request: Request, topics: Topics) -> Floats:
    """The residual of rank-biased precision, 0 where all retrieved documents are judged; summed as in trec_eval."""
    p, hits = _persistence(request), topics.traced
    power = np.multiply.accumulate(np.append(1.0, np.full(hits.n_retrieved.max(initial=0), p)))
    unjudged = hits.grade < 0
    residual = power[hits.n_retrieved] + (1 - p) * hits.sum(unjudged * power[hits.rank - 1])
    return np.where(hits.count(unjudged) > 0, residual, 0)


_SPECIAL: dict[str, Callable[[Request, Topics], Floats]] = {
    "utility": _utility,
    "11pt_avg": _average,
    "set_F": _f_measure,
    **dict.fromkeys(("G", "dcg", "ideal_dcg", "ndcg", "ndcg_rel"), _gained),
    "Rndcg": _gained_at_levels,
    "rbp": _rank_biased,
    "rbp_resid": _residual,
}
