"""Topics as sentences, and pairs of similar topics."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from cranfield.campaign.topics.topic import Condition, Topic

ALIKE = 0.6  # proportion of common words at which two topics are reported
_WORD = re.compile(r"\w+")
_STOP = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to"})


def in_words(topic: Topic) -> str:
    """A sentence describing what a topic asks for."""
    if topic.structure is None:
        return f"Retrieve documents or components about “{topic.title}”."
    conditions = "; ".join(_condition(condition) for condition in topic.structure.conditions)
    return f"Retrieve the element {topic.structure.target}: {conditions}."


def _condition(condition: Condition) -> str:
    about = "not about" if condition.negated else "about"
    where = f"in {condition.path}" if condition.path else "anywhere"
    return f"{about} “{condition.words}” {where}"


class NearDuplicate(NamedTuple):
    """Two topics and the proportion of words they have in common."""

    first: str
    second: str
    likeness: float


def near_duplicates(topics: Sequence[Topic]) -> list[NearDuplicate]:
    """Pairs of topics whose titles or texts have many words in common, most similar first."""
    words = [(_words(topic.title), _words(f"{topic.title} {topic.description} {topic.keywords}")) for topic in topics]
    pairs = []
    for (first, first_words), (second, second_words) in combinations(zip(topics, words, strict=True), 2):
        likeness = max(_jaccard(first_words[0], second_words[0]), _jaccard(first_words[1], second_words[1]))
        if likeness >= ALIKE:
            pairs.append(NearDuplicate(first.id, second.id, likeness))
    return sorted(pairs, key=lambda pair: -pair.likeness)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _STOP


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 0.0
