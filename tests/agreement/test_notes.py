"""What an agreement does not say by itself is said with it: in Python, in tables, in CSV and in JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

from cranfield import agree
from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

SAME = {"ann": {"d1": 0, "d2": 1, "d3": 2}, "bob": {"d1": 0, "d2": 1, "d3": 2}}  # three items, all alike
CONSTANT = {"ann": {"d1": 0, "d2": 1, "d3": 1, "d4": 0}, "bob": {"d1": 0, "d2": 0, "d3": 0, "d4": 0}}
RARE = {"ann": dict.fromkeys(range(12), 0) | {0: 1}, "bob": dict.fromkeys(range(12), 0) | {0: 1, 1: 1}}
GAP = {"ann": {"d1": 0, "d2": 1, "d3": 3, "d4": 1}, "bob": {"d1": 0, "d2": 3, "d3": 3, "d4": 1}}  # nobody says 2

FEW = "fewer than 5 items outside the most frequent category"
WITH = "0.6364 with the unused 2 on the scale (order)"
WITHOUT = "0.7143 without the unused 2, 4 on the scale"

CASES = [
    (SAME, "Kappa", FEW, None),
    (CONSTANT, "Kappa", FEW, None),
    (RARE, "Kappa", FEW, None),
    (GAP, "Kappa(weights='linear')", WITH, None),
    (GAP, "Kappa(weights='linear')", WITHOUT, "0,1,2,3,4"),
]


@pytest.mark.parametrize(("said", "measure", "note", "order"), CASES)
def test_the_note_comes_with_the_figure_through_every_door(
    said: dict[str, dict[str, float]], measure: str, note: str, order: str | None, tmp_path: Path, capsys: Capture
) -> None:
    scale = None if order is None else list(map(float, order.split(",")))
    found = agree(said, measure, order=scale)
    row = found.row(measure)
    assert note in f"{row.interval} {row.note}"
    assert np.isnan(row.low)
    assert any(note in str(value) for value in found.records()["agreement"][0].values())
    assert note in found.to_csv()
    assert any(note in str(value) for value in json.loads(found.to_json())["agreement"][0].values())
    drawn = found.plot.kappas(measure=measure)
    assert any(note in one for one in drawn.notes)
    assert any(note in str(drawn.data.column(name)[0]) for name in ("interval", "note"))
    frame = pd.DataFrame(said).rename_axis("item").reset_index()
    frame.to_csv(tmp_path / "r.csv", index=False)
    given = ["agree", str(tmp_path / "r.csv"), "-m", measure, *([] if order is None else ["--order", order])]
    for form in ("table", "csv", "json", "markdown", "latex", "html"):
        assert main([*given, "-f", form]) == 0
        assert note in " ".join(capsys.readouterr().out.split())


def test_the_note_is_that_of_its_own_topic() -> None:
    few = {"a": 6, "b": 2}
    rows = [(topic, f"{topic}{n}", who, int(n < few[topic])) for topic in few for n in range(24) for who in "xy"]
    found = agree(rows, "Kappa")
    assert found.row("Kappa", "a").interval == "jeffreys"
    assert found.row("Kappa", "a").low < 1
    assert found.row("Kappa", "b").interval == f"none: {FEW}"
    assert agree([row for row in rows if row[1] in {f"a{n}" for n in range(19)}], "Kappa").rows[0].interval == (
        "none: fewer than 20 items"
    )


def test_coefficients_that_do_not_depend_on_frequencies_have_intervals_of_rare_categories() -> None:
    for measure in ("Agreement", "S", "AC1"):
        row = agree(RARE, measure).row(measure)
        assert row.low < row.value < row.high
        assert row.interval == "jeffreys"
    alike = {"ann": {1: "x", 2: "y"}, "bob": {1: "x", 2: "y"}}
    assert 0 < agree(alike, "Agreement").row("Agreement").low < 1


def test_without_resamples_there_is_nothing_to_note() -> None:
    assert agree(SAME, "Kappa", resamples=0).row("Kappa").interval == ""


def test_the_band_is_shown_beside_the_note(tmp_path: Path, capsys: Capture) -> None:
    pd.DataFrame(SAME).rename_axis("item").reset_index().to_csv(tmp_path / "r.csv", index=False)
    assert main(["agree", str(tmp_path / "r.csv"), "-m", "Kappa"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "almost perfect" in shown
    assert f"no interval for Kappa: {FEW}" in shown


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize("scale", [[0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 3]])
def test_weighted_kappa_on_a_scale_is_scikit_learns_with_its_labels(weights: str, scale: list[float]) -> None:
    a, b = (list(said.values()) for said in GAP.values())
    expected = cohen_kappa_score(a, b, labels=scale, weights=weights)
    assert agree(GAP, f"Kappa(weights={weights!r})", order=scale, resamples=0).rows[0].value == pytest.approx(expected)


def test_a_category_that_changes_nothing_is_not_mentioned() -> None:
    found = agree(GAP, ["Kappa", "Alpha(level='interval')", "Fleiss"], resamples=0)
    assert [row.note for row in found.rows] == [""] * len(found.rows)
    outer = agree(
        {"a": {1: 0, 2: 1, 3: 1}, "b": {1: 0, 2: 1, 3: 0}}, "Kappa(weights='linear')", order=[0, 1, 2], resamples=0
    )
    assert outer.rows[0].note == ""  # beyond the ends of what was used, a category changes no distance
    fractions = agree({"a": {1: 0.5, 2: 1.5}, "b": {1: 0.5, 2: 3.5}}, "S", resamples=0)
    assert fractions.rows[0].note == ""


def test_texts_on_a_scale_that_nobody_used() -> None:
    said = {"a": {1: "poor", 2: "good", 3: "good"}, "b": {1: "poor", 2: "poor", 3: "good"}}
    (row,) = agree(said, "S", order=["poor", "fair", "good"], per=["all"], resamples=0).rows
    assert row.note == "0.3333 without the unused fair on the scale"


def test_rows_read_as_csv_keep_their_note() -> None:
    rows = list(csv.DictReader(io.StringIO(agree(CONSTANT, "Kappa").to_csv())))
    assert all(row["interval"] == f"none: {FEW}" for row in rows)
    assert {row["low"] for row in rows} == {""}


def test_a_plot_of_many_raters_shows_some_notes_and_counts_the_others() -> None:
    said = {f"r{rater}": {item: int(item <= rater) for item in range(9)} for rater in range(6)}
    (note,) = agree(said, "Kappa").plot.kappas().notes
    assert note.startswith("r0 and r1, ")
    assert note.endswith(f"12 more: no interval: {FEW}")


def doubted(table: str, tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "ratings.csv").write_text(table)
    return agree(tmp_path / "ratings.csv", "Agreement", resamples=0).notes


def test_a_missing_rating_in_letters_counts_as_a_category_and_is_noted(tmp_path: Path) -> None:
    assert doubted("item,ann,bob\n1,a,a\n2,a,b\n3,b,NA\n", tmp_path) == (
        "'NA' counts as a category; leave the rating empty if it is missing",
    )


def test_categories_that_are_spelled_alike_are_noted(tmp_path: Path) -> None:
    assert doubted("item,ann,bob\n1,Yes,yes\n2,no,no\n3,yes,yes\n", tmp_path) == (
        "the categories 'Yes' and 'yes' count as different, although they are spelled alike",
    )


def test_a_column_of_derived_ratings_is_noted_beside_those_of_raters(tmp_path: Path) -> None:
    for name in ("majority", "gold", "Final label"):
        assert doubted(f"item,ann,bob,{name}\n1,a,a,a\n2,a,b,a\n3,b,b,b\n", tmp_path) == (
            f"{name!r} counts as a rater; leave it out if its ratings were derived from those of the others",
        )
    assert doubted("item,gold,llm\n1,a,a\n2,a,b\n3,b,b\n", tmp_path) == ()  # compared with the truth on purpose
    assert doubted("item,ann,bob,goldie\n1,a,a,a\n2,a,b,a\n3,b,b,b\n", tmp_path) == ()


def test_a_column_that_shares_no_category_with_a_rater_is_noted(tmp_path: Path) -> None:
    assert doubted("item,ann,bob,confidence\n1,1,0,0.9\n2,1,1,0.7\n3,0,0,0.4\n", tmp_path) == (
        "'confidence' shares no category with any other rater; leave it out if it is not a rater",
    )
    assert doubted("item,ann,bob,cy\n1,1,0,2\n2,1,1,2\n3,0,0,2\n", tmp_path) == ()  # one category only


def test_a_mean_over_pairs_with_few_common_items_has_no_interval() -> None:
    """The kappa of a pair with a few common items is biased towards 0, and so is the mean over all pairs."""
    random = np.random.default_rng(1)
    rows = []
    for item in range(200):
        truth = random.random() < 0.3
        for rater in random.permutation(10)[:3]:
            known = random.random() < np.sqrt(0.8)
            rows.append((f"d{item}", f"r{rater}", int(truth if known else random.random() < 0.3)))
    found = agree(rows, ["Kappa", "Fleiss"], per=["all"])
    assert found.row("Kappa").interval.startswith("none: a mean over pairs of raters, of whom two have less than half")
    fleiss = found.row("Fleiss")
    assert fleiss.low < 0.8 < fleiss.high
    every = [(f"d{item}", f"r{rater}", (item + (item == rater)) % 2) for item in range(60) for rater in range(5)]
    assert agree(every, "Kappa", per=["all"]).row("Kappa").interval == "jeffreys"
