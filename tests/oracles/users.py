"""Users who walk down a ranking, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import log, nan

from oracles.declared import oracle
from oracles.graded import top_grade
from reference.ranking import Ranking


def gains(ranking: Ranking, k: int, bottom: float, top: float | str) -> Iterator[float]:
    """What the user gains at each of k ranks; nothing where there is no document, or no grade."""
    best = top_grade(ranking, top)
    for place in range(k):
        grade = ranking.grades[place] if place < len(ranking.grades) else None
        inside = min(max(grade or 0.0, bottom), best) if best > bottom else bottom
        yield (inside - bottom) / (best - bottom) if inside > bottom else 0.0


def mean_gain(gained: Iterator[float], go_on: Callable[[int, float, float], float]) -> float:
    """The gain to expect of a document that the user looks at."""
    looks, total, weight, so_far = 1.0, 0.0, 0.0, 0.0
    for rank, gain in enumerate(gained, 1):
        total += looks * gain
        weight += looks
        so_far += gain
        looks *= go_on(rank, gain, so_far)
    return total / weight


@oracle("BPM")
def bejeweled(ranking: Ranking, k: int, goal: float, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: so_far < goal)


@oracle("SDCG")
def scaled_dcg(ranking: Ranking, k: int, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: log(rank + 1) / log(rank + 2))


@oracle("INSQ")
def insq(ranking: Ranking, k: int, goal: float, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: hopes(rank + 2 * goal))


@oracle("INST")
def inst(ranking: Ranking, k: int, goal: float, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: hopes(rank + 2 * goal - so_far))


def hopes(far: float) -> float:
    return ((far - 1) / far) ** 2


@oracle("NERR8")
def cut_off(ranking: Ranking, k: int, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: 1 - gain)


@oracle("NERR9")
def discounted(ranking: Ranking, k: int, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: rank / (rank + 1) * (1 - gain))


@oracle("NERR10")
def patient(ranking: Ranking, k: int, p: float, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: p * (1 - gain))


@oracle("NERR11")
def with_a_goal(ranking: Ranking, k: int, goal: float, top: float | str, bottom: float) -> float:
    return mean_gain(gains(ranking, k, bottom, top), lambda rank, gain, so_far: hopes(rank + 2 * goal) * (1 - gain))


@oracle("Compat")
def compatibility(ranking: Ranking, p: float, normalize: bool, depth: int | None) -> float:
    shown = list(range(len(ranking.grades)))
    grade = dict(enumerate([*ranking.grades, *ranking.missed]))
    ideal = sorted((name for name in grade if (grade[name] or 0) > 0), key=lambda name: -(grade[name] or 0))
    depth = depth or max(len(shown), len(ideal))
    if not depth or (normalize and not ideal):
        return nan
    whole = overlap(ideal, ideal, p, depth) if normalize else sum(p**i for i in range(depth))
    return overlap(shown, ideal, p, depth) / whole


def overlap(one: list[int], other: list[int], p: float, depth: int) -> float:
    """What two rankings share at each depth, weighed."""
    return sum(p ** (i - 1) * len({*one[:i]} & {*other[:i]}) / i for i in range(1, depth + 1))
