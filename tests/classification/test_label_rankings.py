"""Rankings of the labels of multilabel items, and means over items: as in scikit-learn."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from cranfield import classify
from cranfield.arrays import Floats, Ints
from cranfield.cli.main import main
from cranfield.errors import BadSetting

RANKINGS = {
    "CoverageError": metrics.coverage_error,
    "LRAP": metrics.label_ranking_average_precision_score,
    "LabelRankingLoss": metrics.label_ranking_loss,
}
RATES = {
    "F": metrics.f1_score,
    "Precision": metrics.precision_score,
    "Recall": metrics.recall_score,
    "Jaccard": metrics.jaccard_score,
}


def films(seed: int) -> tuple[Ints, Floats, Ints]:
    """Labels, of which some items have none and some all; rounded scores with ties; weights."""
    rng = np.random.default_rng(seed)
    actual = (rng.random((40, 6)) < 0.3).astype(np.int64)
    actual[0], actual[1] = 0, 1
    return actual, np.round(rng.random((40, 6)) + 0.3 * actual, 1), rng.integers(0, 4, 40)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", RANKINGS)
def test_rankings_of_labels_are_those_of_scikit_learn(name: str, weighted: bool) -> None:
    for seed in range(4):
        actual, score, weight = films(seed)
        own = weight if weighted else None
        found = classify(actual, score=score, weight=own, threshold=0.5, measures=RANKINGS[name].__name__)
        assert found[name] == pytest.approx(RANKINGS[name](actual, score, sample_weight=own))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", RATES)
def test_means_over_items_are_those_of_scikit_learn(name: str, weighted: bool) -> None:
    actual, score, weight = films(3)
    predicted, own = (score >= 0.6).astype(int), weight if weighted else None
    found = classify(actual, predicted, weight=own, average="samples", undefined="zero", measures=name)[name]
    expected = RATES[name](actual, predicted, average="samples", sample_weight=own, zero_division=0)
    assert found == pytest.approx(expected)


def test_areas_are_averaged_over_items_too() -> None:
    actual, score, _ = films(5)
    mixed = (actual.sum(axis=1) > 0) & (actual.sum(axis=1) < 6)
    found = classify(actual, score=score, threshold=0.5, average="samples", measures=["AUC", "AP"])
    assert found["AUC"] == pytest.approx(metrics.roc_auc_score(actual[mixed], score[mixed], average="samples"))
    some = actual.sum(axis=1) > 0
    assert found["AP"] == pytest.approx(metrics.average_precision_score(actual[some], score[some], average="samples"))


def test_an_interval_leaves_out_items() -> None:
    actual, score, _ = films(6)
    found = classify(actual, score=score, threshold=0.5, average="samples", measures=["F", "LRAP"])
    for name in ("F", "LRAP"):
        bounds = found.interval(name)
        assert bounds.method == "jackknife"
        assert bounds.low < bounds.value < bounds.high
    per_item = metrics.label_ranking_average_precision_score
    values = [per_item(actual[[i]], score[[i]]) for i in range(40)]
    means = [np.mean(np.random.default_rng(i).choice(values, 40)) for i in range(2000)]
    lrap = found.interval("LRAP")
    assert [lrap.low, lrap.high] == pytest.approx(np.quantile(means, [0.025, 0.975]), abs=0.03)


def test_the_command_prints_means_over_items(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    pd.DataFrame({"y": ["a|b", "b", ""], "p": ["a", "b|c", "c"]}).to_csv(path, index=False)
    command = ["classify", str(path), "-a", "y", "-p", "p", "--separator", "|", "--average", "samples", "-m", "F"]
    assert main([*command, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert "mean over items" in out
    assert next(line for line in out.splitlines() if line.startswith("F  ")).split()[1] == "0.4444"  # 2/3, 2/3 and 0


def test_scores_that_only_rank_labels_need_no_threshold(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    actual, score = rng.random((12, 3)) < 0.5, rng.normal(size=(12, 3))
    path = tmp_path / "films.csv"
    labels = ["|".join(name for name, own in zip("abc", row, strict=True) if own) for row in actual]
    pd.DataFrame({"y": labels} | dict(zip("abc", score.T, strict=True))).to_csv(path, index=False)
    columns = [f"-s{name}" for name in "abc"]
    command = ["classify", str(path), "-a", "y", *columns, "--separator", "|", "--quiet", "-m", ",".join(RANKINGS)]
    for form in ("table", "json", "csv"):
        assert main([*command, "--findings", "-f", form] if form == "table" else [*command, "-f", form]) == 0
        out = capsys.readouterr().out
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(out)) if not row["class"]}
    for name, function in RANKINGS.items():
        assert float(rows[name]["value"]) == pytest.approx(function(actual, score))
    assert {*RANKINGS} == {*rows}
    assert main([*command[:-1], "F"]) == 2
    assert "pass threshold" in capsys.readouterr().err


def test_single_labels_have_neither() -> None:
    with pytest.raises(BadSetting, match="needs multilabel data"):
        classify(list("abc"), list("abb"), average="samples")
    with pytest.raises(BadSetting, match="LRAP needs multilabel data"):
        classify([0, 1], score=[0.1, 0.2], measures="LRAP")
    with pytest.raises(BadSetting, match="LRAP needs scores or probabilities"):
        classify([{"a"}, {"b"}], [{"a"}, {"a", "b"}], measures="LRAP")
