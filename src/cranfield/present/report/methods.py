"""How figures came, in words that a paper can take over, and where the data came from."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from cranfield.findings.words import count, verb
from cranfield.present.report.content import Passage
from cranfield.present.report.references import Reference, cited
from cranfield.present.table import Column, Table, row
from cranfield.registry import Measure
from cranfield.results.comparison import Comparison
from cranfield.results.intervals import Intervals
from cranfield.results.provenance import Provenance
from cranfield.results.values import Result

_TIES = {
    "trec": "Documents with the same score were ordered by name, descending, as trec_eval does.",
    "name": "Documents with the same score were ordered by name, ascending.",
    "given": "Documents with the same score kept the order in which they were given.",
    "best": "Documents with the same score were ordered in favour of the run.",
    "worst": "Documents with the same score were ordered against the run.",
    "expected": "Where documents had the same score, values are expected ones over all their orders.",
}


def measures_passage(measures: Sequence[Measure]) -> Passage:
    """What each measure is, with its settings."""
    return Passage("Measures", tuple(map(_described, measures)))


def _described(measure: Measure) -> str:
    family = measure.family
    settings = ", ".join(f"{name} = {value}" for name, value in measure.options.items() if value is not None)
    within = f" Settings: {settings}." if settings else ""
    titled = f" ({family.title})" if family.title != str(measure) else ""
    return f"{measure}{titled}: {family.definition}{cited(family.cite)}{within}"


def counting_passage(result: Result) -> Passage:
    """What was averaged over what, and what ties, missing queries and undefined values count as."""
    settings = result.provenance.settings
    missing = "counted as 0" if settings["missing"] == "zero" else "were left out for that system"
    undefined = "counted as 0" if settings["undefined"] == "zero" else "were left out"
    depth = settings["depth"]
    sentences = [
        f"{count(len(result.systems), 'system')} {verb(len(result.systems), 'was', 'were')} evaluated on the "
        f"{count(len(result.queries), 'query')} that {verb(len(result.queries), 'has', 'have')} judgments.",
        "Values are means over queries unless a measure says otherwise; "
        f"queries that a system did not answer {missing}, undefined values {undefined}.",
        _TIES[settings["ties"]],
        "Documents without a judgment counted as not relevant unless a measure says otherwise.",
        *([f"Of each ranking the first {depth} documents were kept."] if depth is not None else []),
    ]
    return Passage("Evaluation", (" ".join(sentences),))


def inference_passage(intervals: Intervals | None, comparison: Comparison | None) -> Passage:
    """How sure figures are, and by which test."""
    paragraphs = []
    if intervals is not None:
        methods = ", ".join(dict.fromkeys(method for own in intervals.method for method in own))
        paragraphs.append(
            f"Intervals are {intervals.confidence:.0%} confidence intervals over queries like these ({methods})."
        )
    if comparison is not None:
        paragraphs.append(_tested(comparison))
    return Passage("Uncertainty", tuple(paragraphs) or ("There is too little data for intervals and tests.",))


def _tested(comparison: Comparison) -> str:
    notes = "".join(f" {note[0].upper()}{note[1:]}." for note in comparison.notes)
    allowed = f", p-values corrected: {comparison.allowance}" if comparison.allowance else ""
    return (
        f"Differences were tested by {comparison.test.title}{cited(comparison.test.cite)} on paired values, "
        f"{comparison.alternative}, at level {comparison.level:g}{allowed}.{notes}"
    )


def software_passage(extra: Iterable[str] = ()) -> Passage:
    """With what it was computed."""
    named = ", ".join(f"{name} {version(name)}" for name in ("cranfield", "numpy", "scipy", "pyarrow"))
    return Passage("Software", (f"Computed with {named} and Python {platform.python_version()}.", *extra))


def references_passage(known: Sequence[Reference]) -> tuple[Passage, ...]:
    """What is cited, if anything is."""
    return (Passage("References", tuple(map(str, known))),) if known else ()


def inputs_table(provenance: Provenance) -> Table:
    """What was read: its name, its form and the digest of its content."""
    columns = (Column("role"), Column("name"), Column("form"), Column("SHA-256"))
    rows = tuple(row(each.role, each.name, each.form, each.digest or "not a file") for each in provenance.inputs)
    warned: tuple[Any, ...] = provenance.warnings
    return Table(columns, rows, notes=tuple(f"{warning}." for warning in warned))
