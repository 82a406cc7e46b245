"""`cranfield latent`: which queries are difficult, and which discriminate between systems?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.delivery import Answer
from cranfield.cli.inputs import runs_or_table
from cranfield.commands.inputs import only_one

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
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, MEASURE, o.MODEL, o.SQUEEZE, o.SELECT, o.CONFIDENCE,
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
    from cranfield.verbs.stability import latent, select_queries

    named: dict[str, Any] = {"measure": only_one(measures), "lower_is_better": settings.pop("lower_is_better", ())}
    if "values" not in settings:
        settings["measures"], named["measure"] = [named["measure"] or "AP"], None
    data = runs_or_table(**settings)
    fitted = latent(data, model=model, squeeze=squeeze, **named)
    selections = [] if select is None else [select_queries(data, select, seed=seed, **named)]
    return Answer(fitted, *selections, confidence=confidence)
