"""Why there is no interval stands below the table, not in a column; in CSV and JSON it is in each row."""

from __future__ import annotations

import csv
import io
import itertools
import json

import numpy as np
import pytest

from cranfield import agree, classify, compare, correlate
from cranfield.present.missing_intervals import Bounded, missing

NAN = float("nan")


def test_a_reason_is_one_line_that_names_the_measures_and_what_they_are_of() -> None:
    few, same = "none: fewer than 10 items", "the value is the same for all queries"
    found = missing(
        [
            Bounded("F", "", NAN, few),
            Bounded("AUC", "", 0.5, "delong"),
            Bounded("MCC", "", NAN, few),
            Bounded("AP", "a", NAN, same),
            Bounded("AP", "b", NAN, same),
            Bounded("RR", "a", NAN, same),
            Bounded("Recall", "", NAN, "undefined: nothing is positive"),
            Bounded("Kappa", "", NAN, ""),  # not requested
        ]
    )
    assert found == (
        "no interval for F and MCC: fewer than 10 items",
        "no interval for AP of a and b; RR of a: the value is the same for all queries",
        "Recall is undefined: nothing is positive",
    )


def test_labels_of_a_rare_class() -> None:
    random = np.random.default_rng(1)
    actual = random.choice(["a", "b", "c"], 60, p=[0.8, 0.15, 0.05])
    found = classify(actual, predicted=random.choice(["a", "b", "c"], 60))
    shown = found.shown(every=True)
    assert (
        "no interval for BalancedAccuracy, Precision, Recall, F, Kappa and MCC: fewer than 10 items of a class" in shown
    )
    assert max(map(len, _table(shown, "Measures"))) <= 80
    rows = [row for row in csv.DictReader(io.StringIO(found.to_csv())) if row["measure"] == "MCC"]
    assert rows[0]["interval"] == "none: fewer than 10 items of a class"
    assert "none: fewer than 10 items of a class" in found.to_json()


def test_raters_of_a_rare_category() -> None:
    said = {who: {item: int(item == place) for item in range(12)} for place, who in enumerate("xyz")}
    found = agree(said)
    shown = found.shown(every=True)
    for title in ("All raters", "Pairs of raters"):
        assert max(map(len, _table(shown, title))) <= 80
    assert "no interval for Kappa, Fleiss and Alpha of x & y, x & z and y & z: fewer than 5 items" in shown
    assert {row["interval"] for row in json.loads(found.to_json())["agreement"]} >= {
        "jeffreys",
        "none: fewer than 5 items outside the most frequent category",
    }


@pytest.mark.parametrize("values", [{"a": [0.5, 0.5, 0.5], "b": [0.1, 0.4, 0.3]}])
def test_means_that_do_not_vary(values: dict[str, list[float]]) -> None:
    compared = compare(values)
    assert "no interval for mean value of a: " in str(compared.shown())
    shown = str(compared.shown(every=True))
    (line,) = (line for line in shown.splitlines() if line.startswith("no interval for"))
    assert " of a: " in line
    assert max(map(len, _table(shown, "Means"))) <= 80


def test_coefficients_without_an_interval() -> None:
    ranks = {"a": {f"d{n}": float(n) for n in range(30)}, "b": {f"d{n}": float(n + n % 5) for n in range(30)}}
    found = correlate(ranks, coefficients=["tau-b", "RBO"])
    shown = str(found.shown())
    assert "–" in shown
    assert "no interval for RBO of a and b: " in shown


def _table(shown: str, title: str) -> list[str]:
    """The lines of the table with a title."""
    lines = shown.splitlines()
    start = lines.index(title) + 2
    return [*itertools.takewhile(bool, lines[start:])]
