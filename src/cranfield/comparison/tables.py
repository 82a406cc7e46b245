"""Comparisons as tables: the mean of each system with its interval, and the difference and p-value of each pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from string import ascii_uppercase
from typing import Any

import numpy as np

from cranfield.arrays import Floats
from cranfield.comparison.result import Compared, Comparison, tier_range, tiers_in_order
from cranfield.comparison.steps import ranked_differences
from cranfield.present.missing_intervals import Bounded, method_or_dash, missing
from cranfield.present.table import DIGITS, Cell, Column, Row, Table, decimals, numbers, row
from cranfield.present.values import info_cells, info_columns, overview, ranked
from cranfield.results.values import Result
from cranfield.results.writing import decoded
from cranfield.settings import CONFIDENCE
from cranfield.text import any_of, counted, listed, percent, plural, probability, signed

SIGNIFICANT = "*"
MATRIX = (
    "row minus column (columns are numbered like the rows); "
    "--pairs, or shown(pairs=True) in Python, lists intervals and p-values"
)
MANY, MOST = 5, 12  # from this many systems on, tiers are shown, with a matrix of all pairs up to the second number
TIERS = "tier: systems that share a number are not significantly different"
_NAMED = 5  # pairs named per reason; others are only counted


def answer(comparison: Comparison) -> str:
    """Which systems are significantly better or worse than the baseline, or than the best, on the first measure."""
    measure, *others = comparison.samples
    rows = [one for one in comparison.rows if one.measure == measure]
    told = f"{_told(comparison, measure, rows)}."
    if others:
        rest = [one for one in comparison.rows if one.measure != measure]
        n, where = sum(one.significant for one in rest), f"In {listed(others)}"
        word = "equivalences" if comparison.test.equivalence else "differences"
        told += f" {where}, {n:,} of {len(rest):,} {word} are significant."
    return told


def _told(comparison: Comparison, measure: str, rows: list[Compared]) -> str:
    n_significant = sum(one.significant for one in rows)
    if not any(one.tested for one in rows):
        names = listed([f"{one.system} and {one.baseline}" for one in rows])
        return f"{names} cannot be compared by this test in {measure}: {rows[0].note.rpartition(': ')[2]}"
    if comparison.test.equivalence:
        if len(rows) > 1:
            return f"{n_significant:,} of {len(rows):,} pairs of systems are equivalent in {measure}, within the margin"
        (one,) = rows
        are = "are equivalent" if one.significant else "are not shown to be equivalent"
        return f"{one.system} and {one.baseline} {are} in {measure}, within the margin {_figures(one)}"
    reference = _reference(comparison, measure)
    if reference is None:
        word = "higher" if comparison.alternative == "greater" else "lower"
        return f"In {n_significant:,} of {len(rows):,} pairs, the first system is significantly {word} in {measure}"
    ordered = sorted(_against(comparison, measure, reference), key=lambda one: -abs(one.difference))
    better, worse = ([one for one in ordered if one.significant and _is_better(one) is how] for how in (True, False))
    unclear = [one for one in ordered if not one.significant]
    if comparison.baseline is None and len(rows) > 1:
        parts = [f"significantly better than {_named([(one.baseline, one) for one in better])}"] if better else []
        nor = [(one.baseline, one) for one in reversed(unclear)]
        if nor:
            parts.append(f"{'but not than' if better else 'not significantly better than'} {_named(nor, 'or')}")
        return f"{reference}, the best in {measure}, is {' '.join(parts)}"
    parts = []
    for group, word in ((better, "significantly better than"), (worse, "significantly worse than")):
        if group:
            are = "is" if len(group) == 1 else "are"
            than = f"{word} {reference} in {measure}" if not parts else word.removesuffix(" than")
            names = _named([(one.system, one) for one in group], figures=False)
            parts.append(f"{names} {are} {than} {_figures(*group)}")
    if unclear:
        names = _named([(one.system, one) for one in unclear], figures=False)
        are = "is" if len(unclear) == 1 else "are"
        if better and not worse:
            parts.append(f"{names} {are} not {_figures(*unclear)}")
        elif parts:
            parts.append(f"{names} {are} not significantly different {_figures(*unclear)}")
        else:
            word = "worse" if _is_better(unclear[0]) is False else "better"
            than = f"significantly {word} than" if len(unclear) == 1 else "significantly different from"
            parts.append(f"{names} {are} not {than} {reference} in {measure} {_figures(*unclear)}")
    return "; ".join(parts)


def _named(rows: list[tuple[str, Compared]], word: str = "and", *, figures: bool = True) -> str:
    """The systems, with their figures unless there are many."""
    if len(rows) > _NAMED:
        return f"{len(rows):,} systems"
    names = [f"{name} {_figures(one)}" if figures else name for name, one in rows]
    return listed(names, _NAMED) if word == "and" else any_of(names, _NAMED)


def _figures(*rows: Compared) -> str:
    """The difference and its p-value; of several systems, in their order, or the largest only if there are many."""
    shown = [f"{signed(one.difference)}, {probability(one.adjusted_p)}" if one.tested else "not tested" for one in rows]
    return f"({'; '.join(shown)})" if len(rows) <= _NAMED else f"(up to {shown[0]})"


def _is_better(one: Compared) -> bool:
    """Whether the system is better than its baseline, by the means."""
    return (one.difference < 0) == one.lower_is_better


def _reference(comparison: Comparison, measure: str) -> str | None:
    """The system that others are shown against: the baseline, or the best; none of all pairs of a one-sided test."""
    if comparison.baseline is not None:
        return comparison.baseline
    if comparison.alternative != "two-sided" and len(comparison.rows) > len(comparison.samples):
        return None
    first, *rest = _ordered(comparison, measure)
    return rest[0] if len(rest) == 1 else first


def _against(comparison: Comparison, measure: str, reference: str) -> list[Compared]:
    """The pairs with the reference: minus a baseline or the worse of two, but the best minus the others."""
    of_measure = [one for one in comparison.rows if one.measure == measure]
    if comparison.baseline is not None:
        return of_measure
    if len(of_measure) == 1:
        return [
            one if one.baseline == reference or comparison.alternative != "two-sided" else _turned(one)
            for one in of_measure
        ]
    pairs = [one for one in of_measure if reference in (one.system, one.baseline)]
    return [one if one.system == reference else _turned(one) for one in pairs]


def standing(comparison: Comparison, measure: str, digits: int) -> Table:
    """One row per system, the reference first: its mean, the difference, its interval and p-value, and units won."""
    reference = str(_reference(comparison, measure))
    rows = _against(comparison, measure, reference)
    leads = comparison.baseline is None and len(rows) > 1
    by_system = {one.baseline if leads else one.system: one for one in rows}
    reference = reference if leads else rows[0].baseline
    enough = _enough(digits, np.array([one.high - one.low for one in rows]))
    figure = Column("", numeric=True, digits=enough)
    tiers = _tiers(comparison) if comparison.baseline is None and len(rows) >= MANY - 1 else {}
    known = [] if comparison.result is None else info_columns(comparison.result)
    heads = (
        Column(measure),
        *([Column("tier")] if tiers else []),
        *numbers("mean", digits=enough),
        Column(f"{reference} -" if leads else f"- {reference}", numeric=True),
        Column("CI", numeric=True),
        *numbers("adjusted p" if comparison.allowance else "p", digits=digits, probability=True),
        Column(f"{plural(comparison.unit)} won{f' by {reference}' if leads else ''}", numeric=True),
        *known,
    )
    mean = rows[0].mean if leads else rows[0].baseline_mean
    at = tiers.get((measure, reference), ())
    lines = [(*row(reference, *at, mean, *[""] * 4), *_info(comparison, reference))]
    for system in [name for name in _ordered(comparison, measure) if name in by_system]:
        one = by_system[system]
        bounded = math.isfinite(one.low) and math.isfinite(one.high)
        lines.append(
            (
                *row(system, *tiers.get((measure, system), ()), one.baseline_mean if leads else one.mean),
                Cell(f"{one.difference:+z.{enough}f}"),
                Cell(figure.between((one.low, one.high)) if bounded else "–"),
                Cell(one.adjusted_p, marks=SIGNIFICANT if one.significant else ""),
                Cell(f"{one.wins:,} of {one.n:,}"),
                *_info(comparison, system),
            )
        )
    return Table(heads, tuple(lines))


def _info(comparison: Comparison, system: str) -> tuple[Cell, ...]:
    """The system info of a system; empty cells for a baseline that is a number."""
    result = comparison.result
    if result is None:
        return ()
    return info_cells(result, system) if system in result.systems else (Cell(""),) * len(result.info)


def tables(
    comparison: Comparison, *, digits: int = DIGITS, steps: bool = False, pairs: bool = False, every: bool = False
) -> list[Table]:
    """For each measure, every system beside the baseline or the best; with `steps`, also the working of each test.

    With `every` or `pairs`, the mean of each system with its interval, and the difference of each pair; of many
    systems, their differences form a matrix unless there are too many or `pairs` are requested.
    """
    if not (every or pairs or steps) and _reference(comparison, next(iter(comparison.samples))) is not None:
        *shown, last = [standing(comparison, measure, digits) for measure in comparison.samples]
        more = "more: every pair, effect sizes, intervals of means; all of it: --all, or shown(every=True) in Python"
        tier = [TIERS] if last.columns[1].name == "tier" else []
        return [
            *shown,
            replace(last, notes=(*_notes(comparison, effects=False), *_unbounded(comparison, "mean "), *tier, more)),
        ]
    n_systems = len({name for one in comparison.rows for name in (one.system, one.baseline)})
    many = comparison.baseline is None and n_systems >= MANY
    listed = differences(replace(comparison, rows=_from_best(comparison)) if many else comparison, digits)
    if not many or pairs:
        shown = [means(comparison, digits, tiers=many), listed]
    elif n_systems <= MOST:
        shown = [means(comparison, digits, tiers=True), *matrices(comparison, digits)]
    else:
        table = means(comparison, digits, tiers=True)
        more = f"{tested(comparison)}; --pairs, or shown(pairs=True) in Python, lists all differences"
        shown = [replace(table, notes=(*table.notes, more, *filter(None, [comparison.each_alone])))]
    if not steps:
        return shown
    worked = (comparison.steps(compared) for compared in comparison.rows)
    return [*shown, *_signed(comparison, digits), *map(working, worked)]


def _from_best(comparison: Comparison) -> tuple[Compared, ...]:
    """The pairs from the best system down, the better system first unless the test is one-sided."""
    order = {measure: _ordered(comparison, measure) for measure in comparison.samples}

    def places(one: Compared) -> tuple[int, int]:
        return order[one.measure].index(one.system), order[one.measure].index(one.baseline)

    turned = comparison.alternative == "two-sided"
    rows = [_turned(one) if turned and places(one) != (*sorted(places(one)),) else one for one in comparison.rows]
    return tuple(sorted(rows, key=lambda one: (list(order).index(one.measure), sorted(places(one)))))


def _turned(one: Compared) -> Compared:
    """The same pair with system and baseline exchanged."""
    return replace(
        one,
        system=one.baseline,
        baseline=one.system,
        mean=one.baseline_mean,
        baseline_mean=one.mean,
        difference=-one.difference,
        low=-one.high,
        high=-one.low,
        d_z=-one.d_z,
        d_anova=-one.d_anova,
        statistic=-one.statistic,
        wins=one.losses,
        losses=one.wins,
    )


def matrices(comparison: Comparison, digits: int) -> Iterator[Table]:
    """For each measure, row system minus column system, best system first."""
    last = [*comparison.samples][-1]
    for measure in comparison.samples:
        notes = (MATRIX, *_notes(comparison, bounds=False))
        table = _matrix(comparison, measure, digits)
        yield replace(table, notes=tuple(notes)) if measure == last else table


def _matrix(comparison: Comparison, measure: str, digits: int) -> Table:
    rows = {(one.system, one.baseline): one for one in comparison.rows if one.measure == measure}
    systems = _ordered(comparison, measure)
    shown = max(2, digits - 1)
    heads = (*numbers("", digits=0), Column("system"), *numbers(*map(str, range(1, len(systems))), digits=shown))
    lines = []
    for place, system in enumerate(systems):
        differ = [_minus(rows, system, other) for other in systems[:place]]
        lines.append((Cell(place + 1), Cell(system), *differ, *[Cell("")] * (len(systems) - 1 - place)))
    return Table(heads, tuple(lines), title=f"{measure}: differences, {comparison.test.title}")


def _minus(rows: Mapping[tuple[str, str], Compared], system: str, other: str) -> Cell:
    one = rows.get((system, other)) or rows[other, system]
    sign = 1 if one.system == system else -1
    return Cell(sign * one.difference, marks=SIGNIFICANT if one.significant else "")


def _ordered(comparison: Comparison, measure: str) -> list[str]:
    """The systems of a comparison, the best by this measure first."""
    return [system for _, system in _by_value(comparison, comparison.intervals.measures.index(measure))]


def working(steps: str) -> Table:
    """The steps of a test in words; the first line is the title."""
    title, *lines = steps.splitlines()
    return Table((), (), title=title, notes=tuple(lines))


def _signed(comparison: Comparison, digits: int) -> Iterator[Table]:
    """One table per pair with the signed rank of each unit."""
    pairs: dict[tuple[str, ...], list[Row]] = {}
    names = ("value", "baseline_value", "difference", "rank", "signed_rank")
    for record in ranked_differences(comparison):
        named = (record["measure"], record["system"], record["baseline"])
        pairs.setdefault(named, []).append(row(record[comparison.unit], *(record[name] for name in names)))
    for (measure, system, baseline), rows in pairs.items():
        columns = (
            Column(comparison.unit),
            *numbers(system, baseline, "difference", digits=digits),
            *numbers("rank", "signed rank", digits=1),
        )
        notes = ("ranks of absolute differences; zeros are not ranked, ties get their mean rank",)
        yield Table(columns, tuple(rows), title=f"Signed ranks: {measure}, {system} and {baseline}", notes=notes)


def means(comparison: Comparison, digits: int, *, tiers: bool = False) -> Table:
    """One row per measure and system: its mean with its interval, and its tiers if all pairs were compared."""
    values, intervals = comparison.means, comparison.intervals
    digits = _enough(digits, intervals.high - intervals.low)
    figures = (values, intervals.low, intervals.high)
    result = comparison.result
    in_tiers = _tiers(comparison) if tiers else {}
    rows = [
        (
            *row(measure, system, *in_tiers.get((measure, system), ())),
            *row(*(float(table[s, m]) for table in figures)),
            *row(method_or_dash(intervals.low[s, m], intervals.method[s][m])),
            *(() if result is None else info_cells(result, system)),
        )
        for m, measure in enumerate(intervals.measures)
        for s, system in _by_value(comparison, m)
    ]
    columns = (
        *map(Column, ("measure", "system", *(["tier"] if tiers else []))),
        *numbers("value", "low", "high", digits=digits),
        Column("interval"),
        *(() if result is None else info_columns(result)),
    )
    note = f"{percent(intervals.confidence)} confidence intervals of single means, over {_over(comparison)}"
    notes = (note, *_unbounded(comparison), *([TIERS] if tiers else []))
    return Table(columns, tuple(rows), title="Means", notes=notes)


def _unbounded(comparison: Comparison, prefix: str = "") -> tuple[str, ...]:
    """Why some means have no interval; the prefix stands before the measure where no table of means does."""
    intervals = comparison.intervals
    return missing(
        Bounded(f"{prefix}{measure}", system, intervals.low[s, m], intervals.method[s][m])
        for m, measure in enumerate(intervals.measures)
        for s, system in enumerate(intervals.systems)
    )


def _tiers(comparison: Comparison) -> dict[tuple[str, str], tuple[str]]:
    """The tiers of each system on each measure."""
    tiers: dict[tuple[str, str], tuple[str]] = {}
    for measure in comparison.intervals.measures:
        systems = _ordered(comparison, measure)
        connected = tiers_in_order(comparison, measure, [decoded(name) for name in systems])
        tiers |= {(measure, name): (tier_range(connected, place),) for place, name in enumerate(systems)}
    return tiers


def _by_value(comparison: Comparison, m: int) -> list[tuple[int, str]]:
    """The systems with their places in the intervals, the best by a measure first."""
    intervals, value = comparison.intervals, comparison.means[:, m]
    lower = any(one.lower_is_better for one in comparison.rows if one.measure == intervals.measures[m])
    order = np.argsort(value if lower else -value, kind="stable")
    return [(s, intervals.systems[s]) for s in order.tolist()]


def _over(comparison: Comparison) -> str:
    """The units of the means: those scored for all systems, or all units of a sample."""
    if comparison.result is not None:
        return f"the {plural(comparison.unit)} that are compared"
    return counted(len(next(iter(comparison.samples.values()))), comparison.unit)


def differences(comparison: Comparison, digits: int) -> Table:
    """One row per pair and measure; significant differences are marked."""
    several = _are_several(comparison)
    rows = tuple(_row(compared, several=several) for compared in comparison.rows)
    width = np.array([one.high - one.low for one in comparison.rows])
    distance = np.abs([one.difference for one in comparison.rows])  # without an interval
    enough = _enough(digits, np.where(np.isfinite(width), width, distance))
    return Table(
        tuple(_columns(digits, enough, several=several)),
        rows,
        title=comparison.test.title,
        notes=tuple(_notes(comparison)),
    )


def _enough(digits: int, width: Floats) -> int:
    """This many decimals, or as many as the narrowest interval needs."""
    return max([digits, *map(decimals, width[np.isfinite(width)].tolist())])


def _are_several(comparison: Comparison) -> bool:
    """Whether there are more than two systems, so that the analysis of variance of all says more than one pair."""
    return len({name for one in comparison.rows for name in (one.system, one.baseline)}) > 2


def _columns(digits: int, enough: int, *, several: bool) -> Iterator[Column]:
    yield from map(Column, ("measure", "system", "baseline"))
    yield from numbers("difference", "low", "high", digits=enough)
    yield from numbers("p", "adjusted p", digits=digits, probability=True)
    yield from numbers("d_z", *(["d_ANOVA"] if several else []), digits=2)
    yield from numbers("wins", "ties", "losses", digits=0)


def _row(compared: Compared, *, several: bool) -> Row:
    mark = SIGNIFICANT if compared.significant else ""
    return (
        *map(Cell, (compared.measure, compared.system, compared.baseline)),
        *map(Cell, (compared.difference, compared.low, compared.high, compared.p)),
        Cell(compared.adjusted_p, marks=mark),
        Cell(compared.d_z if math.isfinite(compared.d_z) else None),  # infinite without variance
        *([Cell(compared.d_anova if math.isfinite(compared.d_anova) else None)] if several else []),
        *map(Cell, (compared.wins, compared.ties, compared.losses)),
    )


def _notes(comparison: Comparison, *, bounds: bool = True, effects: bool = True) -> Iterator[str]:
    n = sorted({compared.n for compared in comparison.rows})
    over = str(n[0]) if len(n) == 1 else f"{n[0]} to {n[-1]}"
    units = f"{over} {plural(comparison.unit)} are compared"
    yield f"{SIGNIFICANT} the adjusted p-value is below {comparison.level:g}; {units}"
    yield f"adjusted p: {comparison.allowance or 'no correction'}"
    yield from filter(None, [comparison.each_alone])
    if bounds:
        yield f"{'low, high' if effects else 'CI'}: {comparison.bounds}"
    if bounds and effects and _are_several(comparison):
        others = f"all systems and {plural(comparison.unit)}"
        yield f"difference over a standard deviation: d_z, of these differences; d_ANOVA, of the residuals of {others}"
    falling = dict.fromkeys(one.measure for one in comparison.rows if one.lower_is_better)
    if falling:
        yield f"lower values are better and count as wins: {', '.join(falling)}"
    if comparison.alternative != "two-sided":
        yield f"alternative: {comparison.alternative}; intervals are always two-sided"
    if comparison.alternative != "two-sided" and falling:
        meaning = "higher values are worse" if comparison.alternative == "greater" else "lower values are better"
        yield f"alternative {comparison.alternative}: {meaning} for {', '.join(falling)}"
    yield from (f"{measure}: {outcome}" for measure, outcome in comparison.omnibus.items())
    yield from _remarks(comparison)
    yield from comparison.notes
    yield from (f"{one.measure}, {one.system} and {one.baseline}: {one.note}" for one in comparison.rows if one.note)


def _remarks(comparison: Comparison) -> Iterator[str]:
    """How the p-values were computed, by measure if that differs."""
    if len({*comparison.remarks.values()}) == 1:
        yield from {*comparison.remarks.values()}
    else:
        yield from (f"{measure}: {remark}" for measure, remark in comparison.remarks.items())


def untested(comparison: Comparison) -> Iterator[str]:
    """The untested pairs: one line per reason."""
    pairs_by_note: dict[str, list[str]] = {}
    for one in comparison.rows:
        if not one.tested:
            pairs_by_note.setdefault(one.note, []).append(f"{one.system} and {one.baseline} on {one.measure}")
    for note, pairs in pairs_by_note.items():
        more = f" and {len(pairs) - _NAMED} more" if len(pairs) > _NAMED else ""
        yield f"{', '.join(pairs[:_NAMED])}{more}: {note}"


def tested(comparison: Comparison) -> str:
    """The test, its level and how p-values are adjusted, in a few words."""
    return ", ".join(filter(None, (comparison.test.title, f"level {comparison.level:g}", comparison.allowance)))


# The leaderboard: systems with the best first, confidence intervals, and significant differences


MOST_MARKED = 10  # with more systems, the letters would be longer than the figures
STAR, DAGGER = "*", "†"

Marks = dict[tuple[str, str], str]


def leaderboard(
    result: Result,
    *,
    comparison: Comparison | None = None,
    tiers: Mapping[str, str] | None = None,
    digits: int = DIGITS,
    confidence: float | None = CONFIDENCE,
    **settings: Any,
) -> Table:
    """One row per system, best by the first measure first; marks show significant differences.

    `tiers` are the numbers of the tiers of each system; the settings are those of `Result.intervals`.
    """
    ordered = ranked(result, result.measures[0])
    plain = overview(ordered, digits=digits, confidence=confidence, **settings)
    letters = _letters(ordered, comparison)
    marks = {} if comparison is None else _marks(comparison, letters)
    named = [Column("")] * bool(letters) + [plain.columns[0]] + [Column("tier")] * bool(tiers)
    rows = [_leaderboard_row(row, plain, letters, tiers, marks) for row in plain.rows]
    notes = (*plain.notes, *_test_notes(comparison, letters), *_tiered(tiers, ordered))
    return Table((*named, *plain.columns[1:]), tuple(rows), notes=notes)


def _leaderboard_row(
    row: Row, plain: Table, letters: Mapping[str, str], tiers: Mapping[str, str] | None, marks: Marks
) -> Row:
    system = str(row[0].value)
    cells = [Cell(letters[system])] if letters else []
    cells += [row[0], *([Cell(tiers[decoded(system)])] if tiers else [])]
    for cell, column in zip(row[1:], plain.columns[1:], strict=True):
        cells.append(replace(cell, marks=marks.get((system, column.name), "")))
    return tuple(cells)


def _letters(result: Result, comparison: Comparison | None) -> dict[str, str]:
    """A letter for each system, used in the marks of others; none if all are compared with one baseline."""
    if comparison is None or _baseline(comparison) or not 2 <= len(result.systems) <= MOST_MARKED:
        return {}
    return dict(zip(result.systems, ascii_uppercase, strict=False))


def _baseline(comparison: Comparison) -> str | None:
    """The system that all others are compared with, if there is one."""
    names = {row.baseline for row in comparison.rows}
    return names.pop() if len(names) == 1 else None


def _marks(comparison: Comparison, letters: Mapping[str, str]) -> Marks:
    """For each value, the letters of the systems that it is significantly better than.

    A star marks a significant difference from the baseline; without letters, a dagger marks systems that are
    significantly worse than the best of the column.
    """
    if _baseline(comparison) is not None:
        return {(row.system, row.measure): STAR for row in comparison.rows if row.significant}
    beaten = [(row.measure, *_better(row)) for row in comparison.rows if row.significant]
    if not letters:
        best = _best(comparison)
        return {(loser, measure): DAGGER for measure, winner, loser in beaten if winner == best.get(measure)}
    signs: dict[tuple[str, str], list[str]] = {}
    for measure, winner, loser in beaten:
        signs.setdefault((winner, measure), []).append(letters[loser])
    return {key: "".join(sorted(beaten_letters)) for key, beaten_letters in signs.items()}


def _better(row: Compared) -> tuple[str, str]:
    """The system with the better mean, and the other."""
    ahead = (row.difference < 0) == row.lower_is_better
    return (row.system, row.baseline) if ahead else (row.baseline, row.system)


def _best(comparison: Comparison) -> dict[str, str]:
    """The best system by each measure."""
    beaten = {(row.measure, _better(row)[1]) for row in comparison.rows}
    named = {(row.measure, system) for row in comparison.rows for system in (row.system, row.baseline)}
    return dict(sorted(named - beaten))


def _test_notes(comparison: Comparison | None, letters: Mapping[str, str]) -> Iterator[str]:
    if comparison is None:
        return
    if baseline := _baseline(comparison):
        yield f"{STAR} differs significantly from {baseline} ({tested(comparison)})"
    elif letters:
        yield f"letters next to a value: significantly better than systems with these letters ({tested(comparison)})"
    else:
        yield f"{DAGGER} significantly worse than the best of its column ({tested(comparison)})"
    yield from filter(None, [comparison.each_alone])
    yield from untested(comparison)


def _tiered(tiers: Mapping[str, str] | None, result: Result) -> Iterator[str]:
    if tiers:
        yield f"tier: systems with the same number are not significantly different in {result.measures[0]} (same test)"
