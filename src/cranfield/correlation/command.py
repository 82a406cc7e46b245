"""`cranfield correlate`: do measures, or judgments, rank runs in the same order?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import require_runs
from cranfield.commands.output import Answer
from cranfield.commands.parameters import refuse_given
from cranfield.errors import BadInput, BadSetting
from cranfield.rankings.inputs import evaluated, runs_or_table

if TYPE_CHECKING:
    from cranfield.correlation.result import Correlations
    from cranfield.evidence.samples import Samples
    from cranfield.results.provenance import Provenance
    from cranfield.results.values import Result

CORRELATE_EXAMPLES = """
  cranfield correlate qrels.txt *.run
  cranfield correlate qrels.txt *.run -m AP,nDCG@10,RR --coefficient tau-b --coefficient RBO
  cranfield correlate official.qrels *.run -m AP --also shallow.qrels
  cranfield correlate --documents bm25.run dense.run
  cranfield correlate --orders scores.csv --coefficient RBO --persistence 0.8
"""
STEPS = partial(o.STEPS, help="Show the working: concordant, discordant and tied pairs.")
Orders = dict[str, dict[str, float]]


@command(
    "correlate",
    o.OPTIONAL_QRELS, o.OPTIONAL_RUNS, o.VALUES, o.LOWER_IS_BETTER, o.ORDERS, o.MEASURES, o.ALSO, o.COEFFICIENTS,
    o.PERSISTENCE, o.DOCUMENTS, o.CONFIDENCE, o.SEED, STEPS, *o.EVALUATION, *o.DELIVERY, examples=CORRELATE_EXAMPLES,
)  # fmt: skip
def correlate_command(
    *,
    values: str | None = None,
    orders: str | None = None,
    also: Sequence[str] = (),
    coefficients: Sequence[str] = (),
    p: float,
    documents: bool,
    confidence: float,
    seed: int,
    steps: bool,
    **settings: Any,
) -> Answer:
    """Correlate the rankings of systems by different measures, by other judgments, or in a table."""
    from cranfield.correlation.correlate import correlate

    if documents:
        shown = {"p": p, "confidence": confidence}
        return Answer(_of_documents(values or orders, also, coefficients, shown, settings), steps=steps)
    if values and orders:
        raise BadSetting(
            "give either --values (systems are ranked by their means) or --orders (one ranking per column)"
        )
    chosen: dict[str, Any] = {"coefficients": coefficients or None, "p": p, "confidence": confidence, "seed": seed}
    if not (values or orders):
        return Answer(correlate(_by_judgments(also, settings), **chosen), steps=steps)
    lower_is_better = settings.pop("lower_is_better", ())
    require_runs((*settings, "also"))
    if orders and lower_is_better:
        raise BadSetting("--lower-is-better requires --values; in the table of --orders, higher is better")
    rankings, source = _in_units(values, lower_is_better) if values else _in_table(str(orders))
    return Answer(replace(correlate(rankings, **chosen), provenance=source), steps=steps)


def _of_documents(
    table: str | None, also: Sequence[str], coefficients: Sequence[str], shown: dict[str, float],
    settings: dict[str, Any],
) -> Correlations:  # fmt: skip
    """The correlation of the documents of runs."""
    from cranfield.correlation.correlate import correlate_runs

    if table or also or settings.get("measures"):
        raise BadSetting("--documents takes only runs, without judgments, measures or tables")
    reason = "requires judgments; --documents compares the rankings themselves"
    refuse_given(("ties", "missing", "undefined"), reason)
    runs = [*filter(None, [settings.get("qrels")]), *settings.get("runs", ())]
    return correlate_runs(runs, coefficients or None, depth=settings.get("depth"), **shown)


def _in_units(path: str, lower: Sequence[str]) -> tuple[dict[str, Samples], Provenance]:
    """The values by measure; the systems are ranked by their means."""
    from cranfield.results.samples import paired

    data = paired(path, lower)
    return data.samples, data.provenance


def _in_table(path: str) -> tuple[Orders, Provenance]:
    """The rankings in a table of arbitrary scores."""
    from cranfield.results.provenance import Origin, Provenance
    from cranfield.tables.values import read_values

    table = read_values(path, "orders")
    (columns,) = table.values.values()
    if len(columns) < 2:
        raise BadInput(f"{path}: only one ranking; the table needs one column per ranking")
    return columns, Provenance((Origin.of("values", table),))


def _by_judgments(also: Sequence[str], settings: dict[str, Any]) -> dict[str, Result]:
    """The result of the runs under all judgments."""
    from cranfield.tables.system_names import system_names

    if also and "-" in settings.get("runs", ()):
        raise BadSetting(
            "standard input (-) can be read only once, but the runs are read again for the other judgments; pass files"
        )
    first = runs_or_table(**settings)
    qrels = settings.pop("qrels")
    results = [first, *(evaluated(path, **settings) for path in also)]
    return dict(zip(system_names([qrels, *also]) if also else [""], results, strict=True))
