"""Regression with several outputs: as in scikit-learn, in every form, with intervals over items."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics

from cranfield import load, regress
from cranfield.arrays import Floats
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

SKLEARN: dict[str, Callable[..., Any]] = {
    "MSE": metrics.mean_squared_error,
    "RMSE": metrics.root_mean_squared_error,
    "MAE": metrics.mean_absolute_error,
    "MedianAE": metrics.median_absolute_error,
    "MAPE": metrics.mean_absolute_percentage_error,
    "R2": metrics.r2_score,
    "ExplainedVariance": metrics.explained_variance_score,
    "Pinball": metrics.mean_pinball_loss,
    "D2AbsoluteError": metrics.d2_absolute_error_score,
}
NAMES = ["x", "price", "猫"]


def tables(seed: int) -> tuple[Floats, Floats, Floats]:
    """Three outputs of very different scales, rounded; and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    actual = np.round(rng.normal(3, 1, (30, 3)) * [1, 100, 0.01], 4) + 1e-4
    return actual, np.round(actual + rng.normal(0, 1, (30, 3)) * [1, 20, 0.02], 4), rng.integers(0, 4, 30) / 2


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN)
def test_scikit_learn_has_the_same_mean_and_the_same_values_of_outputs(name: str, weighted: bool) -> None:
    for seed in range(3):
        actual, predicted, weight = tables(seed)
        own = weight if weighted else None
        found = regress(actual, predicted, weight=own, measures=name)
        assert found[found.measures[0]] == pytest.approx(SKLEARN[name](actual, predicted, sample_weight=own))
        raw = SKLEARN[name](actual, predicted, sample_weight=own, multioutput="raw_values")
        assert found.by_output.values[0, 0] == pytest.approx(raw)


@pytest.mark.parametrize("name", ["R2", "ExplainedVariance"])
def test_scikit_learn_weighs_outputs_by_their_variance_as_well(name: str) -> None:
    actual, predicted, weight = tables(5)
    for own in (None, weight):
        found = regress(actual, predicted, weight=own, measures=name, average="variance")[name]
        theirs = SKLEARN[name](actual, predicted, sample_weight=own, multioutput="variance_weighted")
        assert found == pytest.approx(theirs)


FORMS: dict[str, Callable[[Floats], Any]] = {
    "rows": lambda table: table.tolist(),
    "NumPy": lambda table: table,
    "rows of arrays": list,
    "by output": lambda table: dict(zip(NAMES, table.T, strict=True)),
    "by output, in another order": lambda table: dict([*zip(NAMES, table.T, strict=True)][::-1]),
    "pandas": lambda table: pd.DataFrame(table, columns=NAMES),
    "Polars": lambda table: pl.DataFrame(table, schema=NAMES),
    "Arrow": lambda table: pa.table(pd.DataFrame(table, columns=NAMES)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_has_the_same_bits(form: str) -> None:
    actual, predicted, _ = tables(2)
    expected = regress(actual, predicted).by_output.values
    found = regress(FORMS["by output"](actual), {"tree": FORMS[form](predicted)})
    assert found.outputs == tuple(NAMES)
    assert np.array_equal(found.by_output.values, expected)
    again = regress(FORMS[form](actual), {"tree": FORMS[form](predicted)}).by_output.values
    assert np.array_equal(again[:, :, ::-1] if "another" in form else again, expected)


def test_files_and_the_command_have_the_same_values(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    actual, predicted, _ = tables(2)
    path = tmp_path / "places.csv"
    pd.DataFrame({"x": actual[:, 0], "y": actual[:, 1], "x1": predicted[:, 0], "y1": predicted[:, 1]}).to_csv(path)
    found = regress(["x", "y"], {"tree": ["x1", "y1"]}, data=path, measures="R2", average="variance")
    assert found["R2"] == regress(actual[:, :2], predicted[:, :2], average="variance")["R2"]
    command = ["regress", str(path), "--target", "x", "--target", "y", "-p", "tree=x1", "-p", "tree=y1", "-m", "R2"]
    assert main([*command, "--average", "variance", "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "weighted by the variance of each" in out
    assert f"{found['R2']:.4f}" in out
    assert f"{found.output('x')['R2']:.4f}" in out


def test_a_list_of_columns_is_in_order_even_if_it_has_the_names_of_the_outputs() -> None:
    found = regress(["a", "b"], {"swapped": ["b", "a"]}, data=pd.DataFrame({"a": [1, 2], "b": [4, 2]}), measures="MAE")
    assert found.by_output.per_query("MAE") == {"a": 1.5, "b": 1.5}


def test_intervals_resample_items_with_all_their_outputs() -> None:
    random = np.random.default_rng(4)
    twins = np.repeat(random.normal(size=(1000, 1)), 2, axis=1)
    guesses = twins + np.round(random.normal(0, 1, (1000, 1)), 2)
    both, one = (
        regress(a, p, measures="MAE").interval("MAE") for a, p in ((twins, guesses), (twins[:, 0], guesses[:, 0]))
    )
    assert (both.low, both.high) == pytest.approx((one.low, one.high))  # twice the outputs are not twice the items


def test_systems_are_compared_by_the_mean_error_of_an_item() -> None:
    actual, predicted, _ = tables(1)
    worse = predicted + np.array([0, 10, 0])
    found = regress(actual, {"a": predicted, "b": worse}).compare()
    expected = ((predicted - actual) ** 2).mean() - ((worse - actual) ** 2).mean()
    row = next(row for row in found.records()[found.main()] if row["measure"] == "squared error")
    assert row["difference"] == pytest.approx(expected)


def test_an_output_that_never_varies_is_left_out_of_the_mean_and_named() -> None:
    found = regress([[1, 5], [2, 5], [3, 5]], [[1, 5], [2, 4], [4, 5]], measures=["R2", "MAE"])
    assert found["R2"] == found.output("0")["R2"] == 0.5
    assert "R2 of predictions for 1 is undefined and left out of the mean" in str(found)


def test_results_with_outputs_are_saved_and_plotted_one_by_one(tmp_path: Path) -> None:
    actual, predicted, _ = tables(1)
    found = regress(FORMS["pandas"](actual), predicted, by=np.arange(30) % 3)
    found.save(tmp_path / "saved")
    assert load(tmp_path / "saved").by_output.per_query("R2") == found.by_output.per_query("R2")
    assert found.output("price").plot.residuals().data.num_rows == 30
    with pytest.raises(BadSetting, match=r"choose one of the outputs 'x', 'price', '猫', as in result.output\('x'\)"):
        found.plot.residuals()


@pytest.mark.parametrize(
    ("actual", "predicted", "said"),
    [
        ([[1, 2], [3, 4]], [[1], [2]], "got 1 columns for 2 outputs"),
        ([[1, 2], [3, 4]], [1, 2], "got one column for several outputs"),
        ([[1, 2], [3]], [[1, 2], [3, 4]], "row 1: actual has 1 outputs; the first item has 2"),
        ([[1, 2], [3, None]], [[1, 2], [3, 4]], "row 1: actual of '1' is missing"),
        ([[1, 2], [3, 4]], [[1, 2]], "predicted: 1 values for 2 items"),
        ({1: [1, 2], "1": [2, 1]}, [[1, 2], [2, 1]], "duplicate '1' among the columns of actual"),
    ],
)
def test_what_is_wrong_is_said(actual: Any, predicted: Any, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        regress(actual, predicted)
