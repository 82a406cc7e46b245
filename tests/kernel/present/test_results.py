"""A result becomes a table that says no more and no less."""

from __future__ import annotations

import csv
import io
import json
import warnings

import pytest

from cranfield import classify, compare, evaluate
from cranfield.comparison import tables as comparison
from cranfield.errors import BadSetting, CranfieldWarning
from cranfield.measures.declaration import Aggregate
from cranfield.present.table import Column, Table
from cranfield.present.values import by_query, overview, ranked
from cranfield.results.values import Result

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1, "b": 0}, "q3": {"a": 0}}
GOOD = {"q1": {"c": 3.0, "a": 2.0, "b": 1.0}, "q2": {"a": 2.0, "b": 1.0}, "q3": {"a": 1.0}}
POOR = {"q1": {"b": 3.0, "a": 2.0, "c": 1.0}, "q2": {"b": 2.0, "a": 1.0}}


def result(*measures: str, **settings: object) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return evaluate(QRELS, {"good": GOOD, "poor": POOR}, measures or ("AP", "RR"), **settings)  # type: ignore[arg-type]


def shown(table: Table) -> list[list[str]]:
    return [[text for text, _, _ in table.shown(row)] for part in table.parts for row in part]


def best(table: Table) -> list[list[bool]]:
    return [[cell.best for cell in row] for part in table.parts for row in part]


def test_systems_stand_in_rows_and_measures_in_columns() -> None:
    table = overview(result("AP", "P@2"))
    assert [column.name for column in table.columns] == ["system", "AP", "P@2"]
    assert shown(table) == [["good", "0.6667", "0.5000"], ["poor", "0.3611", "0.3333"]]


def test_the_best_system_is_marked() -> None:
    assert best(overview(result("AP"))) == [[False, True], [False, False]]


def test_what_shows_the_same_figure_is_best_together_and_what_all_show_is_not_marked() -> None:
    assert best(overview(result("R@3", "NumRel"))) == [[False, False, False]] * 2
    assert best(overview(result("AP"), digits=0)) == [[False, True], [False, False]]


def test_where_less_is_better_the_least_is_best() -> None:
    table = overview(result("Fallout(collection=10)@1"))
    assert shown(table) == [["good", "0.0333"], ["poor", "0.0787"]]
    assert best(table) == [[False, True], [False, False]]


def test_one_system_is_not_the_best_of_one() -> None:
    assert best(overview(evaluate(QRELS, {"good": GOOD}, "AP"))) == [[False, False]]


def test_each_aggregate_has_its_rows() -> None:
    table = overview(result("P@2", "AP"), aggregates=["mean", "micro"])
    assert [row[:2] for row in shown(table)] == [
        ["mean", "good"],
        ["mean", "poor"],
        ["micro", "good"],
        ["micro", "poor"],
    ]
    assert shown(table)[2][3] == "–"
    assert "no micro average, because queries cannot be pooled: AP" in table.notes


def test_every_aggregate_has_its_interval_below_it() -> None:
    table = overview(result("AP", "Success@1"), digits=4)
    assert [table.below(row) for row in table.rows] == [
        ["", "0.208–0.939", "0.208–0.939"],
        ["", "0.071–0.807", "0.000–0.561"],
    ]
    assert table.notes[1] == "95 % intervals: bounded t; wilson for Success@1"


def test_a_probability_is_shown_as_0_or_1_only_if_it_is() -> None:
    column = Column("P(better)", numeric=True, digits=3, probability=True)
    shown = [column.shown(value) for value in (0.0, 0.0004, 0.5, 0.9994, 0.9996, 1.0)]
    assert shown == ["< 0.001", "< 0.001", "0.500", "0.999", "> 0.999", "1.000"]


def test_narrow_intervals_are_shown_with_as_many_decimals_as_their_width_takes() -> None:
    column = Column("AP", numeric=True, digits=4)
    assert column.between((0.4026, 0.7654)) == "0.403–0.765"
    assert column.between((0.00005, 0.00035)) == "0.00005–0.00035"
    assert column.between((0.0001, 0.0012)) == "0.0001–0.0012"
    assert column.between((0.50001, 0.50002)) == "0.500010–0.500020"
    assert column.between((-1e-16, 1e-16)) == "0.000–0.000"  # rounding has no width
    assert Column("MSE", numeric=True, digits=4).between((6.5934, 86.425)) == "6.593–86.425"


@pytest.mark.parametrize(
    ("name", "method"),
    [("AP", "bounded t"), ("RR", "bounded t"), ("DCG@5", "t"), ("Success@5", "wilson"), ("P@1", "wilson")],
)
def test_the_method_of_an_interval_follows_the_measure_and_not_the_data(name: str, method: str) -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(6)}
    run = {f"q{number}": {"a": 1.0} if number % 2 else {"b": 1.0} for number in range(6)}  # every value is 0 or 1
    assert evaluate(qrels, run, name).intervals().method == ((method,),)


def test_expected_values_over_ties_are_no_successes_any_more() -> None:
    qrels = {"p": {"a": 1}, "q": {"a": 1}, "r": {"a": 1}}
    run = {"p": {"a": 1.0, "b": 1.0}, "q": {"a": 1.0}, "r": {"b": 1.0}}
    found = evaluate(qrels, run, "P@1", ties="expected")
    assert found.intervals().method == (("bounded t",),)


@pytest.mark.filterwarnings("ignore:.*no retrieved document is judged")
@pytest.mark.parametrize("found", ["a", "b"])
@pytest.mark.parametrize("how", ["mean", "median", "geometric", "micro"])
def test_values_that_are_all_the_same_have_no_interval_and_say_why(found: str, how: Aggregate) -> None:
    qrels = {f"q{number}": {"a": 1} for number in range(9)}
    result = evaluate(qrels, {query: {found: 1.0} for query in qrels}, "P")
    table = overview(result, aggregates=[how])
    assert table.below(table.rows[0]) == []
    assert table.notes[1] == "95 % intervals: none (all values are the same: no variance)"
    assert result.intervals(method="bca").method == (("all values are the same: no variance",),)


def test_what_is_left_out_is_not_counted() -> None:
    table = overview(result("RR", "AP", undefined="skip"))
    assert table.notes[0] == "mean over 3 queries; AP over 2 of 3 queries"
    assert overview(result("AP", "Rprec", undefined="skip")).notes[0] == "mean over 2 of 3 queries"
    rows = result("RR", "AP", undefined="skip").table().to_pylist()
    assert {(row["measure"], row["queries"], row["undefined"]) for row in rows} == {("RR", 3, 0), ("AP", 2, 1)}
    assert {row["queries"] for row in result("AP").table().to_pylist()} == {3}
    pooled = result("R", undefined="skip").table(aggregates=["mean", "micro"]).to_pylist()
    assert [row["queries"] for row in pooled] == [2, 2, 3, 3]


def test_intervals_are_as_asked_for() -> None:
    drawn = overview(result("AP"), confidence=0.5, method="percentile")
    by_t = overview(result("AP"), confidence=0.5, method="t")
    assert by_t.rows[1][1].bounds == pytest.approx((0.2124, 0.5098), abs=1e-4)
    assert drawn.rows[1][1].bounds == pytest.approx((1 / 6 + 1 / 36, 1 / 2 + 1 / 36))
    assert overview(result("AP"), confidence=None).rows[0][1].bounds is None


def test_one_query_has_no_interval_and_the_notes_say_why() -> None:
    table = overview(evaluate({"q": {"a": 1}}, {"r": {"q": {"a": 1.0}}}, "AP"))
    assert table.below(table.rows[0]) == []
    assert table.notes[1] == "95 % intervals: none (at least 2 units are needed to estimate variance)"


def test_pooled_queries_have_the_interval_of_the_jackknife() -> None:
    found = result("P@2").intervals(how="micro")
    assert found.method == (("jackknife",), ("jackknife",))
    assert found["good", "P@2"] == (0.0, 1.0)
    assert found["poor", "P@2"][0] == pytest.approx(0.0, abs=0.2)


def test_queries_come_one_by_one_with_the_aggregate_below() -> None:
    table = by_query(result("AP"))
    assert shown(table) == [
        ["q1", "good", "1.0000"],
        ["q1", "poor", "0.5833"],
        ["q2", "good", "1.0000"],
        ["q2", "poor", "0.5000"],
        ["q3", "good", "–"],
        ["q3", "poor", "–"],
        ["all", "good", "0.6667"],
        ["all", "poor", "0.3611"],
    ]
    assert len(table.summary) == 2
    assert best(table)[:2] == [[False, False, True], [False, False, False]]


def test_one_system_is_named_above_its_queries() -> None:
    table = by_query(evaluate(QRELS, {"good": GOOD}, "AP"))
    assert (table.title, table.columns[0].name, table.columns[1].name) == ("good", "query", "AP")


def test_a_skipped_query_is_not_shown() -> None:
    table = by_query(result("RR", missing="skip"))
    assert [row[:2] for row in shown(table)][4:] == [["q3", "good"], ["all", "good"], ["all", "poor"]]
    assert table.notes[0] == "mean over 2 to 3 queries per system"


def test_what_is_counted_has_no_decimals() -> None:
    assert shown(overview(result("NumRet", "AP"))) == [["good", "6", "0.6667"], ["poor", "5", "0.3611"]]
    assert shown(overview(result("NumRet"), aggregates=["mean"]))[1] == ["poor", "1.6667"]


def test_notes_tell_what_was_undefined_and_what_it_counted_as() -> None:
    assert overview(result("AP", "NumRel")).notes == (
        "mean over 3 queries; sum for NumRel",
        "95 % intervals: bounded t; none (a sum over these queries does not generalise to other queries) for NumRel",
        "undefined and counted as 0: AP for 1",
    )
    assert "undefined and left out: AP for 1" in overview(result("AP", undefined="skip")).notes


def test_notes_name_the_systems_that_differ_in_what_is_undefined() -> None:
    assert "undefined and counted as 0: good (P for 1); poor (P for 2)" in _undefined_by_system().notes


def _undefined_by_system() -> Table:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        few = {"q1": {"a": 1.0}}
        return overview(evaluate(QRELS, {"good": few | {"q2": {"b": 1.0}}, "poor": few}, "P"))


def test_notes_tell_the_settings_that_are_not_the_usual_ones() -> None:
    assert overview(result("AP", ties="best", depth=2)).notes[-1] == "ties: best, depth: 2"


def test_systems_can_be_put_in_the_order_of_a_measure() -> None:
    assert ranked(result("AP"), "map").systems == ("good", "poor")
    assert ranked(result("Fallout(collection=10)@1"), "Fallout(collection=10)@1").systems == ("good", "poor")
    turned = ranked(result("NumUnjudgedRet", "AP"), "AP")
    assert turned.per_query("AP", "poor")["q1"] == pytest.approx(7 / 12)


def test_so_can_systems_that_label() -> None:
    labelled = classify([0, 1, 1, 0], {"poor": [1, 1, 0, 0], "good": [0, 1, 1, 0]}).result
    assert ranked(labelled, labelled.measures[0]).systems == ("good", "poor")
    assert ranked(labelled, "Accuracy").systems == ("good", "poor")


def test_systems_cannot_be_put_in_the_order_of_what_was_not_evaluated() -> None:
    with pytest.raises(BadSetting, match="nDCG was not evaluated; available: AP, RR"):
        ranked(result(), "nDCG")


def test_csv_has_a_row_for_each_value() -> None:
    rows = list(csv.reader(io.StringIO(result("AP").to_csv(per_query=True))))
    assert rows[0] == ["system", "query", "measure", "value"]
    assert rows[1:4] == [["good", "q1", "AP", "1.0"], ["good", "q2", "AP", "1.0"], ["good", "q3", "AP", ""]]
    assert len(rows) == 7


def test_json_has_the_values_and_where_they_come_from() -> None:
    content = json.loads(result("AP").to_json(per_query=True, digits=2))
    assert [record["value"] for record in content["results"]] == [0.67, 0.36]
    assert [record["value"] for record in content["queries"]] == [1.0, 1.0, None, 0.58, 0.5, None]
    assert content["provenance"]["settings"]["ties"] == "trec"


def test_small_differences_and_their_intervals_have_as_many_decimals_as_they_take() -> None:
    one, other = [0.0002, 0.0003, 0.0005, 0.0004], [0.0001, 0.0003, 0.0002, 0.0001]
    means, differences = map(shown, comparison.tables(compare({"one": one, "other": other}), every=True))
    # mean and mean ± 3.182446305 s / 2, by hand
    assert means[0][2:5] == ["0.00035", "0.00014", "0.00056"]
    assert differences[0][3:6] == ["0.00018", "-0.00006", "0.00041"]
