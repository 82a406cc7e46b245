"""`cranfield plan`: how many queries are needed to detect a difference?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import taken
from cranfield.commands.output import Answer
from cranfield.commands.parameters import refuse_given
from cranfield.errors import BadSetting
from cranfield.rankings.inputs import evaluated

PLAN_EXAMPLES = """
  cranfield plan qrels.txt bm25.run dense.run --difference 0.02
  cranfield plan qrels.txt *.run -b bm25 -m AP --difference 0.02 --power 0.9
  cranfield plan qrels.txt *.run -m nDCG@10 --queries 200
  cranfield plan qrels.txt *.run -m AP --difference 0.02 --comparisons 10
  cranfield plan --deviation 0.1 --difference 0.02
  cranfield plan --deviation 0.1 --queries 50
  cranfield plan --area 0.85 --null 0.75 --prevalence 0.3
  cranfield plan --kappa 0.6 --null 0.4 --prevalence 0.3 --items 100
"""
ITEM_OPTIONS = ("null", "prevalence", "correlation", "items")
EVERY = partial(o.EVERY, help="List every pair of systems, even if there are many.")
DESIGN = ("difference", "queries", "baseline", "power", "level", "comparisons", "alternative")


@command(
    "plan",
    o.PILOT, o.DEVIATION, o.MEASURES, o.options_of("cranfield.planning.plan:plan"), EVERY, o.AREA, o.KAPPA, o.NULL,
    o.PREVALENCE, o.AREA_CORRELATION, o.ITEMS, *o.EVALUATION, *o.DELIVERY, examples=PLAN_EXAMPLES,
)  # fmt: skip
def plan_command(
    *,
    pilot: Sequence[str] = (),
    deviation: float | None = None,
    area: float | None = None,
    kappa: float | None = None,
    every: bool = False,
    **settings: Any,
) -> Answer:
    """Plan an experiment: queries needed to detect a difference, power, and the smallest detectable difference."""
    from cranfield.planning.plan import plan

    if area is not None or kappa is not None:
        return _of_items(area, kappa, settings)
    refuse_given(ITEM_OPTIONS, "requires --area or --kappa")
    taken(settings, ITEM_OPTIONS)  # their defaults
    design = taken(settings, DESIGN)
    return Answer(plan(_variance(pilot, deviation, settings), **design), every=every)


def _variance(pilot: Sequence[str], deviation: float | None, settings: dict[str, Any]) -> Any:
    """The source of the variance of the differences: the given deviation, or the result of the pilot."""
    if (deviation is None) == (not pilot):
        raise BadSetting("give either a pilot (QRELS RUN RUN …) or --deviation, for the variance of the differences")
    if not pilot:
        if "measures" in settings:
            raise BadSetting("--measure requires a pilot; --deviation already belongs to a measure")
        return deviation
    qrels, *runs = pilot
    if len(runs) < 2:
        raise BadSetting(f"a pilot needs judgments and at least two runs; got {len(runs)} after {qrels!r}")
    return evaluated(qrels, runs, **settings)


def _of_items(area: float | None, kappa: float | None, settings: dict[str, Any]) -> Answer:
    """The plan of a test of an AUC or of kappa."""
    from cranfield.planning.items import plan_area, plan_kappa

    if area is not None and kappa is not None:
        raise BadSetting("give either --area or --kappa")
    names = ("power", "level", *ITEM_OPTIONS, *(("alternative",) if area is not None else ()))
    test = taken(settings, names)
    refuse_given(settings, f"does not apply to {'--area' if area is not None else '--kappa'}")
    if area is not None:
        return Answer(plan_area(area, **test))
    if "correlation" in test:
        raise BadSetting("--correlation requires --area")
    return Answer(plan_kappa(float(kappa or 0.0), **test))
