"""Rows and columns of totals are not counted as further classes, categories, items or queries."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from cranfield import agree, classify, compare, correlate, evaluate
from cranfield.errors import BadInput, BadSetting

ACTUAL, PREDICTED = [*"aabbbcc"], [*"abbbbcc"]


def crossed(**settings: object) -> pd.DataFrame:
    return pd.crosstab(pd.Series(ACTUAL, name="actual"), pd.Series(PREDICTED, name="predicted"), **settings)


def test_a_cross_tabulation_with_margins_is_refused() -> None:
    assert classify(counts=crossed())["Accuracy"] == pytest.approx(6 / 7)
    with pytest.raises(BadInput, match="the column 'All' contains the totals of the others; leave it out"):
        classify(counts=crossed(margins=True))
    with pytest.raises(BadInput, match="contains the totals"):
        agree(crossed(margins=True), counts="contingency")


def test_totals_in_a_file_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "matrix.csv"
    path.write_text(",a,b,Total\na,5,1,6\nb,2,7,9\nTotal,7,8,15\n")
    with pytest.raises(BadInput, match=r"matrix\.csv: the column 'Total' contains the totals"):
        classify(counts=str(path))
    with pytest.raises(BadInput, match=r"matrix\.csv: the column 'Total' contains the totals"):
        agree(str(path), counts=True)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("item,a,b,c,total\ni1,1,2,3,6\ni2,2,2,2,6\n", "column 'total'"),
        ("item,a,b,c\ni1,1,2,3\ni2,2,2,2\nall,3,4,5\n", "row 'all'"),
        ("item,a,b,n\ni1,1,2,3\ni2,2,1,3\ni3,3,0,3\ni4,0,3,3\ni5,1,2,3\n", "column 'n'"),
    ],
)
def test_totals_of_counts_by_item_are_refused(text: str, named: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text(text)
    with pytest.raises(BadInput, match=f"the {named} contains the totals of the others"):
        agree(str(tmp_path / "counts.csv"), counts=True)


def test_a_class_that_happens_to_be_half_of_a_few_rows_is_no_total() -> None:
    assert classify(counts=[[1, 1, 2], [0, 1, 1], [0, 0, 0]])["Accuracy"] == pytest.approx(2 / 6)
    assert agree([[1, 1, 2], [2, 0, 2]], counts=True, resamples=0).of("all")[0].n_items == 2


@pytest.mark.parametrize("name", ["all", "Mean", "average"])
def test_a_row_of_means_is_no_query(name: str, tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text(f"query,a,b\n1,0.52,0.41\n2,0.31,0.12\n{name},0.415,0.265\n")
    with pytest.raises(BadInput, match=f"query '{name}' contains the means of the others; leave it out"):
        compare(str(tmp_path / "values.csv"))


def test_means_rounded_by_another_tool_and_sums_are_recognised() -> None:
    rounded = {"a": {"1": 1 / 3, "2": 2 / 7, "all": 0.3095}, "b": {"1": 0.5, "2": 0.1, "all": 0.3}}
    with pytest.raises(BadInput, match="unit 'all' contains the means"):
        compare(rounded)
    with pytest.raises(BadInput, match="unit 'all' contains the sums"):
        compare({"a": {"1": 3, "2": 4, "all": 7}, "b": {"1": 1, "2": 6, "all": 7}})
    assert compare({"a": {"1": 0.5, "2": 0.1, "all": 0.9}, "b": {"1": 0.5, "2": 0.2, "all": 0.3}}).rows[0].n == 3


def test_means_with_two_decimals_are_recognised() -> None:
    rounded = {"a": {"1": 0.51, "2": 0.95, "3": 0.14, "all": 0.53}, "b": {"1": 0.26, "2": 0.3, "3": 0.81, "all": 0.46}}
    with pytest.raises(BadInput, match="unit 'all' contains the means"):
        compare(rounded)
    binary = {"a": {"1": 1, "2": 0, "3": 0, "all": 0}, "b": {"1": 1, "2": 1, "3": 0, "all": 1}}
    assert compare(binary).rows[0].n == 4


def test_a_system_may_be_called_all() -> None:
    assert float(correlate({"all": 0.3, "bm25": 0.2, "dense": 0.4}, {"all": 3, "bm25": 2, "dense": 4})) == 1


def test_the_names_of_the_axes_of_a_frame_say_which_classes_are_actual() -> None:
    with pytest.raises(BadSetting, match="its rows are labelled 'predicted'; pass rows='predicted'"):
        classify(counts=crossed().T)
    with pytest.raises(BadSetting, match="its rows are labelled 'predicted'"):
        classify(counts=crossed().T.rename_axis(index=None))
    recall = classify(ACTUAL, PREDICTED, average="macro")["Recall"]
    assert classify(counts=crossed().T, rows="predicted")["Recall"] == pytest.approx(recall)


def test_the_first_column_of_a_frame_may_name_the_rows() -> None:
    frame = pd.DataFrame({"actual": ["b", "a"], "a": [1, 5], "b": [7, 2]})
    assert classify(counts=frame, positive="a").confusion.counts.tolist() == [[7, 1], [2, 5]]
    numbered = pd.DataFrame([[5, 2], [1, 7]])
    assert classify(counts=numbered).confusion.counts.tolist() == [[5, 2], [1, 7]]


VALUES = pd.DataFrame({"a": [0.1, 0.4, 0.3, 0.8], "b": [0.2, 0.1, 0.5, 0.7]})


@pytest.mark.parametrize("summary", ["mean", "sum", "median", "std", "min", "max", "count"])
def test_a_row_that_pandas_appended_is_no_query(summary: str) -> None:
    table = VALUES.copy()
    table.loc[summary] = VALUES.agg(summary)
    with pytest.raises(BadInput, match=f"row '{summary}' contains the .* of the others; leave it out"):
        compare(table)
    table.loc["std" if summary == "mean" else "mean"] = VALUES.agg("std" if summary == "mean" else "mean")
    with pytest.raises(BadInput, match=r"row '.*' contains the .* of the others; leave it out"):
        compare(table)


def test_a_summary_by_pandas_is_refused() -> None:
    with pytest.raises(BadInput, match=r"'count', 'mean', 'std', .* summarise values; pass the values, one row per"):
        compare(VALUES.describe())


@pytest.mark.parametrize(
    ("name", "column"),
    [
        ("mean", VALUES.mean(axis=1)),
        ("Total", VALUES.sum(axis=1)),
        ("diff", VALUES.a - VALUES.b),
        ("delta", VALUES.b - VALUES.a),
    ],
)
def test_a_column_that_is_computed_from_systems_is_none(name: str, column: pd.Series) -> None:
    with pytest.raises(BadInput, match=f"'{name}' contains the .* of other systems; leave it out, or rename it"):
        compare(VALUES.assign(**{name: column}))
    assert len(compare(VALUES.assign(**{name: column**2})).rows) == 3
    assert len(compare(VALUES.assign(median=VALUES.median(axis=1), best=VALUES.max(axis=1))).rows) == 6


def test_labels_of_several_types_name_rows() -> None:
    mixed = VALUES.set_axis([1, 2, "x", 3.5])
    assert compare(mixed).samples["value"].units == ("1", "2", "x", "3.5")


def test_columns_of_several_levels_and_series_are_refused() -> None:
    levels = VALUES.set_axis(pd.MultiIndex.from_tuples([("AP", "a"), ("RR", "a")]), axis=1)
    with pytest.raises(BadInput, match=r"columns of the data frame have 2 levels, such as \('AP', 'a'\)"):
        compare(levels)
    with pytest.raises(BadInput, match="this is a pandas series"):
        evaluate(pd.Series({("q", "d"): 1}), {"q": {"d": 1.0}})


@pytest.mark.parametrize("rows", ["1,yes,yes\n2,no,yes\n3,yes,no\nTotal,2,2\n", "1,1,1\n2,0,1\n3,1,0\nAll,2,2\n"])
def test_a_row_of_totals_is_no_rated_item(rows: str, tmp_path: Path) -> None:
    (tmp_path / "ratings.csv").write_text(f"item,ann,bob\n{rows}")
    with pytest.raises(BadInput, match=r"the item '(Total|All)' contains totals rather than ratings; leave it out"):
        agree(str(tmp_path / "ratings.csv"))
    (tmp_path / "ratings.csv").write_text("item,ann,bob\n1,1,1\n2,0,1\nall,1,0\n")
    assert agree(str(tmp_path / "ratings.csv"), resamples=0).of("all")[0].n_items == 3
