"""Notes below a table of rankings: intervals whose coverage is known to differ from what they state."""

from __future__ import annotations

import pytest

import cranfield

FULL = "more than half of the values are 0, so the intervals cover more than 95 %"
SHORT = "fewer than 50 skewed values, so the intervals cover less than 95 %"


def notes_on_coverage(n_queries: int, n_hits: int, interval: str) -> list[str]:
    qrels = {f"q{number}": {"d1": 1, "文档": 1} for number in range(n_queries)}
    hit, miss = {"x": 3, "d1": 2}, {"x": 3, "longer-than-the-others": 1}
    run = {query: hit if number < n_hits else miss for number, query in enumerate(qrels)}
    result = cranfield.evaluate(qrels, {"a": run}, ["RR", "DCG@10"])
    lines = map(str.strip, result.to_markdown(method=interval).splitlines())
    return [line for line in lines if "intervals cover" in line]


@pytest.mark.parametrize(
    ("n_queries", "n_hits", "interval", "notes"),
    [
        (25, 8, "auto", [f"RR: {FULL}"]),  # DCG is not bounded, its values are hardly skewed
        (25, 4, "auto", [f"RR: {FULL}", f"DCG@10: {SHORT}"]),
        (25, 4, "t", [f"RR, DCG@10: {SHORT}"]),
        (25, 4, "percentile", [f"RR, DCG@10: {SHORT}"]),
        (25, 13, "auto", []),
        (60, 8, "auto", []),  # enough queries
    ],
)
def test_intervals_that_cover_more_or_less_say_so(n_queries: int, n_hits: int, interval: str, notes: list[str]) -> None:
    assert notes_on_coverage(n_queries, n_hits, interval) == notes


def test_a_note_names_the_system_in_any_order_and_only_once() -> None:
    qrels = {f"q{number}": {"d1": 1} for number in range(25)}
    hit, miss = {"d1": 2.0, "x": 1.0}, {"x": 2.0, "longer-than-the-others": 1.0}
    runs = {
        "few": {query: hit if number < 4 else miss for number, query in enumerate(qrels)},
        "most": {query: hit if number < 20 else {"x": 2.0, "d1": 1.0} for number, query in enumerate(qrels)},
    }
    text = cranfield.evaluate(qrels, runs, ["RR"]).to_markdown(aggregates=("mean", "sum"))
    assert text.count("intervals cover") == text.count(f"RR of few: {FULL}") == 1
