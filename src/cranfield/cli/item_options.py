"""Arguments and options of labels, scores, numbers and ratings of items, each declared once."""

from __future__ import annotations

from cranfield.cli.options import FILE, MEASURE, SPARK, STANDARD_INPUT
from cranfield.cli.parameters import OneOf, argument, option

# fmt: off

# columns of a table of predictions
TABLE = argument(
    "file", type=FILE, metavar="FILE",
    help=f"One row per item: CSV, TSV, JSON Lines, JSON, Parquet or Arrow; {STANDARD_INPUT} {SPARK}")
TABLE_OR_COUNTS = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE",
    help=f"One row per item: CSV, TSV, JSON Lines, JSON, Parquet or Arrow; {STANDARD_INPUT} {SPARK} With --counts, a "
    "confusion matrix.")
ACTUAL = option("-a", "--actual", metavar="COLUMN", help="Column with the true labels or values.")
PREDICTED = option(
    "-p", "--predicted", multiple=True, metavar="COLUMN",
    help="Column with predicted labels or values; repeat for several systems.")
SCORE = option(
    "-s", "--score", multiple=True, metavar="COLUMN",
    help="Column with scores; higher means more likely positive. Repeat for several systems. Or, for more than two "
    "classes, repeat for each class: a column with the name of the class, or LABEL=COLUMN.")
PROBABILITY = option(
    "--probability", multiple=True, metavar="COLUMN",
    help="Column with probabilities of the positive class; repeat for several systems. Or repeat for each class: a "
    "column with the name of the class, or LABEL=COLUMN.")
ACTUAL_PROBABILITY = option(
    "--actual-probability", multiple=True, metavar="LABEL=COLUMN",
    help="Column with the actual probability of a class (soft labels), to compute the cross-entropy H(p, q); repeat "
    "for each class, and give the predicted probabilities with --probability LABEL=COLUMN.")
ITEM = option("--item", metavar="COLUMN", help="Column with the names of the items.")
WEIGHT = option("--weight", metavar="COLUMN", help="Column with the weights of the items.")
BY = option("--by", metavar="COLUMN", help="Column with the group of each item, such as its fold.")
POSITIVE = option(
    "--positive", metavar="LABEL",
    help="The positive class; defaults to 1 for 0/1 labels, and must be chosen for two classes with other names.")
LABELS = option(
    "labels", "--label", multiple=True, metavar="LABEL",
    help="A class; repeat to list all classes in the order of display.")
SEPARATOR = option("--separator", metavar="TEXT", help="Separator between the labels of an item in multilabel data.")
INVERT = option(
    "--invert", is_flag=True,
    help="Negate scores, replace probabilities by their complements, and exchange the labels of two classes.")
NORMALISE = option("--normalise", is_flag=True, help="Divide the probabilities of each item by their sum.")
COLUMNS = (PREDICTED, SCORE, PROBABILITY, POSITIVE, NORMALISE)

TARGETS = option(
    "targets", "--target", multiple=True, metavar="COLUMN",
    help="Instead of --actual, column with the true values of one of several outputs; repeat for each output.")
OUTPUT_AVERAGE = option(
    "--average", type=OneOf("cranfield.results.regression:Average"), default="uniform",
    help="How the values of several outputs are averaged: their mean, or weighted by the variance of the true values.")

# predicted distributions; for several systems, SYSTEM: or SYSTEM= comes first
QUANTILE = option(
    "--quantile", multiple=True, metavar="LEVEL=COLUMN",
    help="Column with the predicted quantile at a level, as in 0.9=q90; repeat for each level. For several systems, "
    "write SYSTEM:LEVEL=COLUMN.")
PREDICTED_INTERVAL = option(
    "intervals", "--prediction-interval", multiple=True, metavar="LEVEL=LOWER,UPPER",
    help="Columns with the bounds of predicted central intervals at a level, as in 0.9=low,high; may be repeated. For "
    "several systems, write SYSTEM:LEVEL=LOWER,UPPER.")
SAMPLE = option(
    "sample", "--member", multiple=True, metavar="COLUMN",
    help="Column with samples of the predicted distribution (members of an ensemble); repeat for each, or use a "
    "pattern such as 'member*'. For several systems, write SYSTEM=COLUMN.")
DEVIATION = option(
    "deviation", "--standard-deviation", multiple=True, metavar="COLUMN",
    help="Column with the standard deviation of a normal distribution whose mean is --predicted. For several systems, "
    "write SYSTEM=COLUMN, where SYSTEM is the column of --predicted.")
DISTRIBUTIONS = (QUANTILE, PREDICTED_INTERVAL, SAMPLE, DEVIATION)

# thresholds and classes
GOAL = option(
    "goals", "-g", "--goal", multiple=True, metavar="GOAL",
    help="Choose the threshold for this goal: a measure, optionally with a constraint, as in "
    '"Recall where Specificity >= 0.9"; may be repeated: the first goal sets the threshold, the others are only shown.')
THRESHOLD = option(
    "--threshold", type=float, metavar="NUMBER", help="Scores at or above this threshold are predicted positive.")
STRICT = option(
    "--strict", is_flag=True, help="Only scores above the threshold are predicted positive, not those equal to it.")
AVERAGE = option(
    "--average", type=OneOf("cranfield.results.evaluated:Average"),
    help="How the values of the classes are averaged if none is positive; by default macro. samples: over the items of "
    "multilabel data.")
AUC_INTERVAL = option(
    "--auc-interval", type=OneOf("cranfield.inference.delong:AreaMethod"), show_default="auto",
    help="Confidence interval for the AUC: delong (as in pROC), logit (DeLong's on the logit scale), or auto (logit, "
    "or Newcombe's interval if a class has fewer than ten items).")
MATRIX = option(
    "--counts", is_flag=True,
    help="FILE is a confusion matrix: each row has the name of a class and its counts; the header names the columns. "
    "The four counts of two classes may be given instead of a file: --counts TP=20 FP=180 FN=10 TN=1820.")
ROWS = option(
    "--rows", type=OneOf("cranfield.tables.count_matrices:Rows"), default="actual",
    help="Rows of the confusion matrix: actual or predicted classes; also for the file of --counts.")
REORDER = option("--reorder", is_flag=True, help="Put classes that are often confused side by side.")
COLLAPSE = option("--collapse", metavar="LABEL", help="Evaluate this class against the rest, as two classes.")
EVERY = option(
    "every", "--all", is_flag=True,
    help="Show all measures, including complements, such as the miss rate, and likelihood ratios.")

# ratings
RATINGS = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Lines with topic, rater, document and grade; CSV or TSV with a header (item, rater, category and optionally "
    f"topic; or one column per rater); or several qrels, one per rater. {STANDARD_INPUT}")
SCOPE = option(
    "--per", type=OneOf("cranfield.results.agreement:Scope"), multiple=True, show_default="all three",
    help="Report coefficients for all raters, for every pair of raters or for every topic; may be repeated.")
SCALE = option(
    "order", "--order", metavar="CATEGORIES",
    help="The scale: all categories from lowest to highest, separated by commas. Needed for text categories, and for "
    "numeric scales with categories that never occur.")
COUNTS = option(
    "--counts/--no-counts", default=None, show_default=False,
    help="FILE contains counts: one row per item and one column per category with the number of raters who chose it; "
    "or the contingency table of two raters, with the same categories in the header and the first column. The table "
    "may also be given row by row instead of a file: --counts 20 12 4 4. --no-counts: one column per rater.")
RUN = option(
    "runs", "-r", "--run", type=FILE, multiple=True, metavar="RUN",
    help="Show how the ranking of these runs depends on the judge; repeat for two or more runs.")
COMBINED = option(
    "--combined", type=OneOf("cranfield.verbs.agreement:Combined"), multiple=True, show_default="any and all",
    help="With --run: also combine all judges; a document is relevant if any, all or the majority of the judges find "
    "it relevant. May be repeated.")
RANK_BY = option(
    "--rank-by", type=MEASURE, multiple=True, metavar="MEASURE", show_default="AP",
    help="With --run: the measure that ranks the runs; may be repeated.")
RESAMPLE = option(
    "--resample", type=OneOf("cranfield.inference.agreement:Resampled"), default="item",
    help="Bootstrap unit for the overall coefficients: items or topics.")
