"""Arguments and options of plots, each declared once."""

from __future__ import annotations

from cranfield.commands.options import COUNT, FILE
from cranfield.commands.parameters import OneOf, argument, option

# fmt: off

KIND_OF_PLOT = argument("kind", type=OneOf("cranfield.cli.plot:kinds"), metavar="KIND", help="The kind of plot.")
PLOTTED = argument(
    "files", type=FILE, nargs=-1, required=True, metavar="FILE…",
    help="Judgments and runs; with --actual, one table of predictions; with --counts, a confusion matrix; for kappas, "
    "the same as for cranfield agree.")
SYSTEM = option("--system", metavar="SYSTEM", help="Plot this system.")
RANKS = option("-k", "k", type=COUNT, metavar="N", help="Number of ranks to plot.")
BETA = option("--beta", type=float, metavar="NUMBER", help="Beta of the lines of equal F-measure.")
COLLECTION = option("--collection", type=COUNT, metavar="N", help="Documents in the collection, for fall-out.")
IDEAL = option("--ideal", is_flag=True, help="Mark the ideal point and the distance of each curve from it.")
BREAK_EVEN = option("--break-even", is_flag=True, help="Mark where precision equals recall.")
EACH_QUERY = option("--each-query", is_flag=True, help="Draw the curve of every query behind the mean curve.")
OVERVIEW = option(
    "--overview", is_flag=True, help="Surround the matrix of two classes with the rates of its rows and columns.")
OVERLAY = option("--overlay", is_flag=True, help="Draw both classes on one axis, with the four areas.")
SHADE = option("--shade", is_flag=True, help="Shade the area under each curve.")
CONNECT = option("--connect", is_flag=True, help="Join the points of label-only classifiers, in the order given.")
REGIONS = option(
    "--regions", type=float, metavar="RATIO",
    help="Mark the regions where a positive prediction rules in (positive likelihood ratio of at least RATIO, such as "
    "10) and a negative prediction rules out (negative likelihood ratio of at most 1/RATIO).")
AVERAGING = option(
    "--averaging", type=OneOf("cranfield.curves.averaged_roc:Averaging"),
    help="Average the ROC curves of folds (--by) at equal false positive rates (vertical, the default) or at equal "
    "thresholds.")
BINS = option("--bins", type=COUNT, metavar="N", help="Number of bins for probabilities or scores.")
AGAINST = option("--against", metavar="COLUMN", help="Plot against this column of --system-info; lower is better.")
THEME = option(
    "--theme", type=OneOf("cranfield.present.plots.theme:Theme"), default="light",
    help="Colours for white, dark or printed pages.")
