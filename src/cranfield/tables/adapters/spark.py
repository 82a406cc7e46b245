"""PySpark data frames, and paths that Spark reads itself, such as s3://…."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os.path import basename
from typing import Any

from cranfield.arrow import pa
from cranfield.errors import BadInput, MissingExtra, pip_line
from cranfield.frozen import frozen
from cranfield.tables.adapters.arrow import validated
from cranfield.tables.adapters.chunks import RunTable
from cranfield.tables.adapters.frames import form_of, frame
from cranfield.tables.adapters.spark_inputs import NeedsSpark, is_address
from cranfield.tables.columns import Kind, roles
from cranfield.tables.rankings import Batch, Part, Tags
from cranfield.tables.readers.formats.delimited_text import delimiter_of
from cranfield.tables.readers.layouts import TREC_QRELS, TREC_RUN
from cranfield.tables.readers.sheets import Sheet, read_sheet
from cranfield.tables.system_names import ending, system_name

_READERS = {".parquet": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_ALONE = {  # of a session on this machine, which nobody else should reach
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
}
_DELIMITED = {".csv": ",", ".tsv": "\t"}
_QUOTED = {"header": True, "escape": '"'}  # a quote in a cell is written twice
_RECORDS = {"multiLine": True, "mode": "FAILFAST", "enforceSchema": False}  # cells have line breaks, rows one width
_FIELDS: dict[Kind, tuple[str, ...]] = {"run": TREC_RUN.roles, "qrels": TREC_QRELS.roles}


@frozen(eq=False)
class SparkRun:
    """A run in Spark; its rankings leave the cluster only if a verb needs them complete."""

    frame: Any
    name: str
    form: str
    text: bool = False  # whether ids were decoded from a text file
    size: int | None = None
    digest: str | None = None
    tags: Tags = ()  # not looked at in a cluster

    def columns(self) -> dict[str, str]:
        """The needed columns by role."""
        names = list(self.frame.columns)
        return {role: names[place] for role, place in roles(names, "run", self.name).items()}

    def parts(self) -> Iterator[Part]:
        return self._collected().parts()

    def whole(self) -> Batch:
        return self._collected().whole()

    def _collected(self) -> RunTable:
        return RunTable(frame(collected(self.frame), "run", self.name), self.name, self.form)


def spark_run(data: Any, name: str = "") -> SparkRun:
    """The run in a PySpark data frame, or at a path that Spark reads."""
    if isinstance(data, str):
        read, form = read_frame(data, "run")
        return SparkRun(read, name or system_name(data), form, text=form.endswith("text"))
    if is_text(data):
        return SparkRun(_fields(data, "run"), name or "run", form_of(data), text=True)
    return SparkRun(data, name or "run", form_of(data))


def is_text(data: Any) -> bool:
    """Whether a Spark data frame contains lines, as `spark.read.text` returns them."""
    return list(data.columns) == ["value"]


def text_fields(data: Any) -> Any:
    """The fields of judgments in a Spark data frame: its own, or those of its lines."""
    return _fields(data, "qrels") if is_text(data) else data


def read_frame(path: str, kind: Kind) -> tuple[Any, str]:
    """The Spark data frame at a path, by its extension, and the form of the file; TREC text if it has no other."""
    extension = ending(path.rstrip("/"))
    with explained(path):
        reader = spark_session().read
        if extension in _READERS:
            return reader.load(path, _READERS[extension]), f"{_READERS[extension]} in Spark"
        if extension in _DELIMITED:
            return reader.options(**_QUOTED).csv(path, sep=_DELIMITED[extension]), "CSV in Spark"
        return _fields(reader.text(path), kind), "TREC text"


def read_table(path: str) -> tuple[Any, str]:
    """The Spark data frame at a path, whatever its columns, and the form of the file; Parquet if its extension says
    nothing else. Damaged rows are refused, which Spark would otherwise pad, cut or leave empty."""
    extension = ending(path.rstrip("/"))
    with explained(path):
        reader = spark_session().read
        if extension not in _DELIMITED:
            form = _READERS.get(extension, "parquet")
            return reader.load(path, form, mode="FAILFAST"), f"{form} in Spark"
        reader, expected = reader.options(**_QUOTED, **_RECORDS), _DELIMITED[extension]
        table = reader.csv(path, sep=expected)
        if not table.columns:
            raise no_data(path)
        delimiter = delimiter_of(expected.join(table.columns).encode())
        return (table if delimiter == expected else reader.csv(path, sep=delimiter)), "CSV in Spark"


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Spark's errors while it reads a path, as one line."""
    spark_session()  # refuses if PySpark is not installed
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except Py4JJavaError as error:  # such as a scheme whose library is not installed
        raise BadInput(f"{path}: Spark cannot read it ({_cause(error.java_exception)})") from None
    except PySparkException as error:
        if "UNABLE_TO_INFER_SCHEMA" in str(error):
            raise no_data(path) from None
        raise BadInput(f"{path}: Spark cannot read it ({str(error).partition(chr(10))[0]})") from None


def no_data(path: str) -> BadInput:
    """The error for a path at which Spark finds no data."""
    return BadInput(
        f"{path}: there are no data; the file or folder is empty, or its name begins with _ or . (Spark skips it)"
    )


def _cause(error: Any) -> str:
    """The first line of the message of the error that caused an error in Java."""
    message = ""
    while error is not None:
        message, error = error.getMessage() or message, error.getCause()
    return message.partition("\n")[0]


def _fields(lines: Any, kind: Kind) -> Any:
    """The fields of TREC lines; all null for lines with a different number of fields."""
    from pyspark.sql import functions as f

    trimmed = f.trim("value", f.lit(" \t"))
    words = f.split(trimmed, r"[ \t]+").alias("words")
    split = lines.where(trimmed != "").select(words)  # on its own, or Spark would split a line once for each column
    complete = f.size("words") == len(_FIELDS[kind])
    columns = [f.when(complete, f.col("words")[i]).alias(role) for i, role in enumerate(_FIELDS[kind]) if role]
    return split.select(*columns)


def collected(frame: Any) -> Any:
    """The Arrow table of a Spark data frame; an interruption is not hidden by the error of the cancelled job."""
    try:
        return frame.toArrow()
    except Exception as error:
        cause: BaseException | None = error
        while cause is not None:
            if isinstance(cause, KeyboardInterrupt):
                raise KeyboardInterrupt from None
            cause = cause.__cause__ or cause.__context__
        raise


def spark_session() -> Any:
    """The running Spark session, or a new one configured by the environment."""
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra(f"Spark needs PySpark: {pip_line('spark')}") from None
    builder = SparkSession.builder.appName("cranfield")
    if SparkContext._active_spark_context is None and "SPARK_REMOTE" not in os.environ:
        SparkContext._ensure_initialized()  # only Java knows what the environment configures
        configured = SparkConf()
        if configured.get("spark.master", "local[*]").startswith("local"):
            builder = builder.config(map={name: configured.get(name, value) for name, value in _ALONE.items()})
            if not configured.contains("spark.pyspark.python"):  # by default the first python3 on the path
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return builder.getOrCreate()


def require_spark(run: Any) -> SparkRun:
    """The run in Spark: unchanged, or read by Spark from its file."""
    if isinstance(run, SparkRun):
        return run
    if not hasattr(run, "path") or run.path == "-":
        raise BadInput(
            f"{run.name}: the engine 'spark' takes Spark data frames and paths, not {run.form}; "
            "use spark.createDataFrame, or another engine"
        )
    return spark_run(run.path, run.name)


# Files at addresses such as s3://…, fetched by Spark, which has the credentials


MOST_BYTES = 64 << 20  # a worker and the driver each hold a file several times
_ORC = ".orc"  # which only Spark reads


def fetched(address: str) -> bytes:
    """The bytes of the file at an address; folders, large files and ORC are left to Spark's readers of tables."""
    with explained(address):
        files = spark_session().read.format("binaryFile").load(address)
        listed = files.select("path", "length").limit(2).collect()
        if not listed:
            raise no_data(address)
        if len(listed) != 1 or basename(listed[0].path) != basename(address):
            raise NeedsSpark(f"{address}: this is a folder; give one file")
        if listed[0].length > MOST_BYTES:
            raise NeedsSpark(
                f"{address}: a file of this kind at an address may have at most {MOST_BYTES >> 20} MB; "
                "copy it to this machine first"
            )
        if ending(address) == _ORC:
            raise NeedsSpark(f"{address}: ORC cannot be read here; save it as Parquet or text")
        content: bytes = collected(files.select("content"))["content"][0].as_py()
        return content


# Tables in Spark, or at addresses that it reads, as sheets


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
