"""Every argument and option of the command line, each declared once: one name, one letter, one meaning."""

from __future__ import annotations

from functools import partial

import click

from cranfield.cli.parameters import InputFile, MeasureName, Numbers, OneOf, argument, option

FILE, MEASURE, NUMBERS = InputFile(), MeasureName(), Numbers()
COUNT, SEVERAL, WHOLE = click.IntRange(min=1), click.IntRange(min=2), click.IntRange(min=0)
STANDARD_INPUT = "- reads standard input."

# a table of declarations, one option after another
# fmt: off

# inputs
QRELS = argument("qrels", type=FILE, metavar="QRELS", help=f"Judgments; {STANDARD_INPUT}")
RUNS = argument("runs", type=FILE, nargs=-1, required=True, metavar="RUN…", help=f"Runs to evaluate; {STANDARD_INPUT}")
OPTIONAL_QRELS = partial(QRELS, required=False, metavar="[QRELS]")
OPTIONAL_RUNS = partial(RUNS, required=False, metavar="[RUN…]")
PILOT = argument(
    "pilot", type=FILE, nargs=-1, metavar="[QRELS RUN…]",
    help="Judgments and at least two runs: a pilot from which the variance of the differences is estimated. Not "
    "needed with --deviation.")
TABLE = argument(
    "file", type=FILE, metavar="FILE",
    help=f"One row per item: CSV, TSV, JSON Lines, JSON, Parquet or Arrow; {STANDARD_INPUT}")
RATINGS = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Lines with topic, rater, document and grade; CSV or TSV with a header (item, rater, category and optionally "
    f"topic; or one column per rater); or several qrels, one per rater. {STANDARD_INPUT}")
KIND_OF_PLOT = argument("kind", type=OneOf("cranfield.cli.plot:kinds"), metavar="KIND", help="The kind of plot.")
PLOTTED = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Judgments and runs; with --actual, one table of predictions; with --counts, a confusion matrix; for kappas, "
    "the same as for cranfield agree.")
REPORTED = argument(
    "files", type=FILE, nargs=-1, metavar="[QRELS RUN…]",
    help="Judgments and runs; with --classify, tables with one row per item; neither with --values or --published.")
NAMES = argument(
    "names", type=MEASURE, nargs=-1, metavar="[NAME…]",
    help="Measures to explain, by any name that is understood; without one, all are listed.")
RULES = argument(
    "rules", nargs=-1, metavar="[RULE…]", help="Rules to explain; without one, all are listed.")
ANSWERS = argument(
    "answers", nargs=-1, metavar="[ANSWER…]",
    help="Answers to the questions, in order, by word or by number; without all of them, the next question is asked.")
VALUES = option(
    "--values", type=FILE, metavar="FILE",
    help="Read values from a table instead of evaluating runs: one row per query, fold or item and one column per "
    "system, or columns system, value, measure and query (as eval -q -f csv prints them).")
LOWER_IS_BETTER = option(
    "--lower-is-better", multiple=True, metavar="NAME",
    help="With --values: lower values of this measure are better; may be repeated. Not needed for measures that "
    "cranfield knows, such as ErrorRate. Values without a measure are called value.")
PUBLISHED = option(
    "--published", multiple=True, metavar="NAME=FIGURE",
    help="Compare published figures: proportions, such as new=170/200, or means with standard deviation and number of "
    "values, such as new=0.34,0.21,50; repeat for each system. They are compared as independent samples: z-test and "
    "Fisher's exact test, or Welch's t-test.")
ORDERS = option(
    "--orders", type=FILE, metavar="FILE",
    help="Correlate the rankings in a table: one row per system or document, and one column of scores per ranking; "
    "higher is better. An item without a score is not in that ranking.")
DOCUMENTS = option(
    "--documents", is_flag=True,
    help="Correlate the rankings of documents in two or more runs (RUN RUN…, without judgments), query by query.")
ALSO = option(
    "--also", type=FILE, multiple=True, metavar="QRELS",
    help="Other judgments to rank the runs by; may be repeated.")
RUN = option(
    "runs", "-r", "--run", type=FILE, multiple=True, metavar="RUN",
    help="Show how the ranking of these runs depends on whose judgments are used; give two or more.")
TOPICS = option(
    "--topics", type=FILE, metavar="FILE",
    help="A query and its topic per line, if queries are variants of topics: intervals are then over topics.")
SYSTEM_INFO = option(
    "--system-info", type=FILE, metavar="FILE",
    help="Table with one row per system (column system) and its cost, time, storage or anything else, which is shown "
    "next to the measures.")
JUDGMENTS = option(
    "form", "--judgments", type=OneOf("cranfield.verbs.rankings:Written"), default="qrels",
    help="Format of QRELS: TREC's four fields per line, or five for preferences.")
GATES = argument("gates", type=FILE, metavar="GATES", help="The gates, in a TOML file; see docs/howto/release-gate.md.")

POOLED = partial(RUNS, help=f"Runs to pool; {STANDARD_INPUT}")
POOL_QRELS = option(
    "judgments", "--qrels", type=FILE, metavar="QRELS",
    help="Judgments that the order of judging follows (mtf, maxmean), or whose pool is examined (--quality).")
QUALITY = option(
    "--quality", is_flag=True,
    help="Examine the pool of --qrels: leave one run out and leave one team out, overlap of the runs, judged@k, and an "
    "estimate of the missing relevant documents.")
ESTIMATE = option(
    "--estimate", is_flag=True,
    help="Estimate AP and nDCG of the runs from the judgments of a uniform or stratified sample (--qrels).")
TEAMS = option(
    "teams", "--team", multiple=True, metavar="RUN=TEAM",
    help="With --quality: the team of a run; may be repeated. A run without a team forms its own team.")
LATER = option(
    "--later", type=FILE, multiple=True, metavar="RUN",
    help="A run of a second wave, which only adds documents; may be repeated.")

# campaigns
CAMPAIGNS = argument("folder", default="campaigns", metavar="[FOLDER]", help="Where everything is kept (campaigns).")
HOST = option(
    "--host", default="127.0.0.1", metavar="HOST",
    help="Address to listen on; by default, only this machine can connect.")
PORT = option(
    "--port", type=click.IntRange(0, 65535), default=8000, metavar="N",
    help="Port to listen on; 0 chooses a free one.")
DATABASE = option(
    "--database", metavar="URL", show_default="SQLite in FOLDER",
    help="A PostgreSQL database, as in postgresql://user@host/name.")
SERVE = option(
    "--serve", is_flag=True, help="Serve a benchmark on the same collection instead, with judging under way.")
DEMO = option(
    "--demo", is_flag=True,
    help="Begin with a small benchmark in progress, with runs, people and judgments; FOLDER must be new.")
SERVED_FOLDER = argument("folder", metavar="FOLDER", help="The folder that `cranfield serve` was started with.")
ARCHIVE = argument("archive", metavar="ARCHIVE", help="The file to write, as in campaigns.zip.")
BACKUP = argument("archive", metavar="ARCHIVE", help="The file that `cranfield backup` wrote.")
NEW_FOLDER = argument("folder", metavar="FOLDER", help="A new folder for the campaigns.")
BENCHMARK = argument(
    "benchmark", metavar="BENCHMARK", help="Address of the benchmark, as in https://judge.example.org/b/NAME.")
SUBMITTED = partial(RUNS, help="Runs to submit, each under the name of its file.")
DESCRIPTION = option("--description", metavar="TEXT", help="What the system does.")
SOFTWARE = option("--software", "system", metavar="NAME", help="The retrieval system that made the runs.")
USES = option(
    "--uses", multiple=True, metavar="MODEL", help="A language or embedding model that it uses; may be repeated.")
TAGS = option("--tag", "tags", multiple=True, metavar="TAG", help="A tag of the runs; may be repeated.")
MANUAL = option("--manual", is_flag=True, help="A manual run: people intervened, for example by writing queries.")
ENDPOINT = option(
    "--endpoint", required=True, metavar="URL",
    help="An OpenAI-compatible endpoint, as in http://127.0.0.1:8080/v1.")
LLM = option("--llm", required=True, metavar="NAME", help="The language model to request from the endpoint.")
MOST = option("--most", type=COUNT, metavar="N", show_default="all", help="Judge at most N documents.")
PAGE = argument("page", required=False, default="", metavar="[PAGE]", help="The page, such as conflicts.")
FORM_FIELDS = argument("fields", nargs=-1, metavar="[NAME=VALUE…]", help="Fields of the form to send.")
ADDRESS = option(
    "--address", metavar="URL", show_default="HOST and PORT",
    help="Address that people use, as in https://judge.example.org, if it is behind a proxy.")

# columns of a table of predictions
ACTUAL = option("-a", "--actual", metavar="COLUMN", help="Column with the true labels or values.")
PREDICTED = option(
    "-p", "--predicted", multiple=True, metavar="COLUMN",
    help="Column with predicted labels or values; repeat for several systems.")
SCORE = option(
    "-s", "--score", multiple=True, metavar="COLUMN",
    help="Column with scores; higher means more likely positive. Repeat for several systems.")
PROBABILITY = option(
    "--probability", multiple=True, metavar="COLUMN",
    help="Column with probabilities of the positive class; repeat for several systems. Or repeat for each class: a "
    "column named like the class, or LABEL=COLUMN.")
ACTUAL_PROBABILITY = option(
    "--actual-probability", multiple=True, metavar="LABEL=COLUMN",
    help="Column with the actual probability of a class (soft labels); repeat for each class, and give the predicted "
    "ones with --probability LABEL=COLUMN: the cross-entropy H(p, q) is then computed.")
ITEM = option("--item", metavar="COLUMN", help="Column with the names of the items.")
WEIGHT = option("--weight", metavar="COLUMN", help="Column with the weights of the items.")
BY = option("--by", metavar="COLUMN", help="Column with the group of each item, such as its fold.")
POSITIVE = option("--positive", metavar="LABEL", help="The positive class; defaults to 1 for 0/1 labels.")
LABELS = option(
    "labels", "--label", multiple=True, metavar="LABEL",
    help="A class; repeat to list all classes in the order in which to show them.")
SEPARATOR = option("--separator", metavar="TEXT", help="Separates the labels of an item in multilabel data.")
INVERT = option(
    "--invert", is_flag=True,
    help="Negate scores, and replace probabilities by their complements and labels by the other of two.")
NORMALISE = option("--normalise", is_flag=True, help="Divide the probabilities of each item by their sum.")
COLUMNS = (PREDICTED, SCORE, PROBABILITY, POSITIVE, NORMALISE)

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
    "--missing", type=OneOf("cranfield.engines.evaluation:Missing"), default="zero",
    help="Score for judged queries that are missing from the run.")
UNDEFINED = option(
    "--undefined", type=OneOf("cranfield.results.result:Undefined"), default="zero",
    help="How undefined values count in an average: as 0, or not at all.")
DEPTH = option("--depth", type=COUNT, metavar="N", help="Keep only the first N documents of each ranking.")
METHOD = option(
    "--method", type=OneOf("cranfield.campaign.pool_methods:METHODS"), default="depth", metavar="METHOD",
    help="How the pool is made.")
BUDGET = option(
    "--budget", type=COUNT, metavar="N", help="Documents to judge per query.", show_default="100 for rrf and rbp")
PROPORTION = option("--proportion", type=float, metavar="NUMBER", help="Proportion of the pool in a uniform sample.")
STRATA = option(
    "--strata", metavar="STRATA",
    help="Last rank and sampling rate of each stratum of a stratified sample, such as 10:1,50:0.3,100:0.1.")
BURN_IN = option(
    "--burn-in", type=WHOLE, metavar="N", show_default="5",
    help="For maxmean: judge the first N documents of every run first.")
EVALUATION = (TIES, MISSING, UNDEFINED, DEPTH)
PRECISION = option(
    "--precision", type=OneOf("cranfield.engines.protocol:Precision"), default="double",
    help="Compare scores as 64-bit or as 32-bit numbers.")
ENGINE = option(
    "--engine", type=OneOf("cranfield.engines.protocol:EngineName"), default="auto",
    help="What counts ranks: native (compiled), local (runs anywhere), spark (a cluster), or what suits the input; the "
    "results are the same. Paths such as s3://… are read by Spark.")
BOUNDS = option(
    "--bounds", is_flag=True,
    help="Add each measure's value if all unjudged documents were not relevant, and if all had the highest grade.")
AGGREGATE = option(
    "aggregates", "--aggregate", type=OneOf("cranfield.measures.registry:Aggregate"), multiple=True, metavar="KIND",
    help="How per-query values are aggregated: mean (or macro), micro (all queries pooled), geometric, median or sum; "
    "may be repeated.", show_default="the measure's own")
REL = option(
    "-l", "--rel", type=float, metavar="GRADE", show_default="1",
    help="Documents are relevant at this grade or higher.")
GOAL = option(
    "goals", "-g", "--goal", multiple=True, metavar="GOAL",
    help="Choose the threshold for this goal: a measure, optionally with a constraint, as in "
    '"Recall where Specificity >= 0.9"; may be repeated: the first decides, the others are shown.')
THRESHOLD = option(
    "--threshold", type=float, metavar="NUMBER", help="Scores at or above this threshold are predicted positive.")
STRICT = option(
    "--strict", is_flag=True, help="Only scores above the threshold are predicted positive, not those equal to it.")
AVERAGE = option(
    "--average", type=OneOf("cranfield.results.evaluated:Average"), default="macro",
    help="How the values of the classes are averaged.")
AUC_INTERVAL = option(
    "--auc-interval", type=OneOf("cranfield.inference.delong:AreaMethod"), show_default="auto",
    help="Interval of the AUC: delong (as in pROC), logit (DeLong's on the logit scale), or auto (logit, and "
    "Newcombe's interval if a class has fewer than ten items).")
COEFFICIENTS = option(
    "coefficients", "--coefficient", type=OneOf("cranfield.inference.rank_orders:METHODS"), multiple=True,
    show_default="tau-b and tau-AP; RBO and its bounds for documents and for rankings with different items",
    help="A correlation coefficient; may be repeated.")
PERSISTENCE = option(
    "p", "--persistence", type=float, default=0.9, metavar="NUMBER", help="Persistence p of RBO, between 0 and 1.")
SCOPE = option(
    "--per", type=OneOf("cranfield.results.agreement:Scope"), multiple=True, show_default="all three",
    help="Report coefficients for all raters, for every pair of raters or for every topic; may be repeated.")
SCALE = option(
    "order", "--order", metavar="CATEGORIES",
    help="The scale: all categories from lowest to highest, separated by commas. Needed for text categories, and for "
    "numeric scales with categories that never occur.")
COUNTS = option(
    "--counts/--no-counts", default=None, show_default=False,
    help="FILE holds counts: one row per item and one column per category with the number of raters who chose it; or "
    "the contingency table of two raters, with the same names before its rows. Its counts may be given instead of a "
    "file, row by row: --counts 20 12 4 4. --no-counts: one column per rater.")
MATRIX = option(
    "--counts", is_flag=True,
    help="FILE is a confusion matrix: each row has the name of a class and its counts; the header names the columns. "
    "The four counts may be given instead: --counts TP=20 FP=180 FN=10 TN=1820.")
TABLE_OR_COUNTS = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE",
    help=f"One row per item: CSV, TSV, JSON Lines, JSON, Parquet or Arrow; {STANDARD_INPUT} With --counts, a confusion "
    "matrix.")
COMBINED = option(
    "--combined", type=OneOf("cranfield.verbs.agreement:Combined"), multiple=True, show_default="any and all",
    help="With --run: also combine the judgments of all judges; a document is relevant if any, all or the majority of "
    "the judges say so. May be repeated.")
RANK_BY = option(
    "--rank-by", type=MEASURE, multiple=True, metavar="MEASURE", show_default="AP",
    help="With --run: the measure that ranks the runs; may be repeated.")

# inference
BASELINE = option(
    "-b", "--baseline", metavar="SYSTEM",
    help="Compare all other systems with this one; without it, every pair is compared.")
TEST = option(
    "-t", "--test", type=OneOf("cranfield.inference.test_catalogue:known_tests"), metavar="TEST", show_default="t",
    help="Test of significance.")
CORRECTION = option(
    "-c", "--correction", type=OneOf("cranfield.inference.multiplicity:Correction"),
    show_default="holm; bonferroni over measures for simultaneous tests with --family all",
    help="Correction for multiple comparisons; max-T and step-down max-T need the test randomisation.")
SIMULTANEOUS = option(
    "--simultaneous", is_flag=True,
    help="Intervals of differences hold for all comparisons at once (corrections holm, bonferroni and max-T).")
FAMILY = option(
    "--family", type=OneOf("cranfield.results.comparison:Family"), default="measure",
    help="Correct the comparisons on each measure together, or all comparisons.")
LEVEL = option("--level", type=float, default=0.05, metavar="NUMBER", help="Significance level.")
ALTERNATIVE = option(
    "--alternative", type=OneOf("cranfield.inference.distributions:Alternative"), default="two-sided",
    help="Alternative hypothesis.")
INTERVAL = option(
    "--interval", type=OneOf("cranfield.inference.intervals:Method", "none"), default="auto",
    help="Confidence intervals: bounded (Student's t adjusted for skewness, the default for measures with bounds), t "
    "(the default for others), wilson (for 0/1 measures), the bootstrap over queries (bca or percentile; too narrow "
    "below about 30 queries), or none.")
CONFIDENCE = option("--confidence", type=float, default=0.95, metavar="NUMBER", help="Confidence level.")
MARGIN = option(
    "--margin", type=float, metavar="NUMBER", help="For tost: differences up to this margin count as equivalent.")
HUMAN = option(
    "--human", type=FILE, required=True, metavar="FILE", help="Human judgments of some queries, or a table of values.")
MACHINE = option(
    "--machine", type=FILE, required=True, metavar="FILE",
    help="Machine judgments of these queries and others, or a table of values.")
HALF_WIDTH = option(
    "--half-width", type=float, metavar="NUMBER",
    help="Also compute how many queries people must judge for an interval of the estimate ± NUMBER.")
ROPE = option(
    "--rope", type=float, default=0.01, metavar="NUMBER",
    help="Region of practical equivalence: mean differences up to this number, either way, are negligible.")
CREDIBILITY = option(
    "--credibility", type=float, default=0.95, metavar="NUMBER",
    help="Probability at which a pair is called better, equivalent or worse, and that of credible intervals.")
OVERLAP = option(
    "--overlap", type=float, metavar="NUMBER",
    help="For corrected t: size of a test fold divided by the size of its training set.")
VARIANT = option(
    "--variant", type=OneOf("cranfield.inference.test_catalogue:variants"), metavar="VARIANT",
    show_default="exact; F; wilcox",
    help="Variant of the test.")
RESAMPLES = option(
    "--resamples", type=COUNT, metavar="N",
    help="Number of random draws: bootstrap resamples, permutations or splits.")
SEED = option("--seed", type=WHOLE, default=0, metavar="N", help="Random seed.")
RESAMPLE = option(
    "--resample", type=OneOf("cranfield.inference.rater_bootstrap:Resampled"), default="item",
    help="What is resampled for the overall figures: items or topics.")
DIFFERENCE = option("--difference", type=float, metavar="NUMBER", help="Mean difference to detect.")
DEVIATION = option(
    "--deviation", type=float, metavar="NUMBER",
    help="Standard deviation of the differences between two systems, if it is known.")
QUERIES = option("--queries", type=SEVERAL, metavar="N", help="Plan for N queries instead of those of the pilot.")
COMPARISONS = option(
    "--comparisons", type=COUNT, default=1, metavar="N",
    help="Plan for N comparisons, each tested at the level divided by N.")
POWER = option(
    "--power", type=float, default=0.8, metavar="NUMBER",
    help="Desired power: the probability of detecting a true difference.")
RATE = option(
    "--rate", type=float, default=0.05, metavar="NUMBER",
    help="Swap rate up to which the order of two systems counts as stable.")
MODEL = option(
    "--model", type=OneOf("cranfield.inference.latent:Model"), show_default="chosen by the values",
    help="Two-parameter logistic model for 0/1 values (success), or beta model for values between 0 and 1.")
SQUEEZE = option(
    "--squeeze", type=float, default=0.005, metavar="NUMBER",
    help="Beta model: values are kept at least this far from 0 and 1.")
SELECT = option(
    "--select", type=COUNT, metavar="K", help="Select the K queries that best preserve the ranking of the systems.")

# what is shown
PER_QUERY = option("-q", "--per-query", is_flag=True, help="Show the values of each query.")
SORT = option("--sort", type=MEASURE, metavar="MEASURE", help="Sort the systems by this measure, best first.")
EVERY = option(
    "every", "--all", is_flag=True,
    help="All measures: also complements, such as the miss rate, and likelihood ratios.")
PAIRS = option(
    "--pairs", is_flag=True, help="List every pair of systems, also of so many that a matrix of differences is shown.")
STEPS = option("--steps", is_flag=True, help="Explain the steps of every test.")
ROWS = option(
    "--rows", type=OneOf("cranfield.tables.count_matrices:Rows"), default="actual",
    help="Which classes are the rows of the confusion matrix, as shown and in a file of --counts.")
REORDER = option("--reorder", is_flag=True, help="Put classes that are often confused side by side.")
FORM = option(
    "--form", type=OneOf("cranfield.curves.precision_recall:Form"), show_default="recalls",
    help="Means over queries: interpolated precision at recall levels, or precision and recall at cutoffs. Per query: "
    "interpolated precision at each recall level reached, or the point after each document.")
POINTS = option(
    "--points", type=NUMBERS, metavar="NUMBERS",
    help="Recall levels or cutoffs, separated by commas; for ranks, the depth.")
QUERY = option("--query", metavar="QUERY", help="Plot this query.")
SYSTEM = option("--system", metavar="SYSTEM", help="Plot this system.")
RANKS = option("-k", "k", type=COUNT, metavar="N", help="Number of ranks to plot.")
BETA = option("--beta", type=float, metavar="NUMBER", help="Beta of the lines of equal F-measure.")
COLLECTION = option("--collection", type=COUNT, metavar="N", help="Number of documents in the collection, for fallout.")
IDEAL = option("--ideal", is_flag=True, help="Mark the ideal point and the distance of each curve from it.")
BREAK_EVEN = option("--break-even", is_flag=True, help="Mark where precision equals recall.")
EACH_QUERY = option("--each-query", is_flag=True, help="Draw the curve of every query behind their mean.")
COLLAPSE = option("--collapse", metavar="LABEL", help="Evaluate this class against the rest, as two classes.")
OVERVIEW = option(
    "--overview", is_flag=True, help="Surround the matrix of two classes with the rates of its rows and columns.")
OVERLAY = option("--overlay", is_flag=True, help="Draw both classes on one axis, with the four areas.")
SHADE = option("--shade", is_flag=True, help="Shade the area under each curve.")
CONNECT = option("--connect", is_flag=True, help="Join the points of label-only classifiers, in the order given.")
REGIONS = option(
    "--regions", type=float, metavar="RATIO",
    help="Mark where a positive rules in (positive likelihood ratio of at least RATIO, such as 10) and a negative "
    "rules out (negative likelihood ratio of at most 1/RATIO).")
BINS = option("--bins", type=COUNT, metavar="N", help="Number of bins for probabilities or scores.")
AGAINST = option("--against", metavar="COLUMN", help="Plot against this column of --system-info; less is better.")
THEME = option(
    "--theme", type=OneOf("cranfield.present.plots.theme:Theme"), default="light",
    help="Colours for white, dark or printed pages.")
TITLE = option("--title", metavar="TEXT", show_default="names what is compared", help="Title of the page.")
QUERY_TEXTS = option(
    "queries", "--query-texts", type=FILE, metavar="FILE",
    help="The text of the queries, shown beside their rankings: TSV, CSV, JSON Lines, TREC or INEX topics.")
DOCUMENT_TEXTS = option(
    "documents", "--document-texts", type=FILE, metavar="FILE",
    help="The documents, whose text is shown in rankings: TSV, CSV, JSON Lines, TREC or INEX documents, or a folder.")
COLLECTIONS = option(
    "--collections", is_flag=True,
    help="Report on several collections side by side: the arguments are folders, each with one file qrels and runs "
    "(*.run) of the same names.")
CLASSIFY = option("--classify", is_flag=True, help="Report on labels, scores or probabilities.")
KIND = option(
    "--kind", type=OneOf("cranfield.measures.registry:Kind"),
    help="Only measures of this kind; cranfield eval takes those of kind ranking.")

# how it is delivered
FORMAT = option(
    "-f", "--format", type=OneOf("cranfield.cli.delivery:Format"), show_default="chosen by --output, or table",
    help="Format of the output. CSV has one row per value; JSON adds the settings and the sources.")
OUTPUT = option(
    "-o", "--output", metavar="FILE",
    help="Write to a file; .csv, .json, .md, .tex and .html choose the format.")
JUNIT = option("--junit", metavar="FILE", help="Write the gates as JUnit XML, which CI servers show as tests.")
SUMMARY = option(
    "--summary", metavar="FILE", help="Append the tables in Markdown to a file, such as that of GITHUB_STEP_SUMMARY.")
FOLDER = option("--folder", metavar="FOLDER", help="The folder to write to.")
DIGITS = option(
    "-d", "--digits", type=click.IntRange(0, 17), metavar="N", show_default="4 in tables, all in CSV and JSON",
    help="Number of decimals.")
FINDINGS = option(
    "--findings", is_flag=True,
    help="Print findings below the table: what the figures do not show, and what to do about it.")
QUIET = option("--quiet", is_flag=True, help="No warnings and no progress bar.")
DELIVERY = (FORMAT, OUTPUT, DIGITS, FINDINGS)
EVERYWHERE = (QUIET,)  # all commands take these
