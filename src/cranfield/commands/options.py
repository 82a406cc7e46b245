"""Arguments and options of the command line, each declared once: one name, one letter, one meaning.

Those of items (`item_options`), plots (`plot_options`), and pools and campaigns (`campaign_options`) are separate.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import partial

import click

from cranfield.commands.parameters import (
    Constant,
    Declared,
    InputFile,
    MeasureName,
    Numbers,
    OneOf,
    Option,
    argument,
    imported,
    option,
)
from cranfield.settings import CONFIDENCE as DEFAULT_CONFIDENCE
from cranfield.settings import Means, Setting
from cranfield.verb import settings_of

FILE, MEASURE, NUMBERS = InputFile(), MeasureName(), Numbers()
COUNT, SEVERAL, WHOLE = click.IntRange(min=1), click.IntRange(min=2), click.IntRange(min=0)
STANDARD_INPUT = "- reads standard input."
SPARK = "Paths such as s3://… are read by Spark."


def options_of(verb: str, *names: str, without: Collection[str] = ()) -> Declared:
    """An option for each of these settings of a verb, or for all that it declares except some.

    The verb is written `module:name`, and imported when the command is made.
    """

    def made() -> list[click.Parameter]:
        settings = settings_of(imported(verb))
        chosen = names or [name for name in settings if name not in without]
        return [_option(settings[name]) for name in chosen]

    return made


def _option(setting: Setting) -> click.Parameter:
    means = setting.means or Means("")
    flags = [f"--{setting.name.replace('_', '-')}"] if len(setting.name) > 1 else []  # a letter has no longer name
    names = [setting.name, *([means.letter] if means.letter else []), *flags]
    text = re.sub(r"`+\"?(.*?)\"?`+", r"\1", means.text)
    if setting.only:
        values = " or ".join(str(value) for value in setting.only.values)
        text = f"With --{setting.only.name.replace('_', '-')} {values}: {text[:1].lower()}{text[1:]}"
    if setting.type is bool:
        return Option(names, is_flag=True, help=text, show_default=True)
    words = tuple(choice for choice in setting.choices if isinstance(choice, str))
    return Option(
        names,
        type=OneOf(words) if words else setting.type,
        multiple=setting.several,
        default=setting.default,
        show_default=means.default or setting.default not in (None, ()),
        metavar=None if words else means.metavar or {int: "N", float: "NUMBER"}.get(setting.type, "TEXT"),
        help=text,
    )


# a table of declarations, one option after another
# fmt: off

# inputs
QRELS = argument("qrels", type=FILE, metavar="QRELS", help=f"Judgments; {STANDARD_INPUT}")
RUNS = argument("runs", type=FILE, nargs=-1, required=True, metavar="RUN…", help=f"Runs to evaluate; {STANDARD_INPUT}")
OPTIONAL_QRELS = partial(QRELS, required=False, metavar="[QRELS]")
OPTIONAL_RUNS = partial(RUNS, required=False, metavar="[RUN…]")
PILOT = argument(
    "pilot", type=FILE, nargs=-1, metavar="[QRELS RUN…]",
    help="Judgments and at least two runs: a pilot for estimating the variance of the differences. Not "
    "needed with --deviation.")
REPORTED = argument(
    "files", type=FILE, nargs=-1, metavar="[QRELS RUN…]",
    help="Judgments and runs; with --classify and --regress, tables with one row per item; with --agree, ratings; with "
    "--collections, folders; nothing with --values or --published.")
NAMES = argument(
    "names", type=MEASURE, nargs=-1, metavar="[NAME…]",
    help="Measures to explain, by any accepted name (default: list all).")
RULES = argument(
    "rules", nargs=-1, metavar="[RULE…]", help="Rules to explain (default: list all).")
QUESTIONS_ANSWERED = argument(
    "answers", nargs=-1, metavar="[ANSWER…]",
    help="Answers to the questions, in order, by word or by number; if some are missing, the next question is asked.")
VALUES = option(
    "--values", type=FILE, metavar="FILE",
    help="Read values from a table instead of evaluating runs: one row per query, fold or item and one column per "
    "system, or columns system, value, measure and query (as eval -q -f csv prints them).")
ANSWER_TABLES = option(
    "--answers", type=FILE, multiple=True, metavar="FILE",
    help="Compare judged answers instead of runs: a table of nuggets or of citations, as for cranfield answers; may be "
    "repeated.")
JUDGED_ANSWERS = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Judgments of nuggets (columns query, nugget, importance, support and, optionally, system and length) or of "
    f"citations (query, sentence, citation, support and, optionally, system). {STANDARD_INPUT}")
LOWER_IS_BETTER = option(
    "--lower-is-better", multiple=True, metavar="NAME",
    help="With --values: lower values of this measure are better; may be repeated. Not needed for "
    "built-in measures, such as ErrorRate. Values without a measure are called value.")
AREAS = option(
    "--areas", multiple=True, metavar="NAME=FILE",
    help="Compare areas under ROC curves of scorers on different items (unpaired DeLong's test): a table with the "
    "columns actual and score; repeat for each scorer.")
PUBLISHED = option(
    "--published", multiple=True, metavar="NAME=FIGURE",
    help="Compare published figures: proportions, such as new=170/200, or means with standard deviation and number of "
    "values, such as new=0.34,0.21,50; repeat for each system. They are compared as independent samples: z-test and "
    "Fisher's exact test, or Welch's t-test.")
ORDERS = option(
    "--orders", type=FILE, metavar="FILE",
    help="Correlate the rankings in a table with one row per system or document and one column of scores per ranking; "
    "higher is better. Items without a score are not part of that ranking.")
DOCUMENTS = option(
    "--documents", is_flag=True,
    help="Correlate the rankings of documents in two or more runs (RUN RUN…, without judgments), query by query.")
ALSO = option(
    "--also", type=FILE, multiple=True, metavar="QRELS",
    help="Other judgments to rank the runs by; may be repeated.")
TOPICS = option(
    "--topics", type=FILE, metavar="FILE",
    help="File with one query and its topic per line, for queries that are variants of topics: intervals are then over "
    "topics.")
SYSTEM_INFO = option(
    "--system-info", type=FILE, metavar="FILE",
    help="Table with one row per system (column system) and columns such as cost, time or storage, shown next to "
    "the measures.")
ITEM_INFO = option(
    "--item-info", type=FILE, metavar="FILE",
    help="Table with one row per document or recommended item (column item) and columns such as popularity, group and "
    "genres, for measures such as Novelty@10, ILD@10 and AWRF.")
JUDGMENTS = option(
    "form", "--judgments", type=OneOf("cranfield.rankings.evaluate:Written"), default="qrels",
    help="Format of QRELS: TREC's four fields per line, or five for preferences.")
GATES = argument("gates", type=FILE, metavar="GATES", help="The gates, in a TOML file; see docs/howto/release-gate.md.")

# measures and their settings
MEASURES = option(
    "measures", "-m", "--measure", type=MEASURE, multiple=True, metavar="MEASURE",
    show_default="AP, nDCG@10, RR, P@10, R@1000",
    help='A measure, such as nDCG@10, "AP(rel=2)" or trec_eval\'s map; may be repeated or separated by commas.')
TIES = option(
    "--ties", type=OneOf("cranfield.engines.evaluation:Ties"), default="trec",
    help="Order of documents with equal scores: by name, descending (trec) or ascending (name); as given; best or "
    "worst for the run; or the expected value over all orders.")
MISSING = option(
    "--missing", type=OneOf("cranfield.engines.evaluation:Missing"),
    default=Constant("cranfield.engines.evaluation:MISSING"),
    help="Judged queries that are missing from the run: score them 0, or leave them out.")
UNDEFINED = option(
    "--undefined", type=OneOf("cranfield.results.values:Undefined"), default="zero",
    help="How undefined values are averaged: as 0, or left out.")
DEPTH = option("--depth", type=COUNT, metavar="N", help="Keep only the first N documents of each ranking.")
EVALUATION = (TIES, MISSING, UNDEFINED, DEPTH)
PRECISION = option(
    "--precision", type=OneOf("cranfield.engines.protocol:Precision"), default="double",
    help="Compare scores as 64-bit or as 32-bit numbers.")
ENGINE = option(
    "--engine", type=OneOf("cranfield.engines.protocol:EngineName"), default="auto",
    help="Engine that computes ranks: native (compiled), local (runs anywhere), spark (a cluster), or auto; the "
    f"results are the same. {SPARK}")
BOUNDS = option(
    "--bounds", is_flag=True,
    help="Add the value of each measure if no unjudged document were relevant, and if all had the highest grade: "
    "bounds for P, RR, DCG, RBP; two cases for measures that depend on the number of relevant documents (AP, nDCG).")
AGGREGATE = option(
    "aggregates", "--aggregate", type=OneOf("cranfield.measures.registry:Aggregate"), multiple=True, metavar="KIND",
    help="How per-query values are aggregated: mean (or macro), micro (all queries pooled), geometric, median or sum; "
    "may be repeated.", show_default="the measure's own")
REL = option(
    "-l", "--rel", type=float, metavar="GRADE", show_default="1",
    help="Documents are relevant at this grade or higher.")
COEFFICIENTS = option(
    "coefficients", "--coefficient", type=OneOf("cranfield.statistics.rank_correlation:METHODS"), multiple=True,
    show_default="tau-b and tau-AP; RBO and its bounds for documents and for rankings with different items",
    help="A correlation coefficient; may be repeated.")
PERSISTENCE = option(
    "p", "--persistence", type=float, default=0.9, metavar="NUMBER", help="Persistence p of RBO, between 0 and 1.")

# inference
BASELINE = option(
    "-b", "--baseline", metavar="SYSTEM",
    help="Compare all other systems with this one (default: compare every pair).")
TEST = option(
    "-t", "--test", type=OneOf("cranfield.statistics.tests:known_tests"), metavar="TEST", show_default="t",
    help="Significance test.")
CORRECTION = option(
    "-c", "--correction", type=OneOf("cranfield.statistics.effects:Correction"),
    show_default=Constant("cranfield.statistics.effects:DEFAULT_CORRECTION",
                          "; bonferroni over measures for simultaneous tests with --family all"),
    help="Correction for multiple comparisons; max-T and step-down max-T require --test randomisation.")
SIMULTANEOUS = option(
    "--simultaneous", is_flag=True,
    help="Intervals of differences hold for all comparisons at once (corrections holm, bonferroni and max-T).")
FAMILY = option(
    "--family", type=OneOf("cranfield.comparison.result:Family"), default="measure",
    help="Correct over the comparisons on each measure, or over all comparisons.")
LEVEL = option("--level", type=float, default=0.05, metavar="NUMBER", help="Significance level.")
ALTERNATIVE = option(
    "--alternative", type=OneOf("cranfield.statistics.distributions:Alternative"), default="two-sided",
    help="Alternative hypothesis.")
INTERVAL = option(
    "--interval", type=OneOf("cranfield.statistics.intervals:Method", "none"), default="auto",
    help="Confidence intervals: bounded (Student's t adjusted for skewness, the default for measures with bounds), t "
    "(the default for others), wilson (for 0/1 measures), the bootstrap over queries (bca or percentile; too narrow "
    "below about 30 queries), or none.")
CONFIDENCE = option("--confidence", type=float, default=DEFAULT_CONFIDENCE, metavar="NUMBER", help="Confidence level.")
MARGIN = option(
    "--margin", type=float, metavar="NUMBER", help="For tost: differences up to this margin count as equivalent.")
HUMAN = option(
    "--human", type=FILE, metavar="FILE",
    help="Human judgments of some queries, or of some documents with --documents, or a table of values.")
MACHINE = option(
    "--machine", type=FILE, required=True, metavar="FILE",
    help="Machine judgments of these queries and others, or a table of values.")
OVER_DOCUMENTS = option(
    "--documents", is_flag=True,
    help="People judged a random sample of the documents; estimates P@k, DCG@k, RBP and R.")
SAMPLE = option(
    "--sample", type=FILE, metavar="FILE", show_default="a simple random sample",
    help="With --documents: the sampled documents (query, document, probability, stratum), from --choose or pool.")
CHOOSE = option(
    "--choose", is_flag=True, help="Choose the documents that people should judge for the desired half-width.")
VALUE_RANGE = option(
    "bounds", "--range", type=NUMBERS, metavar="LOW,HIGH", show_default="those of the measure",
    help="The lowest and the highest possible value.")
OVERLAP = option(
    "--overlap", type=float, metavar="NUMBER",
    help="For corrected t: size of a test fold divided by the size of its training set.")
VARIANT = option(
    "--variant", type=OneOf("cranfield.statistics.tests:variants"), metavar="VARIANT",
    show_default="exact; F; wilcox",
    help="Variant of the test.")
COSTLY = Constant("cranfield.statistics.resampling:COSTLY_RESAMPLES")
RESAMPLES = option(
    "--resamples", type=COUNT, metavar="N",
    help="Number of random draws: bootstrap resamples, permutations or splits.")
SEED = option("--seed", type=WHOLE, default=0, metavar="N", help="Random seed.")
DEVIATION = option(
    "--deviation", type=float, metavar="NUMBER",
    help="Standard deviation of the differences between two systems, if known.")
AREA = option("--area", type=float, metavar="NUMBER", help="Plan a test of this area under the ROC curve (AUC).")
KAPPA = option(
    "--kappa", type=float, metavar="NUMBER", help="Plan a test of this kappa, of two raters and two categories.")
NULL = option(
    "--null", type=float, metavar="NUMBER", show_default="0.5 for an area, 0 for kappa",
    help="With --area or --kappa: the value under the null hypothesis.")
PREVALENCE = option(
    "--prevalence", type=float, default=0.5, metavar="NUMBER",
    help="With --area or --kappa: proportion of positive items.")
AREA_CORRELATION = option(
    "--correlation", type=float, metavar="NUMBER",
    help="With --area: correlation of the estimated areas of two scorers; --null is the area of the other scorer.")
ITEMS = option("--items", type=COUNT, metavar="N", help="With --area or --kappa: also compute the power of N items.")
COMPARISONS = option(
    "--comparisons", type=COUNT, default=1, metavar="N",
    help="Plan for N comparisons, each tested at the level divided by N.")
POWER = option(
    "--power", type=float, default=0.8, metavar="NUMBER",
    help="Desired power: the probability of detecting a true difference.")
MODEL = option(
    "--model", type=OneOf("cranfield.statistics.latent:Model"), show_default="chosen by the values",
    help="Two-parameter logistic model for 0/1 values (success), or beta model for values between 0 and 1.")
SQUEEZE = option(
    "--squeeze", type=float, default=0.005, metavar="NUMBER",
    help="Beta model: values are kept at least this far from 0 and 1.")
SELECT = option(
    "--select", type=COUNT, metavar="K", help="Select the K queries that best preserve the ranking of the systems.")

# contents of the output
PER_QUERY = option("-q", "--per-query", is_flag=True, help="Show the values of each query.")
SORT = option("--sort", type=MEASURE, metavar="MEASURE", help="Sort the systems by this measure, best first.")
PAIRS = option(
    "--pairs", is_flag=True, help="List every pair of systems, even if there are so many that a matrix would be shown.")
STEPS = option("--steps", is_flag=True, help="Explain the steps of every test.")
FORM = option(
    "--form", type=OneOf("cranfield.rankings.precision_recall:Form"), show_default="recalls",
    help="Means over queries: interpolated precision at recall levels, or precision and recall at cutoffs. Per query: "
    "interpolated precision at each recall level reached, or the point after each document.")
POINTS = option(
    "--points", type=NUMBERS, metavar="NUMBERS",
    help="Recall levels or cutoffs, separated by commas; for ranks, the depth.")
QUERY = option("--query", metavar="QUERY", help="Plot this query.")
TITLE = option("--title", metavar="TEXT", show_default="chosen by the content", help="Title of the page.")
QUERY_TEXTS = option(
    "queries", "--query-texts", type=FILE, metavar="FILE",
    help="Texts of the queries, shown with their rankings: TSV, CSV, JSON Lines, TREC or INEX topics, or BEIR folder.")
DOCUMENT_TEXTS = option(
    "documents", "--document-texts", type=FILE, metavar="FILE",
    help="Texts of the documents, to show in rankings: TSV, CSV, JSON Lines, TREC or INEX documents, or a folder.")
COLLECTION_FOLDERS = argument(
    "folders", type=FILE, nargs=-1, required=True, metavar="FOLDER…",
    help="Folders, each with one qrels file and runs (*.run), named alike in all folders.")
COLLECTIONS = option(
    "--collections", is_flag=True,
    help="Report on several collections side by side: each argument is a folder with one qrels file and runs (*.run), "
    "named alike in all folders.")
CLASSIFY = option("--classify", is_flag=True, help="Report on labels, scores or probabilities.")
REGRESS = option("--regress", is_flag=True, help="Report on predicted values, given by --predicted.")
AGREE = option(
    "--agree", is_flag=True,
    help="Report on the agreement of raters: each argument is a table of ratings, or the qrels of one rater.")
HISTORY = option("--history", is_flag=True, help="Report on the releases in a store, which --record adds to.")
KIND = option(
    "--kind", type=OneOf("cranfield.measures.registry:Kind"),
    help="List only measures of this kind; cranfield eval uses ranking measures.")

# delivery of the output
FORMAT = option(
    "-f", "--format", type=OneOf("cranfield.commands.output:FileFormat"), show_default="chosen by --output, or table",
    help="Format of the output. CSV has one row per value; JSON adds the settings and the sources.")
OUTPUT = option(
    "-o", "--output", metavar="FILE",
    help="Write to a file, replacing it if it exists; .csv, .json, .md, .tex and .html choose the format.")
JUNIT = option("--junit", metavar="FILE", help="Write the gates as JUnit XML, which CI servers display as tests.")
SUMMARY = option(
    "--summary", metavar="FILE", help="Append the tables in Markdown to a file, such as $GITHUB_STEP_SUMMARY.")
FOLDER = option("--folder", metavar="FOLDER", help="The folder to write to.")
DIGITS = option(
    "-d", "--digits", type=click.IntRange(0, 17), metavar="N", show_default="4 in tables, all in CSV and JSON",
    help="Number of decimals.")
FINDINGS = option(
    "--findings", is_flag=True,
    help="Print findings below the table: problems that the figures do not show, and what to do about them.")
QUIET = option("--quiet", is_flag=True, help="Show no warnings and no progress bar.")
DELIVERY = (FORMAT, OUTPUT, DIGITS, FINDINGS)


# Arguments and options of labels, scores, numbers and ratings of items, each declared once


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
    "--average", type=OneOf("cranfield.regression.result:Average"), default="uniform",
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
PREDICTED_SAMPLE = option(
    "sample", "--member", multiple=True, metavar="COLUMN",
    help="Column with samples of the predicted distribution (members of an ensemble); repeat for each, or use a "
    "pattern such as 'member*'. For several systems, write SYSTEM=COLUMN.")
PREDICTED_DEVIATION = option(
    "deviation", "--standard-deviation", multiple=True, metavar="COLUMN",
    help="Column with the standard deviation of a normal distribution whose mean is --predicted. For several systems, "
    "write SYSTEM=COLUMN, where SYSTEM is the column of --predicted.")
DISTRIBUTIONS = (QUANTILE, PREDICTED_INTERVAL, PREDICTED_SAMPLE, PREDICTED_DEVIATION)

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
    "--average", type=OneOf("cranfield.classification.evaluated:Average"),
    help="How the values of the classes are averaged if none is positive; by default macro. samples: over the items of "
    "multilabel data.")
AUC_INTERVAL = option(
    "--auc-interval", type=OneOf("cranfield.statistics.areas:AreaMethod"), show_default="auto",
    help="Confidence interval for the AUC: delong (as in pROC), logit (DeLong's on the logit scale), or auto (logit, "
    "or Newcombe's interval if a class has fewer than ten items).")
MATRIX = option(
    "--counts", is_flag=True,
    help="FILE is a confusion matrix: each row has the name of a class and its counts; the header names the columns. "
    "The four counts of two classes may be given instead of a file: --counts TP=20 FP=180 FN=10 TN=1820.")
ROWS = option(
    "--rows", type=OneOf("cranfield.tables.counts:Rows"), default="actual",
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
    "--per", type=OneOf("cranfield.agreement.result:Scope"), multiple=True, show_default="all raters",
    help="Show coefficients for all raters, for every pair of raters or for every topic; may be repeated.")
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
    "--combined", type=OneOf("cranfield.agreement.agree:Combined"), multiple=True, show_default="any and all",
    help="With --run: also combine all judges; a document is relevant if any, all or the majority of the judges find "
    "it relevant. May be repeated.")
RANK_BY = option(
    "--rank-by", type=MEASURE, multiple=True, metavar="MEASURE", show_default="AP",
    help="With --run: the measure that ranks the runs; may be repeated.")
RESAMPLE = option(
    "--resample", type=OneOf("cranfield.statistics.agreement:Resampled"), default="item",
    help="Bootstrap unit for the overall coefficients: items or topics.")

EVERYWHERE = (QUIET,)  # all commands take these
