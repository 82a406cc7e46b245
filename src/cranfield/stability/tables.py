"""Latent models as tables: abilities of systems, parameters of queries, and selected queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from cranfield.arrays import Floats
from cranfield.present.table import Column, Row, Table, listed, numbers, row
from cranfield.settings import CONFIDENCE
from cranfield.stability.result import Latent, Reproduction, Selection
from cranfield.text import counted, percent

_CURVE = {
    "success": "the probability of success is σ(discrimination · (ability − difficulty)), with the logistic function σ",
    "beta": "the expected value is σ(discrimination · (ability − difficulty)), with the logistic function σ",
}
_WORST = 5  # queries shown in the table of the fit


def latent_tables(model: Latent, *, confidence: float = CONFIDENCE, digits: int) -> list[Table]:
    """The abilities of the systems, and the parameters of the queries."""
    return [abilities(model, confidence, digits), difficulties(model, confidence, digits), fit(model, digits)]


def fit(model: Latent, digits: int) -> Table:
    """The fit of every system, and of the queries that fit worst."""
    rows = [*model.fit_rows()]
    queries = sorted((one for one in rows if one["of"] == "query"), key=lambda one: -(one["outfit"] or 0.0))
    shown = [one for one in rows if one["of"] == "system"] + queries[:_WORST]
    columns = (Column("of"), Column("name"), *numbers("infit", "outfit", "l_z", digits=max(2, digits - 2)))
    lines = tuple(row(*one.values()) for one in shown)
    notes = (
        "infit, outfit: weighted and unweighted mean squared residuals; about 1 or below if the model fits",
        "l_z: standardised log-likelihood of a system's values; below about -2 if they do not fit the model",
        *([f"the {_WORST} queries with the highest outfit; -f json has all"] if len(queries) > _WORST else []),
    )
    return Table(columns, lines, title="Fit of the model", notes=notes)


def abilities(model: Latent, confidence: float, digits: int) -> Table:
    """One row per system, by descending ability."""
    figures = [model.ability, model.interval("ability", confidence)]
    rows = _descending(model.systems, figures, model.ability)
    columns = (Column("system"), *numbers("ability", "low", "high", digits=digits))
    return Table(
        columns, rows, title=f"Abilities of the systems by {model.measure}", notes=tuple(_notes(model, confidence))
    )


def _descending(names: Sequence[str], figures: Sequence[Floats], by: Floats) -> tuple[Row, ...]:
    """One row per name with its figures, the highest first."""
    table = np.column_stack(figures).tolist()
    return tuple(row(names[place], *table[place]) for place in np.argsort(-by, kind="stable"))


def _notes(model: Latent, confidence: float) -> Iterator[str]:
    yield f"{_CURVE[model.model]}; abilities have mean 0 and standard deviation 1"
    if model.model == "beta":
        yield f"beta model with a common precision of {model.precision:.3g}"
    yield f"{percent(confidence)} confidence intervals"
    yield from model.notes


def difficulties(model: Latent, confidence: float, digits: int) -> Table:
    """One row per query, the most informative first."""
    hard, steep = (model.interval(what, confidence) for what in ("difficulty", "discrimination"))
    figures = [model.difficulty, hard, model.discrimination, steep, model.information]
    rows = _descending(model.queries, figures, model.information)
    names = ("difficulty", "low", "high", "discrimination", "from", "to", "information")
    notes = (
        "difficulty: ability with an expected value of one half; discrimination: slope of values over ability",
        "information: mean Fisher information about the abilities of these systems; most informative queries first",
    )
    columns = (Column("query"), *numbers(*names, digits=digits))
    return Table(columns, rows, title="Parameters of the queries", notes=notes)


def choices(selection: Selection, *, digits: int) -> list[Table]:
    """One row per selected query, with Kendall's tau between the rankings by the queries so far and by all."""
    columns = (*numbers("", digits=0), Column("query"), *numbers("tau", "unseen", "chance", digits=digits))
    rows = tuple(row(*record.values()) for record in selection.records()["selected"])
    notes = (
        "tau: Kendall's tau between the rankings of the systems by the queries so far and by all queries",
        "unseen: the same for systems not used in the selection, as an estimate for new systems",
        "chance: the same for as many random queries",
        *selection.notes,
    )
    title = f"{counted(len(rows), 'query')} that {'keeps' if len(rows) == 1 else 'keep'} the ranking of the systems"
    return [Table(columns, rows, title=title, notes=notes)]


def stability_tables(reproduction: Reproduction, *, digits: int) -> list[Table]:
    """The figures of each measure, and the ranking of the systems by fewer topics."""
    return [figures(reproduction, digits), orders(reproduction, digits)]


def figures(reproduction: Reproduction, digits: int) -> Table:
    """One row per measure: its discriminative power, and how often two halves of the topics disagree."""
    chosen = reproduction.settings
    notes = (
        f"significant: proportion of system pairs significant at level {chosen['level']:g} ({chosen['test']})",
        "swapped: proportion of system pairs that two halves of the topics rank in opposite order",
        f"low, high: {percent(1 - chosen['level'])} confidence interval of this for other sets of as many topics",
        f"difference: smallest difference at which at most {percent(chosen['rate'])} of the pairs swap",
        "tau: Kendall's tau between the rankings by half of the topics and by all",
        f"{chosen['resamples']:,} random subsets of topics, seed {chosen['seed']}",
        *(f"{one.measure}: {one.note.removeprefix(f'{one.measure}: ')}" for one in reproduction.rows if one.note),
    )
    return listed(reproduction.rows, digits=digits, notes=notes)


def orders(reproduction: Reproduction, digits: int) -> Table:
    """One row per number of topics: tau between the ranking of the systems by that many topics and by all."""
    by_size: dict[int, dict[str, float]] = {}
    for record in reproduction.orders():
        by_size.setdefault(record["topics"], {})[record["measure"]] = record["tau"]
    columns = (*numbers("topics", digits=0), *numbers(*reproduction.stability, digits=digits))
    rows = tuple(
        row(size, *(taus.get(measure) for measure in reproduction.stability)) for size, taus in sorted(by_size.items())
    )
    note = "mean Kendall's tau with the ranking by all topics, over random subsets of each size"
    return Table(columns, rows, title="Ranking of the systems by fewer topics", notes=(note,))
