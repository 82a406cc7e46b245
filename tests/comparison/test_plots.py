"""Plots of comparisons and of points of curves show what their results hold."""

from __future__ import annotations

import numpy as np
import pytest

import cranfield
from cranfield.errors import BadSetting
from cranfield.evidence.samples import samples

QRELS = {f"q{n}": {"a": 1, "b": n % 2, "c": 0} for n in range(1, 9)}
RUNS = {
    name: {query: {doc: float((n * step + place * 7) % 5) for place, doc in enumerate("abc")} for n, query in
           enumerate(QRELS)}
    for name, step in (("one", 1), ("two", 2), ("three", 3))
}  # fmt: skip


@pytest.fixture(scope="module")
def result() -> cranfield.Result:
    return cranfield.evaluate(QRELS, RUNS, ["AP", "nDCG@2"])


@pytest.mark.parametrize("kind", ["systems", "differences", "tiers", "power"])
@pytest.mark.parametrize("measure", [None, "nDCG@2", "ndcg_cut_2"])
def test_a_comparison_has_the_plots_of_what_was_compared(result: cranfield.Result, kind: str, measure: str) -> None:
    compared = result.compare()
    drawn, expected = (getattr(each.plot, kind)(measure) for each in (compared, result))
    assert drawn.data.equals(expected.data)
    assert drawn.title == expected.title
    assert drawn.about.replace(" within each measure", "") == expected.about
    assert drawn.to_svg().startswith("<svg")


def test_the_baseline_of_a_comparison_is_that_of_its_differences(result: cranfield.Result) -> None:
    drawn = result.compare(baseline="two").plot.differences()
    assert set(drawn.data["baseline"].to_pylist()) == {"two"}


def test_tiers_are_those_of_the_comparison(result: cranfield.Result) -> None:
    compared = result.compare(test="nemenyi")
    drawn = compared.plot.tiers("AP")
    ranks = dict(zip(drawn.data["system"].to_pylist(), drawn.data["mean_rank"].to_pylist(), strict=True))
    stated = ", ".join(f"{system} {ranks[system]:.4g}" for system in result.systems)
    assert f"mean ranks, 1 for the best: {stated}; " in str(compared)
    with pytest.raises(BadSetting, match="test does not apply to a comparison"):
        result.compare().plot.tiers(test="t")
    with pytest.raises(BadSetting, match="tiers need a comparison of all pairs"):
        result.compare(baseline="two").plot.tiers()
    with pytest.raises(BadSetting, match="RR was not compared; available: AP, nDCG@2"):
        result.compare().plot.tiers("RR")


def test_values_that_are_not_of_a_measure_are_plotted_in_their_direction() -> None:
    seconds = samples({"slow": [3.0, 4.0, 5.0], "quick": [1.0, 2.0, 2.5]})
    compared = cranfield.compare({"seconds": seconds}, lower_is_better=True)
    drawn = compared.plot.tiers()
    assert drawn.data["system"].to_pylist() == ["quick", "slow"]
    assert drawn.data["mean"].to_pylist() == pytest.approx([5.5 / 3, 4.0])
    assert max(drawn.data["high"].to_pylist()) > 1  # nothing is clipped
    assert compared.plot.differences().data["difference"].to_pylist() == [-2, -2, -2.5]


@pytest.mark.parametrize("form", ["recalls", "cutoffs", "interpolated"])
def test_curves_are_plotted_as_they_are(form: str) -> None:
    query = "q3" if form == "interpolated" else None
    curves = cranfield.precision_recall(QRELS, RUNS, form=form)
    drawn = curves.plot.precision_recall(query=query)
    expected = cranfield.plot.precision_recall(QRELS, RUNS, form=form, query=query)
    assert drawn.data.equals(expected.data)
    assert drawn.about == expected.about


def test_every_rank_of_one_query_is_plotted() -> None:
    curves = cranfield.precision_recall(QRELS, RUNS, form="ranks")
    drawn = curves.plot.precision_recall(query="q2")
    points = [row for row in curves.table().to_pylist() if row["query"] == "q2"]
    for column in ("recall", "precision"):
        assert np.allclose(drawn.data[column].to_numpy(), [row[column] for row in points])
    with pytest.raises(BadSetting, match="choose the query to plot"):
        curves.plot.precision_recall()
    with pytest.raises(BadSetting, match="form, points, rel and ties are settings of"):
        curves.plot.precision_recall(form="cutoffs")
