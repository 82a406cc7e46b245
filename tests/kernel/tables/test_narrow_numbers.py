"""Numbers of 32 and 16 bits: they are the decimals that they are written as, in every form."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cranfield
from cranfield.tables.numbers import number, widened, widened_column

NARROW = [np.float32, np.float16]
ACTUAL = [0, 1, 1, 0, 1, 0]
SCORE = [0.1, 0.7, 0.8, 0.3, 0.2, 0.7]
NEW = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8, 0.1]
OLD = [0.4, 0.3, 0.5, 0.4, 0.6, 0.1, 0.7, 0.2]

FORMS: dict[str, Callable[[Any], Any]] = {
    "NumPy": np.asarray,
    "scalars": list,
    "pandas": pd.Series,
    "pandas, with names": lambda array: pd.Series(array, index=[f"q{place}" for place in range(len(array))]),
    "pandas, nullable": lambda array: pd.Series(array, dtype="Float32"),
    "Polars": pl.Series,
}
CASES = [(form, np.float32) for form in FORMS] + [(form, np.float16) for form in list(FORMS)[:4]]


@pytest.mark.parametrize("kind", NARROW)
def test_a_narrow_number_is_the_decimal_that_it_is_written_as(kind: type[np.floating[Any]]) -> None:
    texts = ["0.7", "0.1", "-0.3", "12.5", "0", "1e-05", "1024", "inf"]
    values = np.array(texts, kind)
    wide = list(map(float, texts))
    assert widened(values).tolist() == wide
    assert [number(value) for value in values] == wide
    column = widened_column(pa.array([kind(0.7), None, kind(0.1)]))
    assert column.to_pylist() == [0.7, None, 0.1]


def test_every_number_of_32_bits_stays_itself() -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, 20_000, dtype=np.uint32).view(np.float32)
    values = bits[np.isfinite(bits)]
    assert np.array_equal(widened(values).astype(np.float32), values)
    fractions = values[np.floor(values) != values][:500]
    assert widened(fractions).tolist() == [float(str(value)) for value in fractions]


@pytest.mark.parametrize(("form", "kind"), CASES)
def test_a_score_equals_the_threshold_that_is_written_alike(form: str, kind: type[np.floating[Any]]) -> None:
    scores = FORMS[form](np.array(SCORE, kind))
    for role in ("score", "probability"):
        result = cranfield.classify(ACTUAL, **{role: scores}, threshold=0.7)
        assert result.confusion.counts.tolist() == [[2, 1], [1, 2]]


@pytest.mark.parametrize("kind", NARROW)
def test_a_threshold_may_be_one_of_the_scores(kind: type[np.floating[Any]]) -> None:
    scores = np.array([0.2, 0.8, 0.8, 0.3, 0.1, 0.1], kind)
    assert cranfield.classify(ACTUAL, score=scores, threshold=scores[-1])["Recall"] == 1  # type: ignore[arg-type]


@pytest.mark.parametrize(("form", "kind"), CASES)
def test_equal_differences_of_narrow_values_tie(form: str, kind: type[np.floating[Any]]) -> None:
    values = {"new": FORMS[form](np.array(NEW, kind)), "old": FORMS[form](np.array(OLD, kind))}
    assert cranfield.compare(values, test="wilcoxon").rows[0].p == 0.2890625


def test_a_table_has_the_same_values_in_csv_and_in_parquet(tmp_path: Path) -> None:
    values = pd.DataFrame({"query": range(8), "new": np.array(NEW, np.float32), "old": np.array(OLD, np.float32)})
    items = pd.DataFrame({"actual": ACTUAL, "p": np.array(SCORE, np.float32)})
    for name, table in {"values": values, "items": items}.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    compared = [cranfield.compare(tmp_path / f"values.{end}", test="wilcoxon") for end in ("csv", "parquet")]
    classified = [
        cranfield.classify("actual", probability="p", data=tmp_path / f"items.{end}", threshold=0.7)
        for end in ("csv", "parquet")
    ]
    for first, second in (compared, classified):
        assert first.to_csv() == second.to_csv()


def test_grades_and_categories_of_32_bits_equal_those_of_64() -> None:
    judged = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": np.array([1.4, 2], np.float32)})
    run = {"1": {"a": 2.5, "b": 1.25}}
    with pytest.warns(cranfield.errors.CranfieldWarning, match="look like"):
        precision = cranfield.evaluate(judged, run, "P(rel=1.4)@1")
    assert precision.values.ravel().tolist() == [1]
    rated = {"ann": dict(zip("xyz", np.array([0.1, 0.7, 0.2], np.float32))), "bob": {"x": 0.1, "y": 0.7, "z": 0.3}}
    assert cranfield.agree(rated, "Agreement", resamples=0)["Agreement"] == pytest.approx(2 / 3)


def test_whole_numbers_stay_as_they_are_beside_fractions() -> None:
    assert widened(np.array([0.7, 95341696, 3], np.float32)).tolist() == [0.7, 95341696, 3]
    assert widened(np.array([0.7, 65504], np.float16)).tolist() == [0.7, 65504]
    assert number(np.float32(95341696)) == 95341696
