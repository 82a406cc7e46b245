"""The main figures of a result as bars, for results that have no curves or distributions to show."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa

from cranfield.agreement.reordering import Reordering
from cranfield.auditing.result import Audit
from cranfield.classification.cross_entropy import CrossEntropy
from cranfield.classification.report import ClassificationReport
from cranfield.comparison.bayes import BayesianComparison
from cranfield.comparison.meta import MetaAnalysis
from cranfield.comparison.mixed import MixedModel
from cranfield.comparison.monitor import Monitoring
from cranfield.comparison.published import PublishedComparison
from cranfield.correlation.result import Correlations
from cranfield.errors import BadInput
from cranfield.estimation.judging import JudgingPlan
from cranfield.estimation.result import Estimation
from cranfield.frozen import frozen
from cranfield.gates.result import Checked
from cranfield.labelling.result import Labels, ModelLabels
from cranfield.planning.items import ItemPlan
from cranfield.planning.plan import Plan
from cranfield.pools.quality import PoolQuality
from cranfield.pools.result import Pool
from cranfield.present.findings.rules import Findings
from cranfield.present.plots.data import Bars
from cranfield.present.plots.drawing import WIDTH, bare, data, tooltip
from cranfield.present.plots.plot import Plot, plot_of
from cranfield.present.plots.vega import Chart, alt
from cranfield.rankings.steps import RankingSteps
from cranfield.results.verb_result import VerbResult
from cranfield.results.writing import decoded
from cranfield.stability.result import Latent, Reproduction, Selection
from cranfield.text import counted

SHOWN = 60  # bars
BAR = 18  # pixels


@frozen
class Bar:
    """What to draw: the columns that name a bar, its value (None: the number of rows), and its bounds."""

    title: str
    names: tuple[str, ...]
    value: str | None
    low: str = ""
    high: str = ""
    only: Callable[[dict[str, Any]], bool] = lambda _: True


_BARS: dict[type, Bar] = {
    Audit: Bar("Figures of the audit", ("part", "figure"), "value", "low", "high"),
    Labels: Bar("Labels by grade", ("grade",), None, only=lambda row: row["grade"] is not None),
    ModelLabels: Bar("Labels per query", ("query",), None),
    BayesianComparison: Bar("Probability that the system is better", ("measure", "system", "baseline"), "better"),
    ClassificationReport: Bar("F1 score of each class", ("class",), "f1_score"),
    Correlations: Bar("Rank correlation", ("first", "second", "coefficient"), "value", "low", "high"),
    Checked: Bar("Value of each gate", ("gate",), "value"),
    CrossEntropy: Bar("Mean over items, in nats", ("system", "measure"), "value", "low", "high"),
    Estimation: Bar(
        "Estimate from human and machine judgments", ("measure", "system", "baseline"), "estimate", "low", "high"
    ),
    ItemPlan: Bar("Items needed", ("measure", "value", "null"), "needed"),
    JudgingPlan: Bar("Documents to judge per query", ("query",), None),
    Findings: Bar("Number of findings by rule", ("severity", "rule"), None),
    Latent: Bar("Ability of each system", ("name",), "value", "low", "high", lambda row: row["parameter"] == "ability"),
    MetaAnalysis: Bar(
        "Mean difference over collections", ("measure", "system", "baseline"), "difference", "low", "high"
    ),
    MixedModel: Bar("Difference in the mixed model", ("measure", "system", "baseline"), "difference", "low", "high"),
    Monitoring: Bar("Difference, valid at every look", ("measure", "system", "baseline"), "difference", "low", "high"),
    Plan: Bar("Queries needed", ("measure", "system", "baseline"), "needed", "needed_low", "needed_high"),
    Pool: Bar("Documents to judge per query", ("query",), None),
    PoolQuality: Bar("Change in score if not pooled", ("run", "left_out"), "change"),
    PublishedComparison: Bar("Difference from the baseline", ("system", "baseline"), "difference", "low", "high"),
    RankingSteps: Bar("Relevant documents retrieved", ("system", "query"), None, only=lambda row: row["relevant"]),
    Reordering: Bar("Kendall's tau between judges", ("measure", "judge", "other"), "tau"),
    Reproduction: Bar("Discriminative power", ("measure",), "discriminative_power"),
    Selection: Bar("Kendall's tau with the ranking by all queries", ("place", "query"), "tau"),
}


@plot_of(*_BARS)
def summary(result: VerbResult) -> Plot:
    """The main figure of each row of a result as a bar, with its interval if it has one."""
    bar = next(bar for kind, bar in _BARS.items() if isinstance(result, kind))
    rows = [row for row in result.records()[result.main()] if bar.only(row)]
    defined = [row for row in rows if bar.value is None or row[bar.value] is not None]
    table = _table(defined, bar)
    if not table.num_rows:
        raise BadInput(f"there is nothing to plot: {bar.title.lower()} is empty or undefined")
    more, undefined = table.num_rows - SHOWN, len(rows) - len(defined)
    return Plot(
        bar.title,
        table,
        partial(_drawn, table["name"].to_pylist()[:SHOWN], bool(bar.low)),
        sketch=Bars(("name",), "value"),
        key="lines: confidence intervals" if bar.low else "",
        notes=(
            *([f"and {counted(more, 'more row')}: see the data"] if more > 0 else []),
            *([f"{counted(undefined, 'row')} without a value"] if undefined else []),
        ),
    )


def _table(rows: list[dict[str, Any]], bar: Bar) -> pa.Table:
    """One row per bar."""
    figures: dict[str, list[float | None]] = {}
    for row in rows:
        name = ", ".join(decoded(str(row[column])) for column in bar.names if row[column] not in (None, ""))
        if bar.value is None:
            figures[name] = [(figures.get(name, [0])[0] or 0) + 1, None, None]
        else:
            figures[name] = [row.get(column) for column in (bar.value, bar.low, bar.high)]
    values, low, high = zip(*figures.values(), strict=True) if figures else ((), (), ())
    columns = {"value": values, "low": low, "high": high}
    return pa.table(
        {"name": pa.array([*figures], pa.string())}
        | {name: pa.array([*column], pa.float64()) for name, column in columns.items()}
    )


def _drawn(names: list[str], intervals: bool) -> Chart:
    shown = data().transform_window(place="row_number()").transform_filter(f"datum.place <= {SHOWN}")
    x = alt.X("value:Q", title=None)
    y = alt.Y("name:N", sort=None, title=None, axis=bare(labelLimit=300))
    tips = tooltip("name", numbers=("value", "low", "high") if intervals else ("value",))
    bars = shown.mark_bar(style="good", size=BAR - 6).encode(x=x, y=y, tooltip=tips)
    rules = shown.mark_rule(style="ink").encode(x=alt.X("low:Q", title=None), x2=alt.X2("high:Q"), y=y, tooltip=tips)
    return alt.layer(*([bars, rules] if intervals else [bars])).properties(width=WIDTH, height=BAR * len(names))
