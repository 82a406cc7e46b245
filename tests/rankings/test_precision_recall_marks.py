"""Precision-recall curves of rankings: area, ideal point, break-even point, and the queries behind a mean."""

from __future__ import annotations

import csv
import io
import itertools
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield import plot
from cranfield.cli.main import main
from cranfield.errors import BadSetting
from cranfield.present.plots.plot import Plot
from plot.gallery import ACTUAL, QRELS, RUNS, SCORES, scores

# a ranking of fourteen documents with five relevant ones
DOCUMENTS = ["588", "589", "576", "590", "986", "592", "984", "988", "578", "985", "103", "591", "772", "990"]
RELEVANT = {"588", "589", "590", "592", "772"}


@pytest.fixture
def ranking(tmp_path: Path) -> list[str]:
    """Judgments and a run."""
    judgments, run = tmp_path / "qrels.txt", tmp_path / "run.txt"
    judgments.write_text("".join(f"Q 0 {document} 1\n" for document in sorted(RELEVANT)))
    run.write_text("".join(f"Q Q0 {name} {rank} {100 - rank} s\n" for rank, name in enumerate(DOCUMENTS, 1)))
    return [str(judgments), str(run)]


def by_hand() -> list[tuple[Fraction, Fraction]]:
    """Recall and precision after every rank."""
    found, spots = 0, []
    for rank, document in enumerate(DOCUMENTS, 1):
        found += document in RELEVANT
        spots.append((Fraction(found, len(RELEVANT)), Fraction(found, rank)))
    return spots


def part(rows: list[dict[str, str]], name: str) -> list[tuple[float, float]]:
    return [(float(row["recall"]), float(row["precision"])) for row in rows if row["part"] == name]


def data(drawn: Plot) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(drawn.to_csv())))


def test_area_ideal_and_break_even_of_one_query(ranking: list[str], tmp_path: Path) -> None:
    marks = ["--shade", "--ideal", "--break-even"]
    file = tmp_path / "data.csv"
    assert main(["plot", "precision-recall", *ranking, "--form", "ranks", *marks, "-o", str(file), "--quiet"]) == 0
    rows = list(csv.DictReader(io.StringIO(file.read_text())))
    corners = part(rows, "area")
    area = sum(up * (across - before) for (before, _), (across, up) in itertools.pairwise(corners))
    precision = sum(up for (_, up), document in zip(by_hand(), DOCUMENTS, strict=True) if document in RELEVANT)
    assert area == pytest.approx(float(precision / len(RELEVANT)), abs=1e-6)
    nearest = min(by_hand(), key=lambda spot: (1 - spot[0]) ** 2 + (1 - spot[1]) ** 2)
    assert part(rows, "nearest to the ideal") == [pytest.approx(tuple(map(float, nearest)), abs=1e-6)]
    assert part(rows, "break-even") == [(0.6, 0.6)]
    assert (Fraction(3, 5), Fraction(3, 5)) in by_hand()


def test_the_key_gives_distance_and_efficiency(ranking: list[str]) -> None:
    drawn = plot.precision_recall(ranking[0], ranking[1], form="ranks", ideal=True, break_even=True)
    distance = min(math.hypot(1 - across, 1 - up) for across, up in by_hand())
    text = next(row["text"] for rows in drawn.spec["datasets"].values() for row in rows if "text" in row)
    assert text == f"AP 0.760, d {distance:.3f}, efficiency {1 - distance / math.sqrt(2):.3f}, break-even 0.600"


def test_a_ranking_too_short_to_break_even_says_so() -> None:
    drawn = plot.precision_recall({"q": {"a": 1, "b": 1}}, {"s": {"q": {"a": 1.0}}}, form="ranks", break_even=True)
    assert part(data(drawn), "break-even") == []
    assert any("no break-even point" in row.get("text", "") for rows in drawn.spec["datasets"].values() for row in rows)


@pytest.mark.parametrize(("form", "points"), [("recalls", [0.0, 0.3, 0.5, 1.0]), ("cutoffs", [1, 2, 3])])
def test_the_mean_is_that_of_the_queries_behind_it(form: str, points: list[float]) -> None:
    drawn = plot.precision_recall(QRELS, {"fair": RUNS["fair"]}, form=form, points=points, each_query=True)
    values = np.array(part(data(drawn), "query at level")).reshape(len(QRELS), len(points), 2)
    assert values.mean(axis=0) == pytest.approx(np.array(part(data(drawn), form)), abs=1e-6)
    queries = [row["query"] for row in data(drawn) if row["part"] == "query at level"]
    assert sorted(set(queries)) == sorted(QRELS)


def test_a_query_that_finds_nothing_lies_at_zero() -> None:
    judgments, run = {"q": {"a": 1}, "r": {"b": 1}}, {"s": {"q": {"a": 1.0}, "r": {"x": 1.0}}}
    rows = data(plot.precision_recall(judgments, run, each_query=True))
    nothing = [
        (row["recall"], float(row["precision"])) for row in rows if (row["part"], row["query"]) == ("query", "r")
    ]
    assert {up for _, up in nothing} == {0.0}


def test_the_prevalence_of_scores_is_drawn_as_the_precision_of_guessing() -> None:
    spec = plot.precision_recall(scores()).spec
    levels = [row for rows in spec["datasets"].values() for row in rows if str(row.get("label", "")).startswith("prev")]
    assert [row["precision"] for row in levels[:1]] == [ACTUAL.mean()]


def test_the_shaded_area_of_scores_is_average_precision() -> None:
    corners = part(data(plot.precision_recall(scores(), shade=True)), "area")
    first = dict(reversed([(across, up) for across, up in corners]))  # the first point at each recall
    levels = sorted(first)
    area = sum(first[level] * (level - before) for before, level in itertools.pairwise(levels))
    order = np.argsort(-SCORES)
    hits = ACTUAL[order]
    precision = (np.cumsum(hits) / np.arange(1, len(hits) + 1))[hits].mean()
    assert area == pytest.approx(precision, abs=1e-6)


def test_marks_that_do_not_apply_are_refused() -> None:
    with pytest.raises(BadSetting, match="scores have no queries; each_query requires judgments and runs"):
        plot.precision_recall(scores(), each_query=True)
    with pytest.raises(BadSetting, match="'ranks' shows one query"):
        plot.precision_recall(QRELS, RUNS, form="ranks", query="q1", each_query=True)


def test_labels_of_cutoffs_that_would_overlap_are_left_out() -> None:
    def labels(drawn: Plot) -> list[int]:
        sets = drawn.spec["datasets"].values()
        (rows,) = (rows for rows in sets if "rank" in rows[0] and len({row["system"] for row in rows}) == 1)
        return [row["rank"] for row in rows]

    few = plot.precision_recall(QRELS, RUNS, form="cutoffs", points=[1, 1000])
    assert (labels(few), few.key) == ([1, 1000], "")
    many = plot.precision_recall(QRELS, RUNS, form="cutoffs", points=[1, 900, 950, 1000])  # the last three at 0.00x
    assert (labels(many), many.key) == ([1, 1000], "labels of cutoffs that would overlap are left out")


def test_several_prevalences_have_one_label_with_their_range() -> None:
    by_class = [[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7], [0.4, 0.4, 0.2], [0.3, 0.3, 0.4]]
    classified = cranfield.classify(list("aaabbc"), probability=by_class, labels=list("abc"))
    assert "prevalence 0.167 to 0.5" in plot.precision_recall(classified).to_svg()
