"""Methods, as sentences suitable for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import isnan

from cranfield.comparison.result import Comparison
from cranfield.comparison.tables import untested
from cranfield.measures.declaration import cited
from cranfield.measures.registry import Measure
from cranfield.reporting.content import Passage
from cranfield.results.intervals import Intervals
from cranfield.results.values import Result
from cranfield.text import count, percent, verb

_TIES = {
    "trec": "Documents with the same score were ordered by name, descending, as trec_eval does.",
    "name": "Documents with the same score were ordered by name, ascending.",
    "given": "Documents with the same score kept their order in the run.",
    "best": "Documents with the same score were ordered in favour of the run.",
    "worst": "Documents with the same score were ordered against the run.",
    "expected": "Values are means over all orders of documents with the same score.",
}


def measures_passage(measures: Sequence[Measure]) -> Passage:
    """The definition of each measure, with its settings."""
    return Passage("Measures", tuple(map(_described, measures)))


def _described(measure: Measure) -> str:
    declared = measure.declaration
    settings = ", ".join(f"{name} = {value}" for name, value in measure.options.items() if value is not None)
    within = f" Settings: {settings}." if settings else ""
    titled = f" ({declared.title})" if declared.title != str(measure) else ""
    return f"{measure}{titled}: {declared.definition}{cited(declared.cite)}{within}"


def counting_passage(result: Result, judged: str = "") -> Passage:
    """How values were averaged, and how ties, missing queries and undefined values were treated.

    `judged` describes the judged queries, if they are not only those of the result.
    """
    settings = result.provenance.settings
    missing = "counted as 0" if settings["missing"] == "zero" else "were left out for that system"
    undefined = "counted as 0" if settings["undefined"] == "zero" else "were left out"
    if any(result.undefined_value(m) > 0 for m in range(len(result.measures))):
        undefined += ", or as the worst value where lower is better"
    depth = settings["depth"]
    sentences = [
        f"{count(len(result.systems), 'system')} {verb(len(result.systems), 'was', 'were')} evaluated on "
        f"{judged or count(len(result.units), 'judged query')}.",
        "Values are means over queries unless a measure is defined otherwise; "
        f"queries missing from a run {missing}, undefined values {undefined}.",
        _TIES[settings["ties"]],
        "Unjudged documents counted as not relevant unless a measure is defined otherwise.",
        *([f"Rankings were cut at depth {depth}."] if depth is not None else []),
    ]
    return Passage("Evaluation", (" ".join(sentences),))


def inference_passage(intervals: Intervals | None, comparison: Comparison | None) -> Passage:
    """The methods for confidence intervals and tests."""
    paragraphs = [] if intervals is None else [_estimated(intervals)]
    if comparison is not None:
        paragraphs.append(_tested(comparison))
    return Passage("Uncertainty", tuple(paragraphs) or ("There are too few data for confidence intervals and tests.",))


def _estimated(intervals: Intervals) -> str:
    """The methods of the intervals, and why some values have none."""
    lows = zip(chain(*intervals.method), intervals.low.ravel().tolist(), strict=True)
    missing = {method: isnan(low) for method, low in lows}
    methods = ", ".join(method for method, none in missing.items() if not none)
    reasons = "; ".join(method for method, none in missing.items() if none)
    return (
        f"Intervals are {percent(intervals.confidence)} confidence intervals over similar queries"
        + (f" ({methods})" if methods else "")
        + ", each for a single mean: whether two of them overlap does not show whether the systems differ."
        + (f" Some values have no interval ({reasons})." if reasons else "")
    )


def _tested(comparison: Comparison) -> str:
    alone = filter(None, [comparison.each_alone])
    notes = "".join(f" {note[0].upper()}{note[1:]}." for note in (*alone, *comparison.notes, *untested(comparison)))
    adjusted = f", p-values adjusted by {comparison.allowance}" if comparison.allowance else ""
    return (
        f"Differences were tested by {comparison.test.title}{cited(comparison.test.cite)} on paired values, "
        f"{comparison.alternative}, at level {comparison.level:g}{adjusted}. "
        f"Confidence intervals of differences (comparisons.csv): {comparison.bounds}.{notes}"
    )
