"""The methods of everything that a verb returns: printing, converting, saving, plotting, examining and comparing.

A subclass provides `kind`, `provenance`, and its lists as `Columns`, or a method `records`.

Decided here: what CSV, JSON and data frames of a result contain.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from cranfield.arrays import Floats
from cranfield.catalogue import provided
from cranfield.errors import BadSetting, MissingExtra, UnknownMeasure, did_you_mean, pip_line
from cranfield.frozen import frozen
from cranfield.measures.registry import Measure
from cranfield.results.provenance import NOTHING_READ, Caution, Provenance
from cranfield.results.shape import Columns
from cranfield.results.writing import comma_separated, json_text, rounded

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from cranfield.evidence.samples import Samples


# Rows of results as records: plain values for tables, CSV and JSON


def fields_of(row: Any) -> dict[str, Any]:
    """The fields of a dataclass, without cached properties."""
    return {field.name: getattr(row, field.name) for field in fields(row)}


def records(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """One dict per row, which is a dataclass; None where a number is not finite."""
    return [{name: plain(value) for name, value in asdict(row).items()} for row in rows]


def plain(value: Any) -> Any:
    """The value; None for a number that is not finite, which JSON does not have."""
    return None if isinstance(value, float) and not math.isfinite(value) else value


def number(value: float) -> float | None:
    """The value as a plain number; None if it is undefined."""
    return None if math.isnan(value) else float(value)


Format = Literal["table", "markdown", "latex", "html"]
Records = dict[str, list[dict[str, Any]]]


class VerbResult:
    """The base of everything a verb returns. It has no state: results are frozen dataclasses.

    The options of the methods below are those of `records` and are the same for all methods: `to_json`, `table` and
    `to_latex` accept the options of `to_csv`.
    """

    kind: ClassVar[str]
    shows_findings: ClassVar[bool] = False  # whether its tables are followed by the headlines of its first findings
    record_fields: ClassVar[tuple[tuple[str, str], ...]] = ()  # names of records, and the fields with their rows

    if TYPE_CHECKING:

        @property
        def provenance(self) -> Provenance:
            """The inputs, settings and software."""

    # what a subclass provides

    def records(self, *args: Any, **options: Any) -> Records:
        """The content by name, one dict per row; None where a number is undefined."""
        if args or options:
            unknown = ", ".join(map(repr, (*args, *options)))
            raise TypeError(f"records of this result ({self.kind}) have no options, but got {unknown}")
        listed = {columns.schema.name: columns.records() for columns in self.lists}
        return listed or {name: records(getattr(self, rows)) for name, rows in self.record_fields}

    @property
    def lists(self) -> tuple[Columns, ...]:
        """The lists that the result contains, in the order of its fields."""
        return tuple(value for value in vars(self).values() if isinstance(value, Columns))

    @property
    def explanations(self) -> tuple[str, ...]:
        """What the columns mean, in sentences below their table."""
        return ()

    def about(self, *args: Any, **options: Any) -> dict[str, Any]:  # noqa: ARG002
        """What JSON contains besides the records: settings and notes, whose numbers are never rounded."""
        known = {"settings": dict, "notes": list}
        return {name: plain(getattr(self, name)) for name, plain in known.items() if hasattr(self, name)}

    def content(self, *args: Any, **options: Any) -> dict[str, Any]:
        """The figures in JSON, whose numbers may be rounded: the records, or a nested form."""
        return self.records(*args, **options)

    def main(self, *args: Any, **options: Any) -> str:
        """The name of the records that become the table, the CSV and the data frame: the first."""
        return next(iter(self.records(*args, **options)))

    # to read

    @property
    def answer(self) -> str:
        """The answer in a sentence or two, which opens every output; empty for what answers no question."""
        return provided("answer")(self)

    def answer_with(self, **_: Any) -> str:
        """The answer with the options of the tables, where it depends on them."""
        return self.answer

    def __str__(self) -> str:
        return self.shown()

    def __repr__(self) -> str:
        return self.shown(longest=_LONGEST)

    def _repr_html_(self) -> str:
        return self.shown("html", longest=_LONGEST)

    def shown(self, format: Format = "table", **options: Any) -> str:  # noqa: A002
        """The tables that the command line prints, in a format; `digits` and `findings` are options of all kinds."""
        return provided("shown")(self, format, **options)

    def to_markdown(self, **options: Any) -> str:
        """The tables in Markdown."""
        return self.shown("markdown", **options)

    def to_latex(self, **options: Any) -> str:
        """The tables in LaTeX, for booktabs."""
        return self.shown("latex", **options)

    def to_html(self, **options: Any) -> str:
        """The tables in HTML."""
        return self.shown("html", **options)

    # to compute with

    def table(self, name: str | None = None, *args: Any, **options: Any) -> pa.Table:
        """The main records, or those of another name, as an Arrow table."""
        import pyarrow as pa

        return pa.Table.from_pylist(self.records(*args, **options)[name or self.main(*args, **options)])

    def to_pandas(self, name: str | None = None, **options: Any) -> pandas.DataFrame:
        """The table as a pandas frame."""
        try:
            return self.table(name, **options).to_pandas()
        except ImportError:
            raise MissingExtra(f"pandas frames need pandas: {pip_line('frames')}") from None

    def to_polars(self, name: str | None = None, **options: Any) -> polars.DataFrame:
        """The table as a Polars frame."""
        try:
            import polars
        except ImportError:
            raise MissingExtra(f"Polars frames need Polars: {pip_line('frames')}") from None
        return polars.from_arrow(self.table(name, **options))  # type: ignore[return-value]

    def to_dict(self, *, digits: int | None = None, findings: bool = False, **options: Any) -> dict[str, Any]:
        """The content of `to_json` as plain values."""
        content: dict[str, Any] = {"answer": answer} if (answer := self.answer_with(**options)) else {}
        content |= rounded(self.content(**options), digits) | self.about(**options)
        content |= {"provenance": self.provenance.to_dict()}
        return content | (self.findings().records() if findings else {})

    # to write

    def to_csv(self, *, digits: int | None = None, **options: Any) -> str:
        """The table as CSV, with all decimals unless fewer are requested; an undefined value is an empty cell."""
        rows = self.records(**options)[self.main(**options)]
        return comma_separated(list(rows[0]) if rows else [], [list(row.values()) for row in rows], digits=digits)

    def to_json(self, *, digits: int | None = None, findings: bool = False, **options: Any) -> str:
        """All records, the settings and the provenance as JSON, and the findings if requested."""
        return json_text(self.to_dict(digits=digits, findings=findings, **options))

    def to_parquet(self, path: str | os.PathLike[str], name: str | None = None, **options: Any) -> None:
        """Write the table as Parquet, with the provenance in its metadata."""
        import json

        import pyarrow.parquet

        from cranfield.results import writing as atomic_files

        metadata = {"cranfield": json.dumps(self.provenance.to_dict())}
        data = pyarrow.BufferOutputStream()
        pyarrow.parquet.write_table(self.table(name, **options).replace_schema_metadata(metadata), data)
        atomic_files.save(path, data.getvalue().to_pybytes())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result to a file that `cranfield.load` restores bit for bit."""
        from cranfield.results.storage import save

        save(self, path)

    def log_to(self, tracker: Any, **options: Any) -> dict[str, float]:
        """Log the values, settings and inputs to an experiment tracker, or write them to a JSON file.

        A tracker is an object, not its name: anything with `log_metric` or `log_metrics` and `log_param` or
        `log_params` for the active run, such as the module `mlflow`. A text is the path of a file and must end in
        `.json`. Returns the metrics by the names under which they were logged.
        """
        from cranfield.results.tracking import log

        return log(self, tracker, **options)

    # to ask more of

    @property
    def warnings(self) -> tuple[Caution, ...]:
        """Warnings about misleading figures, each with its kind, message and subject."""
        return self.provenance.warnings

    @property
    def plot(self) -> Any:
        """The plots of the result: `result.plot.systems()`."""
        return provided("plot")(self)

    def findings(self, **settings: Any) -> Any:
        """What the figures hide, most serious first: `cranfield.examine` of the result."""
        return provided("findings")(self, **settings)

    def _require_comparable(self) -> None:
        """Refuse what tests would take for something else."""

    def _by_unit(self) -> Any:
        """The values on units, such as queries or groups of items, that comparisons read; None without units."""
        return None

    def _by_item(self) -> dict[str, Samples]:
        """The values of single items that comparisons read where there are no units; empty without such values."""
        return {}

    def compare(self, baseline: str | float | None = None, **settings: Any) -> Any:
        """The systems compared with the baseline, or with each other: `cranfield.compare` of the result."""
        return provided("compare")(self, baseline, **settings)


@frozen(eq=False, kw_only=True)
class AnnotatedResult(VerbResult):
    """A result with the settings of its verb, notes for readers of its figures, and its provenance."""

    settings: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    provenance: Provenance = NOTHING_READ


_LONGEST = 40  # rows of a table shown by `repr`; `str` and the command line show all


# Values by system, by measure, or by both


MeasureKey = Measure | str
Key = tuple[str, MeasureKey] | MeasureKey
Place = Callable[[MeasureKey], int]  # of a measure; raises BadSetting or UnknownMeasure if it has no values


def by_name(
    key: Key, values: Floats, systems: Sequence[str], measures: Sequence[str], place: Place | None = None
) -> float | dict[str, float]:
    """A number for a system and a measure; `{measure: value}` for a system; `{system: value}` for a measure.

    If there is only one system, a measure gives its number. Measures without `place` have only one name.
    """
    place = place or partial(named_place, measures=measures)
    if isinstance(key, tuple):
        return float(values[system_place(key[0], systems), place(key[1])])
    if key in systems:
        if _has_place(key, place):
            raise BadSetting(f"{key!r} is both a system and a measure; use result[system, measure]")
        return dict(zip(measures, values[systems.index(str(key))].tolist(), strict=True))
    try:
        column = values[:, place(key)].tolist()
    except UnknownMeasure:
        hint, known = did_you_mean(key, (*systems, *measures)), f"{', '.join(systems)}; {', '.join(measures)}"
        raise UnknownMeasure(f"there is no system or measure {str(key)!r}{hint} (available: {known})") from None
    return column[0] if len(column) == 1 else dict(zip(systems, column, strict=True))


def system_place(name: str, systems: Sequence[str]) -> int:
    """The index of a system."""
    if name not in systems:
        raise BadSetting(f"there is no system {name!r}; available: {', '.join(systems)}")
    return systems.index(name)


def named_place(name: MeasureKey, measures: Sequence[str]) -> int:
    """The index of a measure by its only name."""
    if str(name) not in measures:
        raise BadSetting(f"there is no {str(name)!r}; available: {', '.join(measures)}")
    return measures.index(str(name))


def _has_place(name: MeasureKey, place: Place) -> bool:
    try:
        place(name)
    except (BadSetting, UnknownMeasure):
        return False
    return True
