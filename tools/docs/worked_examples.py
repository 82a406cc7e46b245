"""The page of worked examples: each is run as printed."""

from __future__ import annotations

import contextlib
import io
import os
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from cranfield.cli.main import main

ROOT = Path(__file__).parents[2]
HEAD = """\
# Worked examples of lectures

<!-- written by python -m tools.docs.generate: change the code, not this page -->

The examples come from the lectures cited in [the errata](errata.md); their data are in `examples/lectures`, and the
output is that of the commands shown. Where a lecture prints a value that does not follow from its own data, the output
shows the correct value and a note describes the misprint. An ellipsis marks omitted tables. The pages on
[plots](../howto/plot.md) and [step-by-step working](../howto/working.md) show the same data in other ways.
"""


class Example(NamedTuple):
    """A command, or code in Python, the source of its data, and what to know about the print."""

    title: str
    source: str
    command: str
    note: str = ""
    only: str = ""  # the title of the only table that is shown
    code: str = ""


FOLDS = """\
import cranfield

for number, (train, test) in enumerate(cranfield.k_fold(10, 5), 1):
    print(f"D{number} = {train.tolist()}  T{number} = {test.tolist()}")
print(len(cranfield.leave_one_out(10)), "splits in leave-one-out")
"""
RATES = "-m FGain -m PrecisionGain -m RecallGain"
EXAMPLES = (
    Example("Fourteen documents, five relevant", "Weber 2019, 1.4; Weber 2023, 2.3",
            "eval examples/lectures/fourteen.qrels examples/lectures/fourteen.run --steps"),
    Example("Measures of the fourteen documents", "Weber 2019, 1.4; Weber 2023, 2.3; Bhattacharya 2022, ranking",
            "eval examples/lectures/fourteen.qrels examples/lectures/fourteen.run -m AP -m AUPR -m SysEff -m Rprec "
            "-m BEP -m IAP -m PAtR@0.6 -m P@3 -m R@3 --interval none",
            "Weber calls the precision at a given recall R-precision. Here that is PAtR; Rprec is the precision at "
            "rank R, which equals the break-even point (BEP). AUPR connects the points by straight lines; AP is the "
            "area under the steps."),
    Example("Precision at a given recall, in two editions", "Weber 2019, 1.4; Weber 2023, 2.3",
            "eval examples/lectures/late.qrels examples/lectures/late.run -m PAtR@0.33 -m "
            "\"PAtR(reading='highest')@0.33\" --interval none",
            "The 2023 edition takes the precision at the rank where the recall is reached, the 2019 edition the "
            "highest precision at that rank or below it. Here only the first of four documents is not relevant."),
    Example("Queries of very different sizes", "Weber 2023, 2.2",
            "eval examples/lectures/sizes.qrels examples/lectures/sizes.run -m P -m R --aggregate macro --aggregate "
            "micro --interval none",
            "One query has a single relevant document, which was not retrieved."),
    Example("The eleven-point curve", "Bhattacharya 2022, interpolation",
            "curve examples/lectures/fourteen.qrels examples/lectures/fourteen.run"),
    Example("Eight documents", "Bhattacharya 2022, errors and metrics",
            "eval examples/lectures/eight.qrels examples/lectures/eight.run -m P -m R -m F -m Jaccard -m Dice "
            "-m GMeasure -m \"Fallout(collection=8)\" -m \"Specificity(collection=8)\" -m \"NPV(collection=8)\" "
            "-m \"SetAccuracy(collection=8)\" -m \"ErrorRate(collection=8)\" --interval none"),
    Example("Errors among the eight documents", "Bhattacharya 2022, errors and metrics",
            "eval examples/lectures/eight.qrels examples/lectures/eight.run --steps"),
    Example("Average precision of four methods", "Bhattacharya 2022, average precision",
            "eval examples/lectures/methods.qrels examples/lectures/method1.run examples/lectures/method2.run "
            "examples/lectures/method3.run examples/lectures/method4.run -m AP@10 -m Rprec -m RR --interval none"),
    Example("Bpref", "Bhattacharya 2022, bpref",
            "eval examples/lectures/bpref.qrels examples/lectures/bpref.run -m Bpref "
            "-m \"Bpref(form='plain', capped=False)\" -q --interval none",
            "Each query is named after its ranking: relevant (R), judged not relevant (I), unjudged (N). The printed "
            "formula has no cap, so bpref becomes negative if more non-relevant than relevant documents are judged."),
    Example("Graded relevance with missed documents", "Weber 2023, 2.4",
            "eval examples/lectures/graded.qrels examples/lectures/graded.run -m nDCG@10 --steps",
            "The discount at rank 5 is printed as 0.38; it is 0.3869. The printed formula of normalised CG omits the "
            "division by k."),
    Example("The same with gains 2^grade - 1", "Weber 2023, 2.4",
            "eval examples/lectures/graded.qrels examples/lectures/graded.run -m \"nDCG(gain='exp2')@10\" -m "
            "\"DCG(gain='exp2')@10\" -m P@10 -m nCG@10 -m \"nDCG(ideal='retrieved')@10\" --interval none",
            "If the ideal ranking contains only retrieved documents, as in Bhattacharya's lecture, nDCG is higher. "
            "P@10 treats all grades above 0 alike."),
    Example("Ten documents: discount log2(rank), ideal ranking of the retrieved documents", "Bhattacharya 2022, DCG",
            "eval examples/lectures/ten.qrels examples/lectures/ten.run -m \"nDCG(discount='log(i)', "
            "ideal='retrieved')@10\" --steps",
            "The alternative formula is printed without its numerator."),
    Example("Four variants of DCG for the ten documents", "Bhattacharya 2022, DCG",
            "eval examples/lectures/ten.qrels examples/lectures/ten.run -m \"DCG(discount='log(i)')@10\" -m DCG@10 "
            "-m \"DCG(gain='exp2')@10\" -m \"DCG(gain='exp2', discount='log(i)')@10\" --interval none"),
    Example("The state capitals nearest to Kanpur", "Bhattacharya 2022, ranking of answers",
            "eval examples/lectures/kanpur.qrels examples/lectures/kanpur1.run examples/lectures/kanpur2.run "
            "examples/lectures/kanpur3.run -m \"nDCG(discount='log(i)')@5\" --steps"),
    Example("The documents to judge", "Weber 2019, 1.2; Bhattacharya 2022, pooling",
            "pool examples/lectures/poolA.run examples/lectures/poolB.run examples/lectures/poolC.run --depth 2 "
            "-f csv",
            "A relevant document that every pooled system missed lowers the recall of all of them by the same factor; "
            "it can change the order only of systems outside the pool."),
    Example("A test for cancer", "Weber 2019, 1.5; Weber 2023, 2.5",
            f"classify --counts TP=20 FP=180 FN=10 TN=1820 --all {RATES}",
            "The prevalence is printed as 1.4 %; it is 1.48 %. Fall-out f, precision p, recall r and prevalence g "
            "satisfy f p (1 - g) = r g (1 - p): 0.09 × 0.1 × 0.9852 = 0.6667 × 0.0148 × 0.9 = 0.00887."),
    Example("A test for a virus", "Weber 2023, 2.5",
            "classify --counts TP=595 FP=4965 FN=105 TN=94335 --all",
            "The printed fractions are those of the cancer test; the NPV is 99.89 %, not 99 %, and 700/99,300 are "
            "the odds, not the prevalence.", only="Measures"),
    Example("Always negative", "Weber 2019, 1.5",
            "classify --counts TP=0 FP=0 FN=30 TN=2000",
            "The PPV is printed as 0 %; it is 0/0, undefined."),
    Example("Women, men and children", "Weber 2019, 1.5; Weber 2023, 2.5",
            "classify --counts examples/lectures/people.csv --rows predicted --steps"),
    Example("Woman or not", "Weber 2019, 1.5; Weber 2023, 2.5",
            "classify --counts examples/lectures/people.csv --rows predicted --collapse Woman --all"),
    Example("Methods A to D in ROC space", "Weber 2023, 2.6",
            "plot roc examples/lectures/points.csv -a actual -p A -p B -p C -p D --positive 1 --regions 10",
            "B lies below the diagonal, so inverting its predictions makes it better than chance. 25 % of C's negative "
            "predictions are wrong: its NPV is 0.75. The data contain 100 positives and 100 negatives."),
    Example("B inverted", "Weber 2023, 2.6",
            "classify examples/lectures/points.csv -a actual -p B --positive 1 --invert -m Recall -m Fallout",
            only="Measures"),
    Example("Distance to the perfect classifier", "Handout, 1",
            "classify examples/lectures/corners.csv -a actual -p A -p C --positive 1 -m CornerDistance",
            "C is closer to (0, 1). The handout says that a point in ROC space determines the confusion matrix; that "
            "also requires the class ratio.", only="Systems"),
    Example("Areas and other summary measures of the twenty scores", "Weber 2023, 2.6; Bhattacharya 2022; Flach 2022",
            "classify examples/scores.csv -a class -s score --positive P -m AUC -m AUCH -m AP -m EER -m AUPRG "
            "-m ExpectedAccuracy -g CornerDistance -g \"Recall where Specificity > 0.9\" "
            "-g \"Recall where Specificity >= 0.9\" -g \"WeightedRates(recall=0.7)\""),
    Example("Twenty scores at every threshold", "Weber 2023, 2.6",
            "classify examples/scores.csv -a class -s score --positive P --steps --thresholds"),
    Example("Precision and recall gains", "Flach 2022",
            f"classify --counts TP=2 FP=2 FN=1 TN=3 {RATES} "
            "-m \"FGain(beta=0.5)\" -m \"FGain(beta=2)\" -m F -m Jaccard",
            "F is the accuracy with TN replaced by TP, 4 / 7; Jaccard's coefficient is the accuracy with TN replaced "
            "by 0, 2 / 5.", only="Measures"),
    Example("From precision to recall", "Bhattacharya 2022, F",
            "classify --counts TP=2 FP=2 FN=1 TN=3 -m \"F(beta=0)\" -m \"F(beta=0.5)\" -m F -m \"F(beta=2)\" -m "
            "\"F(beta=inf)\" -m \"F(alpha=0.8)\"",
            "The text says that β > 1 emphasises precision; by its own formula it emphasises recall. β = 1/2 "
            "corresponds to α = 0.8: precision has four times the weight of recall, and F responds equally to small "
            "changes of both where precision is twice as high as recall.", only="Measures"),
    Example("Costs of the two errors", "Flach 2022",
            "classify --counts TP=2 FP=2 FN=1 TN=3 -m \"CostAccuracy(c=0.2)\" -m CostAccuracy "
            "-m \"CostAccuracy(c=0.8)\"",
            "The printed formula, 2c π TPR + 2c (1 - π) FPR, is maximised by always predicting positive; it must be "
            "2(1 - c) π TPR + 2c (1 - π)(1 - FPR).", only="Measures"),
    Example("A probability of 0 for the true class", "Weber 2019, 1.5",
            "classify examples/lectures/certain.csv -a actual --probability p -m LogLoss",
            "Probabilities are clipped at 1e-15, so the loss of the first item is 34.54 and the mean over both items "
            "is half of that.", only="Measures"),
    Example("Log-loss summed over classes, or of the true class only", "Weber 2019, 1.5",
            "classify examples/lectures/three.csv -a actual --probability a --probability b --probability c "
            "-m OneVsRestLoss -m LogLoss",
            "The lecture sums the binary cross-entropy over all classes; the usual log-loss is minus the logarithm of "
            "the probability of the true class.", only="Measures"),
    Example("Mean squared error", "Weber 2019, 1.5",
            "regress examples/lectures/numbers.csv -a actual -p predicted -m MSE", only="Measures"),
    Example("Kappa of two judges", "Bhattacharya 2022, kappa",
            "agree --counts 20 12 4 4 --order R,I -m Kappa --steps"),
    Example("The same with pooled margins, and other coefficients", "Bhattacharya 2022, kappa",
            "agree --counts 20 12 4 4 --order R,I -m Fleiss -m S -m AC1 -m Alpha --steps",
            "Fleiss' kappa of two raters is Scott's pi, not Cohen's kappa as the slides say."),
    Example("Fleiss' kappa", "Bhattacharya 2022, kappa",
            "agree --counts examples/lectures/raters.csv -m Fleiss --steps",
            "The slides print 0.22, computed from rounded terms; the exact value is 0.2099."),
    Example("State capitals in three orders", "Bhattacharya 2022, rank correlation",
            "correlate --orders examples/lectures/capitals.csv --coefficient tau-b --coefficient concordance --steps",
            "Concordance is the proportion of preferences that are satisfied, 7 of 10."),
    Example("Kendall's tau with ties", "Bhattacharya 2022, rank correlation",
            "correlate --orders examples/lectures/ties.csv --coefficient tau-a --coefficient tau-b --steps",
            "The slides count every pair that is not ordered alike as discordant, including ties; tied pairs are "
            "neither concordant nor discordant."),
    Example("A one-sample t-test", "Handout, 3",
            "compare --values examples/lectures/readings.csv -b 9 --steps",
            "The handout prints t = 1.5 / (2.5 / √6) = 1.19; this value results from s = 3.08, not from 2.5."),
    Example("The same by ranks", "Handout, 3",
            "compare --values examples/lectures/readings.csv -b 9 -t wilcoxon --steps"),
    Example("The power of the t-test", "Handout, 2",
            "plan --deviation 3.0822 --difference 1.5 --queries 6",
            "A test never accepts H0; it may only fail to reject it. With six values, a true difference of 1.5 is "
            "detected in only one of six cases."),
    Example("Distance between two words", "Handout, 2",
            "compare --values examples/lectures/offsets.csv -b 0 --steps",
            "In the sentences, *knocked* and *door* are 3, 2, 2 and 4 words apart. The handout says that a high "
            "deviation indicates an interesting relationship; it is a low deviation that does."),
    Example("Five folds of ten instances", "Handout, 3", "",
            "Every instance is in exactly one test set; with as many folds as instances, each test set has one "
            "instance (leave-one-out). `cranfield.holdout(10, 0.2)` gives a single split.", code=FOLDS),
    Example("A paired t-test that treats folds as independent", "Handout, 3",
            "compare --values examples/lectures/folds.csv --lower-is-better value --steps"),
    Example("A paired t-test corrected for overlapping training sets", "Handout, 3",
            "compare --values examples/lectures/folds.csv --lower-is-better value -t \"corrected t\" --overlap 0.25 "
            "--steps",
            "The handout treats folds as independent; their training sets overlap, which this test takes into "
            "account."),
)  # fmt: skip


def page() -> str:
    """Every example with its command, its output and the misprints of its source."""
    return HEAD + "".join(_shown(example) for example in EXAMPLES)


def _shown(example: Example) -> str:
    note = f"\n{example.note}\n" if example.note else ""
    if example.code:
        command, output = f"```python\n{example.code}```", _executed(example.code)
    else:
        command, output = f"```sh\ncranfield {example.command}\n```", printed(shlex.split(example.command))
    text = "\n".join(line.rstrip() for line in output.strip().splitlines())
    text = _table(text, example.only) if example.only else text
    return f"\n## {example.title}\n\n{example.source}\n\n{command}\n\n```text\n{text}\n```\n{note}"


def _table(text: str, title: str) -> str:
    """The table with this title, without its notes and the other tables."""
    blocks = text.split("\n\n")
    place = blocks.index(title)
    return "\n\n".join(["…", *blocks[place : place + 2], "…"])


def _executed(code: str) -> str:
    """What the code prints."""
    with contextlib.redirect_stdout(io.StringIO()) as text:
        exec(code, {})
    return text.getvalue()


def printed(arguments: list[str]) -> str:
    """What a command prints in the root of the repository."""
    with _inside(ROOT), contextlib.redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as text:
        if main([*arguments, "--quiet"]) != 0:
            raise ValueError(f"cranfield {shlex.join(arguments)} failed")
        text.flush()
        return text.buffer.getvalue().decode()  # type: ignore[attr-defined]


@contextlib.contextmanager
def _inside(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
