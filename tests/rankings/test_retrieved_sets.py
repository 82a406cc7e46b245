"""Venn pictures to scale, and what judgments cover of each run."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli.files import FILES, written
from cranfield import plot
from cranfield.cli.main import main
from cranfield.errors import BadSetting
from cranfield.present.plots.plot import Plot
from cranfield.rankings.plots.judged import distance, lens
from plot.gallery import QRELS, RUNS

JUDGED = {query: set(documents) for query, documents in QRELS.items()}
RELEVANT = {query: {name for name, grade in documents.items() if grade >= 1} for query, documents in QRELS.items()}


def top(system: str, query: str, k: int) -> set[str]:
    scores = RUNS[system][query]
    return set(sorted(scores, key=scores.__getitem__, reverse=True)[:k])


def counts(drawn: Plot, system: str) -> dict[str, int]:
    return {row["area"]: row["n"] for row in drawn.data.to_pylist() if row["system"] == system}


@pytest.mark.parametrize("k", [1, 2, 100])
@pytest.mark.parametrize("system", list(RUNS))
def test_circles_hold_the_sets(system: str, k: int) -> None:
    drawn = plot.venn(QRELS, RUNS, k=k, collection=10)
    both = sum(len(top(system, query, k) & RELEVANT[query]) for query in QRELS)
    retrieved = sum(len(top(system, query, k)) for query in QRELS)
    relevant = sum(map(len, RELEVANT.values()))
    assert counts(drawn, system) == {
        "relevant, missed": relevant - both,
        "relevant and retrieved": both,
        "retrieved, not relevant": retrieved - both,
        "neither": 40 - relevant - retrieved + both,
    }
    row = next(row for row in drawn.data.to_pylist() if row["system"] == system)
    assert row["precision"] == both / retrieved
    assert row["recall"] == both / relevant
    assert row["fallout"] == (retrieved - both) / (40 - relevant)


@given(st.integers(1, 200), st.integers(1, 200), st.floats(0.02, 0.98))
def test_the_overlap_is_to_scale(one: int, other: int, proportion: float) -> None:
    shared = proportion * min(one, other)
    apart = distance(one, other, shared)
    first, second = np.sqrt(one / np.pi), np.sqrt(other / np.pi)
    x = np.linspace(apart - second, first, 20_001)
    height = np.minimum(np.sqrt(np.maximum(first**2 - x**2, 0)), np.sqrt(np.maximum(second**2 - (x - apart) ** 2, 0)))
    assert np.trapezoid(2 * height, x) == pytest.approx(shared, rel=0.01, abs=0.02)


def test_circles_that_touch_or_contain_each_other() -> None:
    assert lens(1, 2, 3) == 0
    assert lens(1, 2, 1) == pytest.approx(np.pi)
    assert distance(np.pi, np.pi, 0) == pytest.approx(2)
    assert distance(np.pi, 4 * np.pi, np.pi) == pytest.approx(1)
    assert distance(0, np.pi, 0) == pytest.approx(1)


def test_the_discs_of_all_systems_have_one_scale() -> None:
    drawn = plot.venn(QRELS, RUNS, k=2)
    discs = [row for rows in drawn.spec["datasets"].values() for row in rows if "set" in row]
    pixels = {(row["system"], row["set"]): np.pi * row["size"] / 4 for row in discs}
    unit = {round(area / 8, 6) for (_, name), area in pixels.items() if name == "retrieved"}  # two of each of four
    assert len(unit) == 1
    relevant = sum(map(len, RELEVANT.values()))
    assert {round(area / relevant, 6) for (_, name), area in pixels.items() if name == "relevant"} == unit


def test_the_frame_is_the_collection_if_it_has_room() -> None:
    assert plot.venn(QRELS, RUNS, collection=20).key.endswith("frame: collection")
    assert plot.venn(QRELS, RUNS, collection=10**9).key.endswith("frame: collection, not to scale")
    with pytest.raises(BadSetting, match="a collection of 4 documents cannot contain"):
        plot.venn(QRELS, RUNS, collection=1)


@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("system", list(RUNS))
def test_a_run_is_relevant_not_relevant_or_unjudged_and_the_rest_is_missed(system: str, k: int) -> None:
    found = relevant = wrong = unjudged = 0
    for query in QRELS:
        documents = top(system, query, k)
        found += len(documents & RELEVANT[query])
        wrong += len((documents & JUDGED[query]) - RELEVANT[query])
        unjudged += len(documents - JUDGED[query])
        relevant += len(RELEVANT[query])
    known = {"relevant, missed": relevant - found, "relevant": found, "not relevant": wrong, "unjudged": unjudged}
    assert counts(plot.coverage(QRELS, RUNS, k=k), system) == known


def test_one_query_is_drawn_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(written(tmp_path, FILES))
    for kind in ("venn", "coverage"):
        assert (
            main(["plot", kind, "qrels.txt", "good.run", "--query", "q1", "-k", "2", "-o", "data.csv", "--quiet"]) == 0
        )
        rows = list(csv.DictReader(io.StringIO(Path("data.csv").read_text())))
        retrieved = [int(row["n"]) for row in rows if row["area"] != "relevant, missed"]
        assert sum(retrieved) == 2


def test_the_frame_shows_how_many_documents_are_in_neither_set() -> None:
    drawn = plot.venn(QRELS, RUNS, k=2, collection=1000)
    texts = [row["text"] for rows in drawn.spec["datasets"].values() for row in rows if "text" in row]
    for system in RUNS:
        union = sum(len(top(system, query, 2) | RELEVANT[query]) for query in QRELS)
        assert f"neither {1000 * len(QRELS) - union:,}" in texts
    assert "documents in neither set are unknown" in plot.venn(QRELS, RUNS, k=2).key
