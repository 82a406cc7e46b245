"""The page of worked examples shows what the sources' own data give, which was worked out by hand or with fractions."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.test_lecture_examples import FIGURES
from cli.test_lecture_working import CHECKS

PAGE = (Path(__file__).parents[2] / "docs" / "explanation" / "worked-examples.md").read_text("utf-8")
SECTIONS = {part.partition("\n")[0]: " ".join(part.split()) for part in PAGE.split("\n## ")[1:]}

FOURTEEN, ONE_FIGURE = "Fourteen documents, five relevant", "Measures of the fourteen documents"
GRADED, EXPONENTIAL = "Graded relevance with missed documents", "The same with gains 2^grade - 1"
AREAS, EIGHT = "Areas and other summary measures of the twenty scores", "Eight documents"
TWENTY, PEOPLE, FOUR = (
    "Twenty scores at every threshold",
    "Women, men and children",
    "Average precision of four methods",
)
SHOWN = [  # the name in the list of worked examples, the section, and a figure
    ("pr14-table", FOURTEEN, "3 576 0 - FP 0.6667 0.4000"),
    ("pr14-table", FOURTEEN, "TP (retrieved and relevant): 5: 588, 589, 590, 592, 772"),
    ("pr14-ap", FOURTEEN, "= 0.7603"),  # 593/780
    ("pr14-auc-trapezoid", ONE_FIGURE, "0.7603 0.7401"),
    ("pr14-system-efficiency", ONE_FIGURE, "0.7251"),
    ("pr14-rprecision-weber", ONE_FIGURE, "0.7821 0.7500"),
    ("pr14-rprecision-diff-counterexample", "Precision at a given recall, in two editions",
     "0.5000 0.7500"),
    ("pr14-rprecision-trec", ONE_FIGURE, "0.7251 0.6000 0.6000"),
    ("pr14-11pt", "The eleven-point curve", "1.0000 0.3846"),  # 5/13
    ("pr14-11pt", ONE_FIGURE, "0.7821"),
    ("pr14-p-at-k", ONE_FIGURE, "0.7500 0.6667 0.4000"),
    ("weber-dcg10", GRADED, "3 15 0.5000 0.2891 0.8672 5.8809 2 12.0356 0.4886"),
    ("weber-dcg10-exp", EXPONENTIAL, "0.4330 11.0089"),
    ("weber-dcg10-selfideal", EXPONENTIAL, "0.6746"),
    ("weber-p10-any-grade", EXPONENTIAL, "0.7000 0.5000"),
    ("cancer", "A test for cancer", "0.0148"),
    ("cancer-oracle-no", "Always negative", "undefined: nothing was predicted positive"),
    ("virus", "A test for a virus", "0.9989"),
    ("wmc-3x3", PEOPLE, "0.7943"),
    ("wmc-woman", PEOPLE, "Woman 13 6 7 74 0.6500 0.0750 0.9250 0.6842 0.9136"),
    ("wmc-woman", "Woman or not", "NPV Negative predictive value 0.9136"),
    ("wmc-child", PEOPLE, "Child 57 6 3 34 0.9500 0.1500 0.8500 0.9048 0.9189"),
    ("wmc-man", PEOPLE, "Man 15 3 5 77 0.7500 0.0375 0.9625 0.8333 0.9390"),
    ("roc20-table", TWENTY, "P 0.54 5 1 5 9 0.5000 0.1000"),
    ("roc20-auc", TWENTY, "0.6800"),
    ("roc20-threshold-accuracy", TWENTY, "Accuracy 0.54 0.6500 0.7000 5 1 5 9"),
    ("roc20-threshold-closest", AREAS, "CornerDistance: 0.51, 0.4 tie"),
    ("roc20-threshold-youden", TWENTY, "Informedness 0.54 0.3000 0.4000"),
    ("roc20-eer", AREAS, "0.4000"),
    ("roc20-ap", AREAS, "0.7357"),
    ("roc20-rocch", AREAS, "0.7550"),
    ("roc20-auprg", AREAS, "0.3130"),
    ("roc-invert-B", "Methods A to D in ROC space", "below the diagonal, so better inverted: B (0.20, 0.60)"),
    ("roc-invert-B", "Methods A to D in ROC space", "│ ●"),  # A
    ("roc-invert-B", "B inverted", "Recall 0.6000"),
    ("identity-fallout", "A test for cancer", "= 0.00887"),
    ("logloss-clip", "A probability of 0 for the true class", "17.2694"),  # half of 34.5388
    ("logloss-ovr", "Log-loss summed over classes, or of the true class only", "0.6852"),
    ("logloss-ovr", "Log-loss summed over classes, or of the true class only", "0.3567"),
    ("mse", "Mean squared error", "1.3333"),
    ("bhatt-d1d8", EIGHT, "0.5000 0.6667 0.5714 0.4000 0.5714 0.5774"),
    ("bhatt-d1d8", "Errors among the eight documents", "FN (missed): 1: d7"),
    ("bhatt-d1d8", "Errors among the eight documents", "TN (judged not relevant, not retrieved): 3: d2, d4, d8"),
    ("bhatt-ap-m1", FOUR, "method1 0.6222 0.4000 1.0000"),
    ("bhatt-ap-m2", FOUR, "method2 0.3943 0.4000 0.5000"),
    ("bhatt-ap-m3", FOUR, "method3 0.7100 0.8000 0.5000"),
    ("bhatt-ap-m4", FOUR, "method4 1.0000 1.0000 1.0000"),
    ("bhatt-dcg10", "Ten documents: discount log2(rank), ideal ranking of the retrieved documents", "0.9541"),
    ("bhatt-dcg10-variants", "Four variants of DCG for the ten documents", "11.1725 9.3706 28.8250"),
    ("bhatt-kanpur", "The state capitals nearest to Kanpur", "11.3235 1 12.3235 0.9189"),
    ("bhatt-kanpur", "The state capitals nearest to Kanpur", "11.9230"),
    ("bhatt-kanpur", "The state capitals nearest to Kanpur", "11.3614"),
    ("bhatt-bpref-IRII", "Bpref", "IRII 0.2500"),
    ("bhatt-bpref-IRNNRI", "Bpref", "IRNNRI 0.5000"),
    ("bhatt-bpref-IRNNRIRI", "Bpref", "IRNNRIRI 0.5556"),
    ("bhatt-bpref-cap", "Bpref", "IIIIR 0.0000 -3.0000"),
    ("bhatt-kappa-cohen", "Kappa of two judges", "kappa = (P(A) - P(E)) / (1 - P(E)) = 0.0909"),
    ("bhatt-kappa-scott", "The same with pooled margins, and other coefficients", "p_j 0.7000 0.3000"),
    ("bhatt-kappa-scott", "The same with pooled margins, and other coefficients", "Fleiss 40 0.0476"),
    ("bhatt-kappa-others", "The same with pooled margins, and other coefficients", "0.3103"),
    ("bhatt-fleiss", "Fleiss' kappa", "kappa = (P(A) - P(E)) / (1 - P(E)) = 0.2099"),
    ("bhatt-fbeta-direction", "From precision to recall", "F(beta=inf) 0.6667"),
    ("bhatt-auc-bands", AREAS, "an AUC of 0.68 is called “poor” (excellent: 0.9 or more"),
    ("bhatt-kappa-bands", "Kappa of two judges", "0.2 fair, 0 slight; below 0 poor (Landis and Koch 1977)"),
    ("kendall-ties", "Kendall's tau with ties", "0.6667 0.8000"),
    ("ttest-6", "A one-sample t-test", "critical value: ±2.571; H0 is not rejected if t is in (-2.571, 2.571)"),
    ("ttest-6", "The same by ranks", "W+, the sum of the ranks of positive differences: 11; W-, of negative ones: 4"),
    ("collocation-offsets", "Distance between two words", "2.75 - 0.00 = 2.75; standard deviation s = 0.9574"),
    ("paired-t", "A paired t-test that treats folds as independent", "t = 2.746 with 4 degrees of freedom"),
    ("paired-t", "A paired t-test corrected for overlapping training sets", "t = 1.83 with 4 degrees of freedom"),
    ("flach-f1-modified-accuracy", "Precision and recall gains", "Jaccard 0.4000"),
    ("flach-gains", "Precision and recall gains", "0.4600"),
    ("flach-gains-cancer", "A test for cancer", "0.9925"),
    ("flach-fbeta-weights", "From precision to recall", "F(alpha=0.8) 0.5263"),
    ("flach-acc_c", "Costs of the two errors", "0.5500"),
    ("flach-auroc-rate", AREAS, "0.5900"),
    ("roc20-threshold-min-specificity", AREAS, "Recall where Specificity > 0.9 0.8 0.1000 0.2000"),
    ("roc20-threshold-weighted", AREAS, "WeightedRates(recall=0.7) 0.3 0.5500 0.7300"),
    ("macro-micro-constructed", "Queries of very different sizes", "micro sizes 0.8095 0.7692"),
    ("cost-of-judging-pool", "The documents to judge", "q,d5"),
    ("preference-pairs", "State capitals in three orders", "ideal m1 0.4000 0.7000"),
    ("handout-roc-space", "Distance to the perfect classifier", "C 0.2236"),
    ("kfold-pairs", "Five folds of ten instances", "10 splits in leave-one-out"),
    ("error-types", "The power of the t-test", "3.0822 6 0.16 36"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "figure"), [(title, figure) for _, title, figure in SHOWN])
def test_an_example_has_the_value_of_its_source(title: str, figure: str) -> None:
    assert figure in SECTIONS[title]


def test_every_section_is_checked() -> None:
    assert {title for _, title, _ in SHOWN} == set(SECTIONS)


def test_the_page_has_every_worked_example_that_is_tested_on_the_command_line() -> None:
    assert {name for name, _, _ in SHOWN} == {*FIGURES, *CHECKS}
    assert len({name for name, _, _ in SHOWN}) == 71


def test_no_example_mentions_a_path_of_this_machine() -> None:
    assert str(Path.cwd()) not in PAGE
