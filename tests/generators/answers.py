"""Labels, scores and probabilities as files hold them: of every kind and spelling, unbalanced, weighted, with ties."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Callable
from dataclasses import dataclass

LABELS: dict[str, Callable[[random.Random], list[str]]] = {
    "words": lambda source: source.sample(["spam", "ham", "Ham", "eggs", "spam and eggs", "other"], 4),
    "yes or no": lambda _: ["0", "1"],
    "signs": lambda _: ["-1", "1"],
    "numbers": lambda source: [str(number) for number in source.sample(range(-3, 12), 5)],
    "many": lambda _: [f"class {number}" for number in range(30)],
    "long numbers": lambda _: [str(2**63), str(2**63 + 1), str(2**53), str(2**53 + 1), "7"],
    "codes": lambda _: ["01", "1", "001", "10"],
    "hexadecimal": lambda _: ["0x1", "1", "0x01", "1_0", "10"],
    "truth": lambda source: source.choice([["true", "false"], ["True", "False"], ["TRUE", "FALSE"]]),
    "dates": lambda _: ["2024-01-31", "2024-02-29", "31/01/2024", "2024-01-31T12:00:00"],
    "quoted": lambda _: ["a,b", 'say "no"', "two\nlines", "tab\there", "a;b", "'single'", "#5"],
    "blanks": lambda _: ["a", " a", "a ", "a  b", "a b"],
    "scripts": lambda _: ["猫", "犬", "мышь", "قطة", "🐈", "é", "e\u0301"],
    "not there": lambda _: ["NA", "null", "None", "nan", "inf", "-", "N/A"],
    "formulas": lambda _: ["=1+1", "+1", "-1x", "@x"],
}
UNTOLD = ("inf", "nan", "NA", "null", "None", "N/A", "-")  # a column of which may be of numbers, some missing
SCORES: dict[str, Callable[[random.Random], str]] = {
    "one decimal": lambda source: f"{source.randrange(-10, 11) / 10}",
    "two decimals": lambda source: f"{source.random():.2f}",
    "many digits": lambda source: repr(source.gauss(0, 1)),
    "few": lambda source: source.choice(["1", "2", "3"]),
    "spellings": lambda source: source.choice(["1", "1.0", "+1", "1e0", "2", "2.00", "-0", "0", "0.0"]),
    "whole": lambda source: str(source.randrange(-5, 100)),
    "beyond 2**53": lambda source: str(2**60 + 4096 * source.randrange(20)),
    "tiny": lambda source: f"{source.randrange(1, 9)}e-{source.choice([300, 310, 320])}",
    "huge": lambda source: f"{source.choice(['-', ''])}{source.randrange(1, 9)}e{source.choice([0, 150, 307])}",
    "all the same": lambda _: "0.5",
}
WEIGHTS: dict[str, Callable[[random.Random], str]] = {
    "whole": lambda source: str(source.randrange(5)),
    "tenths": lambda source: f"{source.randrange(1, 12) / 10}",
    "one large": lambda source: source.choice(["1", "1", "1", "100000"]),
    "mostly none": lambda source: source.choice(["0", "0", "1", "2.5"]),
}


@dataclass(frozen=True)
class Answers:
    """Rows of actual and predicted label, score, probability, weight and group; and the positive label."""

    rows: list[tuple[str, str, str, str, str, str]]
    positive: str
    weighted: bool
    delimiter: str = ","

    COLUMNS = ("actual", "predicted", "score", "probability", "weight", "group")

    @property
    def is_valid(self) -> bool:
        """Whether labels are there, weights count for something and numbers are such."""
        if not self.rows or any(not all(row) or len(row) != 6 for row in self.rows):
            return False
        try:
            weights = [float(row[4]) for row in self.rows]
            inside = all(0 <= float(row[3]) <= 1 and abs(float(row[2])) < float("inf") for row in self.rows)
        except ValueError:
            return False
        told = any(text not in UNTOLD for row in self.rows for text in row[:2])  # else they are no labels
        return told and inside and any(weights) and min(weights) >= 0 and self.delimiter in (",", ";", "\t")

    @property
    def both_sides(self) -> bool:
        """Whether items that count are positive, and others are not."""
        sides = {row[0] == self.positive for row in self.rows if not self.weighted or float(row[4])}
        return len(sides) == 2

    @property
    def named(self) -> list[dict[str, str]]:
        """The rows by column."""
        return [dict(zip(self.COLUMNS, row, strict=True)) for row in self.rows]

    def file(self) -> bytes:
        """The rows as a table with a header."""
        out = io.StringIO(newline="")
        writer = csv.writer(out, delimiter=self.delimiter, lineterminator="\n", quoting=csv.QUOTE_MINIMAL)
        writer.writerows([self.COLUMNS, *self.rows])
        return out.getvalue().encode()


def answers(source: random.Random) -> Answers:
    """Answers of some accuracy, few or many, where some classes are rare or never predicted."""
    labels = LABELS[source.choice(list(LABELS))](source)
    source.shuffle(labels)
    labels = labels[: source.choice([1, 2, 3, len(labels), len(labels)])]
    frequency = [source.choice([1, 1, 5, 30]) for _ in labels]
    said = labels[: source.randrange(1, len(labels) + 1)] if source.random() < 0.3 else labels
    right = source.random()
    score, weight = SCORES[source.choice(list(SCORES))], WEIGHTS[source.choice(list(WEIGHTS))]
    decimals = source.choice([1, 2, 3])
    rows = []
    for _ in range(source.choice([1, 2, 3, 8, 20, 40])):
        actual = source.choices(labels, frequency)[0]
        predicted = actual if actual in said and source.random() < right else source.choice(said)
        probability = f"{source.randrange(10**decimals + 1) / 10**decimals}"
        rows.append((actual, predicted, score(source), probability, weight(source), source.choice("xyz")))
    return Answers(rows, source.choice(labels), source.random() < 0.5, source.choice([",", ",", ";", "\t"]))


@dataclass(frozen=True)
class Distributions:
    """Rows of a label and of hundredths that add up to 100, one for each class; and weights."""

    labels: list[str]
    rows: list[tuple[str, list[int], str]]
    weighted: bool

    @property
    def is_valid(self) -> bool:
        """Whether every row has a known label and a probability for each class."""
        known = len(set(self.labels)) == len(self.labels) > 2 and all(self.labels)
        known = known and any(actual not in UNTOLD for actual, _, _ in self.rows)
        rows = all(a in self.labels and len(p) == len(self.labels) and sum(p) == 100 for a, p, _ in self.rows)
        return known and rows and all(min(p) >= 0 and w.isdecimal() for _, p, w in self.rows) and self._counts

    @property
    def _counts(self) -> bool:
        return bool(self.rows) and (not self.weighted or any(float(w) for _, _, w in self.rows))

    def file(self) -> bytes:
        """One row per item, one column per class, called by its place."""
        out = io.StringIO(newline="")
        places = range(len(self.labels))
        header = ["actual", "weight", *(f"p{place}" for place in places)]
        rows = [[actual, weight, *(f"{p / 100}" for p in given)] for actual, given, weight in self.rows]
        csv.writer(out, lineterminator="\n").writerows([header, *rows])
        return out.getvalue().encode()


def distributions(source: random.Random) -> Distributions:
    """Probabilities of three classes or more, rounded to hundredths, with ties, zeros and ones."""
    style = source.choice(["words", "numbers", "dates", "quoted", "scripts", "not there"])
    labels = LABELS[style](source)[: source.randrange(3, 6)]
    rows = []
    for _ in range(source.choice([1, 3, 10, 30])):
        actual = source.choice(labels)
        given = [0] * len(labels)
        step = source.choice([1, 5, 10, 20, 25, 50, 100])
        for _ in range(100 // step):
            given[labels.index(actual) if source.random() < 0.3 else source.randrange(len(labels))] += step
        rows.append((actual, given, str(source.choice([0, 1, 1, 3]))))
    return Distributions(labels, rows, source.random() < 0.5)
