"""Every worked example of the lectures through the command line, under the name it has in the list of them.

The expected values are worked out here from the counts, or are those of the list, which were worked out with fractions.
"""

from __future__ import annotations

import math
import shlex

import pytest

from cli.lectures import (
    CANCER,
    EIGHT,
    FOURTEEN,
    GRADED,
    PEOPLE,
    TEN,
    TWENTY,
    Capture,
    approx,
    figures,
)
from cli.lectures import at_the_lectures as at_the_lectures


def rates(tp: int, fp: int, fn: int, tn: int) -> dict[str, float]:
    """What follows from four counts."""
    n = tp + fp + fn + tn
    return {
        "Recall": tp / (tp + fn), "MissRate": fn / (tp + fn), "Specificity": tn / (fp + tn), "Fallout": fp / (fp + tn),
        "Precision": tp / (tp + fp), "FDR": fp / (tp + fp), "NPV": tn / (fn + tn), "FOR": fn / (fn + tn),
        "Accuracy": (tp + tn) / n, "ErrorRate": (fp + fn) / n, "Prevalence": (tp + fn) / n,
        "F": 2 * tp / (2 * tp + fp + fn), "Jaccard": tp / (tp + fp + fn),
    }  # fmt: skip


GAINS = {"PrecisionGain": 0.4, "RecallGain": 0.7, "FGain": 0.55, "FGain(beta=0.5)": 0.46, "FGain(beta=2)": 0.64}
HALF = 1 / 2
FIGURES: dict[str, tuple[str, dict[str, float]]] = {  # figures by measure
    "pr14-ap": (f"eval {FOURTEEN}", {"AP": 593 / 780, "AUPR(rule='step')": 593 / 780}),
    "pr14-auc-trapezoid": (f"eval {FOURTEEN}", {"AUPR": 0.7401282051282051}),
    "pr14-system-efficiency": (f"eval {FOURTEEN}", {"SysEff": 1 - math.hypot(1 - 4 / 5, 1 - 4 / 6) / math.sqrt(2)}),
    "pr14-rprecision-weber": (
        f"eval {FOURTEEN}", {"PAtR@0.2": 1, "PAtR@0.4": 1, "PAtR@0.6": 3 / 4, "PAtR@0.8": 4 / 6, "PAtR@1.0": 5 / 13}),
    "pr14-rprecision-trec": (f"eval {FOURTEEN}", {"Rprec": 3 / 5, "BEP": 3 / 5, "R@5": 3 / 5}),
    "pr14-11pt": (f"eval {FOURTEEN}", {"IAP": (5 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 5 / 13) / 11, "IPrec@0.5": 3 / 4}),
    "pr14-p-at-k": (f"eval {FOURTEEN}", {"P@1": 1, "P@3": 2 / 3, "P@5": 3 / 5, "P@10": 4 / 10, "R@3": 2 / 5}),
    "weber-dcg10-exp": (
        f"eval {GRADED}", {"DCG(gain='exp2')@10": 11.008884645941489, "nDCG(gain='exp2')@10": 0.43300274820845247}),
    "weber-dcg10-selfideal": (f"eval {GRADED}", {"nDCG(ideal='retrieved')@10": 0.674619773182372}),
    "weber-p10-any-grade": (f"eval {GRADED}", {"P@10": 7 / 10, "nCG(top=3)@10": 15 / 30}),
    "cancer": (CANCER, rates(20, 180, 10, 1820)),
    "virus": ("classify --counts TP=595 FP=4965 FN=105 TN=94335", rates(595, 4965, 105, 94335)),
    "wmc-3x3": (PEOPLE, {"Accuracy": 0.85, "Precision": (13 / 19 + 15 / 18 + 57 / 63) / 3,
                         "Recall": (13 / 20 + 15 / 20 + 57 / 60) / 3, "F": 0.7943232063899587,
                         "Kappa": 0.7262773722627737, "MCC": 0.7274021516499668}),
    "wmc-woman": (f"{PEOPLE} --collapse Woman", rates(13, 6, 7, 74)),
    "wmc-man": (f"{PEOPLE} --collapse Man", rates(15, 3, 5, 77)),
    "wmc-child": (f"{PEOPLE} --collapse Child", rates(57, 6, 3, 34)),
    "roc20-auc": (TWENTY, {"AUC": 68 / 100}),
    "roc20-eer": (TWENTY, {"EER": 0.4}),
    "roc20-ap": (TWENTY, {"AP": (1 + 1 + 3 / 4 + 4 / 5 + 5 / 6 + 6 / 9 + 7 / 11 + 8 / 13 + 9 / 17 + 10 / 19) / 10}),
    "roc20-auprg": (TWENTY, {"AUPRG": 0.3129668997228521}),
    "flach-auroc-rate": (TWENTY, {"ExpectedAccuracy": 2 * HALF * HALF * (0.68 - HALF) + HALF}),
    "bhatt-d1d8": (EIGHT, rates(2, 2, 1, 3) | {"GMeasure": math.sqrt(HALF * 2 / 3), "Kappa": 0.25}),
    "bhatt-ap-m1": ("eval methods.qrels method1.run", {"AP@10": 28 / 45, "Rprec": 2 / 5, "RR": 1}),
    "bhatt-ap-m2": ("eval methods.qrels method2.run", {"AP@10": 69 / 175, "Rprec": 2 / 5, "RR": 1 / 2}),
    "bhatt-ap-m3": ("eval methods.qrels method3.run", {"AP@10": 71 / 100, "Rprec": 4 / 5, "RR": 1 / 2}),
    "bhatt-ap-m4": ("eval methods.qrels method4.run", {"AP@10": 1, "Rprec": 1, "RR": 1}),
    "bhatt-dcg10": (f"eval {TEN}", {"DCG(discount='log(i)')@10": 11.17251722440095}),
    "bhatt-dcg10-variants": (f"eval {TEN}", {
        "DCG@10": 9.37063724931087, "DCG(gain='exp2')@10": 28.825032821670092,
        "DCG(gain='exp2', discount='log(i)')@10": 33.61274451369092,
        "nDCG(gain='exp2', discount='log(i)', ideal='retrieved')@10": 0.9150299469614461}),
    "bhatt-fbeta-direction": (EIGHT, {
        "F(beta=0)": 1 / 2, "F(beta=0.5)": 10 / 19, "F": 4 / 7, "F(beta=2)": 5 / 8, "F(beta=inf)": 2 / 3}),
    "flach-f1-modified-accuracy": (EIGHT, {"F": (2 + 2) / (2 + 2 + 2 + 1), "Jaccard": 2 / (2 + 2 + 1)}),
    "flach-gains": (EIGHT, GAINS),
    "flach-gains-cancer": (CANCER, {"PrecisionGain": 0.865, "RecallGain": 0.9925, "FGain": 0.92875}),
    "flach-fbeta-weights": (EIGHT, dict.fromkeys(("F(beta=0.5)", "F(alpha=0.8)"), 1 / (0.8 * 2 + 0.2 * 3 / 2))),
    "flach-acc_c": (EIGHT, {"CostAccuracy(c=0.2)": 0.55, "CostAccuracy": 5 / 8, "CostAccuracy(c=0.8)": 0.7}),
}  # fmt: skip


@pytest.mark.parametrize("name", FIGURES)
def test_measures(name: str, capsys: Capture) -> None:
    command, expected = FIGURES[name]
    asked = " ".join(f"-m {shlex.quote(measure)}" for measure in expected)
    found = figures(capsys, f"{command} {asked}")
    assert {measure: found[measure] for measure in expected} == approx(expected, rel=1e-9)
