"""Rank correlations as a table: one row per pair of rankings, one column per coefficient."""

from __future__ import annotations

from dataclasses import replace

from cranfield.correlation.result import Correlations
from cranfield.present.missing_intervals import Bounded, method_or_dash, missing
from cranfield.present.table import Cell, Column, Table, listed, numbers, row
from cranfield.text import counted, percent

_WORDS = {
    "tau-AP": "tau-AP: mean of both directions, since neither ranking is the true one; for ties see tau-AP-b",
    "tau-AP-a": "tau-AP-a: accuracy of the other ranking given the first, mean over all ways to break its ties",
    "tau-AP-b": "tau-AP-b: agreement of two rankings with ties (Urbano and Marrero)",
    "RBO": "RBO: extrapolated beyond the end of the rankings (RBO_ext)",
    "RBO-min": "RBO-min: lower bound of RBO over all continuations of the rankings",
    "RBO-residual": "RBO-residual: upper minus lower bound",
}
_METHODS = {
    "bootstrap over topics": "over topics: for other sets of as many similar topics, with the same "
    "systems; not for infinitely many topics",
    "jackknife over items": "over items: the value for other similar items",
}


def correlations_tables(correlations: Correlations, *, digits: int, steps: bool = False) -> list[Table]:
    """One row per pair of rankings; with `steps`, also the pairs that Kendall's tau counts."""
    queries = [_queries(correlations, digits)] if correlations.by_query else []
    pairs = [working(correlations)] if steps and correlations.steps() else []
    bounded = any(low is not None for low in correlations.rows["low"])
    intervals = [_intervals(correlations, digits)] if bounded else []
    return [*pairs, _coefficients(correlations, digits), *intervals, *queries]


def _intervals(correlations: Correlations, digits: int) -> Table:
    """One row per pair of rankings and coefficient: its interval, or why there is none."""
    methods = {one.interval for one in correlations.rows}
    notes = [f"{percent(correlations.confidence)} confidence intervals"]
    notes += [words for method, words in _METHODS.items() if method in methods]
    notes += missing(
        Bounded(one.coefficient, f"{one.first} and {one.second}", one.low, one.interval) for one in correlations.rows
    )
    table = listed(correlations.rows, digits=digits, notes=notes)
    methods_or_dashes = (Cell(method_or_dash(one.low, one.interval)) for one in correlations.rows)
    rows = tuple((*cells[:-1], method) for cells, method in zip(table.rows, methods_or_dashes, strict=True))
    return replace(table, rows=rows)


def _queries(correlations: Correlations, digits: int) -> Table:
    """One row per query and pair of runs."""
    values: dict[tuple[str, ...], dict[str, float | None]] = {}
    for record in correlations.by_query:
        named = tuple(record[name] for name in ("query", "first", "second"))
        values.setdefault(named, {})[record["coefficient"]] = record["value"]
    heads = (*map(Column, ("query", "ranking", "other")), *numbers(*correlations.coefficients, digits=digits))
    rows = tuple(
        row(*named, *(by_name[name] for name in correlations.coefficients)) for named, by_name in values.items()
    )
    return Table(heads, rows, title="Each query", notes=("above: means over queries, where defined",))


def working(correlations: Correlations) -> Table:
    """Concordant, discordant and tied pairs."""
    rows = correlations.steps()
    names = ("pairs", "concordant", "discordant", "tied_in_first", "tied_in_second", "tied_in_both")
    query = [Column("query")] if correlations.by_query else []
    heads = (*query, Column("ranking"), Column("other"), *numbers(*(name.replace("_", " ") for name in names)))
    notes = (
        "tau-a = (concordant - discordant) / pairs",
        "tau-b = (concordant - discordant) / sqrt((pairs - ties of the first) (pairs - ties of the second))",
    )
    return Table(heads, tuple(row(*record.values()) for record in rows), title="Pairs in the same order", notes=notes)


def _coefficients(correlations: Correlations, digits: int) -> Table:
    """One row per pair of rankings."""
    pairs: dict[tuple[str, str], list[float | None]] = {}
    for record in correlations.rows.records():
        pairs.setdefault((record["first"], record["second"]), []).append(record["value"])
    rows = tuple(row(*names, *values) for names, values in pairs.items())
    notes = [f"{_ranked(correlations)}; 1: identical rankings"]
    notes += [words for name, words in _WORDS.items() if name in correlations.coefficients]
    notes += correlations.notes
    notes += dict.fromkeys(f"–: {pair.first} and {pair.second}, {pair.note}" for pair in correlations.rows if pair.note)
    columns = (Column("ranking"), Column("other"), *numbers(*correlations.coefficients, digits=digits))
    return Table(columns, rows, title="Rank correlation", notes=tuple(notes))


def _ranked(correlations: Correlations) -> str:
    """What is ranked: systems, or documents for each query."""
    n = len(correlations.systems)
    if not correlations.by_query:
        return f"rankings of {n:,}"
    n_queries = len({record["query"] for record in correlations.by_query})
    return f"rankings for {counted(n_queries, 'query')}, of {counted(n, 'document')} in all"
