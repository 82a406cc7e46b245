"""Arguments and options of pools and campaigns, each declared once."""

from __future__ import annotations

from functools import partial

from cranfield.cli.options import COUNT, FILE, RUNS, STANDARD_INPUT, WHOLE
from cranfield.cli.parameters import OneOf, option

# fmt: off

# pools
POOLED = partial(RUNS, help=f"Runs to pool; {STANDARD_INPUT}")
POOL_QRELS = option(
    "judgments", "--qrels", type=FILE, metavar="QRELS",
    help="Judgments that guide an adaptive method (mtf, maxmean), or of the pool to examine (--quality).")
QUALITY = option(
    "--quality", is_flag=True,
    help="Examine the pool of --qrels: leave-one-run-out and leave-one-team-out, overlap of the runs, judged@k, and an "
    "estimate of the number of missing relevant documents.")
ESTIMATE = option(
    "--estimate", is_flag=True,
    help="Estimate AP and nDCG of the runs from the judgments of a uniform or stratified sample (--qrels).")
TEAMS = option(
    "teams", "--team", multiple=True, metavar="RUN=TEAM",
    help="With --quality: the team of a run; may be repeated. A run without a team forms its own team.")
LATER = option(
    "--later", type=FILE, multiple=True, metavar="RUN",
    help="A run of a second wave, which only adds documents to the pool; may be repeated.")
METHOD = option(
    "--method", type=OneOf("cranfield.campaign.pool_methods:METHODS"), default="depth", metavar="METHOD",
    help="Pooling method.")
BUDGET = option(
    "--budget", type=COUNT, metavar="N", help="Documents to judge per query.", show_default="100 for rrf, rbp and mtc")
PROPORTION = option("--proportion", type=float, metavar="NUMBER", help="Proportion of the pool to sample uniformly.")
STRATA = option(
    "--strata", metavar="STRATA",
    help="Last rank and sampling rate of each stratum of a stratified sample, such as 10:1,50:0.3,100:0.1.")
BURN_IN = option(
    "--burn-in", type=WHOLE, metavar="N", show_default="5",
    help="For maxmean: judge the first N documents of every run first.")
