"""Values of millions of units, of which few are distinct."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.arrays import Floats
from cranfield.evidence import coded_values
from cranfield.evidence.coded_values import Coded, CodedValues, Column, GrowingValues, table_of

FEW = [np.array([0.5, -0.0, np.nan]), np.array([0.0, 1 / 3]), np.array([]), np.array([np.nan, 0.5, 1 / 3])]


@pytest.fixture(autouse=True)
def a_few_units_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coded_values, "MANY", 3)


def grown(parts: list[Floats]) -> Column:
    column = GrowingValues(sum(map(len, parts)))
    for part in parts:
        column.add(part)
    return column.column()


def decoded(column: Column) -> Floats:
    return column.distinct[column.code] if isinstance(column, Coded) else column


@pytest.mark.parametrize(
    ("parts", "width"),
    [
        (FEW, np.uint8),
        ([np.arange(255.0), np.arange(255.0)], np.uint8),
        ([np.arange(255.0), np.arange(256.0)], np.uint16),
        ([np.zeros(9), np.arange(60_000.0), np.arange(60_000.0)], np.uint16),
        ([np.arange(60_000.0), -np.arange(60_000.0), np.zeros(9)], None),
        ([np.arange(3.0)], None),
    ],
)
def test_a_column_is_the_same_bit_for_bit_coded_or_not(parts: list[Floats], width: type | None) -> None:
    column = grown(parts)
    assert decoded(column).tobytes() == np.concatenate(parts).tobytes()
    assert (column.code.dtype if isinstance(column, Coded) else None) == width


def test_coded_values_stand_for_their_array() -> None:
    columns = [[grown(FEW), grown([np.arange(8.0)])], [grown([np.ones(8)]), np.arange(8.0) / 3]]
    plain = np.array([[decoded(column) for column in row] for row in columns])
    values = table_of(columns)
    assert isinstance(values, CodedValues)
    assert (values.shape, len(values), values.T.shape) == ((2, 2, 8), 2, (8, 2, 2))
    for key in (
        (0, 0),
        (1, 1),
        (0, 0, 2),
        (0, 1, slice(2, 5)),
        (1, 0, np.array([3, 1])),
        1,
        (slice(None), 1),
        np.array([1, 0]),
    ):
        assert np.array_equal(values[key], plain[key], equal_nan=True)
    assert np.array_equal(np.isnan(values), np.isnan(plain))
    assert np.array_equal(pickle.loads(pickle.dumps(values)), plain, equal_nan=True)
    assert np.array_equal(table_of([[np.arange(2.0)]]), [[[0, 1]]])


@pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")
def test_a_result_with_coded_values_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = {f"q{n}": {f"d{i}": i % 3 for i in range(5)} for n in range(9)} | {"none": {"d": 0}}
    runs = {name: {f"q{n}": {f"d{i}": float(i * n % 7) for i in range(4)} for n in range(9)} for name in ("a", "b")}
    measures = ["AP", "nDCG@10", "RR(rel=2)", "P@2", "Rprec"]
    coded = cranfield.evaluate(qrels, runs, measures)
    assert isinstance(coded.values, CodedValues)
    coded.save(tmp_path / "coded")
    monkeypatch.setattr(coded_values, "MANY", 1000)
    plain = cranfield.evaluate(qrels, runs, measures)
    assert isinstance(plain.values, np.ndarray)
    for result in (coded, cranfield.load(tmp_path / "coded")):
        assert np.asarray(result.values).tobytes() == plain.values.tobytes()
        assert result.aggregated().tobytes() == plain.aggregated().tobytes()
        assert str(result) == str(plain)
        assert result.by_system(per_query=True) == plain.by_system(per_query=True)
        assert result.table(per_query=True).equals(plain.table(per_query=True))
