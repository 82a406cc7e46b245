"""ROC curves averaged over folds, against averages computed point by point in plain Python."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from statistics import mean, stdev

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield import plot
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.present.plots.plot import Plot

# two folds of two positives and two negatives: + + - -, highest score first, and + - + -, one of them tied
LABELS = [1, 1, 0, 0, 1, 0, 1, 0]
SCORES = [0.9, 0.8, 0.4, 0.1, 0.7, 0.6, 0.3, 0.3]
FOLDS = ["a"] * 4 + ["b"] * 4


def rows(drawn: Plot, part: str = "mean") -> list[dict[str, str]]:
    return [row for row in csv.DictReader(io.StringIO(drawn.to_csv())) if row["part"] == part]


def items(seed: int = 0, n: int = 90, n_folds: int = 3) -> tuple[list[int], list[float], list[str]]:
    """Scores with many ties, in folds of unequal size."""
    random = np.random.default_rng(seed)
    labels = (random.random(n) < 0.4).astype(int)
    scores = np.round(random.normal(labels, 1.0), 1)
    return labels.tolist(), scores.tolist(), [f"fold {place % n_folds if place % 4 else 0}" for place in range(n)]


def rates(labels: list[int], scores: list[float], threshold: float) -> tuple[Fraction, Fraction]:
    """False and true positive rate of scores at or above a threshold."""
    accepted = [label for label, score in zip(labels, scores, strict=True) if score >= threshold]
    n_positive = sum(labels)
    return Fraction(accepted.count(0), len(labels) - n_positive), Fraction(accepted.count(1), n_positive)


def folds_of(labels: list[int], scores: list[float], folds: list[str]) -> list[tuple[list[int], list[float]]]:
    known = [*zip(labels, scores, folds, strict=True)]
    return [
        ([label for label, _, one in known if one == name], [score for _, score, one in known if one == name])
        for name in sorted(set(folds))
    ]


def highest(curve: list[tuple[Fraction, Fraction]], fallout: Fraction) -> Fraction:
    """The highest true positive rate on the line through the points at this false positive rate."""
    heights = [y for x, y in curve if x == fallout]
    for (x, y), (right, top) in pairwise(curve):
        if x < fallout < right:
            heights.append(y + (top - y) * (fallout - x) / (right - x))
    return max(heights)


def test_vertical_averaging_takes_the_mean_recall_at_equal_false_positive_rates() -> None:
    drawn = plot.averaged_roc(cranfield.classify(LABELS, score=SCORES, by=FOLDS))
    at = {float(row["fallout"]): float(row["recall"]) for row in rows(drawn)}
    assert at[0.0] == 0.75  # 1 of the first fold, 1/2 of the second
    assert at[0.5] == 0.75
    assert at[0.75] == 0.875  # halfway along the tie of the second fold
    assert at[1.0] == 1.0


def test_vertical_averages_and_their_intervals_are_those_of_plain_arithmetic() -> None:
    labels, scores, folds = items()
    drawn = plot.averaged_roc(cranfield.classify(labels, score=scores, by=folds), confidence=0.9)
    curves = [
        [(Fraction(0), Fraction(0)), *(rates(*fold, threshold) for threshold in sorted(set(fold[1]), reverse=True))]
        for fold in folds_of(labels, scores, folds)
    ]
    assert len(rows(drawn)) == 101
    for place, row in enumerate(rows(drawn)):
        heights = [float(highest(curve, Fraction(place, 100))) for curve in curves]
        half = stats.t.ppf(0.95, len(curves) - 1) * stdev(heights) / len(curves) ** 0.5
        assert float(row["recall"]) == pytest.approx(mean(heights), abs=1e-12)
        assert float(row["recall_low"]) == pytest.approx(max(0.0, mean(heights) - half), abs=1e-12)
        assert float(row["recall_high"]) == pytest.approx(min(1.0, mean(heights) + half), abs=1e-12)


def test_threshold_averaging_takes_the_means_of_both_rates_at_equal_scores() -> None:
    labels, scores, folds = items(seed=1)
    drawn = plot.averaged_roc(cranfield.classify(labels, score=scores, by=folds), averaging="threshold")
    first, *others = rows(drawn)
    assert (first["threshold"], first["fallout"], first["recall"]) == ("", "0.0", "0.0")
    assert [float(row["threshold"]) for row in others] == sorted(set(scores), reverse=True)
    for row in others:
        single = [rates(*fold, float(row["threshold"])) for fold in folds_of(labels, scores, folds)]
        assert float(row["fallout"]) == pytest.approx(mean(float(fallout) for fallout, _ in single))
        assert float(row["recall"]) == pytest.approx(mean(float(recall) for _, recall in single))


def test_several_classes_are_averaged_against_the_rest() -> None:
    actual = ["cat", "dog", "owl"] * 4
    likely = np.random.default_rng(2).dirichlet([1, 1, 1], 12)
    probability = {name: likely[:, place].tolist() for place, name in enumerate(("cat", "dog", "owl"))}
    found = cranfield.classify(actual, probability=probability, by=["a"] * 6 + ["b"] * 6)
    assert {row["system"] for row in rows(found.plot.averaged_roc())} == {"cat", "dog", "owl"}


def test_folds_with_one_class_are_omitted_and_counted() -> None:
    found = cranfield.classify(
        [*LABELS, 1, 1], score=[*SCORES, 0.5, 0.6], by=[*FOLDS, "c", "c"], threshold=0.5, measures="Accuracy"
    )
    drawn = plot.averaged_roc(found)
    assert drawn.notes == ("predictions: 1 fold with only one class is omitted",)
    assert {row["fold"] for row in rows(drawn, "fold")} == {"1", "2"}


def test_averaging_needs_at_least_two_folds_and_scores() -> None:
    with pytest.raises(BadSetting, match="give the column with each item's fold"):
        plot.averaged_roc(cranfield.classify(LABELS, score=SCORES))
    with pytest.raises(BadInput, match="at least 2 folds with positives and negatives; got 1"):
        plot.averaged_roc(cranfield.classify(LABELS, score=SCORES, by=["a"] * 8))
    with pytest.raises(BadInput, match="scores or probabilities, not labels"):
        plot.averaged_roc(cranfield.classify(LABELS, LABELS, by=FOLDS))


def test_the_command_line_averages_over_the_column_of_folds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "predictions.csv"
    lines = [f"{label},{score},{fold}" for label, score, fold in zip(LABELS, SCORES, FOLDS, strict=True)]
    table.write_text("\n".join(["label,one,fold", *lines]) + "\n")
    given = ["plot", "averaged-roc", str(table), "--actual", "label", "--score", "one"]
    assert main([*given, "--by", "fold", "--averaging", "threshold"]) == 0
    assert "mean of 2 folds at equal thresholds" in capsys.readouterr().out
    assert main(given) == 2
    assert "--by" in capsys.readouterr().err
    assert main(["plot", "roc", *given[2:], "--by", "fold"]) == 2
    assert "roc has no --by" in capsys.readouterr().err
