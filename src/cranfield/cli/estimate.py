"""`cranfield estimate`: how good are systems, from a few human and many machine judgments?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cranfield.cli import options as o
from cranfield.cli.command import command
from cranfield.cli.inputs import evaluated
from cranfield.cli.parameters import flag, is_given
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.results.estimation import Estimation

EXAMPLES = """
  cranfield estimate --human qrels.txt --machine llm.qrels *.run -m nDCG@10
  cranfield estimate --human qrels.txt --machine llm.qrels *.run -m AP -b bm25 --half-width 0.02
  cranfield estimate --human people.csv --machine llm.csv
"""


@command(
    o.OPTIONAL_RUNS, o.HUMAN, o.MACHINE, o.MEASURES, o.BASELINE, o.CONFIDENCE, o.HALF_WIDTH, *o.EVALUATION, *o.DELIVERY,
    examples=EXAMPLES,
)  # fmt: skip
def run(
    *, human: str, machine: str, runs: Sequence[str] = (), measures: Sequence[Any] = (), **settings: Any
) -> Estimation:
    """Estimate means over all queries from human judgments of some and machine judgments of all.

    With runs, the two files are judgments; without runs, tables of values.
    """
    from cranfield.verbs.estimation import estimate

    verb_settings = {name: settings.pop(name) for name in ("baseline", "confidence", "half_width") if name in settings}
    if runs:
        people, judge = (evaluated(qrels, runs, measures, **settings) for qrels in (human, machine))
        return estimate(people, judge, **verb_settings)
    refused = next((name for name in ("measures", *settings) if is_given(name)), None)
    if refused is not None:
        raise BadSetting(f"{flag(refused)} applies only to runs; a table of values already has units and measures")
    return estimate(human, machine, **verb_settings)
