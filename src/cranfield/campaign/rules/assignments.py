"""Assignment of documents to assessors: by topic, some to several; no team alone judges what only it retrieved.

Decided here: who judges which document, and in which order an assessor sees documents.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from statistics import median

from cranfield.errors import BadInput
from cranfield.frozen import frozen


@frozen
class Assessor:
    """An assessor and their team, which may not judge alone what only its own runs retrieved."""

    id: int
    team: str = ""


@frozen
class ToJudge:
    """A pooled document and the teams whose runs retrieved it."""

    id: int
    teams: frozenset[str] = frozenset()


@frozen
class Share:
    """A document assigned to an assessor, at a place in their queue; `repeat` is 1 for a hidden repeat."""

    document: int
    assessor: int
    position: int
    repeat: int = 0


def shares(
    topics: Mapping[str, Sequence[ToJudge]],
    assessors: Sequence[Assessor],
    *,
    double: float = 0.0,
    judges: int = 2,
    repeats: float = 0.0,
    seed: int = 0,
) -> list[Share]:
    """Each topic goes to the least busy assessor; a proportion of its documents goes to exactly `judges` assessors.

    A document retrieved only by one team's runs is never judged by assessors of that team alone. A proportion of an
    assessor's documents for a topic is shown again at its end, to measure their consistency.
    """
    _check(assessors, double, judges, repeats)
    chance = random.Random(seed)
    busy = {assessor.id: 0 for assessor in assessors}
    order: dict[int, list[tuple[int, int]]] = {assessor.id: [] for assessor in assessors}
    for topic in chance.sample(sorted(topics), len(topics)):
        n_judges = judges if double else 1
        for assessor, documents in _topic(topics[topic], assessors, busy, double, n_judges, chance).items():
            busy[assessor] += len(documents)
            order[assessor] += _with_repeats(chance.sample(documents, len(documents)), repeats, chance)
    return [
        Share(document, assessor, place, repeat)
        for assessor, listed in order.items()
        for place, (document, repeat) in enumerate(listed, 1)
    ]


def further_judges(
    documents: Mapping[int, frozenset[int]], assessors: Sequence[Assessor], busy: Mapping[int, int]
) -> list[Share]:
    """One more assessor for each document: the least busy one who is not yet among its judges."""
    load = {assessor.id: busy.get(assessor.id, 0) for assessor in assessors}
    place = dict.fromkeys(load, 0)
    shared = []
    for document, judges in sorted(documents.items()):
        free = [assessor for assessor in load if assessor not in judges]
        if not free:
            raise BadInput("all assessors have already judged some of these documents; invite another one")
        chosen = min(free, key=lambda assessor: (load[assessor], assessor))
        load[chosen] += 1
        place[chosen] += 1
        shared.append(Share(document, chosen, place[chosen]))
    return shared


def _check(assessors: Sequence[Assessor], double: float, judges: int, repeats: float) -> None:
    if not assessors:
        raise BadInput("there are no assessors; invite some first")
    for name, value in (("judged several times", double), ("judged again by the same assessor", repeats)):
        if not 0 <= value <= 1:
            raise BadInput(f"the proportion that is {name} must be between 0 and 1, not {value:g}")
    if judges < 2:
        raise BadInput(f"documents that are judged several times need at least 2 judges, not {judges}")
    if double and len(assessors) < judges:
        raise BadInput(f"judging documents {judges} times needs at least {judges} assessors; got {len(assessors)}")


def _topic(
    documents: Sequence[ToJudge],
    assessors: Sequence[Assessor],
    busy: Mapping[int, int],
    double: float,
    n_judges: int,
    chance: random.Random,
) -> dict[int, list[int]]:
    """The documents of one topic for each of its assessors."""
    ranked = sorted(assessors, key=lambda one: (busy[one.id], one.id))
    several = set(chance.sample([document.id for document in documents], _rounded(double * len(documents))))
    chosen: dict[int, list[int]] = {}
    for document in documents:
        for judge in _judges(document, ranked, n_judges if document.id in several else 1):
            chosen.setdefault(judge.id, []).append(document.id)
    return chosen


def _judges(document: ToJudge, ranked: Sequence[Assessor], n_judges: int) -> list[Assessor]:
    """The first assessors, at least one of them from another team if only one team's runs retrieved the document."""
    judges = list(ranked[:n_judges])
    if not all(judge.team and document.teams == {judge.team} for judge in judges):
        return judges
    outside = next((one for one in ranked if document.teams != {one.team}), None)
    if outside is None:
        team = next(iter(document.teams))
        raise BadInput(f"only team {team!r} retrieved some documents, and all assessors belong to it; invite others")
    return [*judges[:-1], outside]


def _with_repeats(documents: list[int], repeats: float, chance: random.Random) -> list[tuple[int, int]]:
    """The documents, then some of the first half again, since recent ones would be remembered."""
    n_repeats = _rounded(repeats * len(documents))
    first = documents[: max(n_repeats, (len(documents) + 1) // 2)]
    return [(document, 0) for document in documents] + [(document, 1) for document in chance.sample(first, n_repeats)]


def _rounded(number: float) -> int:
    return int(number + 0.5)


def hours_left(n_left: int, active_ms: Sequence[float]) -> float | None:
    """The time for the remaining documents at the median pace so far; None if nothing has been judged."""
    return n_left * median(active_ms) / 3_600_000 if active_ms else None
