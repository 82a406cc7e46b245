"""`cranfield agree`: do judges agree, and does disagreement affect the ranking of the systems?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import Answer
from cranfield.commands.parameters import flag, is_given
from cranfield.errors import BadSetting

AGREE_EXAMPLES = """
  cranfield agree judgments.csv
  cranfield agree ann.qrels bob.qrels cy.qrels --per all --per pair
  cranfield agree judgments.csv -m Kappa -m "Alpha(level='ordinal')"
  cranfield agree --counts 20 12 4 4
  cranfield agree labels.csv --order poor,fair,good
  cranfield agree evaluated.qrels --run bm25.run --run dense.run --rank-by AP
"""
MEASURES = partial(
    o.MEASURES, show_default="those that fit the data",
    help="A coefficient, such as Kappa, \"Kappa(weights='linear')\", Fleiss, AC1 or \"Alpha(level='ordinal')\"; may be "
    "repeated. cranfield measures --kind ratings lists them.",
)  # fmt: skip

STEPS = partial(o.STEPS, help="Show the working: contingency tables, observed and expected agreement.")

EVERY = partial(o.EVERY, help="Show all coefficients, and those of every pair of raters and of every topic.")


@command(
    "agree",
    o.RATINGS, MEASURES, o.SCOPE, o.SCALE, o.COUNTS, o.CONFIDENCE, partial(o.RESAMPLES, type=o.WHOLE, default=o.COSTLY),
    o.RESAMPLE, o.SEED, o.RUN, o.RANK_BY, o.COMBINED, o.REL, STEPS, EVERY, *o.DELIVERY, examples=AGREE_EXAMPLES,
)  # fmt: skip
def agree_command(
    files: Sequence[str],
    *,
    order: str | None = None,
    counts: bool | None = None,
    runs: Sequence[str] = (),
    rank_by: Sequence[str] = ("AP",),
    combined: Sequence[Any] = ("any", "all"),
    rel: float = 1,
    steps: bool,
    every: bool,
    **settings: Any,
) -> Answer:
    """Measure inter-rater agreement beyond chance.

    Shows three coefficients for all raters; --per adds those of every pair of raters or every topic, --all everything.
    """
    from cranfield.agreement.agree import agree, reorder
    from cranfield.tables.raters import as_ratings

    unused = next((name for name in ("rank_by", "combined", "rel") if is_given(name)), None)
    if unused is not None and not runs:
        raise BadSetting(f"{flag(unused)} has no effect without --run")
    scale = [part.strip() for part in order.split(",")] if order else None
    rated = as_ratings(list(files), order=scale, counts=counts)  # only once: a pipe cannot be reread
    agreement = agree(rated, **settings)
    if "-" in runs:
        raise BadSetting("standard input (-) can be read only once, but every judge needs the runs again; pass files")
    reordered = [reorder(rated, list(runs), rank_by, combined=combined, rel=rel)] if runs else []
    return Answer(agreement, *reordered, steps=steps, every=every)
