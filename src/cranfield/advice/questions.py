"""Which measure to use: the questions, their answers, and the measures that they lead to."""

from __future__ import annotations

from typing import NamedTuple

from cranfield.measures.declaration import Kind


class Advice(NamedTuple):
    """Measures with reasons, most important first; a caveat; and how to compute them."""

    measures: tuple[tuple[str, str], ...]
    beware: str
    command: str
    kinds: tuple[Kind, ...]


class Answer(NamedTuple):
    """A word to type, its meaning, and the next question or the advice."""

    word: str
    meaning: str
    leads_to: Question | Advice


class Question(NamedTuple):
    """A question with its possible answers."""

    text: str
    answers: tuple[Answer, ...]


def _ranking(*measures: tuple[str, str], beware: str, options: str = "", runs: str = "RUN") -> Advice:
    return Advice(measures, beware, f"cranfield eval {options}QRELS {runs}", ("ranking",))


def _labels(*measures: tuple[str, str], beware: str) -> Advice:
    return Advice(measures, beware, "cranfield classify FILE -a ACTUAL -p PREDICTED", ("binary",))


def _classes(*measures: tuple[str, str], beware: str, options: str = "") -> Advice:
    return Advice(measures, beware, f"cranfield classify FILE -a ACTUAL -p PREDICTED{options}", ("classes", "binary"))


def _scores(*measures: tuple[str, str], beware: str, column: str = "-s SCORE") -> Advice:
    return Advice(measures, beware, f"cranfield classify FILE -a ACTUAL {column}", ("binary",))


def _values(*measures: tuple[str, str], beware: str) -> Advice:
    return Advice(measures, beware, "cranfield regress FILE -a ACTUAL -p PREDICTED", ("values",))


def _forecasts(*measures: tuple[str, str], beware: str, columns: str) -> Advice:
    return Advice(measures, beware, f"cranfield regress FILE -a ACTUAL {columns}", ("forecasts",))


def _answers(*measures: tuple[str, str], beware: str, table: str) -> Advice:
    return Advice(measures, beware, f"cranfield answers {table}", ("answers",))


def _ratings(*measures: tuple[str, str], beware: str) -> Advice:
    return Advice(measures, beware, "cranfield agree FILE", ("ratings",))


_UNREAD = "Deep measures, such as AP, reward documents that these users never see."
_CUTOFF = "Set the cutoff to the number of documents that users see or that the next program reads."

_BINARY_TASKS = Question(
    "What do people do with the ranking?",
    (
        Answer("answer", "they look for one right answer", _ranking(
            ("RR", "how far down the first relevant document is"),
            ("Success@1", "whether the first document is relevant"),
            ("Success@5", "whether one of the first five is"),
            beware=f"RR ignores every relevant document after the first. {_UNREAD}")),
        Answer("page", "they read the first page", _ranking(
            ("nDCG@10", "relevant documents on the page, with the most weight on the top ranks"),
            ("P@10", "the proportion of the page that is relevant, in any order"),
            ("RBP", "the same for a reader who may stop after each document"),
            beware="P@10 cannot reach 1 for queries with fewer than ten relevant documents. " + _CUTOFF)),
        Answer("everything", "they must miss nothing, as in patent search or systematic reviews", _ranking(
            ("R@1000", "the proportion of the relevant documents that are retrieved"),
            ("Rprec", "precision at rank R, the number of relevant documents; recall is the same there"),
            ("F(beta=2)", "of the retrieved set, with recall weighted four times as much as precision"),
            beware="Recall needs complete judgments: documents outside the pool count as not relevant.")),
        Answer("overview", "they want an overview, so relevant documents count all along the ranking", _ranking(
            ("AP", "precision at every relevant document, missed ones counting as 0"),
            ("nDCG", "relevant documents in the whole ranking, with a slow discount"),
            ("Rprec", "one point of the precision-recall curve that is easy to explain"),
            beware="AP averages over relevant documents: for a query with only one, it swings between 0 and 1.")),
        Answer("program", "a program reads the first k, such as a re-ranker or a language model (RAG)", _ranking(
            ("R@20", "the proportion of the relevant documents that reach the program"),
            ("Success@20", "whether any relevant document reaches it"),
            ("nDCG@20", "the same with more weight on the top ranks, if the program reads those first"),
            beware=_CUTOFF)),
    ),
)  # fmt: skip

_GRADED_TASKS = Question(
    "What do people do with the ranking?",
    (
        Answer("answer", "they look for one right answer", _ranking(
            ("ERR@10", "the expected reciprocal rank at which a user stops satisfied, given graded relevance"),
            ("RR(rel=2)", "how far down the first document of grade 2 or higher is"),
            ("Success(rel=2)@1", "whether the first document has grade 2 or higher"),
            beware="The level, here rel=2, determines which grades count as an answer: choose it in advance.")),
        Answer("page", "they read the first page", _ranking(
            ("nDCG@10", "better documents before good ones, with the most weight on the top ranks"),
            ("ERR@10", "the same if one very good document makes the others superfluous"),
            ("RBP(gain='linear')", "graded gain for a reader who may stop after each document"),
            beware=f"With gain='exp2' high grades weigh more than with the default, linear; tools differ. {_CUTOFF}")),
        Answer("everything", "they must miss nothing, as in patent search or systematic reviews", _ranking(
            ("R@1000", "the proportion of all relevant documents that are retrieved"),
            ("R(rel=2)@1000", "the same for documents of grade 2 or higher"),
            ("Rprec", "precision at rank R, the number of relevant documents; recall is the same there"),
            beware="Recall needs complete judgments: documents outside the pool count as not relevant.")),
        Answer("overview", "they want an overview, so relevant documents count all along the ranking", _ranking(
            ("nDCG", "graded gain over the whole ranking, with a slow discount"),
            ("Q", "average precision with graded gains"),
            ("AP", "the same with all relevant grades treated as equal, as reported in older papers"),
            beware="Without a cutoff, values depend on how many documents the runs return.")),
        Answer("program", "a program reads the first k, such as a re-ranker or a language model (RAG)", _ranking(
            ("R(rel=2)@20", "the proportion of the documents of grade 2 or higher that reach the program"),
            ("Success(rel=2)@20", "whether any of them reaches it"),
            ("nDCG@20", "graded gain with more weight on the top ranks, if the program reads those first"),
            beware=_CUTOFF)),
    ),
)  # fmt: skip

_RANKINGS = Question(
    "What is known about the documents?",
    (
        Answer("binary", "most of the top documents are judged, as relevant or not", _BINARY_TASKS),
        Answer("graded", "most of the top documents are judged, by grades of relevance", _GRADED_TASKS),
        Answer("sparse", "one or a few relevant documents are known per query, as in MS MARCO", _ranking(
            ("RR@10", "how far down the known document is"),
            ("Success@10", "whether it is among the first ten"),
            ("R@100", "the proportion of the known documents that are retrieved"),
            beware="Precision, and therefore AP, cannot be estimated: unjudged documents may be relevant too.")),
        Answer("holes", "many of the top documents are unjudged, as for a new run on an old pool", _ranking(
            ("Judged@10", "the proportion of the first ten that are judged; report it next to every value"),
            ("Bpref", "whether judged relevant documents precede judged non-relevant ones"),
            ("nDCG(unjudged='skip')@10", "nDCG of the ranking without unjudged documents (a condensed list)"),
            ("RBPRes", "how much RBP could rise if all unjudged documents were relevant"),
            beware="Condensed lists can favour runs with many unjudged documents; --bounds shows two other cases.")),
        Answer("subtopics", "it is known which aspects of the query each document covers", _ranking(
            ("alpha_nDCG@10", "gain that decreases with every repetition of an aspect"),
            ("ERR_IA@10", "expected reciprocal rank, averaged over aspects"),
            ("StRecall@10", "the proportion of the aspects that are covered"),
            beware="The second column of the qrels, unused in ordinary TREC qrels, must contain the aspect.")),
        Answer("preferences", "assessors chose the better of two documents", _ranking(
            ("Prefs", "the proportion of preferences that the ranking satisfies"),
            ("PrefPairs", "the same, but each pair of documents counts once, however many assessors compared it"),
            beware="Preferences do not show whether either document is relevant.", options="--judgments prefs ")),
        Answer("items", "they are items recommended to users, with a table of popularity and genres", _ranking(
            ("nDCG@10", "items that the user liked, with the most weight on the top ranks"),
            ("ItemCoverage@10", "the proportion of the catalogue that is recommended to anybody"),
            ("Novelty@10", "how little known the recommended items are"),
            ("ILD@10", "how different the items of one list are"),
            beware="Coverage has one value for all users, without an interval, and grows with the number of users.",
            options="--item-info ITEMS ")),
        Answer("groups", "they belong to groups, such as providers, whose exposure should be fair", _ranking(
            ("AWRF@10", "how well the attention that groups get matches their proportions in the catalogue"),
            ("AWRF(target=relevant)@10", "the same, but with the groups' proportions of the relevant documents"),
            ("nDCG@10", "relevance, which fairness should not cost"),
            beware="Groups without relevant documents get attention under the first target, and none under the second.",
            options="--item-info ITEMS ")),
        Answer("baseline", "the ranking replaces that of a baseline system, and few queries may suffer", _ranking(
            ("AP", "the value that is compared; of=nDCG@10 in the other measures compares another one"),
            ("RI", "the proportion of queries that improve minus the proportion that get worse"),
            ("URisk", "the mean difference from the baseline, with losses counted twice"),
            ("TRisk", "the same divided by its standard error; below -2, the system is significantly riskier"),
            beware="The values depend on the baseline: choose one that is in use.",
            options="--baseline BASELINE ", runs="BASELINE RUN")),
    ),
)  # fmt: skip

_TWO_CLASSES = Question(
    "What matters most?",
    (
        Answer("mistakes", "all errors are equally bad, and the test data are representative", _labels(
            ("Accuracy", "the proportion of correct predictions"),
            ("NoInformationRate", "the accuracy of always predicting the larger class, as a baseline"),
            ("MCC", "the correlation between actual and predicted classes; 0 for guessing"),
            beware="With 99 % negatives, always predicting negative has an accuracy of 0.99.")),
        Answer("both", "both classes matter equally, whatever their sizes", _labels(
            ("BalancedAccuracy", "the mean of recall and specificity"),
            ("MCC", "high only if both classes are predicted well and predictions can be trusted"),
            ("Informedness", "recall + specificity - 1, 0 for guessing"),
            beware="None of these shows how reliable positives are when positives are rare: see Precision.")),
        Answer("positives", "true negatives have no value, as in search", _labels(
            ("F", "the true positives relative to both kinds of error"),
            ("Precision", "the proportion of positive predictions that are right"),
            ("Recall", "the proportion of positives that are found"),
            beware="F depends on the prevalence: compare it on the same data only, and average FGain instead.")),
        Answer("rule-out", "a negative prediction must be safe, as in screening", _labels(
            ("Recall", "the proportion of positives that are found (sensitivity)"),
            ("NPV", "the proportion of negative predictions that are right, at this prevalence"),
            ("LR-", "the factor by which a negative prediction changes the odds at any prevalence; 0.1 is good"),
            beware="NPV is high whenever positives are rare, even for a useless test.")),
        Answer("rule-in", "a positive prediction must be credible, as before treatment", _labels(
            ("Specificity", "the proportion of negatives that are recognised"),
            ("Precision", "the proportion of positive predictions that are right, at this prevalence"),
            ("LR+", "the factor by which a positive prediction changes the odds at any prevalence; 10 is good"),
            beware="Precision is too high if the test data have more positives than there will be in use.")),
        Answer("costs", "the costs of the two kinds of mistakes are known", _labels(
            ("ExpectedCost(fp=1, fn=10)", "the mean cost per item; set your own costs, and the prevalence in use"),
            ("NetBenefit(threshold=0.1)", "true positives minus false positives weighted by the odds of the threshold"),
            ("Prevalence", "the prevalence in the data, which must match that in use unless you set it"),
            beware="Only the ratio of the costs and the prevalence affect the order, not the size of the costs.")),
    ),
)  # fmt: skip

_LABELS = Question(
    "How many classes are there?",
    (
        Answer("two", "two: positive and negative", _TWO_CLASSES),
        Answer("several", "several, one per item", Question("What should have equal weight?", (
            Answer("items", "every item, so large classes count most", _classes(
                ("Accuracy", "the proportion of items predicted correctly"),
                ("NoInformationRate", "the accuracy of always predicting the largest class, as a baseline"),
                ("Kappa", "agreement beyond chance; weights='quadratic' forgives near misses on ordered classes"),
                beware="A small class can be missed entirely without a visible effect.")),
            Answer("classes", "every class, so small classes count as much as large ones", _classes(
                ("BalancedAccuracy", "the mean recall of the classes"),
                ("F", "the mean F-measure of the classes, each against the rest (macro)"),
                ("MCC", "one correlation for the whole matrix"),
                beware="A class with three items counts as much as one with three thousand: look at the intervals.")),
        ))),
        Answer("clusters", "they are clusters without names, compared with known classes", _classes(
            ("ARI", "pairs of items in the same or in different groups in both, adjusted for chance"),
            ("AMI", "mutual information of clusters and classes, adjusted for chance"),
            ("Homogeneity", "whether each cluster holds one class only"),
            ("Completeness", "whether each class is in one cluster only"),
            ("BCubedF", "precision and recall of the cluster of each item"),
            beware="Purity, homogeneity and unadjusted mutual information grow with the number of clusters.")),
        Answer("labels", "any number of labels per item (multilabel)", _classes(
            ("SubsetAccuracy", "the proportion of items whose labels are all correct"),
            ("HammingLoss", "the proportion of wrong decisions about single labels"),
            ("F", "the mean F-measure of the labels; --average micro pools all decisions"),
            beware="With many rare labels, the Hamming loss is small for almost any prediction.",
            options=" --separator ,")),
    ),
)  # fmt: skip

_SCORES = Question(
    "How are the scores used?",
    (
        Answer("any", "the threshold is not known yet", _scores(
            ("AUC", "the probability that a positive scores higher than a negative"),
            ("AUPRG", "the same idea for F: the area under the precision-recall-gain curve"),
            ("AP", "precision at every positive, as for rankings"),
            beware="AUC gives thresholds that nobody would use the same weight as others.")),
        Answer("list", "people work through a list from the top", _scores(
            ("AP", "precision at every positive"),
            ("LiftAt(proportion=0.1)", "how many times more frequent positives are in the top tenth than overall"),
            ("Gain(proportion=0.1)", "the proportion of all positives in the top tenth"),
            beware="AP depends on the prevalence, which is its value for random scores.")),
        Answer("few-alarms", "only a few false alarms are acceptable", _scores(
            ("RecallAtFallout(fallout=0.01)", "the highest recall with a false positive rate of at most 1 %"),
            ("PartialAUC(fallout=0.1)", "the area under the part of the ROC curve that matters"),
            beware="With few negatives, a false positive rate of 1 % is a matter of one or two items.")),
        Answer("equal", "both error rates should be equal, as in biometrics", _scores(
            ("EER", "the rate at which misses and false positives are equally frequent"),
            ("AUC", "the whole curve, in addition to this one point"),
            beware="The threshold with equal error rates on test data will differ on new data.")),
        Answer("threshold", "a threshold is to be chosen", _scores(
            ("Informedness", "the threshold that best separates the classes"),
            ("F", "the threshold with the best balance of precision and recall"),
            ("Accuracy", "the threshold with the fewest errors"),
            beware="Choose it on data other than those you report: --goal cross-validates, --resamples shows how it "
            "varies.", column="-s SCORE -g Informedness")),
    ),
)  # fmt: skip

_PROBABILITIES = Question(
    "What are the probabilities used for?",
    (
        Answer("decisions", "decisions whose costs become known only later", _scores(
            ("LogLoss", "the mean negative logarithm of the predicted probability of the true class"),
            ("Brier", "their mean squared error, which penalises confident errors less"),
            ("Miscalibration", "the part of the Brier score that recalibration would remove"),
            ("Discrimination", "the part that separates the classes"),
            beware="A single confident error can dominate LogLoss; clipping is a setting.",
            column="--probability PROBABILITY")),
        Answer("trust", "people interpret them as frequencies", _scores(
            ("ECE", "the mean gap between predicted probabilities and observed frequencies, in bins"),
            ("CalibrationSlope", "whether they are too extreme (below 1) or not extreme enough, without bins"),
            ("CalibrationIntercept", "whether they are too high (below 0) or too low"),
            ("Brier", "to avoid favouring a constant prediction, which is calibrated but useless"),
            beware="ECE is above 0 even if they are calibrated, and depends on the bins: look at what calibrated "
            "probabilities would have, and at cranfield plot calibration.",
            column="--probability PROBABILITY")),
    ),
)  # fmt: skip

_NUMBERS = Question(
    "Which errors matter?",
    (
        Answer("large", "large errors are much worse than small ones", _values(
            ("RMSE", "in the unit of the values; squaring emphasises large errors"),
            ("MaxError", "the worst case"),
            ("R2", "the proportion of variance explained, compared with predicting the mean"),
            beware="A single outlier can dominate; inspect cranfield plot residuals.")),
        Answer("typical", "the typical error", _values(
            ("MAE", "the mean absolute error, in the unit of the values"),
            ("MedianAE", "half of the errors are smaller"),
            ("Bias", "whether predictions are too high or too low on average"),
            beware="Minimising MAE predicts medians, minimising RMSE predicts means.")),
        Answer("relative", "errors relative to the value", _values(
            ("MAPE", "the mean error as a proportion of the actual value"),
            ("MAE", "for comparison, in the unit of the values"),
            beware="MAPE is undefined if an actual value is 0, and favours predictions that are too low.")),
    ),
)  # fmt: skip

_FORECASTS = Question(
    "What is predicted?",
    (
        Answer("intervals", "a lower and an upper bound at a level, such as 90 %", _forecasts(
            ("IntervalCoverage@0.9", "the proportion of actual values inside, which should be 0.9"),
            ("IntervalWidth@0.9", "how wide the intervals are; narrower is better at the same coverage"),
            ("IntervalScore@0.9", "both in one figure, so that neither wide nor narrow intervals win by themselves"),
            beware="Coverage alone rewards intervals that are wide for easy items and too narrow for hard ones.",
            columns="--prediction-interval 0.9=LOWER,UPPER")),
        Answer("quantiles", "several quantiles", _forecasts(
            ("WIS", "the mean loss of all quantiles, which is also a mean of interval scores"),
            ("QuantileCalibrationError", "how far observed frequencies are from the levels of the quantiles"),
            ("Pinball(quantile=0.9)", "the loss of one quantile, such as the one that decides about stocks"),
            beware="Systems must predict the same quantiles, else their WIS are not comparable.",
            columns="--quantile 0.1=Q10 --quantile 0.5=Q50 --quantile 0.9=Q90")),
        Answer("samples", "samples of a distribution, as from an ensemble", _forecasts(
            ("CRPS", "the distance between the predicted distribution and the actual value, in its unit"),
            ("CRPS(fair=True)", "the same without the penalty for few samples, if systems have different numbers"),
            ("QuantileCalibrationError", "whether the samples spread as much as the actual values"),
            beware="With few samples, tails are unknown; CRPS says little about rare extremes.",
            columns="--member MEMBER1 --member MEMBER2")),
        Answer("normal", "a mean and a standard deviation", _forecasts(
            ("CRPS", "the absolute error, less if the predicted spread fits"),
            ("IntervalCoverage@0.9", "the proportion of actual values inside the 90 % interval of the distribution"),
            ("QuantileCalibrationError", "whether the standard deviations fit at all levels"),
            beware="If errors are skewed, predict quantiles instead.",
            columns="-p PREDICTED --standard-deviation DEVIATION")),
    ),
)  # fmt: skip

_ANSWERS = Question(
    "What was judged?",
    (
        Answer("nuggets", "which facts (nuggets) each answer contains", _answers(
            ("V_strict", "the proportion of vital nuggets that are fully supported; the main measure of TREC RAG"),
            ("NuggetRecall", "the same for all nuggets, with half of the credit for partial support"),
            ("NuggetF", "with a penalty for long answers, if lengths are given (TREC QA)"),
            beware="Recall rewards long answers: compare their lengths too.", table="NUGGETS")),
        Answer("citations", "whether the passages that sentences cite support them", _answers(
            ("CitationPrecision", "the mean support of the citations"),
            ("CitationRecall", "the mean support of the sentences by their best citation; 0 without citations"),
            ("CitationF", "both in one figure"),
            beware="A well-cited answer may still miss the question: judge nuggets too.", table="CITATIONS")),
    ),
)  # fmt: skip

_JUDGES = Question(
    "Who judged what?",
    (
        Answer("pair", "two people judged the same items", _ratings(
            ("Kappa", "agreement beyond chance, given each person's own label frequencies"),
            ("Agreement", "the proportion of items with the same label"),
            ("Overlap", "overlap of the relevant sets: items relevant for both, divided by items relevant for either"),
            beware="Kappa is low when one category is rare, even if agreement is high: report both.")),
        Answer("team", "several people, who did not all judge every item", _ratings(
            ("Alpha", "any number of raters, with gaps; level='ordinal' for grades"),
            ("Fleiss", "treats raters as interchangeable"),
            ("Agreement", "the proportion of agreeing pairs"),
            beware="An overall coefficient can hide a careless rater: cranfield agree shows every pair.")),
        Answer("rare", "one category is rare", _ratings(
            ("AC1", "its chance agreement stays small if one category dominates"),
            ("Kappa", "for comparison, since it is widely reported"),
            ("Agreement", "the proportion of items with the same label"),
            beware="AC1 is high when nearly all labels are equal; it does not show that rare items are recognised.")),
    ),
)  # fmt: skip

QUESTIONS = Question(
    "What is evaluated?",
    (
        Answer("ranking", "rankings: search results, recommendations, retrieved passages", _RANKINGS),
        Answer("labels", "predicted classes", _LABELS),
        Answer("scores", "scores of a binary classifier; higher means more likely positive", _SCORES),
        Answer("probabilities", "predicted probabilities", _PROBABILITIES),
        Answer("values", "predicted numbers (regression)", _NUMBERS),
        Answer("distributions", "predicted distributions, quantiles or intervals of numbers", _FORECASTS),
        Answer("answers", "generated answers, with or without citations (RAG)", _ANSWERS),
        Answer("judges", "agreement between judges, annotators or assessors", _JUDGES),
    ),
)
