"""`cranfield pool`: which documents should be judged, and how good is a pool?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.options import COUNT, FILE, RUNS, STANDARD_INPUT, WHOLE
from cranfield.commands.output import Answer
from cranfield.commands.parameters import OneOf, option, refuse_given
from cranfield.errors import BadSetting

# fmt: off

# pools
POOLED = partial(RUNS, help=f"Runs to pool; {STANDARD_INPUT}")
POOL_QRELS = option(
    "judgments", "--qrels", type=FILE, metavar="QRELS",
    help="Judgments that guide an adaptive method (mtf, maxmean), of the pool to examine (--quality), or to leave out"
    " (--unjudged).")
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
UNJUDGED = option(
    "--unjudged", is_flag=True,
    help="Leave out documents that --qrels has: what the runs bring, and nobody has judged.")
METHOD = option(
    "--method", type=OneOf("cranfield.pools.methods:METHODS"), default="depth", metavar="METHOD",
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


# `cranfield pool`: which documents should be judged, and how good is a pool?


POOL_EXAMPLES = """
  cranfield pool *.run --depth 100 -o pool.csv
  cranfield pool *.run --method rrf --budget 200 -o pool.csv
  cranfield pool *.run --method stratified --strata 10:1,50:0.3,100:0.1 --seed 7 -o pool.csv
  cranfield pool *.run --method maxmean --qrels qrels.txt --budget 200 -o pool.csv
  cranfield pool first/*.run --later new.run -o pool.csv
  cranfield pool new.run --qrels qrels.txt --unjudged --depth 10 -o to-judge.csv
  cranfield pool *.run --method uniform --proportion 0.2 --qrels judged.txt --estimate
  cranfield pool --quality --qrels qrels.txt *.run --team bm25=ours --team dense=ours
"""
_DEPTH = partial(o.DEPTH, show_default="100")
_SEED = partial(o.SEED, default=None, show_default="0")
_MEASURE = partial(
    o.MEASURES, show_default="AP", help="With --quality, the measure that ranks the runs; with --estimate, AP or nDCG."
)
_NOT_OF_QUALITY = ("unjudged", "method", "budget", "proportion", "strata", "burn_in", "later", "seed", "estimate")


@command(
    "pool",
    POOLED, METHOD, _DEPTH, BUDGET, PROPORTION, STRATA, BURN_IN, POOL_QRELS, UNJUDGED, o.REL, LATER, _SEED,
    QUALITY, TEAMS, ESTIMATE, _MEASURE, *o.DELIVERY, examples=POOL_EXAMPLES,
)  # fmt: skip
def pool_command(runs: Sequence[str], *, quality: bool, estimate: bool, **settings: Any) -> Answer:
    """Pool runs: list the documents to judge for each query, in judging order.

    The CSV output has one row per query and document, with the runs that contributed it and their ranks.
    """
    if quality:
        refused = dict.fromkeys(_NOT_OF_QUALITY, "cannot be combined with --quality")
    elif estimate:
        refused = {"teams": "requires --quality", "later": "cannot be combined with --estimate"}
        refused["unjudged"] = "cannot be combined with --estimate"
        refused["rel"] = "cannot be combined with --estimate; give the grade with the measure, as in 'AP(rel=2)'"
    else:
        refused = {"teams": "requires --quality", "measures": "requires --quality or --estimate"}
        refused |= {} if "judgments" in settings else {"rel": "requires judgments (--qrels)"}
    for name, reason in refused.items():
        refuse_given([name], reason)
    if quality or estimate:
        settings.pop("unjudged")
        return _examined(runs, **settings) if quality else _estimated(runs, **settings)
    return _pooled(runs, **settings)


def _estimated(
    runs: Sequence[str], *, judgments: str | None = None, measures: Sequence[str] = (), **settings: Any
) -> Answer:
    from cranfield.pools.pool import evaluate_sample, pool
    from cranfield.tables.system_names import system_names

    if judgments is None:
        raise BadSetting("--estimate needs the judgments of the sample: --qrels QRELS")
    named = dict(zip(system_names(list(runs)), runs, strict=True))
    return Answer(evaluate_sample(pool(named, **settings), judgments, named, measures or None))


def _pooled(runs: Sequence[str], *, later: Sequence[str] = (), **settings: Any) -> Answer:
    from cranfield.pools.pool import pool
    from cranfield.tables.system_names import system_names

    names = system_names([*runs, *later])
    made = pool(dict(zip(names, runs, strict=False)), **settings)
    if later:
        made = pool(dict(zip(names[len(runs) :], later, strict=True)), earlier=made, **settings)
    return Answer(made)


def _examined(
    runs: Sequence[str],
    *,
    judgments: str | None = None,
    measures: Sequence[str] = ("AP",),
    teams: Sequence[str] = (),
    method: str = "",  # noqa: ARG001
    **settings: Any,
) -> Answer:
    from cranfield.pools.pool import pool_quality

    if judgments is None:
        raise BadSetting("--quality needs the judgments of the pool: --qrels QRELS")
    if len(measures) > 1:
        raise BadSetting("--quality takes one measure")
    team_of: dict[str, str] = {}
    for text in teams:
        run, _, team = text.rpartition("=")
        if not (run and team):
            raise BadSetting(f"--team takes a run and its team, such as bm25=ours, not {text!r}")
        if team_of.setdefault(run, team) != team:
            raise BadSetting(f"--team: {run} has two teams, {team_of[run]} and {team}")
    return Answer(pool_quality(judgments, list(runs), measures[0], teams=team_of or None, **settings))
