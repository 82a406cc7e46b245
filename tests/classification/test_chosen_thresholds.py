"""Thresholds chosen on the evaluated items: what is shown is cross-validated, and what is apparent says so."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield
from classification.examples import CLASSES, SCORES
from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldWarning
from cranfield.evidence.thresholds import thresholds
from cranfield.statistics.thresholds import FOLDS, STANDARD, choose, held_out, parse_goal

pytestmark = pytest.mark.filterwarnings("ignore:.*(below 0.5|above every score):cranfield.errors.CranfieldWarning")


def noise(n: int = 200, prevalence: float = 0.3, seed: int = 0, signal: float = 0.0) -> tuple[Any, Any]:
    """Classes, and rounded scores that say little or nothing about them."""
    rng = np.random.default_rng(seed)
    actual = rng.random(n) < prevalence
    return actual.astype(int), np.round(rng.normal(size=n) + signal * actual, 2)


def by_hand(actual: Any, score: Any, folds: Any, goal: Any) -> list[int]:
    """TP, FP, FN, TN: each fold decided at the highest best threshold of the other items, tried one by one."""
    cells = [0, 0, 0, 0]
    for fold in range(FOLDS):
        rest = folds != fold
        tried = [np.inf, *sorted(set(score[rest]), reverse=True)]
        table = thresholds(actual[rest] == 1, score[rest])
        values = [float(goal.worth(table.at(cut))[0]) for cut in tried]
        cut = tried[int(np.argmax(np.round(values, 12)))]
        for truth, value in zip(actual[~rest], score[~rest], strict=True):
            cells[{(1, True): 0, (0, True): 1, (1, False): 2, (0, False): 3}[truth, bool(value >= cut)]] += 1
    return cells


@pytest.mark.parametrize("goal", [*STANDARD, "MCC", "Cost(fp=1, fn=5)", "Recall where Specificity >= 0.8"])
def test_each_item_is_decided_by_the_other_folds(goal: str) -> None:
    actual, score = noise(90, 0.4, 4, 0.8)
    folds, rng = np.empty(len(actual), int), np.random.default_rng(0)
    for side in (1, 0):
        rows = np.flatnonzero(actual == side)
        rows = rows[np.argsort(score[rows], kind="stable")]
        folds[rows] = rng.permutation(len(rows)) % FOLDS
    (held,) = held_out(thresholds(actual == 1, score), [parse_goal(goal)])
    assert [cell.item() for cell in held.cells.counts] == by_hand(actual, score, folds, parse_goal(goal))


def test_scores_without_a_threshold_have_only_measures_that_need_none() -> None:
    result = classify(list(CLASSES), score=SCORES, positive="P")
    assert [str(measure) for measure in result.measures] == ["AUC", "AP", "AUPRG"]
    assert result.confusion is None
    assert result.of().threshold is None
    with pytest.raises(BadSetting, match=r"pass threshold= \(--threshold\), or goal= \(--goal\)"):
        _ = result["Accuracy"]
    with pytest.raises(BadSetting, match="Accuracy needs decisions: pass threshold="):
        classify(list(CLASSES), score=SCORES, positive="P", measures="Accuracy")
    text = str(result)
    assert "scores without a threshold decide nothing" in text
    assert "Confusion matrix" not in text
    assert "chosen on these items: the apparent values" in " ".join(result.shown(thresholds=True).split())


def test_the_best_threshold_of_each_goal_stands_beside_its_cross_validated_value(tmp_path: Path) -> None:
    actual, score = noise()
    result = classify(actual, score=score)
    (rows, document) = result.records()["figures"], json.loads(result.to_json())["systems"]["predictions"]["goals"]
    goals = {row["goal"]: row for row in rows if row["goal"]}
    assert set(goals) == set(STANDARD) == set(document)
    for goal in STANDARD:
        validated, apparent = result.cross_validated(goal).value, result.choose(goal).value
        assert (goals[goal]["value"], goals[goal]["apparent"]) == (validated, apparent)
        assert (document[goal]["cross_validated"], document[goal]["apparent"]) == (validated, apparent)
    assert goals["Informedness"]["apparent"] > goals["Informedness"]["value"]
    tuned, given = tmp_path / "a.json", classify(actual, score=score, goal="F")
    given.save(tuned)
    assert str(cranfield.load(tuned)) == str(given)


def test_values_at_a_goal_are_cross_validated_with_the_apparent_ones_beside_them() -> None:
    actual, score = noise()
    result = classify(actual, score=score, goal="BalancedAccuracy")
    held = result.cross_validated("BalancedAccuracy")
    assert result["BalancedAccuracy"] == held.value
    apparent = result.of().apparent
    assert apparent is not None
    best = result.choose("BalancedAccuracy")
    assert apparent.value(result.measures[1]) == best.value > held.value
    assert (result.of().threshold, apparent.threshold) == (best.threshold, best.threshold)
    assert result.confusion is not None
    assert result.confusion.counts.sum() == len(actual)
    shown = result.shown(every=True).splitlines()
    lines = [line.split() for line in shown if line.startswith("BalancedAccuracy")]
    assert lines[0][3:5] == [f"{held.value:.4f}", f"{best.value:.4f}"]
    rows = {row["measure"]: row for row in result.records()["figures"] if not row["goal"]}
    assert (rows["BalancedAccuracy"]["value"], rows["BalancedAccuracy"]["apparent"]) == (held.value, best.value)
    assert rows["AUC"]["apparent"] is None


def test_no_decision_at_a_chosen_threshold_has_an_interval() -> None:
    actual, score = noise()
    result = classify(actual, score=score, goal="Informedness")
    bounds = {str(m): result.interval(m) for m in ("Informedness", "BalancedAccuracy", "Recall", "F", "AUC")}
    assert {name for name, bound in bounds.items() if np.isfinite(bound.low)} == {"AUC"}
    assert bounds["Recall"].method == "none: the threshold was chosen for Informedness on these items"


def test_groups_and_systems_use_the_same_decisions() -> None:
    actual, score = noise(400, 0.4, signal=0.5)
    scores = {"a": score, "b": score**3 + np.arange(400) % 7}
    result = classify(actual, score=scores, goal="Accuracy", by=np.arange(400) % 4)
    for system in ("a", "b"):
        held = result.cross_validated("Accuracy", system).value
        assert np.mean([*result.result.per_query("Accuracy", system).values()]) == pytest.approx(held)  # equal groups
        assert result.result.micro[result.systems.index(system), 0] == held
    records = result.records()["groups"]
    assert all(row["apparent"] is not None for row in records if row["measure"] == "Accuracy")


def test_the_order_of_the_items_changes_nothing() -> None:
    actual, score = noise()
    order = np.random.default_rng(1).permutation(len(actual))
    one, other = (classify(actual[rows], score=score[rows], goal="F") for rows in (np.arange(len(actual)), order))
    assert [one[str(m)] for m in one.measures] == [other[str(m)] for m in one.measures]


def test_too_few_items_of_a_class_are_said_to_be_too_few() -> None:
    with pytest.warns(CranfieldWarning, match="10-fold cross-validation needs 10 items of each class, and there are 3"):
        result = classify([1] * 3 + [0] * 30, score=range(33), goal="F", invert=True)
    assert [str(measure) for measure in result.measures] == ["AUC", "AP", "AUPRG"]
    assert "not cross-validated" in result.shown(thresholds=True)
    with pytest.raises(BadSetting, match=r"F needs decisions: 10-fold.*pass a threshold chosen on other items"):
        classify([1] * 3 + [0] * 30, score=range(33), goal="F", invert=True, measures="F")
    with pytest.raises(BadSetting, match="goal has no effect: the labels were predicted already"):
        classify([1, 0], [1, 0], score=[1, 0], goal="F")


def test_the_positive_class_may_be_one_of_three() -> None:
    rng = np.random.default_rng(2)
    actual = rng.choice(list("abc"), 150)
    score = rng.normal(size=150) + (actual == "b")
    result = classify(actual, score=score, positive="b", goal="F")
    assert result["F"] == result.cross_validated("F").value
    assert result.confusion is not None
    assert result.confusion.labels == ("not b", "b")


def test_weights_count_in_the_choice_and_in_the_value() -> None:
    actual, score = noise(120, 0.4, 3, 1.0)
    weight = np.random.default_rng(5).integers(1, 4, 120).astype(float)
    result = classify(actual, score=score, weight=weight, goal="Accuracy")
    held = result.cross_validated("Accuracy")
    assert sum(cell.item() for cell in held.cells.counts) == pytest.approx(weight.sum())
    assert result["Accuracy"] == pytest.approx(held.value)


def test_the_command_the_report_and_the_plots_say_where_the_threshold_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    actual, score = noise()
    Path("items.csv").write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(actual, score, strict=True)))
    columns = ["items.csv", "--actual", "y", "--score", "s"]
    assert main(["classify", *columns, "--goal", "F", "-f", "csv", "--quiet"]) == 0
    rows = {row["measure"]: row for row in csv.DictReader(io.StringIO(capsys.readouterr().out)) if not row["goal"]}
    expected = classify(actual, score=score, goal="F")
    assert float(rows["F"]["value"]) == expected["F"] < float(rows["F"]["apparent"])
    assert main(["report", "--classify", *columns, "--goal", "F", "-o", "page.html", "--quiet"]) == 0
    page = Path("page.html").read_text("utf-8")
    assert "the values are those of cross-validation" in page
    assert f"{expected['F']:.4f}" in page
    assert main(["report", "--classify", *columns, "-o", "plain.html", "--quiet"]) == 0
    assert "only measures that need no threshold are shown" in Path("plain.html").read_text("utf-8")
    assert main(["plot", "confusion", *columns, "--goal", "F"]) == 0
    assert "the best threshold for F on the other folds" in " ".join(capsys.readouterr().out.split())


@pytest.mark.simulation
@pytest.mark.parametrize("prevalence", [0.2, 0.5])
@pytest.mark.parametrize("n", [50, 200, 1000])
def test_random_scores_are_not_shown_to_be_better_than_chance(n: int, prevalence: float) -> None:
    rng, above, times = np.random.default_rng(n), 0, 300
    actual = np.arange(n) < n * prevalence
    for _ in range(times):
        result = classify(actual, score=rng.normal(size=n), goal="Informedness", measures="BalancedAccuracy")
        above += result.interval("BalancedAccuracy", resamples=400).low > 0.5
    assert above / times <= 0.025 + 2.6 * np.sqrt(0.025 * 0.975 / times)  # 17.5 % where the threshold was tuned


@pytest.mark.simulation
@pytest.mark.parametrize("goal", ["BalancedAccuracy", "Accuracy", "F"])
@pytest.mark.parametrize(("n", "prevalence"), [(60, 0.4), (200, 0.2), (1000, 0.2)])
def test_the_interval_of_the_goal_covers_the_value_at_the_chosen_threshold(
    n: int, prevalence: float, goal: str
) -> None:
    rng, covered, times = np.random.default_rng(n), 0, 300
    positive, negative = (rng.normal(size=100_000) + shift for shift in (1, 0))
    truth = np.repeat([1, 0], [int(100_000 * prevalence), int(100_000 * (1 - prevalence))])
    new = np.concatenate([positive[: (truth == 1).sum()], negative[: (truth == 0).sum()]])
    for _ in range(times):
        actual = (rng.permutation(n) < max(10, rng.binomial(n, prevalence))).astype(int)
        result = classify(actual, score=rng.normal(size=n) + actual, goal=goal, measures=goal)
        bounds = result.interval(goal, resamples=400)
        later = classify(truth, score=new, threshold=min(result.of().threshold or 0.0, 99.0), measures=goal)[goal]
        covered += bounds.low <= later <= bounds.high
    assert 0.92 <= covered / times <= 0.99


def test_decisions_at_thresholds_chosen_on_the_same_items_are_not_compared(tmp_path: Path) -> None:
    actual, score = noise(200, 0.3, 1, 0.5)
    scores = {"a": score, "b": noise(200, 0.3, 2, 0.5)[1]}
    chosen = classify(actual, score=scores, goal="F")
    with pytest.raises(BadInput, match=r"chosen for F on these items, so the decisions are not independent"):
        cranfield.compare(chosen)
    cranfield.compare(classify(actual, score=scores, threshold=0.5))
    by = np.arange(200) % 10
    with pytest.raises(BadInput, match="not independent"):
        cranfield.compare(classify(actual, score=scores, goal="F", by=by))
    areas = classify(actual, score=scores, goal="F", by=by, measures="AUC")
    assert [row.measure for row in cranfield.compare(areas).rows] == ["AUC"]
    page = cranfield.report(chosen)
    assert "Correct predictions compared" not in str([table.title for table in page.content.tables])
    assert "decisions are not compared" in str(page.content.passages)


@pytest.mark.parametrize("goal", ["F", "Informedness"])
def test_mcnemar_would_find_differences_between_equally_good_scorers(goal: str) -> None:
    n_found, n_sets = 0, 40
    for seed in range(n_sets):
        rng = np.random.default_rng(seed)
        actual = rng.random(400) < 0.1
        right = []
        for _ in "ab":
            score = rng.normal(size=400) + 0.5 * actual
            (cut,) = {choose(thresholds(actual, score), parse_goal(goal)).threshold}
            right.append((score >= cut) == actual)
        n_found += cranfield.compare({"a": right[0] * 1.0, "b": right[1] * 1.0}, test="mcnemar").rows[0].p < 0.05
    assert n_found > n_sets / 4  # 1 in 20 if the decisions were independent
