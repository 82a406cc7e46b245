"""Preference judgments: which of two documents is better for a topic."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Literal

from cranfield.errors import BadInput
from cranfield.frozen import frozen

Choice = Literal["left", "equal", "right", "cannot tell"]


@frozen
class Pair:
    """Two documents of a topic, side by side."""

    topic: str
    left: str
    right: str

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """The topic and the two documents, whichever is on the left."""
        return self.topic, frozenset((self.left, self.right))


@frozen
class Dealt:
    """A pair assigned to an assessor, at a place in their queue."""

    pair: Pair
    assessor: int
    position: int


@frozen
class Preference:
    """An assessor's choice for a pair; the sides are as the assessor saw them."""

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
    """Up to `most` pairs of documents per topic, each for exactly `judges` assessors, with random sides."""
    if not 1 <= judges <= len(assessors):
        raise BadInput(f"each pair needs between 1 and {len(assessors)} assessors, not {judges}")
    chance = random.Random(seed)
    load = dict.fromkeys(assessors, 0)
    pairs_of: dict[int, list[Pair]] = {assessor: [] for assessor in assessors}
    for topic, documents in topics.items():
        pairs = list(combinations(documents, 2))
        for first, second in chance.sample(pairs, min(most, len(pairs))):
            for assessor in sorted(load, key=lambda one: (load[one], one))[:judges]:
                load[assessor] += 1
                sides = (first, second) if chance.random() < 0.5 else (second, first)
                pairs_of[assessor].append(Pair(topic, *sides))
    return [Dealt(pair, assessor, place) for assessor, pairs in pairs_of.items() for place, pair in enumerate(pairs, 1)]


def cycles(preferences: Iterable[Preference]) -> int:
    """The number of cyclic triples (a over b, b over c, c over a) of one assessor on one topic."""
    over: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for preference in preferences:
        if preference.strict:
            over.setdefault((preference.assessor, preference.pair.topic), set()).add(preference.strict)
    circles = 0
    for edges in over.values():
        following: dict[str, list[str]] = {}
        for better, worse in edges:
            following.setdefault(better, []).append(worse)
        circles += sum((third, first) in edges for first, second in edges for third in following.get(second, ()))
    return circles // 3


def preference_lines(preferences: Iterable[Preference]) -> str:
    """Lines `topic group subgroup document grade` for trec_eval: one group per pair, the better document graded higher.

    Pairs without a strict preference are left out, and nothing is inferred from other pairs.
    """
    strict_preferences = sorted(
        (preference.pair.topic, *preference.strict, preference.assessor)
        for preference in preferences
        if preference.strict
    )
    return "".join(
        f"{topic} pair{place} 0 {better} 2\n{topic} pair{place} 0 {worse} 1\n"
        for place, (topic, better, worse, _) in enumerate(strict_preferences, 1)
    )


def alike(preferences: Iterable[Preference]) -> tuple[int, int]:
    """The number of pairs judged by several assessors, and the number on which all of them agree."""
    choices_of: dict[tuple[str, frozenset[str]], list[str]] = {}
    for preference in preferences:
        if preference.choice != "cannot tell":
            better = preference.strict[0] if preference.strict else ""
            choices_of.setdefault(preference.pair.key, []).append(better)
    several = [choices for choices in choices_of.values() if len(choices) > 1]
    return len(several), sum(len(set(choices)) == 1 for choices in several)
