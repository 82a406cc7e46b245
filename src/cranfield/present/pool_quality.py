"""The quality of a pool as tables."""

from __future__ import annotations

from collections.abc import Iterator

from cranfield.present.table import Column, Table, numbers, row, rows_of
from cranfield.results.pool_quality import PoolQuality


def tables(quality: PoolQuality, *, digits: int) -> list[Table]:
    """The effect of each omission, judged@k and overlap of the runs, and the missed relevant documents."""
    kinds = dict.fromkeys(omission.left_out for omission in quality.omissions)
    return [
        *(_omissions(quality, kind, digits) for kind in kinds),
        _judged(quality, digits),
        *_overlap(quality, digits),
        _missing(quality),
    ]


def _omissions(quality: PoolQuality, kind: str, digits: int) -> Table:
    rows = [omission for omission in quality.omissions if omission.left_out == kind]
    measure = str(quality.settings["measure"])
    columns = (
        Column("run"),
        *((Column("team"),) if kind == "team" else ()),
        *numbers("unique", "unique relevant", digits=0),
        *numbers(measure, f"{measure} without", "change", digits=digits),
        *numbers("rank", "rank without", digits=0),
        *numbers("tau", digits=digits),
        *numbers("flipped", digits=0),
    )
    fields = {measure: "score", f"{measure} without": "score_without"}
    mean = sum(abs(omission.change) for omission in rows) / len(rows)
    notes = (
        f"unique: judged documents that no other {kind} has among its first {quality.settings['depth']}",
        "without: if these were unjudged; tau: between the rankings of all runs with and without them",
        f"flipped: pairs of runs that become or cease to be significantly different ({quality.settings['test']}, "
        f"level {quality.settings['level']:g})",
        f"mean absolute change {mean:.{digits}f}",
    )
    return Table(columns, rows_of(rows, columns, fields), title=f"Leave one {kind} out", notes=notes)


def _judged(quality: PoolQuality, digits: int) -> Table:
    runs, cutoffs = (dict.fromkeys(getattr(judged, name) for judged in quality.judged) for name in ("run", "k"))
    value = {(judged.run, judged.k): judged.judged for judged in quality.judged}
    columns = (Column("run"), *numbers(*(f"judged@{k}" for k in cutoffs), digits=digits))
    rows = tuple(row(run, *(value[run, k] for k in cutoffs)) for run in runs)
    return Table(columns, rows, title="Proportion of top-ranked documents that are judged")


def _overlap(quality: PoolQuality, digits: int) -> Iterator[Table]:
    if quality.overlaps:
        columns = (Column("run"), Column("other"), *numbers("shared", digits=0), *numbers("overlap", digits=digits))
        notes = ("overlap: proportion of the judged documents contributed by either run that both contributed",)
        yield Table(columns, rows_of(quality.overlaps, columns), title="Overlap of the contributions", notes=notes)


def _missing(quality: PoolQuality) -> Table:
    columns = (Column("query"), *numbers("relevant", "once", "twice", digits=0), *numbers("missing", digits=1))
    sums = [sum(getattr(estimate, column.name) for estimate in quality.missing) for column in columns[1:]]
    notes = (
        "once, twice: relevant documents contributed by one team and by two (a run without a team forms its own)",
        "missing: Chao's lower bound on the number of relevant documents that no team found",
    )
    rows = rows_of(quality.missing, columns)
    return Table(columns, rows, summary=(row("all", *sums),), title="Missing relevant documents", notes=notes)
