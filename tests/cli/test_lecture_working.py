"""Worked examples of the lectures of which more is checked than values of measures."""

from __future__ import annotations

import csv
import math
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield
from cli.lectures import (
    CANCER,
    FOURTEEN,
    GRADED,
    JUDGES,
    TWENTY,
    Capture,
    approx,
    document,
    figures,
    rows,
)
from cli.lectures import at_the_lectures as at_the_lectures
from cli.test_lecture_examples import FIGURES
from cranfield.cli.main import main


def table_of_fourteen(capsys: Capture) -> None:
    steps = rows(capsys, f"eval {FOURTEEN} --steps")
    hits = [1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5]
    assert [float(row["P"]) for row in steps] == approx([n / k for k, n in enumerate(hits, 1)])
    assert [float(row["R"]) for row in steps] == approx([n / 5 for n in hits])
    assert [row["document"] for row in steps[:4]] == ["588", "589", "576", "590"]


def graded_table(capsys: Capture) -> None:
    steps = rows(capsys, f"eval {GRADED} -m nDCG@10 --steps")
    assert [float(row["CG"]) for row in steps[:10]] == [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]
    assert [float(row["discount"]) for row in steps[:10]] == approx([1 / math.log2(k + 1) for k in range(1, 11)])
    assert [float(row["ideal_gain"]) for row in steps[:10]] == [3] * 5 + [2] * 5
    dcg = ideal = 0.0
    for k, (row, grade) in enumerate(zip(steps[:10], [0, 2, 1, 3, 0, 2, 0, 3, 1, 3], strict=True), 1):
        dcg, ideal = dcg + grade / math.log2(k + 1), ideal + (3 if k <= 5 else 2) / math.log2(k + 1)
        assert [float(row[name]) for name in ("DCG", "IDCG", "nDCG")] == approx([dcg, ideal, dcg / ideal])


def precision_at_a_recall(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "q").write_text("".join(f"q 0 d{n} {int(n > 1)}\n" for n in range(1, 5)))
    (tmp_path / "r").write_text("".join(f"q Q0 d{n} {n} {9 - n} r\n" for n in range(1, 5)))
    third = f"{1 / 3:.16f}"
    asked = f"""-m PAtR@{third} -m "PAtR(reading='highest')@{third}" """
    assert [*figures(capsys, f"eval {tmp_path / 'q'} {tmp_path / 'r'} {asked}").values()] == [1 / 2, 3 / 4]


def always_no(capsys: Capture) -> None:
    found = figures(capsys, "classify --counts TP=0 FP=0 FN=30 TN=2000")
    assert found["Precision"] is None  # printed as 0 %
    assert (found["Accuracy"], found["NPV"], found["Recall"], found["Specificity"]) == approx(
        (200 / 203, 200 / 203, 0, 1)
    )


def thresholds_of_twenty(capsys: Capture) -> None:
    steps = rows(capsys, f"{TWENTY} --steps")
    tp = [1, 2, 2, 3, 4, 5, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8, 9, 9, 10, 10]
    fp = [n - own for n, own in enumerate(tp, 1)]
    assert [[float(row[name]) for name in ("TP", "FP", "FN", "TN")] for row in steps] == [
        [t, f, 10 - t, 10 - f] for t, f in zip(tp, fp, strict=True)
    ]
    assert [float(row["Accuracy"]) for row in steps] == approx([(t + 10 - f) / 20 for t, f in zip(tp, fp, strict=True)])


def goal(capsys: Capture, text: str) -> tuple[list[float], float]:
    (system,) = document(capsys, f"{TWENTY} -g {shlex.quote(text)}")["systems"].values()
    return system["goals"][text]["thresholds"], system["goals"][text]["apparent"]


def by_accuracy(capsys: Capture) -> None:
    assert goal(capsys, "Accuracy") == ([0.54], approx(0.7))


def by_corner(capsys: Capture) -> None:
    thresholds, distance = goal(capsys, "CornerDistance")
    assert sorted(thresholds) == [0.4, 0.51]
    assert distance == approx(0.5)


def by_informedness(capsys: Capture) -> None:
    assert goal(capsys, "Informedness") == ([0.54], approx(0.4))


def by_least_specificity(capsys: Capture) -> None:
    assert goal(capsys, "Recall where Specificity > 0.9") == ([0.8], approx(0.2))
    assert goal(capsys, "Recall where Specificity >= 0.9") == ([0.54], approx(0.5))


def by_weighted_rates(capsys: Capture) -> None:
    assert goal(capsys, "WeightedRates") == ([0.54], approx(0.7))
    assert goal(capsys, "WeightedRates(recall=0.7)") == ([0.3], approx(0.73))
    assert goal(capsys, "WeightedRates(recall=0.3)") == ([0.54], approx(0.78))


def hull_of_twenty(capsys: Capture, tmp_path: Path) -> None:
    assert figures(capsys, f"{TWENTY} -m AUCH")["AUCH"] == approx(0.755)
    plotted = TWENTY.replace("classify", "plot roc")
    assert main([*shlex.split(plotted), "-o", str(tmp_path / "roc.csv")]) == 0
    drawn = csv.DictReader((tmp_path / "roc.csv").read_text().splitlines())
    hull = [[10 * float(row[name]) for name in ("fallout", "recall")] for row in drawn if row["part"] == "hull"]
    corners = [[0, 0], [0, 2], [1, 5], [5, 8], [9, 10], [10, 10]]
    assert [round(x) for point in hull for x in point] == [x for point in corners for x in point]


def inverted(capsys: Capture) -> None:
    command = "classify points.csv -a actual -p B --positive 1"
    before, after = (figures(capsys, command + more) for more in ("", " --invert"))
    assert (before["Recall"], before["Fallout"]) == (0.4, 0.8)
    assert (after["Recall"], after["Fallout"]) == approx((0.6, 0.2))


def fallout_identity(capsys: Capture) -> None:
    found = figures(capsys, CANCER)
    f, p, r, g = (found[name] for name in ("Fallout", "Precision", "Recall", "Prevalence"))
    assert f * p * (1 - g) == approx(r * g * (1 - p)) == approx(0.008866995073891626)


def clipped_log_loss(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,p\n1,0\n0,0\n")
    found = figures(capsys, f"classify {tmp_path / 'p.csv'} -a y --probability p -m LogLoss")
    assert 2 * found["LogLoss"] == approx(-math.log(1e-15))  # the other item adds nothing to 12 digits


def log_loss_of_three_classes(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("y,a,b,c\na,.7,.2,.1\n")
    asked = "--probability a --probability b --probability c -m OneVsRestLoss -m LogLoss"
    found = figures(capsys, f"classify {tmp_path / 'p.csv'} -a y {asked}")
    assert found["OneVsRestLoss"] == approx(-math.log(0.7 * 0.8 * 0.9))
    assert found["LogLoss"] == approx(-math.log(0.7))


def squared_error(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("y,guess\n1,1\n2,2\n3,5\n")
    found = document(capsys, f"regress {tmp_path / 'v.csv'} --actual y --predicted guess -m MSE")
    assert next(iter(found["systems"].values()))["measures"]["MSE"] == approx(4 / 3)


def capitals(capsys: Capture, tmp_path: Path) -> None:
    grades = {"L": 5, "J": 4, "B": 3, "P": 2, "D": 1}
    (tmp_path / "k.qrels").write_text("".join(f"q 0 {town} {grade}\n" for town, grade in grades.items()))
    expected = {"LPBJD": 11.323465818787767, "LJDPB": 11.922959427791637, "LJXBP": 11.361353116146786}
    ideal = 12.323465818787767
    for answer, dcg in expected.items():
        lines = [f"q Q0 {town} {n} {9 - n} m\n" for n, town in enumerate(answer, 1)]
        (tmp_path / "k.run").write_text("".join(lines))
        asked = """-m "DCG(discount='log(i)')@5" -m "nDCG(discount='log(i)')@5" """
        found = figures(capsys, f"eval {tmp_path / 'k.qrels'} {tmp_path / 'k.run'} {asked}")
        assert [*found.values()] == approx([dcg, dcg / ideal])


def preferences(capsys: Capture) -> None:
    found = document(capsys, "correlate --orders capitals.csv --coefficient concordance --coefficient tau-b")
    values = {(row["first"], row["second"], row["coefficient"]): row["value"] for row in found["correlations"]}
    assert 0.7 in [approx(value) for (_, _, name), value in values.items() if name == "concordance"]
    assert 0.4 in [approx(value) for (_, _, name), value in values.items() if name == "tau-b"]


def bpref(sequence: str, expected: float) -> Callable[[Capture], None]:
    def checked(capsys: Capture) -> None:
        found = rows(capsys, "eval bpref.qrels bpref.run -m Bpref -q")
        assert {row["query"]: float(row["value"]) for row in found}[sequence] == approx(expected)

    return checked


def uncapped_bpref(capsys: Capture) -> None:
    found = rows(capsys, """eval bpref.qrels bpref.run -m Bpref -m "Bpref(form='plain', capped=False)" -q""")
    assert [float(row["value"]) for row in found if row["query"] == "IIIIR"] == [0, -3]


def cohen(capsys: Capture) -> None:
    steps = rows(capsys, f"{JUDGES} -m Kappa --steps --order R,I")
    values = {row["quantity"]: float(row["value"]) for row in steps}
    assert [values[name] for name in ("P(A)", "P(E)", "kappa")] == approx([24 / 40, 0.8 * 0.6 + 0.2 * 0.4, 1 / 11])


def coefficients(capsys: Capture, *names: str) -> list[float]:
    found = document(capsys, f"{JUDGES} {' '.join(f'-m {name}' for name in names)}")["agreement"]
    return [next(row["value"] for row in found if row["measure"] == name) for name in names]


def scott(capsys: Capture) -> None:
    assert coefficients(capsys, "Fleiss") == approx([(0.6 - 0.58) / (1 - 0.58)])


def other_coefficients(capsys: Capture) -> None:
    assert coefficients(capsys, "S", "AC1", "Alpha") == approx([0.2, 0.3103448275862069, 0.05952380952380952])


def fleiss(capsys: Capture) -> None:
    steps = rows(capsys, "agree --counts raters.csv -m Fleiss --steps --resamples 0")
    values = {
        name: [float(row["value"]) for row in steps if row["quantity"] == name] for name in ("P_i", "p_j", "kappa")
    }
    assert values["p_j"] == approx([20 / 140, 28 / 140, 39 / 140, 21 / 140, 32 / 140])
    items = dict(zip([row["item"] for row in steps if row["quantity"] == "P_i"], values["P_i"], strict=True))
    assert [items[name] for name in "123"] == approx([1, 46 / 182, 56 / 182])
    assert values["kappa"] == approx([0.20993070442195524])  # printed 0.22, from rounded terms


def bands_of_areas(capsys: Capture) -> None:
    assert main([*shlex.split(TWENTY), "--all"]) == 0
    bands = "excellent: 0.9 or more, good: 0.8 or more, fair: 0.7 or more, poor: 0.6 or more"
    assert f"an AUC of 0.68 is called “poor” ({bands})" in capsys.readouterr().out


def bands_of_kappa(capsys: Capture) -> None:
    assert main(shlex.split(f"{JUDGES} -m Kappa")) == 0
    assert "above 0.8 almost perfect, 0.6 substantial, 0.4 moderate, 0.2 fair, 0 slight;" in capsys.readouterr().out
    (row,) = (each for each in document(capsys, f"{JUDGES} -m Kappa --per all")["agreement"])
    assert row["band"] == "slight"


def tau_with_ties(capsys: Capture) -> None:
    found = document(capsys, "correlate --orders ties.csv --coefficient tau-a --coefficient tau-b")
    assert [row["value"] for row in found["correlations"]] == approx([4 / 6, 4 / 5])


def t_test(capsys: Capture) -> None:
    (row,) = rows(capsys, "compare --values readings.csv -b 9 --steps")
    names = ("mean", "deviation", "error", "statistic", "freedom", "p", "critical_high")
    expected = [10.5, 9.5**0.5, (9.5 / 6) ** 0.5, 1.5 / (9.5 / 6) ** 0.5, 5, 0.2867179646728136, 2.5705818356363146]
    assert [float(row[name]) for name in names] == approx(expected, rel=1e-8)
    (row,) = rows(capsys, "compare --values readings.csv -b 9 --alternative greater")
    assert float(row["p"]) == approx(0.1433589823364068)


def offsets(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "o.csv").write_text("item,offset\n1,3\n2,2\n3,2\n4,4\n")
    (row,) = rows(capsys, f"compare --values {tmp_path / 'o.csv'} -b 0 --steps")
    assert [float(row[name]) for name in ("mean", "deviation")] == approx([11 / 4, math.sqrt(11 / 12)])


def paired_t(capsys: Capture) -> None:
    (plain,), (wider,) = (
        rows(capsys, f"compare --values folds.csv {more}") for more in ("", "-t 'corrected t' --overlap 0.25")
    )
    assert (float(plain["statistic"]), float(plain["p"])) == approx((2.745625891934576, 0.05160595781117475))
    assert float(wider["statistic"]) == approx(1.8304172612897176)


def macro_and_micro(capsys: Capture, tmp_path: Path) -> None:
    queries = {"one": (0, 10, 1), "many": (80, 100, 100), "more": (90, 100, 120)}
    with (tmp_path / "q").open("w") as qrels, (tmp_path / "r").open("w") as run:
        for query, (hits, retrieved, relevant) in queries.items():
            qrels.writelines(f"{query} 0 r{n} 1\n" for n in range(relevant))
            names = [f"r{n}" for n in range(hits)] + [f"x{n}" for n in range(retrieved - hits)]
            run.writelines(f"{query} Q0 {name} {n} {-n} r\n" for n, name in enumerate(names))
    command = f"eval {tmp_path / 'q'} {tmp_path / 'r'} -m P -m R --aggregate macro --aggregate micro"
    values = [row["value"] for row in document(capsys, command)["results"]]
    assert values == approx([0.56666666666666667, 0.51666666666666667, 170 / 210, 170 / 221])


def pooled(capsys: Capture, tmp_path: Path) -> None:
    for name, documents in {"A": "123", "B": "24", "C": "51"}.items():
        lines = [f"q Q0 d{each} {n} {9 - n} {name}\n" for n, each in enumerate(documents, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    runs = " ".join(str(tmp_path / f"{name}.run") for name in "ABC")
    for depth, expected in ((2, "1245"), (10, "12345")):
        assert sorted(row["document"] for row in rows(capsys, f"pool {runs} --depth {depth}")) == [
            f"d{n}" for n in expected
        ]


def corner_distances(capsys: Capture) -> None:
    for counts, distance in (("TP=60 FP=30 FN=40 TN=70", 0.5), ("TP=80 FP=10 FN=20 TN=90", math.sqrt(0.05))):
        found = figures(capsys, f"classify --counts {counts} -m CornerDistance")
        assert found["CornerDistance"] == approx(distance)


def folds(capsys: Capture) -> None:  # divisions are made in Python only
    pairs = cranfield.k_fold(10, 5)
    assert [(len(pair.train), len(pair.test)) for pair in pairs] == [(8, 2)] * 5
    assert len(cranfield.leave_one_out(10)) == 10


def power(capsys: Capture) -> None:
    found = document(capsys, f"plan --deviation {9.5**0.5} --difference 1.5 --queries 6")
    assert 0.16426712859728776 in [approx(value) for row in found["plan"] for value in row.values() if is_number(value)]


def is_number(value: object) -> bool:
    return isinstance(value, float)


CHECKS: dict[str, Callable[..., None]] = {
    "pr14-table": table_of_fourteen, "pr14-rprecision-diff-counterexample": precision_at_a_recall,
    "weber-dcg10": graded_table, "cancer-oracle-no": always_no, "roc20-table": thresholds_of_twenty,
    "roc20-threshold-accuracy": by_accuracy, "roc20-threshold-closest": by_corner,
    "roc20-threshold-youden": by_informedness, "roc20-threshold-min-specificity": by_least_specificity,
    "roc20-threshold-weighted": by_weighted_rates, "roc20-rocch": hull_of_twenty, "roc-invert-B": inverted,
    "identity-fallout": fallout_identity, "logloss-clip": clipped_log_loss, "logloss-ovr": log_loss_of_three_classes,
    "mse": squared_error, "bhatt-kanpur": capitals, "preference-pairs": preferences,
    "bhatt-bpref-IRII": bpref("IRII", 1 / 4), "bhatt-bpref-IRNNRI": bpref("IRNNRI", 1 / 2),
    "bhatt-bpref-IRNNRIRI": bpref("IRNNRIRI", 5 / 9), "bhatt-bpref-cap": uncapped_bpref, "bhatt-kappa-cohen": cohen,
    "bhatt-kappa-scott": scott, "bhatt-kappa-others": other_coefficients, "bhatt-fleiss": fleiss,
    "bhatt-auc-bands": bands_of_areas, "bhatt-kappa-bands": bands_of_kappa, "kendall-ties": tau_with_ties,
    "ttest-6": t_test, "collocation-offsets": offsets, "paired-t": paired_t,
    "macro-micro-constructed": macro_and_micro, "cost-of-judging-pool": pooled, "handout-roc-space": corner_distances,
    "kfold-pairs": folds, "error-types": power,
}  # fmt: skip


@pytest.mark.parametrize("name", CHECKS)
def test_working(name: str, capsys: Capture, tmp_path: Path) -> None:
    check = CHECKS[name]
    arguments: dict[str, Any] = {"capsys": capsys, "tmp_path": tmp_path}
    wanted = check.__code__.co_varnames[: check.__code__.co_argcount]
    check(**{argument: arguments[argument] for argument in wanted})


def test_no_example_is_checked_twice_and_all_are() -> None:
    assert not FIGURES.keys() & CHECKS.keys()
    assert len(FIGURES) + len(CHECKS) == 71  # in the list of worked examples
