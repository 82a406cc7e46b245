"""Release gates as tables, as sentences and as JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.evidence.samples import counted, plural
from cranfield.findings.words import percent
from cranfield.present.table import DIGITS, Column, Table, numbers, row, visible
from cranfield.results.gates import Change, Checked, Gate
from cranfield.results.result_samples import in_logarithms, is_geometric

_PASSED = {True: "passed", False: "failed"}


def tables(checked: Checked, *, digits: int) -> list[Table]:
    """One row per gate and, for each failed gate, the queries that got worse."""
    columns = (
        Column("gate"),
        Column("result"),
        *numbers("value", "required", "difference", "bound", digits=digits),
        *numbers("p", digits=digits, probability=True),
        *numbers("n", digits=0),
    )
    rows = tuple(
        row(gate.gate, _PASSED[gate.passed], gate.value, _required(gate), gate.difference, gate.bound, gate.p, gate.n)
        for gate in checked.gates
    )
    title = "All gates passed" if checked.passed else f"{len(checked.failed)} of {counted(len(rows), 'gate')} failed"
    overview = Table(columns, rows, title=title, notes=tuple(_notes(checked)))
    return [overview, *(_details(gate, digits) for gate in checked.failed)]


def _required(gate: Gate) -> float | None:
    return gate.baseline_value if gate.required is None else gate.required


def _notes(checked: Checked) -> Iterator[str]:
    levels = sorted({gate.level for gate in checked.gates if gate.level is not None})
    if not levels:
        return
    yield "required: the value to reach, or the baseline's value"
    limits = ", ".join(f"{percent(1 - level)}" for level in levels)
    yield f"bound: one-sided {limits} confidence limit of the improvement, which must exceed 0, or -margin"
    below = ", ".join(f"{level:g}" for level in levels)
    yield f"p: one-sided paired t-test; a gate is passed if it is below {below}"
    yield from dict.fromkeys(in_logarithms(gate.measure) for gate in checked.gates if _on_logarithms(gate))


def _on_logarithms(gate: Gate) -> bool:
    """Whether difference, bound and margin are between logarithms."""
    return gate.baseline is not None and is_geometric(gate.measure)


def _details(gate: Gate, digits: int) -> Table:
    """Why a gate failed, and the queries that got worse or are worst."""
    with_baseline = gate.baseline is not None
    columns = (Column(gate.unit), *numbers(*(("before", "after", "change") if with_baseline else ("value",)),
                                           digits=digits))  # fmt: skip
    rows = tuple(row(change.unit, *_figures(change)) for change in gate.worst)
    title, lead = f"Failed: {visible(gate.gate)}", tuple(sentences(gate, digits))
    return Table(columns if rows else (), rows, title=title, lead=lead)


def _figures(change: Change) -> tuple[float | None, ...]:
    return (change.after,) if change.before is None else (change.before, change.after, change.difference)


def sentences(gate: Gate, digits: int = DIGITS) -> Iterator[str]:
    """Sentences on the outcome of a gate."""
    if gate.baseline is None:
        yield f"{gate.system} has {gate.value:.{digits}f} over {counted(gate.n, gate.unit)}."
        return
    both = f"{gate.system} has {gate.value:.{digits}f} and {gate.baseline} {gate.baseline_value:.{digits}f}"
    changed = f"{counted(gate.n, gate.unit)}; {gate.n_fell} got worse and {gate.n_rose} improved"
    scale = " between mean logarithms" * _on_logarithms(gate)
    yield f"{both}: a difference of {gate.difference:+.{digits}f}{scale} over {changed}."
    yield _significance(gate)
    if not gate.passed:
        yield _missed(gate, digits)
    if gate.needed is not None and gate.needed > gate.n:
        units = f"{gate.needed:,} {plural(gate.unit)} like these"
        if gate.margin:
            yield f"If the two are equally good, about {units} would show this with power 0.8."
        else:
            yield f"About {units} would show an improvement of this size with power 0.8."


def _significance(gate: Gate) -> str:
    if gate.difference_p is None:
        return f"The difference has no variance over the {plural(gate.unit)}, so only its sign is tested."
    verdict = "significant" if gate.level is not None and gate.difference_p < gate.level else "not significant"
    return f"The difference is {verdict} (two-sided paired t-test, p = {gate.difference_p:.4g})."


def _missed(gate: Gate, digits: int) -> str:
    least = f"-{gate.margin:g}" if gate.margin else "0"
    if gate.bound is None:
        return f"{counted(gate.n, gate.unit)} cannot show that the improvement exceeds {least}: too few."
    confidence = 1 - (gate.level or 0)
    return (
        f"The {plural(gate.unit)} do not show that the improvement exceeds {least}: its one-sided "
        f"{percent(confidence)} confidence limit is {gate.bound:.{digits}f} (p = {gate.p:.4g})."
    )


def words(gate: Gate, digits: int = DIGITS) -> str:
    """The gate as text: the requirement, the outcome, and the queries that got worse the most."""
    lines = [f"{_PASSED[gate.passed]}: {gate.gate}", *sentences(gate, digits)]
    lines += [f"  {_line(change, digits)}" for change in gate.worst]
    fell = gate.n_fell or 0
    if fell > len(gate.worst):
        lines.append(f"  … and {fell - len(gate.worst)} more got worse")
    return "\n".join(map(visible, lines))


def _line(change: Change, digits: int) -> str:
    if change.before is None or change.difference is None:
        return f"{change.unit}: {change.after:.{digits}f}"
    return f"{change.unit}: {change.before:.{digits}f} -> {change.after:.{digits}f} ({change.difference:+.{digits}f})"


def junit(checked: Checked) -> str:
    """The gates as JUnit XML, one test case per gate."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    counts = {"tests": str(len(checked.gates)), "failures": str(len(checked.failed)), "errors": "0"}
    suite = Element("testsuite", {"name": "cranfield", **counts})
    for gate in checked.gates:
        case = SubElement(suite, "testcase", {"classname": visible(gate.measure), "name": visible(gate.gate)})
        if gate.passed:
            SubElement(case, "system-out").text = words(gate)
        else:
            SubElement(case, "failure", {"message": visible(gate.gate)}).text = words(gate)
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"
