"""Agreement from files and tables: for all, for two, for a topic, with intervals and in words."""

from __future__ import annotations

import io
import json
import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from counted_ratings import from_counts, from_table
from cranfield import agree
from cranfield.agreement.result import agreement, standard_measures
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.ratings import Ratings, ratings
from cranfield.measures.interpretation import agreement_label
from cranfield.measures.naming import parse
from cranfield.measures.registry import Measure
from cranfield.statistics.agreement import AgreementInterval, agreement_intervals
from cranfield.tables.raters import as_ratings
from cranfield.tables.ratings import rated

ROWS = [
    ("t1", "d1", "ann", 1),
    ("t1", "d1", "bob", 1),
    ("t1", "d1", "cy", 0),
    ("t1", "d2", "ann", 0),
    ("t1", "d2", "bob", 0),
    ("t2", "d1", "ann", 1),
    ("t2", "d1", "bob", 0),
    ("t2", "d3", "ann", 2),
    ("t2", "d3", "cy", 2),
    ("t2", "d4", "bob", 1),
]


def agreement_interval(measure: Measure, *given: Any, **settings: Any) -> AgreementInterval:
    (found,) = agreement_intervals([measure], *given, **settings)
    return found


def kappa(data: object) -> float:
    (found,) = parse("Kappa", "ratings").values(ratings(as_ratings(data)).pooled)
    return float(found)


@pytest.mark.parametrize("gaps", ["ann", "bob"])
def test_two_raters_agree_as_a_pair_as_they_do_as_all(gaps):
    """Scott's pi by hand: the chance is that of all seven ratings, one of an item that only one of the two rated."""
    by_rater = {"ann": {"a": 1, "b": 2, "c": 3, "d": 1}, "bob": {"a": 1, "b": 2, "c": 3, "d": 2}}
    del by_rater[gaps]["c"]
    alone = agree(by_rater, resamples=0)
    among_others = agree(by_rater | {"cy": {"a": 3, "d": 3}}, resamples=0)
    chance = (9 + 9 + 1) / 49
    assert alone["Fleiss"] == pytest.approx((2 / 3 - chance) / (1 - chance))
    value = {row.measure: row.value for row in alone.of("all")}
    for result in (alone, among_others):
        assert {row.measure: row.value for row in result.of("pair") if row.name == "ann & bob"} == value


def test_single_ratings_may_put_fleiss_kappa_below_its_usual_range():
    result = agree({"ann": {"a": 1}, "bob": {"a": 2, "b": 1}}, "Fleiss", resamples=0)
    chance = (4 + 1) / 9
    assert result["Fleiss"] == pytest.approx(-chance / (1 - chance))
    assert parse("Fleiss", "ratings").declaration.bounds[0] < result["Fleiss"] < -1


def test_every_form_of_the_same_ratings_gives_the_same(tmp_path, monkeypatch):
    expected = kappa(ROWS)
    qrels = "".join(f"{t} {r} {d} {g}\n" for t, d, r, g in ROWS)
    (tmp_path / "assessed.qrels").write_text(qrels)
    (tmp_path / "long.csv").write_text(
        "topic,document,assessor,grade\n" + "".join(f"{t},{d},{r},{g}\n" for t, d, r, g in ROWS)
    )
    wide: dict[tuple[str, str], dict[str, int]] = {}
    for t, d, r, g in ROWS:
        wide.setdefault((t, d), {})[r] = g
    lines = [
        f"{t}\t{d}\t" + "\t".join(str(said.get(r, "")) for r in ("ann", "bob", "cy")) for (t, d), said in wide.items()
    ]
    (tmp_path / "wide.tsv").write_text("query\titem\tann\tbob\tcy\n" + "\n".join(lines) + "\n")
    for who in ("ann", "bob", "cy"):
        (tmp_path / f"{who}.qrels").write_text("".join(f"{t} 0 {d} {g}\n" for t, d, r, g in ROWS if r == who))
    frame = pd.DataFrame(ROWS, columns=["topic", "document", "rater", "label"])
    nested: dict[str, dict[str, dict[str, int]]] = {}
    for t, d, r, g in ROWS:
        nested.setdefault(r, {}).setdefault(t, {})[d] = g
    forms = [
        tmp_path / "assessed.qrels",
        str(tmp_path / "long.csv"),
        tmp_path / "wide.tsv",
        [tmp_path / f"{who}.qrels" for who in ("ann", "bob", "cy")],
        frame,
        frame.pivot(index=["topic", "document"], columns="rater", values="label").reset_index(),
        nested,
    ]
    assert [kappa(form) for form in forms] == pytest.approx([expected] * len(forms))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(qrels.encode())))
    assert kappa("-") == pytest.approx(expected)


def test_items_need_no_topic():
    said = {"ann": {"d1": "yes", "d2": "no", "d3": "yes"}, "bob": {"d1": "yes", "d2": "no", "d3": "no"}}
    rows = [(item, rater, label) for rater, items in said.items() for item, label in items.items()]
    assert kappa(said) == pytest.approx(kappa(rows)) == pytest.approx(0.4)


def test_a_rating_not_given_is_not_a_category():
    data = as_ratings([("d1", "a", 1), ("d1", "b", None), ("d1", "c", 1), ("d2", "a", ""), ("d2", "b", 0)])
    assert data.categories == (0.0, 1.0)
    assert len(data.item) == 3


def test_categories_stand_in_the_order_given():
    data = rated(["high", "low", "middle"], [1, 1, 2], ["a", "b", "a"], order=["low", "middle", "high"])
    assert data.categories == ("low", "middle", "high")
    assert data.category.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([("d1", "a", 1), ("d1", "a", 0), ("d1", "b", 0)], "rater 'a' rated item 'd1' more than once"),
        ([("d1", "a", 1), ("d2", "a", 0)], "all ratings are by one rater, 'a'"),
        ([], "there are no ratings"),
        ([("d1", "a", None), ("d1", "b", None)], "there are no ratings"),
        ([(1, 2)], "rows of ratings must be"),
        ([[0, 0, 0, 0, 14], [0, 2, 6, 4, 2]], r"for rows of counts, .* pass counts=True"),
        ({"a": [1, 2]}, "rater 'a': expected {item: category}, got list"),
        (7, "int does not contain ratings"),
    ],
)
def test_what_cannot_be_read_is_said(data, said):
    with pytest.raises(BadInput, match=said):
        as_ratings(data)


def test_a_file_with_other_columns_is_refused_with_those_that_would_do(tmp_path):
    (tmp_path / "odd.csv").write_text("item,comment\nd1,fine\n")
    with pytest.raises(BadInput, match="are not those of ratings"):
        as_ratings(tmp_path / "odd.csv")
    (tmp_path / "short.csv").write_text("item,rater,label\nd1,a\n")
    with pytest.raises(BadInput, match="line 2: 2 fields, but the header has 3"):
        as_ratings(tmp_path / "short.csv")


def test_columns_of_other_lengths_are_refused():
    with pytest.raises(BadInput, match="must all have the same length; they have 2, 3"):
        rated([1, 2, 3], ["a", "b"])


def test_items_that_nobody_shares_leave_nothing_to_agree_on():
    data = ratings(as_ratings([("d1", "a", 1), ("d2", "b", 0)]))
    with pytest.raises(BadInput, match="at least two raters"):
        agreement(data, standard_measures(data))


def test_the_words_are_those_of_landis_and_koch_on_their_bands():
    table_2 = {"poor": -0.01, "slight": 0.20, "fair": 0.40, "moderate": 0.60, "substantial": 0.80, "almost perfect": 1}
    assert {agreement_label(upper): upper for upper in table_2.values()} == table_2
    assert [agreement_label(value) for value in (0.0, -1e-17, 0.21, 0.41, 0.61, 0.81)] == [
        *("slight", "slight", "fair", "moderate", "substantial", "almost perfect")
    ]
    assert agreement_label(float("nan")) == ""
    assert (
        agreement_label(0.4)
        == agreement_label(0.1 + 0.3)
        == agreement_label(0.7 - 0.3)
        == agreement_label(0.4000000000000001)
        == "fair"
    )


def test_coefficients_for_all_for_pairs_and_for_topics():
    data = ratings(as_ratings(ROWS))
    found = agreement(data, standard_measures(data), resamples=50)
    assert {row.name for row in found.of("pair")} == {"ann & bob", "ann & cy", "bob & cy"}
    assert {row.name for row in found.of("topic")} == {"t1", "t2"}
    assert found.row("Agreement").n_items == 4
    assert found.row("Agreement", "ann & cy").value == 0.5
    assert found.row("Agreement").band == ""
    assert found.notes == ("fewer than two ratings, so there is nothing to compare: 1 item",)
    assert found["Fleiss"] == found.row("Fleiss").value
    with pytest.raises(BadInput, match="no Kappa for 'nobody'"):
        found.row("Kappa", "nobody")


def test_two_raters_are_a_pair_and_one_topic_is_a_topic():
    data = ratings(as_ratings({"ann": {"d1": 1, "d2": 0, "d3": 1}, "bob": {"d1": 1, "d2": 0, "d3": 0}}))
    found = agreement(data, [parse("Kappa", "ratings")], resamples=20)
    assert [(row.scope, row.name, round(row.value, 4)) for row in found.rows] == [
        ("all", "all", 0.4),
        ("pair", "ann & bob", 0.4),
        ("topic", "all", 0.4),
    ]
    with pytest.raises(BadInput, match="the raters are unknown"):
        agreement(from_counts([[2, 1], [0, 3]]), [parse("Fleiss", "ratings")], per=["pair"])


TEXTS = {"ann": {"d1": "good", "d2": "poor", "d3": "fair"}, "bob": {"d1": "good", "d2": "fair", "d3": "fair"}}


@pytest.mark.parametrize(
    "name",
    [
        "Overlap",
        "Alpha(level='interval')",
        "Alpha(level='ordinal')",
        "Kappa(weights='linear')",
        "Fleiss(weights='quadratic')",
        "AC1(weights='linear')",
        "Agreement(weights='linear')",
    ],
)
def test_texts_without_an_order_have_no_coefficients_of_grades(name):
    measure = parse(name, "ratings")
    with pytest.raises(BadInput, match="fair, good, poor are texts without an order"):
        measure.values(ratings(as_ratings(TEXTS)))
    order = ["poor", "fair", "good"]
    grades = {rater: {item: order.index(text) for item, text in said.items()} for rater, said in TEXTS.items()}
    ordered, numbers = ratings(as_ratings(TEXTS, order=order)), ratings(as_ratings(grades))
    assert measure.values(ordered) == pytest.approx(measure.values(numbers))


def test_texts_in_an_order_get_the_coefficients_that_need_one():
    named = [str(measure) for measure in standard_measures(ratings(as_ratings(TEXTS, order=["poor", "fair", "good"])))]
    assert "Alpha(level='ordinal')" in named
    assert not {"Overlap", "Alpha(level='interval')"} & {*named}


def test_one_item_has_a_coefficient_but_no_interval():
    one = ratings(
        as_ratings([("t1", "d1", "a", 1), ("t1", "d1", "b", 0), *[("t2", d, r, 1) for d in "xy" for r in "ab"]])
    )
    found = agreement(one, [parse("Agreement", "ratings")], resamples=50)
    assert found.row("Agreement", "t1").value == 0
    assert np.isnan(found.row("Agreement", "t1").low)
    assert found.row("Agreement", "t1").interval == "none: at least 2 items are needed; got 1"
    assert found.row("Agreement", "t2").low < found.row("Agreement", "t2").high == 1


def test_an_interval_that_nobody_asked_for_is_not_missed():
    row = agreement(ratings(as_ratings(ROWS)), [parse("Fleiss", "ratings")], resamples=0).row("Fleiss")
    assert np.isnan(row.low)
    assert (row.interval, bool(row.band)) == ("", True)


def test_numbers_may_be_ordered_otherwise():
    data = rated([1, 2, 3], [1, 1, 2], order=["3", "1", "2"])
    assert data.categories == (3.0, 1.0, 2.0)


def test_settings_that_make_no_sense_are_refused():
    data = ratings(as_ratings(ROWS))
    with pytest.raises(BadSetting, match="number of resamples"):
        agreement(data, standard_measures(data), resamples=-1)
    with pytest.raises(BadSetting, match="seed must be a non-negative integer"):
        agreement(data, standard_measures(data), seed=-1)
    with pytest.raises(BadSetting, match="no coefficient was requested"):
        agreement(data, [])
    with pytest.raises(BadSetting, match="per must be among all, pair, topic, not rater"):
        agreement(data, standard_measures(data), per=["rater"])
    with pytest.raises(BadSetting, match="confidence must lie"):
        agreement(data, standard_measures(data), confidence=95)


def test_undefined_comes_with_its_reason():
    data = ratings(as_ratings([("d1", "a", 1), ("d1", "b", 1), ("d2", "a", 1), ("d2", "b", 1)]))
    row = agreement(data, [parse("Kappa", "ratings")], resamples=20).row("Kappa")
    assert np.isnan(row.value)
    assert row.interval == "undefined: all ratings are in one category"
    unshared = ratings(as_ratings([("t1", "d1", "a", 1), ("t1", "d1", "b", 1), ("t2", "d2", "a", 1)]))
    found = agreement(unshared, [parse("Kappa", "ratings")], resamples=20)
    assert found.row("Kappa", "t2").interval == "undefined: no item has two ratings"
    nobody = agreement(from_counts([[2, 1], [0, 3]]), [parse("Kappa", "ratings")], resamples=20)
    assert nobody.row("Kappa").interval == "undefined: the raters are unknown"


def test_agreement_goes_into_tables():
    data = ratings(as_ratings(ROWS))
    found = agreement(data, standard_measures(data), resamples=20)
    assert json.loads(found.to_json())["settings"]["resamples"] == 20
    assert found.to_csv().startswith("measure,scope,name,n_items,value,low,high,band,interval,note\n")
    assert found.table().num_rows == len(found.rows)


def test_text_categories_get_no_coefficients_of_grades():
    named = [str(measure) for measure in standard_measures(from_table([[3, 1], [1, 3]], categories=("no", "yes")))]
    assert named == ["Agreement", "Kappa", "Fleiss", "S", "AC1", "Alpha"]
    assert not any(str(measure).startswith("Kappa") for measure in standard_measures(from_counts([[2, 1], [0, 3]])))


def test_intervals_hold_the_value_and_come_again_with_the_seed():
    data = from_table([[40, 5], [9, 30]])
    first, again, other = (agreement_interval(parse("Kappa", "ratings"), data, seed=seed) for seed in (1, 1, 2))
    assert first.low[0] < 0.66 < first.high[0]
    assert first.low == again.low
    assert first.low != other.low


def test_one_topic_cannot_be_resampled_and_says_so():
    found = agreement_interval(parse("Kappa", "ratings"), from_table([[4, 1], [1, 3]]), resample="topic")
    assert "at least 2 topics are needed; got 1" in found.method[0]
    with pytest.raises(BadSetting, match="resample must be one of 'item', 'topic'"):
        agreement_interval(parse("Kappa", "ratings"), from_table([[4, 1], [1, 3]]), resample="rater")


CHANCE = np.array([[0.35, 0.07, 0.03], [0.05, 0.2, 0.05], [0.02, 0.08, 0.15]])


@pytest.fixture(scope="module")
def collections() -> Ratings:
    """Two raters who share 120 items in each of two thousand collections, which stand as topics."""
    rng = np.random.default_rng(3)
    pair = rng.choice(9, (2_000, 120), p=CHANCE.ravel())
    topic, item = np.indices(pair.shape)
    said = np.concatenate([pair.ravel() // 3, pair.ravel() % 3])
    rater = np.repeat([0, 1], pair.size)
    return ratings(rated(said, np.tile(item.ravel(), 2), rater, np.tile(topic.ravel(), 2)))


@pytest.mark.simulation
@pytest.mark.parametrize(
    "name",
    [
        "Agreement",
        "Kappa",
        "Kappa(weights='linear')",
        "Kappa(weights='quadratic')",
        "Fleiss",
        "AC1",
        "S",
        "Alpha",
        "Alpha(level='ordinal')",
        "Alpha(level='interval')",
        "Overlap",
    ],
)
def test_intervals_cover(name, collections):
    measure = parse(name, "ratings")
    truth = measure.values(from_table(CHANCE * 1e9))[0]
    found = agreement_interval(measure, collections, resamples=300)
    assert 0.93 <= ((found.low <= truth) & (truth <= found.high)).mean() <= 0.97


@pytest.mark.simulation
def test_intervals_over_topics_cover_where_topics_differ():
    rng = np.random.default_rng(4)
    measure = parse("Agreement", "ratings")
    inside = []
    for _ in range(2_000):
        share = rng.beta(4, 2, 50)
        agree = rng.random((50, 8)) < share[:, None]
        first = rng.integers(0, 2, (50, 8))
        topic, item = np.indices((50, 8))
        said = np.concatenate([first.ravel(), np.where(agree, first, 1 - first).ravel()])
        data = ratings(rated(said, np.tile(item.ravel(), 2), np.repeat([0, 1], 400), np.tile(topic.ravel(), 2)))
        found = agreement_interval(measure, data, resample="topic", resamples=200)
        inside.append(found.low[0] <= 4 / 6 <= found.high[0])
    assert 0.93 <= np.mean(inside) <= 0.97


def test_a_masked_rating_is_not_given() -> None:
    masked = np.ma.array([1, 2, 2], mask=[False, True, False])
    rows = [(item, "ann", each) for item, each in zip("abc", masked, strict=True)]
    rows += [(item, "bob", each) for item, each in zip("abc", (1, 2, 1), strict=True)]
    assert agree(rows)["Agreement"] == 0.5


def test_who_rated_an_item_hardly_changes_the_interval_of_alpha() -> None:
    """Three ratings per item by forty people, or by always the same three."""
    chance = np.random.default_rng(5)
    people = [chance.choice(40, 3, replace=False) for _ in range(50)]
    said = [np.where(chance.random(3) < 0.05, 1 - truth, truth) for truth in chance.integers(0, 2, 50)]
    intervals = []
    for names in (people, [range(3)] * 50):
        rows = [(item, f"r{name}", label) for item in range(50) for name, label in zip(names[item], said[item])]
        frame = pd.DataFrame(rows, columns=["item", "rater", "label"])
        row = agree(frame, "Alpha", resamples=200).row("Alpha")
        intervals.append((row.value, row.low, row.high))
    assert intervals[0] == pytest.approx(intervals[1], abs=0.05)


RATED = {"ann": dict(enumerate("11111000001")), "bob": dict(enumerate("11110000011"))}


def test_the_answer_is_a_sentence_that_somebody_could_say() -> None:
    two = {who: {item: int(grade) for item, grade in said.items()} for who, said in RATED.items()}
    assert agree(two, resamples=0).answer == "The two raters agree on 82 % of 11 items; kappa is 0.63."
    three = two | {"cy": dict.fromkeys(range(11), 1)}
    assert agree(three, resamples=0).answer.startswith("On average, two raters of the same item agree on 64 % of 11")
    assert agree(two, "S", resamples=0).answer == "S is 0.64 over 11 items."
    ordered = {who: {item: grade + item % 3 for item, grade in said.items()} for who, said in two.items()}
    assert agree(ordered, resamples=0).answer.endswith(" (quadratic weights).")
    pairs = agree(three, per=["pair"], resamples=0)
    assert pairs.answer.startswith("Alpha is lowest for ann & cy (")


def test_pairs_and_topics_are_shown_on_request() -> None:
    three = {who: {item: int(grade) for item, grade in RATED["ann"].items()} for who in "abc"}
    three["c"] |= {0: 0}
    usual = str(agree(three, resamples=0))
    assert "more: 4 coefficients and pairs of raters (--per pair)" in usual
    assert "Pairs of raters\n" not in usual
    assert "Pairs of raters\n" in str(agree(three, per=["all", "pair"], resamples=0))
    assert "Pairs of raters\n" in agree(three, resamples=0).shown(every=True)
