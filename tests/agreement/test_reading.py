"""Ratings as people store them: counts, codes, missing cells, comments; nothing is guessed, merged or dropped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from agreement.test_coefficients import COUNTS
from cranfield import agree
from cranfield.cli.main import main
from cranfield.errors import BadInput
from cranfield.tables.raters import as_ratings

HEADER = "document,1,2,3,4,5"
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    rows = (f"d{n}," + ",".join(map(str, row)) for n, row in enumerate(COUNTS))
    path = tmp_path / "counts.csv"
    path.write_text("\n".join([HEADER, *rows]) + "\n")
    return path


def test_counts_are_never_taken_for_ratings(counts: Path) -> None:
    for data in (counts, [counts], pd.read_csv(counts)):
        with pytest.raises(BadInput, match="every row adds up to 14, so these may be counts"):
            agree(data)


@pytest.mark.parametrize("names", ["abcde", "12345"])
def test_counts_are_never_taken_for_ratings_where_some_items_have_fewer_raters(names: str) -> None:
    rows = [
        [max(count - (row + place) % 4 // 3, 0) for place, count in enumerate(own)] for row, own in enumerate(COUNTS)
    ]
    assert len({sum(row) for row in rows}) > 1
    frame = pd.DataFrame(rows, columns=list(names))
    frame.insert(0, "document", [f"d{number}" for number in range(len(rows))])
    with pytest.raises(BadInput, match=r"rows add up to nearly the same, \d+ to \d+, so these may be counts"):
        agree(frame)
    with pytest.raises(BadInput, match="column names are numbers" if names == "12345" else "rows add up to nearly"):
        agree(frame[:4] if names == "12345" else frame)
    assert agree(frame, "Fleiss", counts=True, resamples=0)["Fleiss"] == pytest.approx(0.21, abs=0.05)


def test_a_few_counts_of_categories_called_by_numbers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("item,0,1,2\na,5,1,0\nb,0,2,6\nc,1,7,0\n")
    with pytest.raises(BadInput, match="column names are numbers, as categories may be"):
        agree(tmp_path / "counts.csv")


def test_categories_may_be_words_that_spell_no_finite_number(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("item,ann,bob\na,inf,good\nb,inf,poor\n")
    assert agree(tmp_path / "wide.csv", "Kappa", resamples=0).categories == ("good", "inf", "poor")


def test_grades_of_raters_are_no_counts() -> None:
    rng = np.random.default_rng(2)
    grade = rng.integers(0, 4, 12)
    own = {name: np.where(rng.random(12) < 0.6, grade, rng.integers(0, 4, 12)) for name in ("ann", "bob", "cleo")}
    for names in (list(own), ["1", "2", "3"]):
        frame = pd.DataFrame({"item": range(12), **dict(zip(names, own.values(), strict=True))})
        assert agree(frame, "Fleiss", resamples=0).raters == tuple(names)


def test_counts_that_are_said_to_be_counts(counts: Path) -> None:
    frame = pd.read_csv(counts)
    nested = {row["document"]: {c: row[c] for c in "12345"} for row in frame.to_dict("records")}
    for data in (counts, [str(counts)], frame, pa.table(frame), nested, COUNTS, np.array(COUNTS)):
        found = agree(data, ["Fleiss", "Agreement"], counts=True, resamples=0)
        assert found["Fleiss"] == pytest.approx(0.20993070442195524, abs=1e-12)
        assert found["Agreement"] == pytest.approx(0.378021978021978, abs=1e-12)
        assert found.row("Fleiss").n_items == 10


def test_ratings_that_are_said_to_be_ratings(counts: Path) -> None:
    assert agree(counts, "Fleiss", counts=False, resamples=0)["Fleiss"] == pytest.approx(0.0234375)


def test_a_category_that_nobody_chose_is_one_in_counts() -> None:
    full, narrow = ([[2, 1, 0], [1, 2, 0]], [[2, 1], [1, 2]])
    assert as_ratings(full, counts=True).categories == (0.0, 1.0, 2.0)
    s = [agree(table, "S", counts=True, resamples=0)["S"] for table in (full, narrow)]
    assert s == pytest.approx([(1 / 3 - 1 / 3) / (2 / 3), (1 / 3 - 1 / 2) / (1 / 2)])


@pytest.mark.parametrize("form", ["0 2 6 6\n14 0 0 0\n7 7 0 0\n", "0,2,6,6\n14,0,0,0\n", "1\t1\t1\t1\n2\t2\t0\t0\n"])
def test_counts_without_a_header_are_no_qrels(form: str, tmp_path: Path) -> None:
    (tmp_path / "counts.txt").write_text(form)
    with pytest.raises(BadInput, match="these may be counts"):
        agree(tmp_path / "counts.txt")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([[1, 2], [3, 0]], None),
        ([(0, 2, 1), (1, 1, 1), (3, 0, 0)], "may be counts"),
        ([(0, 1, 2, 1), (2, 1, 1, 0)], "may be counts"),
        ([("d1", "ann", 1), ("d1", "bob", 0)], None),
    ],
)
def test_rows_of_numbers_that_could_be_counts(data: object, said: str | None) -> None:
    if said:
        with pytest.raises(BadInput, match=said):
            as_ratings(data)
    assert as_ratings(data, counts=True if said or len(data[0]) == 2 else None)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ([[1, -1], [0, 0]], "row 1: -1 is not a count"),
        ([[1, 0.5], [0, 0]], "row 1: 0.5 is not a count"),
        ([[1, "x"], [0, 0]], "row 1: 'x' is not a count"),
        ([[1, 2], [3]], "must all have the same length"),
        ([[0, 0], [0, 0]], "there are no ratings"),
        ({"a": [1, 2]}, "dict does not contain counts"),
        (pd.DataFrame({"item": ["a", "a"], "yes": [2, 1], "no": [1, 2]}), "row 1: duplicate item 'a'"),
        (pd.DataFrame({"item": ["a", "b"], "rater": [2, 1], "no": [1, 2]}), "one per category, not 'rater'"),
    ],
)
def test_counts_that_are_none_are_refused(data: object, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        as_ratings(data, counts=True)


@pytest.mark.parametrize("first", [0, 1, 1001])
@pytest.mark.parametrize("name", ["subject", "Subject ID", "case"])
def test_numbers_of_items_are_no_counts(first: int, name: str) -> None:
    table = pd.DataFrame(COUNTS, columns=list("abcde"))
    table.insert(0, name, range(first, first + len(COUNTS)))
    if name == "case":
        with pytest.raises(BadInput, match="adds up to 14 without the column 'case', which seems to number the items"):
            agree(table, counts=True)
    else:
        assert agree(table, ["Fleiss"], counts=True, resamples=0)["Fleiss"] == pytest.approx(0.20993070442195524)


def test_rows_that_begin_with_the_number_of_the_item_are_no_counts() -> None:
    with pytest.raises(BadInput, match="without the column '0', which seems to number the items"):
        agree([[number, *row] for number, row in enumerate(COUNTS, 1)], counts=True)


def test_counts_by_different_numbers_of_raters_stay_counts() -> None:
    counts = pd.DataFrame({"item": ["x", "y", "z"], "a": [1, 2, 3], "b": [2, 1, 0], "c": [1, 2, 3]})
    assert agree(counts, "Fleiss", counts=True, resamples=0).row("Fleiss").n_items == 3
    assert agree([[0, 2], [1, 2], [3, 1]], "Fleiss", counts=True, resamples=0).row("Fleiss").n_items == 3


def test_counts_from_the_command_line(counts: Path, capsys: Capture) -> None:
    assert main(["agree", str(counts)]) == 1
    assert "--counts, --no-counts" in capsys.readouterr().err
    assert main(["agree", str(counts), "--counts", "-m", "Fleiss", "--resamples", "0", "-d", "6"]) == 0
    assert "0.209931" in capsys.readouterr().out


CODES = [("d1", "a", "01"), ("d1", "b", "1"), ("d2", "a", "1"), ("d2", "b", "1"), ("d3", "a", "01"), ("d3", "b", "01")]


def forms(rows: list[tuple[str, str, object]], folder: Path) -> list[object]:
    """The same ratings as rows, a dict, frames long and wide, CSV long and wide, and Parquet."""
    nested: dict[str, dict[str, object]] = {}
    for item, rater, label in rows:
        nested.setdefault(rater, {})[item] = label
    frame = pd.DataFrame(rows, columns=["item", "rater", "label"])
    wide = frame.pivot(index="item", columns="rater", values="label").reset_index()
    frame.to_csv(folder / "long.csv", index=False)
    wide.to_csv(folder / "wide.tsv", index=False, sep="\t")
    pa.parquet.write_table(pa.table(frame), folder / "long.parquet")
    return [rows, nested, frame, wide, *(folder / name for name in ("long.csv", "wide.tsv", "long.parquet"))]


@pytest.mark.parametrize(
    ("rows", "categories"),
    [
        (CODES, ("01", "1")),
        ([("d1", "a", "1.0"), ("d1", "b", "1"), ("d2", "a", "2"), ("d2", "b", "2.00")], (1.0, 2.0)),
        ([("d1", "a", "1_0"), ("d1", "b", "10"), ("d2", "a", "2"), ("d2", "b", "2")], ("10", "1_0", "2")),
        ([("d1", "a", "0x1"), ("d1", "b", "1"), ("d2", "a", "2"), ("d2", "b", "2")], ("0x1", "1", "2")),
        ([("d1", "a", "inf"), ("d1", "b", "1"), ("d2", "a", "2"), ("d2", "b", "2")], ("1", "2", "inf")),
        (
            [("d1", "a", str(2**53)), ("d1", "b", str(2**53 + 1)), ("d2", "a", "2"), ("d2", "b", "2")],
            ("2", str(2**53), str(2**53 + 1)),
        ),
    ],
)
def test_texts_are_numbers_only_if_all_of_them_are_and_none_is_merged(
    rows: list[tuple[str, str, str]], categories: tuple[object, ...], tmp_path: Path
) -> None:
    for data in forms(rows, tmp_path):
        assert as_ratings(data).categories == categories


def test_whole_numbers_beyond_53_bits_stay_apart(tmp_path: Path) -> None:
    rows = [("d1", "a", 2**53), ("d1", "b", 2**53 + 1), ("d2", "a", 2**53), ("d2", "b", 2**53)]
    for data in forms(rows, tmp_path):
        assert as_ratings(data).categories == (str(2**53), str(2**53 + 1))


def test_numbers_among_texts_are_the_same_however_they_are_stored() -> None:
    frame = pd.DataFrame({"item": ["x", "y", "z"], "a": [1.0, 2.0, np.nan], "b": ["1", "none", "2"]})
    assert as_ratings(frame).categories == ("1", "2", "none")


@pytest.mark.parametrize("gap", [None, "", float("nan")])
def test_a_name_that_is_missing_is_refused(gap: object) -> None:
    for place, what in enumerate(("topic", "item", "rater")):
        rows = [["t", "d1", "a", 1], ["t", "d1", "b", 1], ["t", "d2", "b", 0]]
        rows[2][place] = gap
        with pytest.raises(BadInput, match=f"row 3: the {what} is missing"):
            as_ratings([tuple(row) for row in rows])


def test_a_missing_name_in_a_file_is_located_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text("item,rater,category\nx,ann,1\nx,bob,0\ny,,1\n")
    (tmp_path / "wide.csv").write_text("item,ann,bob\nx,1,0\n,1,1\n")
    (tmp_path / "counts.csv").write_text("item,yes,no\nx,2,1\ny,two,1\n")
    with pytest.raises(BadInput, match=r"long.csv, line 4: the rater is missing"):
        as_ratings(tmp_path / "long.csv")
    with pytest.raises(BadInput, match=r"wide.csv, line 3: the item is missing"):
        as_ratings(tmp_path / "wide.csv")
    with pytest.raises(BadInput, match=r"counts.csv, line 3: 'two' is not a count"):
        as_ratings(tmp_path / "counts.csv", counts=True)


def test_raters_whose_names_are_the_same_text_are_refused() -> None:
    with pytest.raises(BadInput, match="duplicate '1' among the raters"):
        as_ratings({1: {"x": 1, "y": 0}, "1": {"z": 1}, "ann": {"x": 1, "y": 0, "z": 1}})


def test_a_comment_is_no_rater() -> None:
    frame = pd.DataFrame({"item": ["x", "y"], "ann": [1, 0], "bob": [1, 1], "notes": ["fine", "odd one"]})
    with pytest.raises(BadInput, match="'ann' contains numbers and column 'notes' text"):
        agree(frame)


def test_topics_in_some_places_only_are_refused() -> None:
    with pytest.raises(BadInput, match="some raters have"):
        as_ratings({"a": {"d1": 1}, "b": {"t": {"d1": 1}}})


def test_what_was_not_judged_is_counted(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "q.qrels").write_text("q a d1 1\nq b d1 0\nq a d2 -1\nq b d2 1\nq a d3 0\nq b d3 0\n")
    assert any("1 of 6 left out" in note for note in agree(tmp_path / "q.qrels", resamples=0).notes)
    for form in ("table", "json", "markdown"):
        assert main(["agree", str(tmp_path / "q.qrels"), "--resamples", "0", "-f", form]) == 0
        assert "1 of 6 left out" in capsys.readouterr().out


def test_a_category_twice_in_the_order_is_refused() -> None:
    with pytest.raises(BadInput, match="duplicate category in the given order"):
        as_ratings([("d1", "a", "x"), ("d1", "b", "y")], order=["x", "y", "x"])


@pytest.mark.parametrize("odd", [[1, 2], {"a": 1}, (1,), np.array([1, 2])], ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("place", range(3), ids=["item", "rater", "category"])
def test_a_list_is_no_value(odd: object, place: int) -> None:
    rows = [["i1", "ann", "x"], ["i1", "bob", "x"], ["i2", "ann", "y"], ["i2", "bob", "x"]]
    rows[2][place] = odd  # type: ignore[call-overload]
    what = ("item", "rater", "category")[place]
    with pytest.raises(BadInput, match=f"row 3: the {what} must be a single value"):
        agree(rows)


def test_bytes_are_text() -> None:
    texts = {"item": ["i1", "i1", "i2", "i2"], "rater": ["a", "b"] * 2, "category": ["x", "x", "y", "x"]}
    stored = {name: [value.encode() for value in column] for name, column in texts.items()}
    assert as_ratings(pa.table(stored)).categories == as_ratings(pa.table(texts)).categories == ("x", "y")
    stored["item"] = [b"\xff", b"\xff", b"\xfe", b"\xfe"]
    assert len(as_ratings(pa.table(stored)).names) == 2


def test_a_number_without_end_is_a_text(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text(f"item,rater,category\ni1,a,{'9' * 5000}\ni1,b,1\ni2,a,1\ni2,b,1\n")
    assert as_ratings(path).categories == ("1", "9" * 5000)


def test_counts_in_a_dict_are_not_read_as_ratings() -> None:
    frame = pd.DataFrame(COUNTS, columns=list("abcde"), index=[f"d{n}" for n in range(len(COUNTS))])
    by_category, by_item = frame.to_dict(), frame.to_dict("index")
    for given in (by_category, by_item, frame.reset_index(drop=True)):
        with pytest.raises(BadInput, match="every row adds up to 14, so these may be counts"):
            agree(given, "Fleiss")
    assert agree(by_item, "Fleiss", counts=True).rows[0].value == pytest.approx(0.20993, abs=1e-5)
    with pytest.raises(BadInput, match=r"this looks like {category: {item: n}}, since .* add up to 14"):
        agree(by_category, "Fleiss", counts=True)
    as_ratings_of_raters = agree(by_category, "Fleiss", counts=False, resamples=0)
    assert as_ratings_of_raters.rows[0].value == pytest.approx(0.0234, abs=1e-4)


def test_counts_below_the_names_of_categories_are_recognised(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "counts.csv"
    path.write_text("never,rarely,often\n3,0,0\n1,1,1\n0,2,1\n0,0,3\n2,1,0\n")
    assert main(["agree", str(path)]) == 1
    assert "every row adds up to 3, so these may be counts" in capsys.readouterr().err
    assert main(["agree", str(path), "--counts", "-m", "Fleiss", "--quiet"]) == 0


def test_ratings_by_topic_in_a_dict_are_no_counts() -> None:
    said = {who: {"t1": {"d1": 1, "d2": 0}, "t2": {"d1": 1}} for who in ("ann", "bob")}
    assert agree(said, "Agreement", resamples=0).rows[0].value == 1
