"""Measures of preference from the bytes of two files: lines of query, group, subgroup, document and level, and a run.

After the descriptions in trec_eval: within a subgroup the document of the higher level is preferred; in a group with
several subgroups what follows from them is preferred too. Documents with one score are taken by name, the first first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from math import nan

from reference.rankings import fields, read_run

Pair = tuple[bytes, bytes]  # the better document and the worse
Level = dict[bytes, float]

ALL, EITHER, BOTH = 2, 1, 0  # how many documents of a pair may be missing from the run


def read_levels(text: bytes) -> dict[bytes, dict[bytes, dict[bytes, Level]]]:
    """Levels by query, group, subgroup and document."""
    levels: dict[bytes, dict[bytes, dict[bytes, Level]]] = {}
    for query, group, subgroup, document, level in fields(text):
        levels.setdefault(query, {}).setdefault(group, {}).setdefault(subgroup, {})[document] = float(level)
    return levels


@dataclass(frozen=True)
class Group:
    """A judgment group: the levels in its subgroups, and the documents of the run from the top down."""

    subgroups: dict[bytes, Level]
    ranking: list[bytes]

    @property
    def partial(self) -> bool:
        """Whether an order is known only within subgroups."""
        return len(self.subgroups) > 1

    @cached_property
    def level(self) -> Level:
        """The level of each document: that of the last subgroup that has it."""
        return {d: level for name in sorted(self.subgroups) for d, level in self.subgroups[name].items()}

    @cached_property
    def order(self) -> list[bytes]:
        """The judged documents: as retrieved, then the missing ones by name."""
        found = [document for document in self.ranking if document in self.level]
        return found + sorted(set(self.level) - set(found))

    @cached_property
    def pairs(self) -> set[Pair]:
        """All preferences."""
        over: dict[bytes, set[bytes]] = {document: set() for document in self.level}
        for own in self.subgroups.values():
            for better in own:
                over[better] |= {worse for worse in own if own[better] > own[worse]}
        return {(better, worse) for better in over for worse in _reached(over, better)}

    def missing(self, *documents: bytes) -> int:
        """How many of the documents were not retrieved."""
        return sum(document not in self.ranking for document in documents)

    def meets(self, better: bytes, worse: bytes) -> bool:
        """Whether the better document comes first, or it alone was retrieved."""
        return not self.missing(better) and self.order.index(better) < self.order.index(worse)

    def stated(self, kind: int) -> list[Pair]:
        """The preferences of which no more documents than that are missing."""
        return [pair for pair in self.pairs if self.missing(*pair) <= kind]

    def met(self, kind: int) -> list[Pair]:
        """Those of them that the ranking meets."""
        return [pair for pair in self.stated(kind) if self.meets(*pair)]

    def relevant(self, kind: int) -> list[bytes]:
        """The documents above level 0, retrieved ones only if both of a pair must be."""
        return [d for d in self.order if self.level[d] > 0 and self.missing(d) <= kind]

    def others(self, kind: int) -> list[bytes]:
        """The irrelevant documents: at level 0 or, without subgroups, at 0 or below."""
        known = {d for d, level in self.level.items() if level == 0 or (level < 0 and not self.partial)}
        return [d for d in self.order if d in known and self.missing(d) <= kind]


def _reached(over: dict[bytes, set[bytes]], start: bytes) -> set[bytes]:
    """Whom a document is over, directly or through others."""
    seen: set[bytes] = set()
    ahead = list(over[start])
    while ahead:
        document = ahead.pop()
        if document not in seen:
            seen.add(document)
            ahead += over[document]
    return seen


def _share(met: float, stated: float) -> float:
    return met / stated if stated else nan


def _simple(groups: list[Group], kind: int) -> float:
    return _share(sum(len(g.met(kind)) for g in groups), sum(len(g.stated(kind)) for g in groups))


def _by_pairs(groups: list[Group], kind: int) -> float:
    """The mean over pairs of documents of the share of groups, of those with a preference on it, that it meets."""
    met: dict[frozenset[bytes], list[bool]] = {}
    for group in groups:
        for pair in group.stated(kind):
            met.setdefault(frozenset(pair), []).append(group.meets(*pair))
    return _share(sum(sum(each) / len(each) for each in met.values()), len(met))


def _by_groups(groups: list[Group], kind: int) -> float:
    if not any(group.stated(kind) for group in groups):
        return nan
    shares = [len(g.met(kind)) / len(g.stated(kind)) if g.stated(kind) else 0.0 for g in groups]
    return sum(shares) / len(groups)


def _even_plain(group: Group, kind: int) -> float:
    """The share of preferences met with as many irrelevant documents as relevant ones: cut off, or added at the end."""
    relevant, others = group.relevant(kind), group.others(kind)
    cut, lacking = set(others[len(relevant) :]), max(len(relevant) - len(others), 0)
    pairs = [pair for pair in group.stated(kind) if not cut & {*pair}]
    met = sum(group.meets(*pair) for pair in pairs) + len(group.relevant(BOTH)) * lacking
    return _share(met, len(pairs) + len(relevant) * lacking)


def _even_trec(group: Group, kind: int) -> float:
    """The same as trec_eval has it."""
    relevant, others = group.relevant(kind), group.others(kind)
    if len(others) <= len(relevant):
        lacking = len(relevant) - len(others)
        met = len(group.met(kind)) + len(group.relevant(BOTH)) * lacking
        return _share(met, len(group.stated(kind)) + len(group.relevant(ALL)) * lacking)
    if group.partial:  # without irrelevant documents beyond as many as all relevant ones
        cut = set(others[len(group.relevant(ALL)) :])
        return _of_pairs(group, (pair for pair in group.stated(kind) if not cut & {*pair}))
    lowest = min(group.level.values())
    last = [d for d in group.order if group.level[d] == lowest and group.missing(d) <= kind]
    kept = last[: len(relevant)]
    above = [pair for pair in group.stated(kind) if group.level[pair[1]] > lowest]
    every = [d for d in group.order if group.missing(d) <= kind]  # also those of the lowest level, even with itself
    return _of_pairs(group, [*above, *((better, worse) for better in every for worse in kept)])


def _of_pairs(group: Group, pairs: Iterable[Pair]) -> float:
    met = [group.meets(*pair) for pair in pairs]
    return _share(sum(met), len(met))


def _mean(of: Callable[[Group, int], float]) -> Callable[[list[Group], int], float]:
    return lambda groups, kind: sum(of(group, kind) for group in groups) / len(groups)


_FORMS = {"": ALL, "pairs='either'": EITHER, "pairs='both'": BOTH}
_KINDS: dict[str, Callable[[list[Group], int], float]] = {
    "NumPrefs": lambda groups, kind: sum(len(group.stated(kind)) for group in groups),
    "NumPrefsMet": lambda groups, kind: sum(len(group.met(kind)) for group in groups),
    "Prefs": _simple,
    "PrefPairs": _by_pairs,
    "PrefGroups": _by_groups,
}
_EVEN = {"form='plain'": _mean(_even_plain), "form='trec'": _mean(_even_trec)}
MEASURES: dict[str, tuple[Callable[[list[Group], int], float], int]] = {
    f"{name}({form})": (of, kind) for name, of in _KINDS.items() for form, kind in _FORMS.items()
} | {
    f"PrefGroupsEven({form}, {pairs})": (of, kind)
    for form, of in _EVEN.items()
    for pairs, kind in (("pairs='all'", ALL), ("pairs='both'", BOTH))
}


def per_query(qrels: bytes, run: bytes, measure: str) -> dict[bytes, float]:
    """The value of each judged query that the run answers; NaN where it is undefined."""
    of, kind = MEASURES[measure]
    levels, found = read_levels(qrels), {}
    for query, scores in read_run(run).items():
        if query in levels:
            ranking = sorted(scores, key=lambda name: (-scores[name], name))
            found[query] = of([Group(own, ranking) for own in levels[query].values()], kind)
    return found
