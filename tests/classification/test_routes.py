"""One set of predictions through every door: the same classes, the same counts, the same values."""

from __future__ import annotations

import datetime
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from classification.routes import ROUTES, Columns
from cranfield import classify
from cranfield.errors import BadInput, CranfieldWarning

DATES = [datetime.date(2024, 1, day) for day in (1, 2, 10)]
LABELS: dict[str, Sequence[Any]] = {
    "words": ("spam", "ham", "neither"),
    "padded and plain": ("01", "1", "001"),
    "other notations": ("0x1", "1", "1e0"),
    "fractions as text": ("1.0", "1.00", "v1.10"),
    "blanks": (" a", "a", "a "),
    "integers": (0, 1, 10),
    "negative integers": (-1, 0, 1),
    "large integers": (2**53, 2**53 + 1, 2**53 + 2),
    "truths": (False, True),
    "dates": DATES,
    "dates as text": ("2024-01-01", "2024-01-01 00:00:00", "2024-01-02"),
    "what looks missing": ("NA", "nan", "yes"),
    "signs of CSV": ('say "a"', "a,b", "a\tb", "a;b"),
    "several lines": ("one\ntwo", "one", "two"),
    "scripts": ("日本", "\u00f1", "n\u0303", "\ufeffx"),
    "cases": ("True", "true", "TRUE"),
}
BEYOND_64_BITS = (2**63, 2**63 + 1, 2**64 + 5)


def example(labels: Sequence[Any], seed: int = 0) -> Columns:
    chance = random.Random(seed)
    return {"y": [*labels, *chance.choices(labels, k=30)], "p": [*labels, *chance.choices(labels, k=30)]}


def counted(columns: Columns) -> Counter[tuple[str, str]]:
    return Counter((str(y), str(p)) for y, p in zip(columns["y"], columns["p"], strict=True))


def found(data: Any) -> Counter[tuple[str, str]]:
    matrix = classify("y", "p", data=data, measures="Accuracy").confusion
    assert matrix is not None
    labels = [str(label) for label in matrix.labels]
    return Counter(
        {(y, p): int(n) for y, line in zip(labels, matrix.counts, strict=True) for p, n in zip(labels, line) if n}
    )


@pytest.mark.filterwarnings("ignore:the labels .* count as (different classes|a class)")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", LABELS)
def test_classes_are_the_same_by_every_route(kind: str, route: str, tmp_path: Path) -> None:
    columns = example(LABELS[kind])
    assert found(ROUTES[route](columns, tmp_path)) == counted(columns)


@pytest.mark.parametrize("route", [name for name in ROUTES if name not in ("Parquet", "Arrow", "Polars")])
def test_integers_beyond_64_bits_are_classes_of_their_own(route: str, tmp_path: Path) -> None:
    columns = example(BEYOND_64_BITS)
    assert found(ROUTES[route](columns, tmp_path)) == counted(columns)


@pytest.mark.parametrize(
    "data",
    [
        pa.table({"y": pa.array([2**63, 2**63 + 1], pa.uint64()), "p": pa.array([2**63, 2**63], pa.uint64())}),
        pl.DataFrame({"y": [2**63, 2**63 + 1], "p": [2**63, 2**63]}, schema={"y": pl.UInt64, "p": pl.UInt64}),
        {"y": np.array([2**63, 2**63 + 1], np.uint64), "p": np.array([2**63, 2**63], np.uint64)},
    ],
)
def test_unsigned_integers_are_classes_of_their_own(data: Any) -> None:
    assert found(data) == {(str(2**63), str(2**63)): 1, (str(2**63 + 1), str(2**63)): 1}


def test_labels_in_floating_point_must_be_exact() -> None:
    assert classify(np.array([1.0, 0.0]), np.array([1, 0]))["Accuracy"] == 1
    with pytest.raises(BadInput, match="row 1: actual is the floating-point number 9223372036854775808"):
        classify(np.array([1.0, 2.0**63]), np.array([1.0, 2.0**63]))


def test_whole_numbers_written_with_a_point_are_the_same_labels(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p\n1,1.0\n0,0.0\n1,0.0\n")  # as pandas writes integers beside which some are missing
    assert classify("y", "p", data=path)["Recall"] == 0.5


@pytest.mark.parametrize(("first", "second"), [("01", "1"), (" a", "a"), ("1", "1.0")])
def test_labels_that_differ_only_in_writing_are_kept_apart_and_named(first: str, second: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"y,p\n{first},{first}\n{second},{first}\n")
    with pytest.warns(CranfieldWarning, match=f"the labels '{first}' and '{second}' count as different classes"):
        assert classify("y", "p", data=path, measures="Accuracy")["Accuracy"] == 0.5


@pytest.mark.parametrize("cell", ["", "NA", "nan", "null"])
def test_a_missing_label_is_refused(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text(f"y,p,z\n1,1,0\n0,{cell},0\n")
    with pytest.raises(BadInput, match="line 3: p is missing"):
        classify("y", "p", data=path)


@pytest.mark.parametrize("kind", ["integers", "truths"])
@pytest.mark.parametrize("route", ROUTES)
def test_groups_and_items_are_the_same_by_every_route(kind: str, route: str, tmp_path: Path) -> None:
    columns = example(LABELS[kind])
    columns["fold"] = ["01", "1", *["2"] * (len(columns["y"]) - 2)]
    columns["id"] = ["1", "01", *map(str, range(2, len(columns["y"])))]
    result = classify("y", "p", data=ROUTES[route](columns, tmp_path), by="fold", item="id", measures="Accuracy")
    assert result.result.units == ("01", "1", "2")


def test_groups_may_be_called_by_numbers_with_a_point(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("y,p,version\n1,1,1.1\n0,0,1.10\n")
    assert classify("y", "p", data=path, by="version", measures="Accuracy").result.units == ("1.1", "1.10")


SCORES = ["0.5", "1e-320", "-3", "0.1", ".25", "7", "123456789.125", "1e10"]


@pytest.mark.parametrize("route", ROUTES)
def test_scores_are_the_same_by_every_route(route: str, tmp_path: Path) -> None:
    written = "CSV" in route or route == "TSV"
    columns: Columns = {"y": [0, 1] * 4, "s": [text if written else float(text) for text in SCORES]}
    given = classify("y", score="s", data=ROUTES[route](columns, tmp_path)).of().predictions
    assert given.score is not None
    assert given.score.tolist() == list(map(float, SCORES))


LARGE = [2**53, 2**53 + 1, 5, 7]


@pytest.mark.parametrize("route", ROUTES)
def test_integer_scores_that_would_lose_their_order_are_refused(route: str, tmp_path: Path) -> None:
    data = ROUTES[route]({"y": [0, 1, 0, 1], "s": LARGE}, tmp_path)
    with pytest.raises(BadInput, match=r"score 9007199254740993 equals 9007199254740992 .* when rounded"):
        classify("y", score="s", data=data)


@pytest.mark.parametrize("make", [list, np.array, pa.array, pd.Series, pl.Series, lambda given: [*map(str, given)]])
def test_so_they_are_without_a_table(make: Callable[[Any], Any]) -> None:
    with pytest.raises(BadInput, match=r"row 1: score 9007199254740993 equals 9007199254740992"):
        classify([0, 1, 0, 1], score=make(LARGE))
    apart = make([2**60, 2**61, 5, 7])
    assert classify([0, 1, 0, 0], score=apart)["AUC"] == 1


def test_masked_values_are_missing() -> None:
    masked = np.ma.array([1, 0, 1], mask=[False, True, False])
    for call in (
        lambda: classify(masked, [1, 0, 1]),
        lambda: classify([1, 0, 1], masked),
        lambda: classify([1, 0, 1], score=masked),
        lambda: classify([1, 0, 1], score=np.ma.array([0.1, 0.2, 0.3], mask=[False, True, False])),
        lambda: classify([1, 0, 1], probability=np.ma.array([0.1, 0.2, 0.3], mask=[False, True, False])),
        lambda: classify([1, 0, 1], [1, 0, 1], weight=masked),
        lambda: classify([1, 0, 1], [1, 0, 1], by=masked),
        lambda: classify(np.ma.array(["a", "b", "a"], mask=[False, True, False]), ["a", "b", "a"]),
        lambda: classify([1, 0, 1], probability=np.ma.array([[0.5, 0.5]] * 3, mask=[[0, 0], [0, 1], [0, 0]])),
    ):
        with pytest.raises(BadInput, match=r"row 1: .* is missing"):
            call()
    assert classify(np.ma.array([1, 0, 1]), np.ma.array([1, 0, 0]))["Recall"] == 0.5
    assert classify([1, 0, 1], score=np.ma.array([2, 1, 3]))["AUC"] == 1


def test_a_key_that_is_missing_in_the_first_row_is_not_dropped(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    path.write_text('[{"y": 1}, {"y": 0, "s": 0.5}]')
    with pytest.raises(BadInput, match="item 0: score is missing"):
        classify("y", score="s", data=path)


def test_a_key_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"y": 1, "p": 1}\n{"y": 0, "p": 1, "p": 0}\n')
    with pytest.raises(BadInput, match="line 2: the key 'p' occurs twice in one object"):
        classify("y", "p", data=path)
