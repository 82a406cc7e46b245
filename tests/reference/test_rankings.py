"""The reference evaluator stands on its own, and is right where one can see it."""

from __future__ import annotations

from math import isnan, log2

import pytest

from cranfield.measures.naming import parse
from reference.measures import MEASURES
from reference.rankings import evaluate, ranked

QRELS = b"""\
q1 0 d1 2
q1 0 longdocname1 0
q1 0 d3 1
q1 0 d4 -1
q2 0 d1 1
q3 0 d1 0
"""
RUN = b"""\
# higher is better, whatever the ranks say
q1 Q0 d9 4 0.5 tag
q1 Q0 d1 1 0.50 tag
q1 Q0 d4 2 1e-1 tag
q3 Q0 d1 1 7 tag
q4 Q0 d1 1 7 tag
"""


def test_ties_are_broken_by_name_descending_in_bytes() -> None:
    scores = {b"a": 1.0, b"Z": 1.0, "é".encode(): 1.0, b"\xff": 1.0, b"": 1.0, b"top": 2.0}
    assert ranked(scores) == [b"top", b"\xff", "é".encode(), b"a", b"Z", b""]
    assert ranked(scores, "name") == [b"top", b"", b"Z", b"a", "é".encode(), b"\xff"]
    assert ranked(scores, "given") == [b"top", b"a", b"Z", "é".encode(), b"\xff", b""]


@pytest.mark.parametrize(
    ("measure", "q1", "q2"),
    [
        ("AP", 1 / 4, 0),  # d9 before d1, d3 missed
        ("RR", 1 / 2, 0),
        ("P@5", 1 / 5, 0),
        ("set_P", 1 / 3, float("nan")),
        ("R@10", 1 / 2, 0),
        ("nDCG", (2 / log2(3)) / (2 + 1 / log2(3)), 0),
        ("Bpref", 1 / 2, 0),
        ("Judged@10", 1 / 3, float("nan")),
        ("NumRel", 2, 1),
        ("Success@1", 0, 0),
    ],
)
def test_a_measure_by_hand(measure: str, q1: float, q2: float) -> None:
    values = evaluate(QRELS, RUN).per_query(measure)
    assert list(values) == [b"q1", b"q2", b"q3"]
    assert [values[b"q1"], values[b"q2"]] == pytest.approx([q1, q2], nan_ok=True)


def test_means_count_missing_and_undefined_values_as_told() -> None:
    done = evaluate(QRELS, RUN)
    assert isnan(done.per_query("AP")[b"q3"])
    assert done.mean("AP") == pytest.approx(1 / 12)
    assert done.mean("AP", skip_missing=True) == pytest.approx(1 / 8)
    assert done.mean("AP", skip_undefined=True) == pytest.approx(1 / 8)
    assert done.mean("AP", skip_missing=True, skip_undefined=True) == pytest.approx(1 / 4)
    assert done.mean("NumRet") == 4


@pytest.mark.parametrize("measure", MEASURES)
def test_the_settings_are_those_that_the_name_stands_for(measure: str) -> None:
    name, settings = MEASURES[measure]
    parsed = parse(measure)
    assert (parsed.declaration.name, parsed.options) == (name, {"unjudged": None} | settings)
