"""Measures of recommendations and groups straight from their definitions, from dicts of judgments, runs and items."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import log, log2, nan, sqrt
from statistics import fmean
from typing import Any

from oracles.risk import ranking

Table = dict[str, dict[str, float]]
Items = dict[str, dict[str, Any]]


def lists(qrels: Table, run: Table, items: Items, k: int | None) -> list[list[str]]:
    """The items of the table among the first k that each judged user is shown."""
    return [
        [name for name in ranking(run.get(user, {}))[:k] if name in items] for user in sorted(qrels, key=str.encode)
    ]


def times(shown: list[list[str]], items: Items) -> list[int]:
    """How often each item of the catalogue is shown."""
    count = Counter(name for one in shown for name in one)
    return [count[name] for name in items]


def coverage(shown: list[list[str]], items: Items) -> float:
    """Items that somebody is shown."""
    return len({name for one in shown for name in one}) / len(items)


def gini(shown: list[list[str]], items: Items, corrected: bool = False) -> float:
    """Half of the relative mean absolute difference between two items."""
    n = times(shown, items)
    if not sum(n):
        return nan
    apart = sum(abs(a - b) for a in n for b in n)
    return apart / (2 * sum(n) * (len(n) - 1 if corrected else len(n)))


def entropy(shown: list[list[str]], items: Items) -> float:
    """Shannon's entropy in bits."""
    n = times(shown, items)
    return -sum(one / sum(n) * log2(one / sum(n)) for one in n if one) if sum(n) else nan


def popularity(one: list[str], items: Items) -> float:
    """Mean popularity."""
    return fmean(items[name]["popularity"] for name in one) if one else nan


def long_tail(one: list[str], items: Items, tail: float) -> float:
    """Shown items that are no more popular than the last of the tail."""
    ordered = sorted(item["popularity"] for item in items.values())
    in_tail = ordered[: int(tail * len(ordered))]
    return fmean(bool(in_tail) and items[name]["popularity"] <= in_tail[-1] for name in one) if one else nan


def novelty(one: list[str], items: Items, users: int | None) -> float:
    """Mean self-information."""
    total = users or sum(item["popularity"] for item in items.values())
    least = min(item["popularity"] for item in items.values() if item["popularity"])
    return fmean(-log2((items[name]["popularity"] or least) / total) for name in one) if one else nan


def tags(name: str, items: Items) -> set[str]:
    """The genres of an item."""
    return {tag.strip() for tag in (items[name]["genres"] or "").split("|")} - {""}


def diversity(one: list[str], items: Items, distance: str) -> float:
    """Mean distance of two items that have genres."""
    apart = []
    for a, b in combinations([tags(name, items) for name in one if tags(name, items)], 2):
        similar = len(a & b) / (sqrt(len(a) * len(b)) if distance == "cosine" else len(a | b))
        apart.append(1 - similar)
    return fmean(apart) if apart else nan


def serendipity(one: list[str], items: Items, judged: dict[str, float], popular: int) -> float:
    """Relevant items that are less popular than the last of the most popular ones."""
    ordered = sorted((item["popularity"] for item in items.values()), reverse=True)
    last = ordered[:popular][-1]
    useful = [judged.get(name, -1) >= 1 and items[name]["popularity"] < last for name in one]
    return fmean(useful) if useful else nan


def fairness(documents: list[str], items: Items, judged: dict[str, float], **settings: Any) -> float:
    """1 minus the divergence of the attention of the groups from the target; documents include unknown ones."""
    groups = sorted({item["group"] for item in items.values() if item["group"]})
    attention = dict.fromkeys(groups, 0.0)
    for rank, name in enumerate(documents, start=1):
        p = settings["p"]
        if name in items and items[name]["group"]:
            attention[items[name]["group"]] += p ** (rank - 1) if p else 1 / log2(max(rank, 2))
    members = {
        "uniform": groups,
        "catalogue": [item["group"] for item in items.values() if item["group"]],
        "relevant": [items[name]["group"] for name, grade in judged.items() if grade >= 1 and name in items],
    }[settings["target"]]
    wanted = Counter(group for group in members if group)
    if not sum(attention.values()) or not sum(wanted.values()):
        return nan
    a = [attention[group] / sum(attention.values()) for group in groups]
    b = [wanted[group] / sum(wanted.values()) for group in groups]
    return 1 - divergence(a, b, settings["divergence"])


def divergence(a: list[float], b: list[float], name: str) -> float:
    """The distance of two distributions: by entropies, or by the larger parts."""
    if name == "tv":
        return 1 - sum(map(min, a, b))
    entropy_of = lambda parts: -sum(part * log(part) for part in parts if part)  # noqa: E731
    nats = entropy_of([(x + y) / 2 for x, y in zip(a, b, strict=True)]) - (entropy_of(a) + entropy_of(b)) / 2
    return nats if name == "js-nats" else nats / log(2)
