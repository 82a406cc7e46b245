"""The figures of a result are the same in every form, and are aggregates unless values are asked for."""

from __future__ import annotations

import csv
import io
import json
import math
import warnings
from pathlib import Path
from statistics import fmean, median

import numpy as np
import pyarrow.parquet
import pytest

from cranfield import evaluate
from cranfield.errors import BadSetting
from cranfield.results.values import Result, aggregate, require_aggregate

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 1}, "q3": {"x": 0}, "q4": {"y": 1}}
RUNS = {
    "one": {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}, "q2": {"z": 2.0, "a": 1.0}, "q3": {"x": 1.0}},
    "two": {"q1": {"c": 3.0, "b": 2.0}, "q2": {"a": 2.0}, "q3": {"x": 1.0}, "q4": {"y": 1.0}},
}
MEASURES = ["P@1", "AP", "NumRet"]


@pytest.fixture(scope="module")
def result() -> Result:
    with warnings.catch_warnings(action="ignore"):  # one query is missing from one run
        return evaluate(QRELS, RUNS, MEASURES)


def test_one_value_is_found_by_system_and_measure(result: Result) -> None:
    table = result.aggregated()
    for s, system in enumerate(("one", "two")):
        for m, measure in enumerate(MEASURES):
            assert result[system, measure] == table[s, m]
    assert result["AP"] == {"one": table[0, 1], "two": table[1, 1]}
    with pytest.raises(BadSetting, match="there is no system 'three'; available: one, two"):
        _ = result["three", "AP"]
    with pytest.raises(BadSetting, match="nDCG was not evaluated; available: P@1, AP, NumRet"):
        _ = result["one", "nDCG"]
    alone = evaluate(QRELS, RUNS["two"], "AP")
    assert alone["AP"] == alone[alone.systems[0], "AP"] == alone[alone.measures[0]]


@pytest.mark.filterwarnings("ignore")
def test_values_by_query(result: Result) -> None:
    assert result.per_query("NumRet", "two") == {"q1": 2, "q2": 1, "q3": 1, "q4": 1}
    assert result.per_query("NumRet") == result.per_query("NumRet", "one") == {"q1": 3, "q2": 2, "q3": 1, "q4": 0}
    skipped = evaluate(QRELS, RUNS, "NumRet", missing="skip")
    assert skipped.per_query("NumRet", "one") == {"q1": 3, "q2": 2, "q3": 1}
    assert (skipped["one", "NumRet"], skipped["two", "NumRet"]) == (6, 5)


def test_every_form_holds_the_aggregates(result: Result, tmp_path: Path) -> None:
    wanted = {s: {m: result[s, m] for m in MEASURES} for s in RUNS}
    assert result.by_system() == wanted
    document = json.loads(result.to_json())
    assert {*document} == {"answer", "results", "provenance"}
    rows = [
        document["results"],
        list(csv.DictReader(io.StringIO(result.to_csv()))),
        result.table().to_pylist(),
        result.to_polars().to_dicts(),
        result.to_pandas().to_dict("records"),
    ]
    result.to_parquet(str(tmp_path / "r"))
    rows.append(pyarrow.parquet.read_table(tmp_path / "r").to_pylist())
    for form in rows:
        assert [(row["system"], row["measure"], float(row["value"])) for row in form] == [
            (s, m, value) for s, own in wanted.items() for m, value in own.items()
        ]
        assert {"low", "high"} <= {*form[0]}


def test_every_form_holds_the_values_if_asked_for(result: Result, tmp_path: Path) -> None:
    wanted = {(s, q, m): value for s in RUNS for m in MEASURES for q, value in result.per_query(m, s).items()}
    nested = result.by_system(per_query=True)
    assert {(s, q, m) for s in nested for q in nested[s] for m in nested[s][q]} == {*wanted}
    assert all(nested[s][q][m] == (None if math.isnan(v) else v) for (s, q, m), v in wanted.items())
    document = json.loads(result.to_json(per_query=True))
    assert {*document} == {"answer", "results", "queries", "provenance"}
    result.to_parquet(str(tmp_path / "r"), per_query=True)
    for form in (
        document["queries"],
        list(csv.DictReader(io.StringIO(result.to_csv(per_query=True)))),
        result.to_polars(per_query=True).to_dicts(),
        result.to_pandas(per_query=True).to_dict("records"),
        pyarrow.parquet.read_table(tmp_path / "r").to_pylist(),
    ):
        assert len(form) == len(wanted)
        for row in form:
            value = wanted[row["system"], row["query"], row["measure"]]
            assert (
                (row["value"] in (None, "") or math.isnan(row["value"]))
                if math.isnan(value)
                else float(row["value"]) == value
            )


def test_digits_are_those_asked_for(result: Result) -> None:
    values = [row["value"] for row in json.loads(result.to_json(digits=1))["results"]]
    assert values == [round(value, 1) for value in values]
    assert values != [row["value"] for row in json.loads(result.to_json())["results"]]


def test_what_is_undefined_counts_as_zero_or_not_at_all() -> None:
    for undefined, n in (("zero", 4), ("skip", 3)):
        made = evaluate(QRELS, RUNS["two"], ["R@1", "NumRet"], undefined=undefined)
        values = made.per_query("R@1")
        assert math.isnan(values["q3"])
        defined = [value for value in values.values() if not math.isnan(value)]
        assert made["R@1"] == sum(defined) / n
        assert made.n_counted.tolist() == [[n, 4]]
        assert made.n_undefined.tolist() == [[1, 0]]


def test_aggregates_by_their_definitions() -> None:
    values = np.array([0.5, 0.0, 0.25, 1.0])
    assert aggregate(values, "mean") == fmean(values)
    assert aggregate(values, "median") == median(values)
    assert aggregate(values, "sum") == 1.75
    assert aggregate(values, "geometric") == pytest.approx((0.5 * 1e-5 * 0.25) ** (1 / 4))
    assert aggregate(values[:0], "sum") == 0
    assert all(math.isnan(aggregate(values[:0], how)) for how in ("mean", "median", "geometric"))
    for how in (None, "mean", "micro"):
        require_aggregate(how)
    with pytest.raises(BadSetting, match=r"aggregate must be one of .*, not 'average'"):
        require_aggregate("average")


def test_aggregates_that_are_named_replace_those_of_the_measures(result: Result) -> None:
    assert result.aggregated("median")[:, 2].tolist() == [1.5, 1]
    assert result.aggregated("micro")[0, 0] == pytest.approx(1 / 4)
    assert math.isnan(result.aggregated("micro")[0, 1])
    with pytest.raises(BadSetting, match="a weighted aggregate needs weights"):
        result.aggregated("weighted")
    assert result.aggregate_of(0, 2, np.array([1.0, 2.0, 3.0, np.nan])) == 6
