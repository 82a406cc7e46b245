"""Agreement of raters in plain Python and exact fractions, from the bytes of a file and the papers' definitions."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

Rating = tuple[str, str, str, str]  # topic, item, rater, category as it is written
Category = str | Fraction

_NUMBER = re.compile(r"[+-]?(0|[1-9][0-9]*|(0|[1-9][0-9]*)?\.[0-9]+|(0|[1-9][0-9]*)\.)(e[+-]?[0-9]+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]+")


def read(data: bytes, form: str) -> list[Rating]:
    """The ratings in a file: `qrels` lines, or CSV that is `long` (topic, item, rater, category) or `wide`."""
    text = data.decode("utf-8", "surrogateescape")
    if form == "qrels":
        rows = [line.split() for line in text.splitlines()]
        return [(topic, item, rater, grade) for topic, rater, item, grade in rows if not grade.startswith("-")]
    header, *rows = csv.reader(io.StringIO(text, newline=""))
    at = {name: place for place, name in enumerate(header)}
    topics = [row[at["topic"]] if "topic" in at else "all" for row in rows]
    if form == "long":
        cells = [
            (t, row[at["item"]], row[at["rater"]], row[at["category"]]) for t, row in zip(topics, rows, strict=True)
        ]
    else:
        raters = [name for name in header if name not in ("topic", "item")]
        cells = [(t, row[at["item"]], r, row[at[r]]) for t, row in zip(topics, rows, strict=True) for r in raters]
    return [rating for rating in cells if rating[3]]


def read_counts(data: bytes) -> tuple[list[Rating], list[str]]:
    """The ratings behind counts by item and category, by raters without names, and the categories."""
    header, *rows = csv.reader(io.StringIO(data.decode()))
    names = header[1:]
    found = []
    for item, *counts in rows:
        said = [name for name, count in zip(names, counts, strict=True) for _ in range(int(count))]
        found += [("all", item, f"{place}", label) for place, label in enumerate(said)]
    return found, names


def number(text: str) -> Fraction | None:
    """The number that a category is, unless it is a text, a code such as 01 or has more digits than a float."""
    if not _NUMBER.fullmatch(text):
        return None
    value = float(text)
    return None if _WHOLE.fullmatch(text) and int(value) != int(text) else Fraction(value)


@dataclass(frozen=True)
class Ratings:
    """Who put which item in which of the categories, given by their places: `said[item][rater]`."""

    said: dict[tuple[str, str], dict[str, int]]
    categories: tuple[Category, ...]
    anonymous: bool = False

    @property
    def raters(self) -> list[str]:
        return [] if self.anonymous else sorted({rater for each in self.said.values() for rater in each})

    @property
    def shared(self) -> list[list[int]]:
        """The categories of each item that has two ratings or more."""
        return [list(each.values()) for each in self.said.values() if len(each) >= 2]

    @property
    def numeric(self) -> bool:
        return isinstance(self.categories[0], Fraction)

    def topic(self, name: str) -> Ratings:
        """Those of one topic."""
        return Ratings(
            {key: each for key, each in self.said.items() if key[0] == name}, self.categories, self.anonymous
        )

    def pair(self, one: str, other: str) -> Ratings:
        """Those of two raters on the items that both rated."""
        both = {key: {one: e[one], other: e[other]} for key, e in self.said.items() if one in e and other in e}
        return Ratings(both, self.categories)

    def of_two(self, one: str, other: str) -> Ratings:
        """Those of two raters, as if there were no others: also on the items that only one of them rated."""
        theirs = {key: {who: e[who] for who in (one, other) if who in e} for key, e in self.said.items()}
        return Ratings({key: each for key, each in theirs.items() if each}, self.categories)


def ratings(
    rows: Sequence[Rating], scale: Sequence[str] = (), ordered: bool = True, anonymous: bool = False
) -> Ratings:
    """The ratings with their categories as numbers, if they all are, or as texts; the scale says which there are."""
    texts = {row[3] for row in rows} | set(scale)
    numbers = {text: number(text) for text in texts}
    as_category: Callable[[str], Category] = lambda text: text  # noqa: E731
    if None not in numbers.values():
        as_category = lambda text: numbers[text] or Fraction(0)  # noqa: E731
    if scale and ordered:
        categories = list(dict.fromkeys(map(as_category, scale)))
    else:
        categories = sorted(set(map(as_category, texts)))  # type: ignore[type-var]
    said: dict[tuple[str, str], dict[str, int]] = {}
    for topic, item, rater, text in rows:
        said.setdefault((topic, item), {})[rater] = categories.index(as_category(text))
    return Ratings(said, tuple(categories), anonymous)


Credit = Callable[[int, int], Fraction]


def credit(weights: str, size: int) -> Credit:
    """How much two categories agree, by their places among so many."""
    apart = max(size - 1, 1)
    return {
        "none": lambda a, b: Fraction(a == b),
        "linear": lambda a, b: 1 - Fraction(abs(a - b), apart),
        "quadratic": lambda a, b: 1 - Fraction(abs(a - b), apart) ** 2,
    }[weights]


def observed(given: Ratings, near: Credit) -> Fraction | None:
    """The mean over items of the mean credit of two of its raters."""
    each = []
    for said in given.shared:
        count = Counter(said)
        agreeing = sum(near(a, b) * n * (m - (a == b)) for a, n in count.items() for b, m in count.items())
        each.append(agreeing / (len(said) * (len(said) - 1)))
    return sum(each) / len(each) if each else None


def beyond(agreed: Fraction | None, chance: Fraction | None) -> Fraction | None:
    """What is agreed beyond chance; none where chance leaves nothing."""
    return None if agreed is None or chance is None or chance == 1 else (agreed - chance) / (1 - chance)


def agreement(given: Ratings, weights: str = "none") -> Fraction | None:
    return observed(given, credit(weights, len(given.categories)))


def cohen(given: Ratings, weights: str = "none") -> Fraction | None:
    """Cohen's kappa, the mean over every two raters for whom it is defined."""
    near = credit(weights, len(given.categories))
    each = [beyond(observed(two, near), _product(two, near)) for two in _pairs(given)]
    known = [kappa for kappa in each if kappa is not None]
    return sum(known) / len(known) if known else None


def _pairs(given: Ratings) -> list[Ratings]:
    return [given.pair(one, other) for one, other in combinations(given.raters, 2)]


def _product(two: Ratings, near: Credit) -> Fraction | None:
    """The credit that the two would get if each drew from what they said."""
    if not two.said:
        return None
    first, second = (Counter(each[rater] for each in two.said.values()) for rater in two.raters)
    return sum(near(a, b) * n * m for a, n in first.items() for b, m in second.items()) / Fraction(len(two.said)) ** 2


def fleiss(given: Ratings, weights: str = "none", margins: str = "ratings") -> Fraction | None:
    near = credit(weights, len(given.categories))
    share = _shares(given, margins)
    return beyond(observed(given, near), sum(near(a, b) * p * q for a, p in share.items() for b, q in share.items()))


def _shares(given: Ratings, margins: str) -> dict[int, Fraction]:
    """The proportion of each category among all ratings, or in the mean over items."""
    found: dict[int, Fraction] = {}
    for each in given.said.values():
        for category in each.values():
            found[category] = found.get(category, Fraction(0)) + (1 if margins == "ratings" else Fraction(1, len(each)))
    total = sum(found.values())
    return {category: count / total for category, count in found.items()}


def bennett(given: Ratings) -> Fraction | None:
    return beyond(agreement(given), Fraction(1, len(given.categories)))


def gwet(given: Ratings, weights: str = "none") -> Fraction | None:
    size = len(given.categories)
    near = credit(weights, size)
    if size < 2:
        return None
    total = sum(near(a, b) for a in range(size) for b in range(size))
    doubt = sum(p * (1 - p) for p in _shares(given, "items").values())
    return beyond(observed(given, near), total * doubt / (size * (size - 1)))


def krippendorff(given: Ratings, level: str = "nominal") -> Fraction | None:
    """One less observed over expected disagreement, from the coincidences of every two values of an item."""
    coincidence: Counter[tuple[int, int]] = Counter()
    for said in given.shared:
        for a, b in permutations(said, 2):
            coincidence[a, b] += Fraction(1, len(said) - 1)  # type: ignore[assignment]
    count: dict[int, Fraction] = {}
    for (a, _), n in coincidence.items():
        count[a] = count.get(a, Fraction(0)) + n
    apart = _distance(given, level, count)
    total = sum(count.values())
    expected = sum(n * m * apart(a, b) for a, n in count.items() for b, m in count.items())
    if not expected:
        return None
    return 1 - (total - 1) * sum(n * apart(a, b) for (a, b), n in coincidence.items()) / expected


def _distance(given: Ratings, level: str, count: dict[int, Fraction]) -> Callable[[int, int], Fraction]:
    scale = given.categories if given.numeric else tuple(map(Fraction, range(len(given.categories))))

    def ordinal(a: int, b: int) -> Fraction:
        low, high = sorted((a, b))
        between = sum(count.get(g, Fraction(0)) for g in range(low, high + 1))
        return (between - (count.get(a, Fraction(0)) + count.get(b, Fraction(0))) / 2) ** 2 if a != b else Fraction(0)

    def ratio(a: int, b: int) -> Fraction:
        return Fraction(0) if a == b else ((scale[a] - scale[b]) / (scale[a] + scale[b])) ** 2  # type: ignore[operator]

    return {
        "nominal": lambda a, b: Fraction(a != b),
        "ordinal": ordinal,
        "interval": lambda a, b: (scale[a] - scale[b]) ** 2,  # type: ignore[operator]
        "ratio": ratio,
    }[level]


def overlap(given: Ratings, rel: int = 1) -> Fraction | None:
    scale = given.categories if given.numeric else tuple(map(Fraction, range(len(given.categories))))
    relevant = [[scale[place] >= rel for place in said] for said in given.shared]  # type: ignore[operator]
    found = [said for said in relevant if any(said)]
    return Fraction(sum(map(all, found)), len(found)) if found else None


WEIGHTS = ("linear", "quadratic")
ANY: dict[str, Callable[[Ratings], Fraction | None]] = {
    "Agreement": agreement,
    "Kappa": cohen,
    "Fleiss": fleiss,
    "Fleiss(margins='items')": lambda given: fleiss(given, margins="items"),
    "S": bennett,
    "AC1": gwet,
    "Alpha": krippendorff,
}
ORDERED: dict[str, Callable[[Ratings], Fraction | None]] = {
    **{f"Agreement(weights={w!r})": lambda given, w=w: agreement(given, w) for w in WEIGHTS},
    **{f"Kappa(weights={w!r})": lambda given, w=w: cohen(given, w) for w in WEIGHTS},
    **{f"Fleiss(weights={w!r})": lambda given, w=w: fleiss(given, w) for w in WEIGHTS},
    **{f"AC1(weights={w!r})": lambda given, w=w: gwet(given, w) for w in WEIGHTS},
    **{
        f"Alpha(level={level!r})": lambda given, lev=level: krippendorff(given, lev)
        for level in ("ordinal", "interval")
    },
    "Overlap": overlap,
}
AMOUNTS: dict[str, Callable[[Ratings], Fraction | None]] = {
    "Alpha(level='ratio')": lambda given: krippendorff(given, "ratio")
}


def coefficients(given: Ratings, ordered: bool) -> dict[str, Callable[[Ratings], Fraction | None]]:
    """Those that fit the categories, by name."""
    amounts = given.numeric and min(given.categories) >= 0  # type: ignore[type-var, operator]
    return ANY | (ORDERED if ordered or given.numeric else {}) | (AMOUNTS if amounts else {})
