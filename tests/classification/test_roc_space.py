"""ROC space: classifiers without scores are points, with what their counts say."""

from __future__ import annotations

import csv
import io
import itertools
from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield import plot
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.cells import cells
from cranfield.evidence.thresholds import thresholds
from cranfield.present.plots.plot import Plot
from plot.gallery import ACTUAL, SCORES, scores

# four classifiers of 100 positives and 100 negatives: TP, FP, FN, TN
FOUR = {"A": (95, 30, 5, 70), "B": (40, 80, 60, 20), "C": (90, 70, 10, 30), "D": (55, 5, 45, 95)}


def rows(drawn: Plot, part: str) -> list[dict[str, str]]:
    return [row for row in csv.DictReader(io.StringIO(drawn.to_csv())) if row["part"] == part]


def places(drawn: Plot, part: str) -> list[tuple[str, float, float]]:
    return [(row["system"], float(row["fallout"]), float(row["recall"])) for row in rows(drawn, part)]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """One row per item, one column per classifier."""
    lines = ["label,A,B,C,D"]
    for label, right in (("sick", lambda tp, fp, fn, tn: tp), ("well", lambda tp, fp, fn, tn: fp)):
        positive = [right(*FOUR[name]) for name in "ABCD"]
        lines += [",".join([label, *("sick" if item < n else "well" for n in positive)]) for item in range(100)]
    file = tmp_path / "methods.csv"
    file.write_text("\n".join(lines) + "\n")
    return file


def test_label_only_classifiers_are_points_and_the_hull_goes_round_them(table: Path, tmp_path: Path) -> None:
    columns = [word for name in "ABCD" for word in ("--predicted", name)]
    given = ["plot", "roc", str(table), "--actual", "label", "--positive", "sick", *columns]
    assert main([*given, "-o", str(tmp_path / "roc.csv")]) == 0
    known = list(csv.DictReader(io.StringIO((tmp_path / "roc.csv").read_text())))
    found = {row["system"]: (float(row["fallout"]), float(row["recall"])) for row in known if row["part"] == "point"}
    assert found == {"A": (0.3, 0.95), "B": (0.8, 0.4), "C": (0.7, 0.9), "D": (0.05, 0.55)}
    inverted = [(row["system"], row["fallout"], row["recall"]) for row in known if row["part"] == "inverted"]
    assert inverted == [("B", "0.2", "0.6")]
    hull = [(float(row["fallout"]), float(row["recall"])) for row in known if row["part"] == "joint hull"]
    assert hull == corners([(0, 0), (1, 1), *found.values()]) == [(0, 0), (0.05, 0.55), (0.3, 0.95), (1, 1)]


def corners(given: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The upper hull: both ends, and the points with no pair of others whose line passes above or through them."""

    def covered(point: tuple[float, float]) -> bool:
        x, y = point
        others = [other for other in given if other != point]
        on_top = any(other[0] <= x and other[1] >= y for other in others)
        between = (
            (left[1] * (right[0] - x) + right[1] * (x - left[0])) / (right[0] - left[0])
            for left, right in itertools.permutations(others, 2)
            if left[0] < x < right[0]
        )
        return on_top or any(height >= y for height in between)

    return sorted({(0, 0), (1, 1)} | {point for point in given if not covered(point)})


def test_the_hull_of_points_and_curves_is_the_hull_of_all() -> None:
    random = np.random.default_rng(3)
    for _ in range(20):
        counts = random.integers(1, 30, (6, 4))
        given = {f"c{place}": cells(*row) for place, row in enumerate(counts.tolist())}
        drawn = plot.roc({**given, "curve": scores()})
        known = [(0.0, 0.0), (1.0, 1.0), *((x, y) for _, x, y in places(drawn, "point") + places(drawn, "curve"))]
        assert [(x, y) for _, x, y in places(drawn, "joint hull")] == corners(known)


def test_labels_are_inverted_on_the_command_line(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(table), "--actual", "label", "--positive", "sick", "--predicted", "B", "--invert"]
    assert main(["classify", *given, "-m", "Recall,Fallout", "-f", "csv"]) == 0
    values = {row["measure"]: row["value"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))}
    assert (values["Recall"], values["Fallout"]) == ("0.6", "0.2")
    assert main(["plot", "roc", *given]) == 0


def test_labels_of_three_classes_are_not_inverted() -> None:
    with pytest.raises(BadSetting, match="only labels of two classes, one of them positive, can be inverted"):
        cranfield.classify(["a", "b", "c"], ["a", "c", "b"], positive="a", invert=True)


def test_the_equal_error_rate_is_on_the_curve_and_on_the_falling_diagonal() -> None:
    ((_, fallout, recall),) = places(plot.roc(scores()), "equal errors")
    assert fallout + recall == pytest.approx(1)
    curve = sorted((x, y) for _, x, y in places(plot.roc(scores()), "curve"))
    assert any(
        x0 <= fallout <= x1 and y0 - 1e-12 <= recall <= y1 + 1e-12 for (x0, y0), (x1, y1) in itertools.pairwise(curve)
    )


def test_the_regions_are_bounded_by_likelihood_ratios() -> None:
    spec = plot.roc(scores(), regions=5).spec
    corners = [row for rows in spec["datasets"].values() for row in rows if "top" in row]
    for row in corners:
        positive, negative = row["recall"], 1 - row["recall"]
        rules_in = positive == pytest.approx(5 * row["fallout"])
        rules_out = negative == pytest.approx((1 - row["fallout"]) / 5)
        assert rules_in or rules_out
    assert len(corners) == 4
    with pytest.raises(BadSetting, match="regions must be a likelihood ratio above 1, such as 10, not"):
        plot.roc(scores(), regions=0.5)


def test_each_class_of_several_has_a_curve_against_the_rest() -> None:
    actual = ["a", "b", "c", "a", "b", "c", "a", "c"]
    likely = np.random.default_rng(1).dirichlet(np.ones(3), len(actual))
    known = cranfield.classify(actual, probability=likely, labels=["a", "b", "c"])
    for kind in ("roc", "precision_recall", "calibration", "det"):
        assert set(getattr(known.plot, kind)().data["system"].to_pylist()) == {"a", "b", "c"}
    alone = plot.roc({"b": thresholds(np.array([each == "b" for each in actual]), likely[:, 1])})
    found = [place for place in places(known.plot.roc(), "curve") if place[0] == "b"]
    assert found == places(alone, "curve")


def test_scores_and_labels_stand_in_one_picture() -> None:
    known = cranfield.classify(ACTUAL, predicted={"tree": SCORES > 0.5}, score={"bayes": SCORES}, positive=True)
    drawn = known.plot.roc(shade=True, connect=True)
    assert places(drawn, "point") == [("tree", 0.3, 0.6)]
    assert {name for name, _, _ in places(drawn, "curve")} == {"bayes"}


def test_a_point_needs_both_classes_and_a_positive_one() -> None:
    with pytest.raises(BadInput, match="tree: only one class is present; a point in ROC space needs positives"):
        plot.roc({"tree": cells(3, 0, 1, 0)})
    with pytest.raises(BadInput, match="ROC space needs a binary decision; choose the class with positive="):
        plot.roc(cranfield.classify(["a", "b", "c"], ["a", "c", "b"]))
    with pytest.raises(BadInput, match="a curve needs scores or probabilities, not labels"):
        plot.det(cranfield.classify([1, 0, 1], [1, 0, 0]))


@pytest.mark.parametrize("ratio", [1.1, 2, 3, 10, 15])
def test_the_names_of_the_regions_are_inside_them_and_not_where_both_overlap(ratio: float) -> None:
    spec = plot.roc(scores(), regions=ratio).spec
    rows = [row for rows in spec["datasets"].values() for row in rows if "rules" in str(row.get("label"))]
    spots = {row["label"]: (row["fallout"], row["recall"]) for row in rows}
    fallout, recall = spots["rules out"]
    for end in (fallout, fallout + 0.12):
        assert 1 - recall < (1 - end) / ratio
    assert spots["rules in"] == pytest.approx((1 - recall, 1 - fallout))
    assert ratio == 1.1 or recall < ratio * fallout


def test_the_name_of_a_region_keeps_clear_of_points() -> None:
    drawn = plot.roc(
        {"A": cells(96, 20, 4, 80), "D": cells(55, 3, 45, 97)}, regions=10
    ).spec  # (0.2, 0.96), (0.03, 0.55)
    rows = [row for rows in drawn["datasets"].values() for row in rows if str(row.get("label")).startswith("rules")]
    spots = {row["label"]: (row["fallout"], row["recall"]) for row in rows}
    assert spots["rules out"][0] > 0.2 + 0.05  # after A and its name
    assert spots["rules in"][1] == pytest.approx(0.88)  # where it is without points
