"""Scores of judged answers in plain Python and exact fractions, from the rows of the tables."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Row = dict[str, str]
SUPPORT = {"support": Fraction(1), "full": Fraction(1), "partial_support": Fraction(1, 2), "partial": Fraction(1, 2),
           "not_support": Fraction(0), "no": Fraction(0)}  # fmt: skip


def credit(row: Row, strict: bool) -> Fraction:
    value = SUPPORT[row["support"]]
    return value if not strict or value == 1 else Fraction(0)


def of_answer(rows: Sequence[Row], system: str, query: str) -> list[Row]:
    return [row for row in rows if row["system"] == system and row["query"] == query]


def nugget_recall(rows: Sequence[Row], system: str, query: str, importance: str, strict: bool) -> Fraction | None:
    """Credit of the nuggets of the query in the answer, over the credit of an answer that contains them all."""
    worth = {"all": {"vital": Fraction(1), "okay": Fraction(1)}, "vital": {"vital": Fraction(1), "okay": Fraction(0)},
             "weighted": {"vital": Fraction(1), "okay": Fraction(1, 2)}}[importance]  # fmt: skip
    nuggets = {row["nugget"]: row["importance"] for row in rows if row["query"] == query}
    credited = {row["nugget"]: credit(row, strict) for row in of_answer(rows, system, query)}
    total = sum(worth[importance] for importance in nuggets.values())
    got = sum(worth[importance] * credited.get(nugget, Fraction(0)) for nugget, importance in nuggets.items())
    return got / total if total else None


def nugget_precision(rows: Sequence[Row], system: str, query: str, allowance: int) -> Fraction:
    own = of_answer(rows, system, query)
    allowed = allowance * sum((credit(row, False) for row in own), Fraction(0))
    length = Fraction(own[0]["length"])
    return Fraction(1) if length <= allowed else 1 - (length - allowed) / length


def f(precision: Fraction, recall: Fraction, beta: int) -> Fraction:
    if not precision or not recall:
        return Fraction(0)
    return (beta**2 + 1) / (1 / precision + beta**2 / recall)


def citation_precision(rows: Sequence[Row], system: str, query: str, strict: bool) -> Fraction | None:
    cited = [credit(row, strict) for row in of_answer(rows, system, query) if row["citation"]]
    return sum(cited, Fraction(0)) / len(cited) if cited else None


def citation_recall(rows: Sequence[Row], system: str, query: str, strict: bool) -> Fraction | None:
    own = of_answer(rows, system, query)
    best = {}
    for row in own:
        value = credit(row, strict) if row["citation"] else Fraction(0)
        best[row["sentence"]] = max(best.get(row["sentence"], Fraction(0)), value)
    return sum(best.values(), Fraction(0)) / len(best) if best else None
