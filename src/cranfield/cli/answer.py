"""What a command found, in each shape it may be asked for: tables for readers, rows for CSV, all of it for JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from cranfield.cli.options import Format
from cranfield.cli.output import show, write

if TYPE_CHECKING:
    from cranfield.present.table import Table
    from cranfield.results.provenance import Provenance

DIGITS = 4


@dataclass(frozen=True)
class Answer:
    """The tables with so many decimals; the records behind them, of which CSV has the first; and what JSON adds."""

    tables: Callable[[int], Iterable[Table]]
    records: Mapping[str, list[dict[str, Any]]]
    about: Mapping[str, Any] = field(default_factory=dict)  # settings and notes, whose numbers are never rounded
    provenance: Provenance | None = None  # None where nothing was read


def deliver(
    answer: Answer,
    format: Format,  # noqa: A002
    output: str | None,
    digits: int | None,
    closing: str = "",
) -> None:
    """Write the answer in a format, with so many decimals if they are asked for."""
    from cranfield.results.writing import comma_separated, json_text, rounded

    if format == "csv":
        rows = next(iter(answer.records.values()))
        write(
            comma_separated(list(rows[0]) if rows else [], [list(row.values()) for row in rows], digits=digits), output
        )
    elif format == "json":
        records = {name: rounded(rows, digits) for name, rows in answer.records.items()}
        sources = {} if answer.provenance is None else {"provenance": answer.provenance.to_dict()}
        write(json_text(records | dict(answer.about) | sources), output)
    else:
        show(answer.tables(DIGITS if digits is None else digits), format, output, closing)
