"""Ratings as people collect them: some missing, in grades, words or codes, by raters who may always say the same."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from generators.ids import STYLES

Rating = tuple[str, str, str, str]  # topic, item, rater, category

SCALES: dict[str, Callable[[random.Random], list[str]]] = {
    "yes or no": lambda _: ["0", "1"],
    "grades": lambda source: [str(grade) for grade in range(source.randrange(2, 6))],
    "grades with a gap": lambda _: ["0", "1", "3"],
    "grades as floats": lambda _: ["0.0", "1.0", "1", "2.0"],
    "fractions": lambda source: [f"{source.randrange(40) / 10}" for _ in range(5)],
    "negative": lambda _: ["-2", "-1", "0", "1", "2"],
    "large": lambda _: ["1e308", "-1e308", "0", "5e307", "1e-320"],
    "amounts": lambda source: [str(source.randrange(10**6)) for _ in range(6)],
    "codes": lambda _: ["01", "1", "02", "10"],
    "long codes": lambda _: [str(2**53), str(2**53 + 1), str(2**53 + 2)],
    "words": lambda _: ["poor", "fair", "good"],
    "other words": lambda _: ["非常好", "mauvais, très", 'so "so"', "NA", "None", "nan", "inf"],
    "truth": lambda _: ["true", "false"],
}
GRADES = ("yes or no", "grades", "grades with a gap", "grades as floats", "fractions", "negative", "large", "amounts")
RATERS = ("ann", "bob", "cy", "worker-07", "1", "2", "審査員", "Ann", "zoé")


@dataclass(frozen=True)
class Ratings:
    """Ratings, those not given left out; with topics or all in one; and the scale, if it is said."""

    rows: list[Rating]
    topics: bool
    scale: list[str]

    @property
    def is_valid(self) -> bool:
        """Whether two raters share an item, all have names and none rates an item twice."""
        shared: dict[tuple[str, str], set[str]] = {}
        for topic, item, rater, category in self.rows:
            known = shared.setdefault((topic, item), set())
            if not (topic and item and rater and category) or rater in known or rater not in RATERS:
                return False
            known.add(rater)
        if not self.topics and any(row[0] != "all" for row in self.rows):
            return False
        used, distinct = {row[3] for row in self.rows}, {text.removesuffix(".0") for text in self.scale}
        fits = used <= set(self.scale) and len(distinct) == len(self.scale) and all(self.scale)
        return any(len(each) > 1 for each in shared.values()) and (not self.scale or fits)

    def long(self, delimiter: str = ",") -> bytes:
        """One row per rating."""
        start = ["topic"] * self.topics
        return _separated(
            [[*start, "item", "rater", "category"], *(list(row[not self.topics :]) for row in self.rows)], delimiter
        )

    def wide(self, delimiter: str = ",") -> bytes:
        """One row per item, one column per rater, empty where there is no rating."""
        raters = sorted({row[2] for row in self.rows})
        said = {(topic, item, rater): category for topic, item, rater, category in self.rows}
        items = list(dict.fromkeys((topic, item) for topic, item, _, _ in self.rows))
        header = [*["topic"] * self.topics, "item", *raters]
        rows = [[*([t] * self.topics), i, *(said.get((t, i, r), "") for r in raters)] for t, i in items]
        return _separated([header, *rows], delimiter)

    def qrels(self) -> bytes:
        """Lines of topic, rater, document and grade."""
        lines = [f"{topic} {rater} {item} {category}\n" for topic, item, rater, category in self.rows]
        return "".join(lines).encode("utf-8", "surrogateescape")


def _separated(rows: list[list[str]], delimiter: str) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue().encode("utf-8", "surrogateescape")


def ratings(source: random.Random) -> Ratings:
    """Some ratings by some raters."""
    topics = source.choice(((), (), ("t1", "02", "2"), ("301", "クエリ")))
    given = _given(source, list(SCALES), topics)
    scale = given.scale
    said = source.random() < 0.3 and len({text.removesuffix(".0") for text in scale}) == len(scale)
    return given if said else replace(given, scale=[])


def judgments(source: random.Random) -> Ratings:
    """Grades by some raters for the documents of some topics."""
    return replace(_given(source, GRADES, source.choice((("t1",), ("t1", "02", "2"), ("301", "クエリ")))), scale=[])


def _given(source: random.Random, scales: Sequence[str], topics: Sequence[str]) -> Ratings:
    scale = SCALES[source.choice(scales)](source)
    raters = source.sample(RATERS, source.choice((2, 2, 2, 3, 4)))
    n_items = source.choice((1, 2, 3, 5, 8, 13, 40, 40))
    style = STYLES[
        source.choice(("d1", "FBIS3-10082", "padded", "UUID", "URL", "CJK", "alike", "around words", "MS MARCO"))
    ]
    items = list(dict.fromkeys(style(source) for _ in range(n_items)))
    constant = source.choice(raters) if source.random() < 0.15 else None
    missing, noise = source.choice((0, 0, 0.1, 0.4)), source.choice((0, 0.2, 0.6, 1))
    rows = []
    for topic in topics or ("all",):
        for item in items:
            truth = source.choice(scale)
            for rater in raters:
                label = scale[0] if rater == constant else source.choice(scale) if source.random() < noise else truth
                if source.random() >= missing:
                    rows.append((topic, item, rater, label))
    source.shuffle(rows)
    return Ratings(rows, bool(topics), scale)


@dataclass(frozen=True)
class Counts:
    """How many raters put each item in each category."""

    categories: list[str]
    rows: list[list[int]]

    @property
    def is_valid(self) -> bool:
        whole = all(len(row) == len(self.categories) and min(row) >= 0 for row in self.rows)
        return (
            len(self.categories) > 1
            and len(set(self.categories)) == len(self.categories)
            and whole
            and any(sum(row) > 1 for row in self.rows)
        )

    def file(self) -> bytes:
        """One row per item, one column per category."""
        return _separated(
            [["item", *self.categories], *([f"d{n}", *map(str, row)] for n, row in enumerate(self.rows))], ","
        )


def counts(source: random.Random) -> Counts:
    """Counts by as many raters for every item, or by some."""
    categories = source.choice((["1", "2", "3", "4", "5"], ["no", "yes"], ["a", "b", "c"], ["01", "1", "2"]))
    n_raters = source.choice((2, 3, 5, 14))
    even = source.random() < 0.7
    rows = []
    for _ in range(source.choice((1, 2, 3, 10, 30))):
        said = source.choices(range(len(categories)), k=n_raters if even else source.randrange(n_raters + 1))
        rows.append([said.count(place) for place in range(len(categories))])
    return Counts(categories, rows)
