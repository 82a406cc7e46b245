"""Agreement as tables: coefficients for all raters, per pair and per topic, and rankings by each judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.agreement.reordering import Reordering
from cranfield.agreement.result import Agreed, Agreement, Scope
from cranfield.agreement.steps import Contingency, ManyRaters, category_text, contingencies, many_raters
from cranfield.measures.interpretation import AGREEMENT
from cranfield.present.missing_intervals import Bounded, missing
from cranfield.present.table import Column, Row, Table, numbers, row, rows_of
from cranfield.text import counted, listed, percent

TITLES: dict[Scope, tuple[str, str]] = {
    "all": ("All raters", ""),
    "pair": ("Pairs of raters", "raters"),
    "topic": ("Topics", "topic"),
}


_COEFFICIENTS = {"Kappa": "kappa", "Fleiss": "Fleiss' kappa", "Alpha": "Krippendorff's alpha", "AC1": "Gwet's AC1"}
_QUADRATIC, _ORDINAL = "Kappa(weights='quadratic')", "Alpha(level='ordinal')"


def answer(agreement: Agreement) -> str:
    """How often raters agree, and how much of that is beyond chance."""
    rows = agreement.of("all")
    if not rows:
        return _extremes(agreement)
    by_measure = {row.measure: row for row in rows if not math.isnan(row.value)}
    if not by_measure:
        return f"{rows[0].measure} is {rows[0].note}."
    agreed, *others = [by_measure[name] for name in essential(agreement) if name in by_measure] or by_measure.values()
    confidence = agreement.settings["confidence"]
    if agreed.measure != "Agreement":
        sentence = f"{_stated(agreed, confidence)} over {counted(agreed.n_items, 'item')}."
        return sentence[0].upper() + sentence[1:]
    n_raters, items = len(agreement.raters), counted(agreed.n_items, "item")
    who = "The two raters agree" if n_raters == 2 else "On average, two raters of the same item agree"
    beyond = [f"; {_stated(row, confidence)}" for row in others[:1]]
    ordered = [f", {_in_order(row)}" for row in others if row.measure in (_QUADRATIC, _ORDINAL)]
    return f"{who} on {percent(round(agreed.value, 2))} of {items}{''.join([*beyond, *ordered])}."


def _stated(row: Agreed, confidence: float) -> str:
    """A coefficient with its interval."""
    between = "" if math.isnan(row.low) else f" ({percent(confidence)} CI {row.low:.2f}–{row.high:.2f})"
    return f"{_COEFFICIENTS.get(row.measure, row.measure)} is {row.value:.2f}{between}"


def _in_order(row: Agreed) -> str:
    """A coefficient of ordered categories."""
    how = "quadratic weights" if row.measure == _QUADRATIC else "ordinal alpha"
    return f"for grades in order {row.value:.2f} ({how})"


def _extremes(agreement: Agreement) -> str:
    """The pairs or topics with the highest and the lowest coefficient."""
    first = essential(agreement)[-1]
    rows = sorted((row for row in agreement.rows if row.measure == first and not math.isnan(row.value)), key=_value)
    if len(rows) < 2:
        return ""
    low, high = rows[0], rows[-1]
    return f"{first} is lowest for {low.name} ({low.value:.2f}) and highest for {high.name} ({high.value:.2f})."


def essential(agreement: Agreement) -> list[str]:
    """The coefficients that were requested, or the three that say most about data of this kind."""
    known = list(dict.fromkeys(row.measure for row in agreement.rows))
    if agreement.requested:
        return known
    two, ordered = len(agreement.raters) == 2, _ORDINAL in known
    third = (_QUADRATIC if two else _ORDINAL) if ordered else "AC1" if two else "Alpha"
    chosen = ("Agreement", "Kappa" if two else "Fleiss", third)
    return [name for name in chosen if name in known] or known


def tables(agreement: Agreement, *, digits: int, steps: bool = False, every: bool = False) -> Iterator[Table]:
    """Three coefficients for all raters; with `every`, all of them, for pairs and for topics.

    Pairs and topics are shown if they were requested, but not tables that repeat another. With `steps`, first the
    working of kappa and of Fleiss' kappa.
    """
    if steps:
        yield from working(agreement, digits)
    known = list(dict.fromkeys(row.measure for row in agreement.rows))
    names = known if every else essential(agreement)
    notes = (*_notes(agreement), *(() if every else _hidden(agreement, len(known) - len(names))))
    chosen = [agreed for agreed in agreement.rows if agreed.measure in names]
    overall = [_figures(agreed) for agreed in chosen if agreed.scope == "all"]
    for scope, (title, name) in TITLES.items():
        rows = [agreed for agreed in chosen if agreed.scope == scope]
        if not rows or (name and [_figures(agreed) for agreed in rows] == overall):
            continue
        if name and not every and "per" not in agreement.settings:
            continue
        order = list(dict.fromkeys(agreed.name for agreed in rows))
        together = sorted(rows, key=lambda agreed: (order.index(agreed.name), names.index(agreed.measure)))
        heads = (Column(name), Column("measure")) if name else (Column("measure"),)
        figures = (*numbers("items", digits=0), *numbers("value", "low", "high", digits=digits))
        columns = (*heads, *figures, Column("interpretation"))
        yield Table(columns, tuple(_cells(together, bool(name))), title=title, notes=(*_about(together), *notes))
        notes = ()


def _about(rows: Sequence[Agreed]) -> Iterator[str]:
    """Why some coefficients have no interval, and what they are on other scales."""
    part = {one: "" if one.scope == "all" else one.name for one in rows}
    yield from missing(Bounded(one.measure, part[one], one.low, one.interval) for one in rows)
    for one in rows:
        if one.note:
            yield f"{one.measure}{f' of {part[one]}' * bool(part[one])}: {one.note}"


def _hidden(agreement: Agreement, n_measures: int) -> Iterator[str]:
    """What else there is."""
    more = [counted(n_measures, "coefficient")] * (n_measures > 0)
    if "per" not in agreement.settings:
        more += ["pairs of raters (--per pair)"] * (len(agreement.raters) > 2)
        more += ["topics (--per topic)"] * (len(agreement.topics) > 1)
    if more:
        yield f"more: {listed(more)}; all of it: --all, or shown(every=True) in Python"


def working(agreement: Agreement, digits: int) -> Iterator[Table]:
    """The contingency table of each pair of raters, and the number of raters by item and category."""
    ratings = agreement.evidence
    if ratings is None:
        return
    yield from (_contingency(two, digits) for two in contingencies(ratings, agreement.settings["measures"]))
    if "Fleiss" in agreement.settings["measures"]:
        many = many_raters(ratings, agreement.items)
        yield _many(many, _alike(many) if len(agreement.raters) == 2 else _each_item(many), digits)


def _contingency(two: Contingency, digits: int) -> Table:
    first, second = two.raters
    names = [category_text(category) for category in two.categories]
    columns = (Column(f"{first} \\ {second}"), *numbers(*names, "all"))
    counts = two.counts.astype(int)
    rows = tuple(row(name, *line.tolist(), int(line.sum())) for name, line in zip(names, counts, strict=True))
    total = int(counts.sum())
    below = (row("all", *counts.sum(axis=0).tolist(), total),)
    notes = (
        *(_unweighted(two, names, digits) if two.weights == "none" else _weighted(two, digits)),
        f"kappa = (P(A) - P(E)) / (1 - P(E)) = {two.kappa:.{digits}f}",
        *_tests(two, digits),
    )
    return Table(columns, rows, below, f"{two.name} of {first} and {second}: number of items", notes=notes)


def _tests(two: Contingency, digits: int) -> Iterator[str]:
    """The analytic standard error of kappa, its test against chance, and the association between the raters."""
    errors, related = two.errors, two.association
    if not math.isnan(errors.z):
        yield (
            f"standard error of kappa: {errors.error:.{digits}f}; by chance {errors.error_by_chance:.{digits}f}, "
            f"z = {errors.z:.4g}, p = {errors.p:.4g}"
        )
    if not math.isnan(related.p):
        yield (
            f"chi-square = {related.chi_square:.4g} with {counted(related.freedom, 'degree')} of freedom, "
            f"p = {related.p:.4g}; Cramér's V = {related.cramer_v:.{digits}f}"
        )


def _unweighted(two: Contingency, names: list[str], digits: int) -> Iterator[str]:
    """P(A) from the diagonal and P(E) from the margins."""
    right, total = np.diag(two.counts).astype(int).tolist(), int(two.counts.sum())
    yield f"P(A) = ({' + '.join(map(str, right))}) / {total} = {two.observed:.{digits}f}"
    chance = [f"P({name}, {name}) = {a:.{digits}f} × {b:.{digits}f}" for name, a, b in zip(names, *two.margins)]
    yield "; ".join(f"{product} = {p:.{digits}f}" for product, p in zip(chance, two.by_chance, strict=True))
    yield f"P(E) = {' + '.join(f'{p:.{digits}f}' for p in two.by_chance)} = {two.expected:.{digits}f}"


def _weighted(two: Contingency, digits: int) -> Iterator[str]:
    """P(A) and P(E) as weighted sums over the distances between categories."""
    credit = two.credit.tolist()
    yield "weight by distance of the categories: " + ", ".join(f"{d}: {w:.4g}" for d, w in enumerate(credit))
    observed = zip(credit, two.by_distance(two.counts).tolist(), strict=True)
    sums = " + ".join(f"{w:.4g} × {n:.6g}" for w, n in observed)
    yield f"P(A) = ({sums}) / {two.counts.sum():.6g} = {two.observed:.{digits}f}"
    chance = zip(credit, two.by_distance(np.outer(*two.margins)).tolist(), strict=True)
    sums = " + ".join(f"{w:.4g} × {p:.{digits}f}" for w, p in chance)
    yield f"P(E) = {sums} = {two.expected:.{digits}f}"


def _many(many: ManyRaters, rows: Sequence[Row], digits: int) -> Table:
    """The number of raters by category with totals, and the resulting kappa."""
    names = [category_text(category) for category in many.categories]
    columns = (Column("item"), *numbers(*names, "P_i", digits=digits))
    totals = many.counts.sum(axis=0).astype(int).tolist()
    below = (row("all", *totals, None), row("p_j", *many.proportions.tolist(), None))
    notes = (
        f"P_i: proportion of the pairs of raters who agree; P(A) = mean of P_i = {many.observed:.{digits}f}",
        f"p_j: proportion of all {sum(totals):,} ratings; P(E) = sum of p_j squared = {many.expected:.{digits}f}",
        f"kappa = (P(A) - P(E)) / (1 - P(E)) = {many.kappa:.{digits}f}",
    )
    return Table(columns, tuple(rows), below, "Fleiss' kappa: number of raters", notes=notes)


def _each_item(many: ManyRaters) -> list[Row]:
    counts, agreement = many.counts.astype(int), many.agreement
    return [row(many.items[place], *counts[place].tolist(), float(agreement[place])) for place in many.listed]


def _alike(many: ManyRaters) -> list[Row]:
    """One row per distinct rating pattern; with two raters many items have the same one."""
    counts, first, n_items = np.unique(many.counts.astype(int), axis=0, return_index=True, return_counts=True)
    lines = zip(counts.tolist(), many.agreement[first].tolist(), n_items.tolist(), strict=True)
    return [row(counted(n, "item"), *line, agree) for line, agree, n in reversed([*lines])]


def _value(agreed: Agreed) -> float:
    return agreed.value


def _figures(agreed: Agreed) -> tuple[str, int, float | None]:
    return agreed.measure, agreed.n_items, None if math.isnan(agreed.value) else agreed.value


def _cells(rows: Sequence[Agreed], named: bool) -> Iterator[Row]:
    """One row per coefficient; the name of the pair or topic is in the first of its rows."""
    before = None
    for agreed in rows:
        name = ["" if agreed.name == before else agreed.name] if named else []
        figures = (agreed.measure, agreed.n_items, agreed.value, agreed.low, agreed.high)
        yield row(*name, *figures, agreed.band)
        before = agreed.name


def _notes(agreement: Agreement) -> Iterator[str]:
    who = f"{len(agreement.raters)} raters" if agreement.raters else "raters without names"
    yield f"{who}, {counted(len(agreement.categories), 'category')}, {counted(len(agreement.topics), 'topic')}"
    chosen = agreement.settings
    if chosen["resamples"]:
        yield (
            f"{percent(chosen['confidence'])} intervals for other {chosen['resample']}s"
            + f" (draws: {chosen['resamples']:,}, seed {chosen['seed']})" * (chosen["resample"] == "item")
        )
    bands = ", ".join(f"{above:g} {label}" for above, label in AGREEMENT)
    yield f"above {bands}; below 0 poor (Landis and Koch 1977)"
    yield from agreement.notes


def orders(reordering: Reordering, *, digits: int) -> list[Table]:
    """One row per pair of judges: the correlation of their rankings of the systems."""
    columns = (
        *map(Column, ("measure", "judge", "other")),
        *numbers("topics", digits=0),
        *numbers("tau", "tau_AP", digits=digits),
        *numbers("swapped", digits=0),
        *map(Column, ("best", "other's best")),
        *numbers("largest change", digits=digits),
        *([Column("note")] if any(pair.note for pair in reordering.rows) else []),
    )
    fields = {
        "topics": "n_topics",
        "tau_AP": "tau_ap",
        "other's best": "other_best",
        "largest change": "greatest_change",
    }
    n_pairs = len(reordering.systems) * (len(reordering.systems) - 1) // 2
    notes = (
        f"swapped: out of {counted(n_pairs, 'pair')} of systems; largest change: of any system's value",
        "topics: judged by both and used to compare the systems; tau_AP: mean of both directions",
    )
    rows = rows_of(reordering.rows, columns, fields)
    return [Table(columns, rows, title="Rankings of the systems by judge", notes=notes)]
