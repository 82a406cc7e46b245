"""The references for agreement and rank correlation stand on their own, and are right where figures are published."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import pytest

from cranfield import agree
from generators.ratings import Ratings
from reference import agreement, orders

# Two judges of forty documents, 20, 12 / 4, 4; fourteen experts; the four raters of Krippendorff and Gwet
TWO = [
    ("all", f"d{n}", who, said)
    for n in range(40)
    for who, said in zip("ab", "00" if n < 20 else "01" if n < 32 else "10" if n < 36 else "11", strict=True)
]
COUNTS = b"""item,1,2,3,4,5
a,0,0,0,0,14
b,0,2,6,4,2
c,0,0,3,5,6
d,0,3,9,2,0
e,2,2,8,1,1
f,7,7,0,0,0
g,3,2,6,3,0
h,2,5,3,2,2
i,6,5,2,1,0
j,0,2,2,3,7
"""
FOUR = b"""item,a,b,c,d
1,1,1,,1
2,2,2,3,2
3,3,3,3,3
4,3,3,3,3
5,2,2,2,2
6,1,2,3,4
7,4,4,4,4
8,1,1,2,1
9,2,2,2,2
10,,5,5,5
11,,,1,1
12,,3,,
"""


def test_two_judges() -> None:
    given = agreement.ratings(TWO)
    assert agreement.agreement(given) == Fraction(3, 5)
    assert agreement.cohen(given) == Fraction(1, 11)
    assert agreement.fleiss(given) == Fraction(1, 21)
    assert agreement.bennett(given) == Fraction(1, 5)
    assert float(agreement.gwet(given) or 0) == pytest.approx(0.3103448275862069)
    assert float(agreement.krippendorff(given) or 0) == pytest.approx(0.05952380952380952)


def test_fourteen_experts() -> None:
    rows, names = agreement.read_counts(COUNTS)
    given = agreement.ratings(rows, names, ordered=False, anonymous=True)
    assert float(agreement.fleiss(given) or 0) == pytest.approx(0.20993070442195524, abs=1e-15)


@pytest.mark.parametrize(
    ("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_four_raters(level: str, published: float) -> None:
    given = agreement.ratings(agreement.read(FOUR, "wide"))
    assert float(agreement.krippendorff(given, level) or 0) == pytest.approx(published, abs=5e-4)
    assert float(agreement.fleiss(given, margins="items") or 0) == pytest.approx(0.76117, abs=5e-6)
    assert float(agreement.gwet(given) or 0) == pytest.approx(0.77544, abs=5e-6)


def test_orders_with_ties_as_their_authors_have_them() -> None:
    x = [0.06, 0.2, 0.27, 0.37, 0.57, 0.63, 0.66, 0.9, 0.91, 0.94]
    y = [0.37, 0.06, 0.2, 0.27, 0.57, 0.66, 0.63, 0.91, 0.9, 0.94]
    exact, a, b = ({str(n): Fraction(v) for n, v in enumerate(each)} for each in (x, _fifths(x), _fifths(y)))
    assert orders.tau_ap_a(exact, b) == pytest.approx(0.6074515, abs=5e-8)
    assert orders.tau_ap_b(a, b) == pytest.approx(0.6269841, abs=5e-8)


def _fifths(values: list[float]) -> list[float]:
    return [round(value * 5) / 5 for value in values]


def test_thousands_of_items(tmp_path: Path) -> None:
    source = random.Random(1)
    rows = [
        ("all", f"item {n}", who, str(min(3, n % 3 + (source.random() < 0.2))))
        for n in range(2_000)
        for who in ("ann", "bob", "cy")
    ]
    case = Ratings([row for row in rows if source.random() < 0.9], False, [])
    (tmp_path / "long.csv").write_bytes(case.long())
    given = agreement.ratings(agreement.read(case.long(), "long"))
    measures = agreement.coefficients(given, True)
    found = agree(tmp_path / "long.csv", list(measures), per=["all"], resamples=0)
    for name, measure in measures.items():
        assert found[name] == pytest.approx(float(measure(given) or 0), rel=1e-12)
