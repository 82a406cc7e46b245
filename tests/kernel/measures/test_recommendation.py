"""Measures of recommended items and of groups agree with their definitions, from whatever the table is read."""

from __future__ import annotations

import csv
import random
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cranfield import compare, evaluate
from cranfield.engines.watched import Watched
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.ranked_items import RankedItems, ranked_items
from cranfield.measures.naming import parse
from cranfield.measures.registry import declarations
from cranfield.tables.items import read_items
from cranfield.tables.sources import as_judgments
from oracles import recommendation as papers
from oracles.risk import ranking

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

NAMES = ["1", "1a", "item-0001", "Ünïcode", "映画", "x" * 40, "d 1", "🙂", "10", "2"]
ITEMS_OF = [name for name, declared in declarations().items() if declared.evidence is RankedItems]
EXAMPLE = Path(__file__).parents[3] / "examples" / "movies"
Collection = tuple[papers.Table, papers.Table, papers.Items]


def collection(seed: int, n_users: int = 8) -> Collection:
    """Judgments, a run with ties, and items with repeated popularities; some are unknown, and a user is missing."""
    chance = random.Random(seed)
    qrels = {f"{'u' * (n % 3)}{n}": {} for n in range(n_users)}
    run: papers.Table = {}
    for user in qrels:
        qrels[user] = {name: chance.choice((-1, 0, 1, 2)) for name in chance.sample([*NAMES, "nobody's"], 4)}
        run[user] = {name: chance.choice((1.0, 2.0, 0.5)) for name in chance.sample([*NAMES, "new"], 6)}
    del run[chance.choice(list(run))]
    items = {
        name: {
            "popularity": chance.choice((0, 1, 1, 5, 20, 3.5)),
            "group": chance.choice(("a", "b", "c", "")),
            "genres": "|".join(chance.sample(["drama", "crime ", "sci-fi"], chance.randint(0, 3))),
        }
        for name in NAMES
    }
    items["1"]["popularity"], items["1"]["group"] = 7, "a"
    return qrels, run, items


def evaluated(data: Collection, *measures: str) -> Any:
    qrels, run, items = data
    return evaluate(qrels, run, measures, item_info=items, undefined="skip")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [None, 1, 3])
def test_values_over_all_users_are_what_they_are_defined_to_be(seed: int, k: int | None) -> None:
    qrels, run, items = collection(seed)
    at = "" if k is None else f"@{k}"
    result = evaluated(
        (qrels, run, items),
        *(f"{name}{at}" for name in ("ItemCoverage", "ItemGini", "ItemGini(corrected=True)", "ItemEquality",
                                     "ItemEntropy")),
    )  # fmt: skip
    shown = papers.lists(qrels, run, items, k)
    gini = papers.gini(shown, items)
    expected = [
        papers.coverage(shown, items),
        gini,
        papers.gini(shown, items, corrected=True),
        1 - gini,
        papers.entropy(shown, items),
    ]
    assert result.aggregated()[0].tolist() == pytest.approx(expected, nan_ok=True)
    assert np.isnan(result.values).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("k", [None, 1, 3])
def test_values_of_users_are_what_they_are_defined_to_be(seed: int, k: int | None) -> None:
    qrels, run, items = collection(seed)
    at = "" if k is None else f"@{k}"
    names = ("ARP", "APLT", "APLT(tail=0.05)", "Novelty", "Novelty(users=50)", "ILD", "ILD(distance='jaccard')",
             "Serendipity(popular=3)", "Serendipity(popular=100)")  # fmt: skip
    result = evaluated((qrels, run, items), *(f"{name}{at}" for name in names))
    for place, user in enumerate(result.units):
        (one,) = papers.lists({user: qrels[user]}, run, items, k)
        expected = [
            papers.popularity(one, items),
            papers.long_tail(one, items, 0.8),
            papers.long_tail(one, items, 0.05),
            papers.novelty(one, items, None),
            papers.novelty(one, items, 50),
            papers.diversity(one, items, "cosine"),
            papers.diversity(one, items, "jaccard"),
            papers.serendipity(one, items, qrels[user], 3),
            papers.serendipity(one, items, qrels[user], 100),
        ]
        assert result.values[0, :, place].tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("target", ["catalogue", "uniform", "relevant"])
@pytest.mark.parametrize("divergence", ["js", "js-nats", "tv"])
@pytest.mark.parametrize(("k", "p"), [(None, None), (3, 0.8)])
def test_rank_fairness_is_what_it_is_defined_to_be(target: str, divergence: str, k: Any, p: Any) -> None:
    for seed in range(3):
        qrels, run, items = collection(seed)
        settings = {"target": target, "divergence": divergence, "p": p}
        measure = parse("AWRF")(k=k, **settings)
        result = evaluated((qrels, run, items), str(measure))
        expected = [
            papers.fairness(ranking(run.get(user, {}))[:k], items, qrels[user], **settings) for user in result.units
        ]
        assert result.values[0, 0].tolist() == pytest.approx(expected, nan_ok=True, abs=1e-12)


def test_rank_fairness_in_nats_is_that_of_the_trec_fair_ranking_track() -> None:
    from scipy.spatial.distance import jensenshannon

    qrels, run = {"q": {"a": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    items = {"a": {"group": "x"}, "b": {"group": "y"}, "c": {"group": "y"}, "d": {"group": "y"}}
    discount = np.array([1, 1, 1 / np.log2(3)])
    exposure = [discount[0], discount[1] + discount[2]]
    value = evaluate(qrels, run, "AWRF(divergence='js-nats', target=uniform)", item_info=items).aggregated()[0, 0]
    assert value == pytest.approx(1 - jensenshannon(exposure, [0.5, 0.5]) ** 2)


def built(data: Collection, users: list[str]) -> RankedItems:
    qrels, run, items = data
    tops = {user.encode(): [name.encode() for name in ranking(run.get(user, {}))] for user in users}
    return ranked_items(tops, as_judgments({user: qrels[user] for user in users}), read_items(items))


@pytest.mark.parametrize("name", ITEMS_OF)
@pytest.mark.parametrize("seed", range(3))
def test_evidence_adds_and_a_user_is_scored_alone(name: str, seed: int) -> None:
    data = collection(seed)
    users = sorted(data[0], key=str.encode)
    parts, together = [built(data, [user]) for user in users], built(data, users)
    added = reduce(add, parts)
    assert (added.queries, added.n_unknown) == (together.queries, together.n_unknown)
    for field in ("unit", "rank", "item", "pool_unit", "pool_item", "pool_grade"):
        assert np.array_equal(getattr(added, field), getattr(together, field)), field
    measure = parse(name)(k=2)
    alone = np.concatenate([measure.values(part) for part in parts])
    assert np.array_equal(measure.values(together), alone, equal_nan=True)
    low, high = measure.declaration.bounds
    assert ((alone >= low) & (alone <= high) | np.isnan(alone)).all()
    if measure.declaration.pools:
        assert measure.micro(together) == pytest.approx(measure.micro(added), nan_ok=True)


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "frame", "rows"])
def test_items_come_from_any_table(form: str, tmp_path: Path) -> None:
    rows = list(csv.DictReader((EXAMPLE / "items.csv").read_text("utf-8").splitlines()))
    frame = pd.DataFrame(rows).astype({"popularity": int})
    table: Any = {"frame": frame, "rows": frame.to_dict("records")}.get(form, tmp_path / f"items.{form}")
    if form == "csv":
        frame.to_csv(table, index=False)
    elif form == "jsonl":
        frame.to_json(table, orient="records", lines=True, force_ascii=False)
    elif form == "parquet":
        frame.to_parquet(table)
    measures = ["ItemGini@5", "Novelty@5", "ILD@5", "AWRF@5"]
    inputs = EXAMPLE / "likes.qrels", [EXAMPLE / "popular.run", EXAMPLE / "personal.run"], measures
    usual = evaluate(*inputs, item_info=EXAMPLE / "items.csv")
    assert np.array_equal(usual.aggregated(), evaluate(*inputs, item_info=table).aggregated())


def test_numbers_are_features_and_other_texts_are_not() -> None:
    items = read_items([
        {"item": "a", "title": "A", "year": 1.0, "tags": "x|y"},
        {"item": "b", "title": "B", "year": 2.0, "tags": None},
    ])  # fmt: skip
    assert items.features.tolist() == [[1, 1, 1], [2, 0, 0]]


@pytest.mark.parametrize(
    ("items", "message"),
    [
        ([{"name": "a", "popularity": 1}], "none of the columns .* names the item"),
        ([{"item": "a"}, {"item": "a"}], "duplicate item 'a'"),
        ([{"item": ""}], "the name of the item is missing"),
        ([{"item": "a", "popularity": -1}], "must hold numbers of 0 or more"),
        ([{"item": "a", "popularity": "many"}], "must hold numbers of 0 or more"),
        ([{"item": "a", "popularity": None}, {"item": "b", "popularity": 1}], "popularity is missing"),
        ([{"item": "a", "year": float("nan")}], "year is missing"),
        ([{"item": "a", "group": "x"}], "this measure needs a column popularity"),
        ([{"item": "a", "popularity": 1, "Popularity ": 2}], "could each be the popularity; keep only one"),
        ([{"item": "a", "popularity": 1, "interactions": 2}], "could each be the popularity; keep only one"),
        (
            [{"item": name, "popularity": n} for name, n in (("a", 3), ("b", 5), ("Total", 8))],
            "'Total' contains the su",
        ),
        ([{"item": "a", "popularity": 1, "genres": "drama, crime"}], "'drama, crime': tags must be separated by |"),
    ],
)
def test_a_table_that_cannot_be_used_is_refused(items: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        evaluate({"u": {"a": 1}}, {"u": {"a": 1}}, "ARP@1", item_info=items)


@pytest.mark.parametrize(
    ("measure", "items", "message"),
    [
        ("ILD@5", [{"item": "a", "popularity": 1}], "needs features: columns of numbers, or tags in a column genres"),
        ("AWRF", [{"item": "a", "popularity": 1}], "needs a column group"),
    ],
)
def test_a_missing_column_is_named(measure: str, items: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        evaluate({"u": {"a": 1}}, {"u": {"a": 1}}, measure, item_info=items)


def test_measures_of_items_need_the_table_and_the_table_needs_them() -> None:
    with pytest.raises(BadSetting, match="ItemCoverage@5 needs data on items"):
        evaluate({"u": {"a": 1}}, {"u": {"a": 1}}, "ItemCoverage@5")
    with pytest.raises(BadSetting, match="none was requested"):
        evaluate({"u": {"a": 1}}, {"u": {"a": 1}}, "AP", item_info={"a": {"popularity": 1}})


@pytest.mark.filterwarnings("default")
def test_documents_that_are_not_in_the_table_are_counted_in_a_warning() -> None:
    with pytest.warns(CranfieldWarning, match="2 ranked documents are not in rows|2 ranked documents are not in list"):
        evaluate({"u": {"a": 1}}, {"u": {"a": 3, "b": 2, "c": 1}}, "ARP", item_info={"a": {"popularity": 1}})


def test_a_user_without_known_items_is_undefined() -> None:
    result = evaluate(
        {"u": {"a": 1}, "v": {"a": 1}}, {"u": {"b": 1}, "v": {"a": 1}}, "ARP", item_info={"a": {"count": 4}}
    )
    assert result.per_query("ARP") == {"u": pytest.approx(np.nan, nan_ok=True), "v": 4}
    nobody = evaluate({"u": {"a": 1}}, {"u": {"b": 1}}, ["ItemGini", "ItemCoverage"], item_info={"a": {"count": 4}})
    assert nobody.aggregated()[0].tolist() == pytest.approx([np.nan, 0], nan_ok=True)
    assert "no ItemGini of run: none of the recommended items is in the table of items" in str(nobody)


def test_item_measures_can_be_compared_and_be_the_basis_of_risk() -> None:
    inputs = EXAMPLE / "likes.qrels", [EXAMPLE / "popular.run", EXAMPLE / "personal.run"]
    result = evaluate(
        *inputs, ["Novelty@5", "URisk(of=Novelty@5)"], item_info=EXAMPLE / "items.csv", baseline="popular"
    )
    assert compare(result, "popular").row("personal", measure="Novelty@5").difference > 0
    assert result["popular", result.measures[1]] == 0


def test_a_watched_run_is_as_deep_as_the_deepest_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    depths = []
    usual = Watched.__init__

    def noted(self: Watched, source: Any, judged: Any, depth: int, *rest: Any) -> None:
        depths.append(depth)
        usual(self, source, judged, depth, *rest)

    monkeypatch.setattr(Watched, "__init__", noted)
    inputs = EXAMPLE / "likes.qrels", EXAMPLE / "popular.run"
    evaluate(*inputs, ["ARP@3", "ILD@2"], item_info=EXAMPLE / "items.csv")
    evaluate(*inputs, ["ARP@3", "ILD@2"], item_info=EXAMPLE / "items.csv", depth=1)
    assert depths == [3, 1]


def test_the_index_of_a_data_frame_is_no_feature(tmp_path: Path) -> None:
    frame = pd.DataFrame({"item": ["a", "b", "c"], "id": [7, 8, 9], "light": [1.0, 0.0, 1.0], "dark": [0.0, 1.0, 1.0]})
    frame.to_csv(tmp_path / "items.csv")  # the index is a column without a name
    items = read_items(str(tmp_path / "items.csv"))
    assert items.feature_names == ("light", "dark")
    assert items.features.tolist() == frame[["light", "dark"]].to_numpy().tolist()


def test_tags_may_be_lists() -> None:
    rows = [
        {"item": "a", "genres": ["drama", "crime"]},
        {"item": "b", "genres": []},
        {"item": "c", "genres": ["crime"]},
    ]
    assert read_items(rows).features.tolist() == [[1, 1], [0, 0], [1, 0]]


LIST = {"u": {"a": 1}}, {"u": {"a": 3, "b": 2, "c": 1}}


@pytest.mark.filterwarnings("default")
def test_a_feature_that_outweighs_the_others_is_named() -> None:
    rows = [{"item": name, "light": n, "year": 1990 + n} for n, name in enumerate("abc")]
    with pytest.warns(CranfieldWarning, match="'year' makes up over 99.9 % .* so ILD@3 hardly depends on the others"):
        evaluate(*LIST, "ILD@3", item_info=rows)
    with pytest.raises(BadInput, match=r"the Jaccard distance needs tags, .* but 'year' has other numbers"):
        evaluate(*LIST, "ILD(distance=jaccard)@3", item_info=rows)


@pytest.mark.filterwarnings("default")
def test_items_without_a_group_are_counted_and_groups_may_be_floats() -> None:
    frame = pd.DataFrame({"item": [1.0, 2.0, 3.0], "group": [1, None, 2]})
    ranked = {"u": {"1": 1}}, {"u": {"1": 3, "2": 2, "3": 1}}
    with pytest.warns(CranfieldWarning, match="1 of 3 items without a group, left out of AWRF"):
        evaluate(*ranked, "AWRF", item_info=frame)
    assert read_items(frame).groups == ("1", "2")


def test_numbers_with_commas_are_no_text_to_be_left_out(tmp_path: Path) -> None:
    table = tmp_path / "items.csv"
    table.write_text('item,title,year,code\nd1,Alien,1999,01\nd2,1984,"2,001",02\n')
    with pytest.raises(BadInput, match=r"line 3: year '2,001' is not a number"):
        read_items(str(table))
    table.write_text("item,title,year,code\nd1,Alien,1999,01\nd2,1984,2001,02\n")
    features = read_items(str(table)).features
    assert features is not None
    assert features.tolist() == [[1999], [2001]]  # a title and a code are text
