"""Preference judgments: which of two documents is better for a topic."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from cranfield.errors import BadInput

Choice = Literal["left", "equal", "right", "cannot tell"]


@dataclass(frozen=True)
class Pair:
    """Two documents of a topic, side by side."""

    topic: str
    left: str
    right: str


@dataclass(frozen=True)
class Dealt:
    """A pair for an assessor, at a place of their order."""

    pair: Pair
    assessor: int
    position: int


@dataclass(frozen=True)
class Preference:
    """What an assessor said of a pair; the sides are those that they saw."""

    pair: Pair
    assessor: str
    choice: Choice

    @property
    def strict(self) -> tuple[str, str] | None:
        """The better and the worse document; None if neither was preferred."""
        if self.choice == "left":
            return self.pair.left, self.pair.right
        return (self.pair.right, self.pair.left) if self.choice == "right" else None


def deal(
    topics: Mapping[str, Sequence[str]], assessors: Sequence[int], *, most: int, judges: int = 1, seed: int = 0
) -> list[Dealt]:
    """At most so many pairs of documents per topic, each for exactly `judges` assessors, with the sides at random."""
    if not 1 <= judges <= len(assessors):
        raise BadInput(f"each pair needs between 1 and {len(assessors)} assessors, not {judges}")
    chance = random.Random(seed)
    load = dict.fromkeys(assessors, 0)
    pairs_of: dict[int, list[Pair]] = {one: [] for one in assessors}
    for topic, documents in topics.items():
        pairs = list(combinations(documents, 2))
        for first, second in chance.sample(pairs, min(most, len(pairs))):
            for assessor in sorted(load, key=lambda one: (load[one], one))[:judges]:
                load[assessor] += 1
                sides = (first, second) if chance.random() < 0.5 else (second, first)
                pairs_of[assessor].append(Pair(topic, *sides))
    return [Dealt(pair, assessor, place) for assessor, pairs in pairs_of.items() for place, pair in enumerate(pairs, 1)]


def cycles(preferences: Iterable[Preference]) -> int:
    """How many triples of documents are in a circle: a over b, b over c, c over a, by one assessor on one topic."""
    over: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for one in preferences:
        if one.strict:
            over.setdefault((one.assessor, one.pair.topic), set()).add(one.strict)
    circles = 0
    for edges in over.values():
        following: dict[str, list[str]] = {}
        for better, worse in edges:
            following.setdefault(better, []).append(worse)
        circles += sum((third, first) in edges for first, second in edges for third in following.get(second, ()))
    return circles // 3


def preference_lines(preferences: Iterable[Preference]) -> str:
    """Lines `topic group subgroup document grade` as trec_eval reads them: a group per judged pair, the better higher.

    Pairs without a strict preference are left out, and nothing is inferred from other pairs.
    """
    strict_preferences = sorted((one.pair.topic, *one.strict, one.assessor) for one in preferences if one.strict)
    return "".join(
        f"{topic} pair{place} 0 {better} 2\n{topic} pair{place} 0 {worse} 1\n"
        for place, (topic, better, worse, _) in enumerate(strict_preferences, 1)
    )


def alike(preferences: Iterable[Preference]) -> tuple[int, int]:
    """Of the pairs that several assessors judged, how many there are, and on how many all agree."""
    choices_of: dict[tuple[str, frozenset[str]], list[str]] = {}
    for one in preferences:
        if one.choice != "cannot tell":
            better = one.strict[0] if one.strict else ""
            choices_of.setdefault((one.pair.topic, frozenset((one.pair.left, one.pair.right))), []).append(better)
    several = [choices for choices in choices_of.values() if len(choices) > 1]
    return len(several), sum(len(set(choices)) == 1 for choices in several)
