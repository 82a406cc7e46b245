"""Tables in Spark, or at addresses that it reads, as sheets."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from cranfield.arrow import pa
from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.adapters.frames import form_of
from cranfield.tables.adapters.spark_frames import collected, explained, read_table
from cranfield.tables.adapters.spark_inputs import NeedsSpark, is_address
from cranfield.tables.arrow_validity import validated
from cranfield.tables.readers.sheets import Sheet, read_sheet

_REPLACED = "\ufffd"  # Spark's replacement for bytes that are not UTF-8
_CSV = "CSV in Spark"
_TEXT = (_CSV, "json in Spark")


@frozen(eq=False)
class SparkTable:
    """A Spark data frame, and what errors and provenance call it."""

    frame: Any
    name: str
    form: str

    def collected(self, frame: Any) -> pa.Table:
        """The rows of a data frame made from this one; Spark may find only now that a file is damaged."""
        if not is_address(self.name):
            return collected(frame)
        with explained(self.name):
            return collected(frame)

    def sheet(self, table: pa.Table) -> Sheet:
        """Collected rows as a sheet; errors name no row, because rows in Spark have no order."""
        if not len(table):
            raise BadInput(f"{self.name}: the table has no rows")
        if self.form in _TEXT:
            self._require_utf8(table)
        if self.form == _CSV:
            self._require_one_header(table)
        return Sheet(validated(table, self.name), self.name, self.form, lambda _: self.name, typed=self.form != _CSV)

    def _require_one_header(self, table: pa.Table) -> None:
        from pyarrow.compute import equal

        rows = table
        for name in table.column_names:
            rows = rows.filter(equal(rows[name], name))
        if table.num_columns and len(rows):
            raise BadInput(f"{self.name}: the header occurs again; remove this line")

    def _require_utf8(self, table: pa.Table) -> None:
        from pyarrow.compute import index, match_substring

        for name, column in zip(table.column_names, table.columns, strict=True):
            place = index(match_substring(column, _REPLACED), True).as_py() if pa.types.is_string(column.type) else -1
            if place >= 0:
                value = column[place].as_py()
                raise BadInput(f"{self.name}: {name} is {value!r}, which is not UTF-8; save the file as UTF-8")


def spark_table(data: Any) -> SparkTable:
    """The table in a PySpark data frame, or at an address that Spark reads."""
    if is_address(data):
        frame, form = read_table(data)
        return SparkTable(frame, data, form)
    return SparkTable(data, type(data).__name__, form_of(data))


def spark_sheet(data: Any) -> Sheet:
    """The sheet in a PySpark data frame or at an address, where a single file is read as on this machine."""
    if is_address(data):
        with suppress(NeedsSpark):
            return read_sheet(data)
    table = spark_table(data)
    return table.sheet(table.collected(table.frame))
