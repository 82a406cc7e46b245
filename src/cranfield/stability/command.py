"""`cranfield reproduce`: would other topics give the same ranking of systems?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import only_one, quiet, taken
from cranfield.commands.output import Answer
from cranfield.commands.progress import progress_shown
from cranfield.rankings.inputs import INPUTS, runs_or_table

TEST = partial(o.TEST, default="randomised tukey", show_default=True)
REPRODUCE_EXAMPLES = """
  cranfield reproduce qrels.txt *.run
  cranfield reproduce qrels.txt *.run -m AP,nDCG@10,P@10 --test t --level 0.01
  cranfield reproduce qrels.txt *.run -m AP --resamples 10000 -o stability.json
"""


@command(
    "reproduce",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.MEASURES, TEST,
    o.options_of("cranfield.stability.reproduce:reproduce", without=("test",)), *o.EVALUATION, *o.DELIVERY,
    examples=REPRODUCE_EXAMPLES,
)  # fmt: skip
def reproduce_command(**settings: Any) -> Answer:
    """Estimate the discriminative power of measures, and how stable the ranking of systems is over topics."""
    from cranfield.stability.reproduce import reproduce

    data = runs_or_table(**taken(settings, INPUTS))
    n_measures = 1 if isinstance(data, str) else len(data.measures)  # those of a table are not known yet
    with progress_shown(n_measures, quiet()) as progress:
        return Answer(reproduce(data, progress=progress, **settings))


# `cranfield latent`: which queries are difficult, and which discriminate between systems?


LATENT_EXAMPLES = """
  cranfield latent qrels.txt *.run -m AP
  cranfield latent qrels.txt *.run -m Success@10
  cranfield latent qrels.txt *.run -m nDCG@10 --select 15
  cranfield latent qrels.txt *.run -m AP -o difficulty.csv
  cranfield latent --values right.csv
"""
MEASURE = partial(o.MEASURES, show_default="AP; the only measure of a table", help="A measure with values in [0, 1].")


@command(
    "latent",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, MEASURE,
    o.options_of("cranfield.stability.reproduce:latent"), o.SELECT, o.CONFIDENCE,
    o.SEED, *o.EVALUATION, *o.DELIVERY, examples=LATENT_EXAMPLES,
)  # fmt: skip
def latent_command(
    *,
    measures: Sequence[str] = (),
    model: Any = None,
    squeeze: float,
    select: int | None = None,
    confidence: float,
    seed: int,
    **settings: Any,
) -> Answer:
    """Estimate the ability of systems and the difficulty and discrimination of queries."""
    from cranfield.stability.reproduce import latent, select_queries

    named: dict[str, Any] = {"measure": only_one(measures), "lower_is_better": settings.pop("lower_is_better", ())}
    if "values" not in settings:
        settings["measures"], named["measure"] = [named["measure"] or "AP"], None
    data = runs_or_table(**settings)
    fitted = latent(data, model=model, squeeze=squeeze, **named)
    selections = [] if select is None else [select_queries(data, select, seed=seed, **named)]
    return Answer(fitted, *selections, confidence=confidence)
