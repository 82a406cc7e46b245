"""The measures asked for: how each is called, and its value for each topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from cranfield.cli.trec.options import Options
from cranfield.cli.trec.parameters import Gains, cutoffs, gains, levels, numbers, pairs
from cranfield.cli.trec.topics import Topics
from cranfield.cli.trec.versions import Version
from cranfield.evidence.hits import Floats, ratio
from cranfield.measures.ranking import documents_for
from cranfield.measures.trec_names import TABLE, Listed
from cranfield.registry import Measure
from cranfield.results.values import LEAST
from cranfield.settings import Value

Values = Callable[[Topics], Floats]

_LONGEST = 1e9
NOTHING = np.copysign(np.nan, -1)  # what 0/0 is in trec_eval, sign and all


@dataclass(frozen=True)
class Column:
    """A measure with its parameters: what it is called, and its value for each topic."""

    listed: Listed
    name: bytes
    values: Values
    length: int = 0  # of the string of grades, if it is one
    refusal: str | None = None  # why it cannot be calculated, if it cannot


class Asked(NamedTuple):
    """A measure asked for, with the parameters given to it, if any were, and what else it depends on."""

    listed: Listed
    given: bytes | None
    level: int
    collection: int
    version: Version

    def declared(self, **settings: Value) -> Measure:
        """The declared measure with these settings, which may lie outside the range declared for them."""
        return self.other(self.listed.declared, **settings)

    def other(self, declared: str, **settings: Value) -> Measure:
        """Another declared measure, of the same level of relevance."""
        level: dict[str, Value] = {} if self.listed.graded else {"rel": self.level}
        return Measure(declared, tuple((level | settings).items()))

    @property
    def name(self) -> bytes:
        """Its name, with the parameters as they were written."""
        own = self.listed.name.encode()
        return own if self.given is None else own + b"_" + self.given

    @property
    def numbers(self) -> list[float]:
        """Its parameters, or what it takes without."""
        return list(self.listed.default) if self.given is None else numbers(self.given)

    @property
    def pairs(self) -> list[tuple[bytes, float]]:
        """Its parameters in pairs."""
        return [] if self.given is None else pairs(self.listed.name, self.given)


def columns(options: Options) -> list[Column]:
    """The columns of the measures asked for, in trec_eval's order."""
    made: list[Column] = []
    for listed in TABLE:
        if listed.name in options.measures:
            given = options.parameters.get(listed.name)
            level = max(options.level, 0)  # below 0, documents nobody looked at would count as relevant
            made += _columns(Asked(listed, given, level, options.collection, options.version))
    return made


def _columns(asked: Asked) -> list[Column]:
    listed = asked.listed
    if listed.form == "cutoffs":
        ranks = listed.default if asked.given is None else cutoffs(listed.name, asked.given)
        return [_at(asked, f"{rank:.0f}", int(rank)) for rank in ranks]
    if listed.form == "levels":
        given = listed.default if asked.given is None else levels(listed.name, asked.given)
        return [_at(asked, f"{level:3.2f}"[:8], level) for level in given]  # 8 is what the original has room for
    if not listed.declared:
        length = int(max(0, min(asked.numbers[0], _LONGEST))) if listed.form == "numbers" else 0
        return [Column(listed, asked.name, _none, length)]
    values = _OWN[listed.name](asked) if listed.name in _OWN else _values(asked, _settings(asked))
    name = listed.name.encode() if listed.form == "plain" else asked.name
    return [Column(listed, name, values, refusal=_refusal(asked))]


def _refusal(asked: Asked) -> str | None:
    if asked.listed.name == "utility" and len(asked.numbers) != 4:
        return "trec_eval.calc_utility: improper number of coefficients\n"
    return None


def _none(topics: Topics) -> Floats:
    return np.zeros(len(topics))


def _at(asked: Asked, shown: str, at: float) -> Column:
    name = f"{asked.listed.name}_{shown}".encode()
    if asked.listed.name == "iprec_at_recall":
        return Column(asked.listed, name, _interpolated(asked, at))
    return Column(asked.listed, name, _values(asked, {asked.listed.setting: at}))


def _settings(asked: Asked) -> dict[str, Value]:
    return {"pairs": asked.listed.pairs} if asked.listed.pairs else {}


def _values(asked: Asked, settings: dict[str, Value]) -> Values:
    """The values of the declared measure, 0 where it is undefined; of a geometric mean, their logarithms."""
    measure = asked.declared(**settings)

    def values(topics: Topics) -> Floats:
        known = _zero(measure.values(topics.evidence(measure.family.evidence)))
        return np.log(np.maximum(known, LEAST)) if measure.family.aggregate == "geometric" else known

    return values


def _zero(value: Floats) -> Floats:
    """The values with 0 for what is undefined, and no 0 below zero."""
    return np.where(np.isnan(value), 0, value) + 0.0


def _interpolated(asked: Asked, recall: float) -> Values:
    measure = asked.other("IPrec", recall=recall, rounding=asked.version.rounding)

    def values(topics: Topics) -> Floats:
        return np.where(_void(asked, topics, recall), NOTHING, _zero(measure.values(topics.hits)))

    return values


def _void(asked: Asked, topics: Topics, recall: float) -> NDArray[np.bool_]:
    """Where no document makes up this recall and none was retrieved: the precision there is 0/0."""
    return (_needed(asked, topics, recall) <= 0) & (topics.hits.n_retrieved == 0)


def _needed(asked: Asked, topics: Topics, recall: float) -> Floats:
    return documents_for(recall, topics.hits.n_relevant(asked.level), asked.version.rounding)


def _average(asked: Asked) -> Values:
    """The mean of interpolated precision, added up from the last level given to the first, as trec_eval does."""
    given = asked.numbers[::-1]
    if given != sorted(given, reverse=True):
        return _average_of_unsorted(asked, given)
    measure = asked.declared(levels=tuple(given), rounding=asked.version.rounding)

    def values(topics: Topics) -> Floats:
        return np.where(_void(asked, topics, given[-1]), NOTHING, _zero(measure.values(topics.hits)))

    return values


def _average_of_unsorted(asked: Asked, given: list[float]) -> Values:
    """The mean as trec_eval has it, which goes up the ranking once.

    A level that needs more documents than one before it has been passed by then: it gets the value at recall 0, as do
    all that follow.
    """

    def values(topics: Topics) -> Floats:
        n_found = topics.hits.count(topics.hits.relevant(asked.level))
        start = _interpolated(asked, 0.0)(topics)
        begun, passed = np.zeros(len(topics), np.bool_), np.zeros(len(topics), np.bool_)
        total, last = np.zeros(len(topics)), n_found
        for level in given:
            needed = _needed(asked, topics, level)
            passed |= begun & (needed > last)
            begun |= needed <= n_found
            last = np.where(begun & ~passed, needed, last)
            total = total + np.where(passed, start, _interpolated(asked, level)(topics))
        return total / len(given)

    return values


def _utility(asked: Asked) -> Values:
    worth = dict(zip(("found_relevant", "found_other", "missed", "spared"), asked.numbers))
    measure = asked.declared(**worth, collection=asked.collection)
    return lambda topics: measure.values(topics.hits)


def _f_measure(asked: Asked) -> Values:
    """trec_eval's own F, whose parameter is the square of beta, from precision and recall as declared."""
    x, precision, recall = asked.numbers[0], asked.other("P"), asked.other("R")

    def values(topics: Topics) -> Floats:
        p, r = _zero(precision.values(topics.hits)), _zero(recall.values(topics.hits))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(p > 0, (x + 1) * p * r / (x * p + r), 0)

    return values


def _gained(asked: Asked) -> Values:
    """A measure of gains, on all that was retrieved if documents without a grade are worth something too."""
    table = gains(asked.pairs)
    measure = asked.declared(gain=table or "linear")
    traced = any(grade < 0 for grade, _ in table)
    return lambda topics: _zero(measure.values(topics.traced if traced else topics.hits))


def _gained_at_levels(asked: Asked) -> Values:
    """Rndcg, which is 0 where nothing is relevant, and 0/0 where something is and nothing is worth anything."""
    table = gains(asked.pairs)
    measure = asked.declared(gain=table or "linear")
    traced = any(grade < 0 for grade, _ in table)

    def values(topics: Topics) -> Floats:
        evidence = topics.traced if traced else topics.hits
        known = measure.values(evidence)
        return np.where(evidence.n_relevant(asked.level) == 0, 0, np.where(np.isnan(known), NOTHING, known))

    return values


def _persistence(asked: Asked) -> float:
    return next((value for name, value in reversed(asked.pairs) if name == b"p"), 0.9)


def _rank_biased(asked: Asked) -> Values:
    """Rank-biased precision with gains, scaled to lie between 0 and 1 in topics where they do not."""
    p, table = _persistence(asked), gains(asked.pairs)
    if not table:
        measure = asked.declared(p=p, gain="linear")
        return lambda topics: _zero(measure.values(topics.hits))

    def values(topics: Topics) -> Floats:
        hits = topics.traced if table[0][0] < 0 else topics.hits
        low, high = _extremes(table, hits.ideal.greatest(hits.ideal.grade))
        scaled = (low < 0) | (high > 1)
        worth, total = dict(table), np.zeros(len(topics))
        for grade in np.unique(hits.grade):
            gain = worth.get(grade, max(grade, 0))
            share = np.where(scaled, ratio(gain - low, high - low), gain) if grade >= 0 or grade in worth else 0
            own = asked.declared(p=p, rel=grade).values(hits) - asked.declared(p=p, rel=grade + 1).values(hits)
            total += np.nan_to_num(share) * own
        return total

    return values


def _extremes(table: Gains, top: Floats) -> tuple[Floats, Floats]:
    """The least and the greatest gain in each topic: of the table, and of the grades up to the top one not in it."""
    given = [grade for grade, _ in table]
    gained = [gain for _, gain in table]
    lowest = next(grade for grade in range(len(given) + 1) if grade not in given)
    highest = top
    for grade in reversed(given):
        highest = np.where(highest == grade, grade - 1, highest)
    low = np.where(top >= lowest, min(lowest, *gained), min(gained))
    return low, np.where(highest >= 0, np.maximum(highest, max(gained)), max(gained))


def _residual(asked: Asked) -> Values:
    """The residual of rank-biased precision, 0 where all that was retrieved is judged."""
    measure, unjudged = asked.declared(p=_persistence(asked)), asked.other("NumUnjudgedRet")
    return lambda topics: np.where(unjudged.values(topics.hits) > 0, measure.values(topics.hits), 0)


_OWN: dict[str, Callable[[Asked], Values]] = {
    "utility": _utility,
    "11pt_avg": _average,
    "set_F": _f_measure,
    "G": _gained,
    "dcg": _gained,
    "ideal_dcg": _gained,
    "ndcg": _gained,
    "ndcg_rel": _gained,
    "Rndcg": _gained_at_levels,
    "rbp": _rank_biased,
    "rbp_resid": _residual,
}
