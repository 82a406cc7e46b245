"""Release gates as tables, as sentences and as JUnit XML."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from cranfield.gates.result import Change, Checked, Gate
from cranfield.present.table import DIGITS, Column, Table, numbers, row, visible
from cranfield.results.samples import in_logarithms, is_geometric
from cranfield.text import counted, listed, percent, plural, verb


def tables(checked: Checked, *, digits: int) -> list[Table]:
    """One row per gate and, for each gate that was not passed, why, and the queries that got worse."""
    figures = numbers("value", "required", "difference", digits=digits)
    p, n = numbers("p", digits=digits, probability=True), numbers("n", digits=0)
    columns = (Column("gate"), Column("result"), *figures, Column("interval"), *p, *n)
    rows = tuple(
        row(
            gate.gate,
            gate.outcome,
            gate.value,
            _required(gate),
            gate.difference,
            _interval(gate, digits),
            gate.p,
            gate.n,
        )
        for gate in checked.gates
    )
    overview = Table(columns, rows, notes=tuple(_notes(checked)))
    return [overview, *(_details(gate, digits) for gate in checked.gates if not gate.passed)]


def answer(checked: Checked) -> str:
    """How many gates passed, and which failed or are undecided."""
    named = {"failed": checked.failed, "undecided": checked.undecided}
    parts = [f"{word}: {listed([gate.gate for gate in gates])}" for word, gates in named.items() if gates]
    return ". ".join([outcome(checked), *(f"{part[:1].upper()}{part[1:]}" for part in parts)]) + "."


def outcome(checked: Checked) -> str:
    """How many gates were passed, as a sentence."""
    n_gates, n_failed, n_undecided = len(checked.gates), len(checked.failed), len(checked.undecided)
    if checked.passed:
        return "All gates passed"
    undecided = f"{n_undecided} {verb(n_undecided, 'is', 'are')} undecided"
    if not n_failed:
        return f"{n_undecided} of {counted(n_gates, 'gate')} {undecided.partition(' ')[2]}"
    return f"{n_failed} of {counted(n_gates, 'gate')} failed" + f", {undecided}" * bool(n_undecided)


def _required(gate: Gate) -> float | None:
    return gate.baseline_value if gate.required is None else gate.required


def _interval(gate: Gate, digits: int) -> str:
    """The bounds of the interval as text; empty without any."""
    return "" if gate.low is None or gate.high is None else numbers("", digits=digits)[0].between((gate.low, gate.high))


def _notes(checked: Checked) -> Iterator[str]:
    absolute, compared = ([gate for gate in checked.gates if (gate.baseline is None) is one] for one in (True, False))
    for gates, what in ((absolute, "the value"), (compared, "the difference")):
        levels = dict.fromkeys(
            gate.confidence for gate in gates if gate.confidence is not None and gate.low is not None
        )
        for level in levels:
            yield f"interval: {percent(level)} for {what}; each bound is a one-sided {percent((1 + level) / 2)} limit"
    if compared:
        yield "required: the value to reach, or the baseline's value" if absolute else "required: the baseline's value"
        below = ", ".join(dict.fromkeys(f"{gate.level:g}" for gate in compared))
        yield f"p: one-sided paired t-test; a comparison is passed if it is below {below}"
    yield from dict.fromkeys(
        f"no interval of {gate.measure}: {gate.interval.removeprefix('none: ')}"
        for gate in checked.gates
        if gate.low is None
    )
    yield from dict.fromkeys(chain.from_iterable(map(_conditions, checked.gates)))
    yield from dict.fromkeys(in_logarithms(gate.measure) for gate in checked.gates if _on_logarithms(gate))
    yield from dict.fromkeys(f"warning: {visible(warning)}" for gate in checked.gates for warning in gate.warnings)


def _conditions(gate: Gate) -> Iterator[str]:
    """What a verdict needs and how runs were evaluated, where it is not the default."""
    if gate.needs:
        yield f"a verdict needs: {gate.needs}"
    if gate.settings:
        yield f"settings of the evaluation: {gate.settings}"


def _on_logarithms(gate: Gate) -> bool:
    """Whether difference, interval and margin are between logarithms."""
    return gate.baseline is not None and is_geometric(gate.measure)


def _details(gate: Gate, digits: int) -> Table:
    """Why a gate was not passed, and the queries that got worse or are worst."""
    with_baseline = gate.baseline is not None
    columns = (Column(gate.unit), *numbers(*(("before", "after", "change") if with_baseline else ("value",)),
                                           digits=digits))  # fmt: skip
    rows = tuple(row(change.unit, *_figures(change)) for change in gate.worst)
    title, lead = f"{gate.outcome.capitalize()}: {visible(gate.gate)}", tuple(sentences(gate, digits))
    return Table(columns if rows else (), rows, title=title, lead=lead)


def _figures(change: Change) -> tuple[float | None, ...]:
    return (change.after,) if change.before is None else (change.before, change.after, change.difference)


def sentences(gate: Gate, digits: int = DIGITS) -> Iterator[str]:
    """Sentences on the outcome of a gate."""
    yield from (visible(reason) + "." * (not reason.endswith("?")) for reason in gate.reasons)
    between = _interval(gate, digits)
    sure = f" ({percent(gate.confidence or 0)} interval {between})" if between else ""
    if gate.baseline is None:
        yield f"{gate.system} has {gate.value:.{digits}f}{sure} over {counted(gate.n, gate.unit)}."
        return
    both = f"{gate.system} has {gate.value:.{digits}f} and {gate.baseline} {gate.baseline_value:.{digits}f}"
    changed = f"{counted(gate.n, gate.unit)}; {gate.n_fell} got worse and {gate.n_rose} improved"
    scale = " between mean logarithms" * _on_logarithms(gate)
    yield f"{both}: a difference of {gate.difference:+.{digits}f}{scale}{sure} over {changed}."
    if gate.difference_p is not None:
        verdict = "significant" if gate.level is not None and gate.difference_p < gate.level else "not significant"
        yield f"The difference is {verdict} (two-sided paired t-test, p = {gate.difference_p:.4g})."
    if gate.needed is not None and gate.needed > gate.n:
        units = f"{gate.needed:,} {plural(gate.unit)} like these"
        if gate.margin:
            yield f"If the two are equally good, about {units} would show this with power 0.8."
        else:
            yield f"About {units} would show an improvement of this size with power 0.8."


def words(gate: Gate, digits: int = DIGITS) -> str:
    """The gate as text: the requirement, the outcome, and the queries that got worse the most."""
    lines = [f"{gate.outcome}: {gate.gate}", *sentences(gate, digits)]
    lines += [f"{condition[0].upper()}{condition[1:]}" for condition in _conditions(gate)]
    lines += [f"Warning: {warning}" for warning in gate.warnings]
    lines += [f"  {_line(change, digits)}" for change in gate.worst]
    fell = gate.n_fell or 0
    if fell > len(gate.worst):
        lines.append(f"  … and {fell - len(gate.worst)} more got worse")
    return "\n".join(map(visible, lines))


def line(gate: Gate, digits: int = DIGITS) -> str:
    """The gate in one line: outcome, requirement, value, interval, number of queries, and why it is undecided."""
    between = _interval(gate, digits)
    sure = f", {percent(gate.confidence or 0)} interval {between}" if between else ""
    figure = f"{gate.value:.{digits}f}" if gate.difference is None else f"difference {gate.difference:+.{digits}f}"
    conditions = "".join(f", {condition}" for condition in _conditions(gate))
    why = f": {'; '.join(gate.reasons)}" if gate.reasons else ""
    return visible(f"{gate.outcome:<9}  {gate.gate} ({figure}{sure}, n {gate.n}{conditions}){why}")


def _line(change: Change, digits: int) -> str:
    if change.before is None or change.difference is None:
        return f"{change.unit}: {change.after:.{digits}f}"
    return f"{change.unit}: {change.before:.{digits}f} -> {change.after:.{digits}f} ({change.difference:+.{digits}f})"


def junit(checked: Checked) -> str:
    """The gates as JUnit XML, one test case per gate; an undecided one is a failure."""
    from xml.etree.ElementTree import Element, SubElement, indent, tostring

    n_not_passed = len(checked.failed) + len(checked.undecided)
    counts = {"tests": str(len(checked.gates)), "failures": str(n_not_passed), "errors": "0"}
    suite = Element("testsuite", {"name": "cranfield", **counts})
    for gate in checked.gates:
        case = SubElement(suite, "testcase", {"classname": visible(gate.measure), "name": visible(gate.gate)})
        if gate.passed:
            SubElement(case, "system-out").text = words(gate)
        else:
            message = visible(f"{gate.gate}: {'; '.join(gate.reasons)}" if gate.reasons else gate.gate)
            SubElement(case, "failure", {"type": gate.outcome, "message": message}).text = words(gate)
        if gate.warnings:
            SubElement(case, "system-err").text = "\n".join(map(visible, gate.warnings))
    indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(suite, encoding="unicode") + "\n"
