"""PySpark data frames, and paths that Spark reads itself, such as s3://…."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cranfield.arrays import Ints
from cranfield.arrow import pa
from cranfield.errors import BadInput, BadSetting, MissingExtra
from cranfield.tables.adapters.chunks import RunTable
from cranfield.tables.adapters.frames import form_of, frame
from cranfield.tables.column_roles import Kind, roles
from cranfield.tables.rankings import Batch, Part
from cranfield.tables.readers.layouts import TREC_QRELS, TREC_RUN
from cranfield.tables.run_tags import Tags
from cranfield.tables.system_names import ending, system_name

MOST = 50_000_000  # most distinct rows of a classification

_READERS = {".parquet": "parquet", ".orc": "orc", ".json": "json", ".jsonl": "json", ".ndjson": "json"}
_ALONE = {  # of a session on this machine, which nobody else should reach
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.ui.enabled": "false",
}
_DELIMITED = {".csv": ",", ".tsv": "\t"}
_FIELDS: dict[Kind, tuple[str, ...]] = {"run": TREC_RUN.roles, "qrels": TREC_QRELS.roles}


@dataclass(frozen=True, eq=False)
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
        return RunTable(frame(self.frame.toArrow(), "run", self.name), self.name, self.form)


def spark_run(data: Any, name: str = "") -> SparkRun:
    """The run in a PySpark data frame, or at a path that Spark reads."""
    if isinstance(data, str):
        read, form = read_frame(data, "run")
        return SparkRun(read, name or system_name(data), form, text=form.endswith("text"))
    return SparkRun(data, name or "run", form_of(data))


def read_frame(path: str, kind: Kind) -> tuple[Any, str]:
    """The Spark data frame at a path, by its extension, and the form of the file; TREC text if it has no other."""
    reader, extension = spark_session().read, ending(path.rstrip("/"))
    if extension in _READERS:
        return reader.format(_READERS[extension]).load(path), f"{_READERS[extension]} in Spark"
    if extension in _DELIMITED:
        return reader.csv(path, header=True, sep=_DELIMITED[extension]), "CSV in Spark"
    return _fields(reader.text(path), kind), "TREC text"


def _fields(lines: Any, kind: Kind) -> Any:
    """The fields of TREC lines; all null for lines with a different number of fields."""
    from pyspark.sql import functions as f

    words = f.split(f.regexp_replace("value", r"^[ \t]+|[ \t]+$", ""), r"[ \t]+")
    complete = f.size(words) == len(_FIELDS[kind])
    columns = [f.when(complete, words[i]).alias(role) for i, role in enumerate(_FIELDS[kind]) if role]
    return lines.where(f.trim("value") != "").select(*columns)


def counted_rows(data: Any, item: Any, *requested: Any) -> tuple[pa.Table, Ints]:
    """The distinct rows of the requested columns of a Spark data frame, in a fixed order, and how often each occurs.

    They are counted in the cluster, which returns only the confusion matrix for labels, and one row per distinct score
    and class for scores.
    """
    if item is not None:
        raise BadSetting("items are counted in Spark, without their names; leave item out, or collect the data frame")
    columns = list(dict.fromkeys(_texts(requested)))
    unknown = next((name for name in columns if name not in data.columns), None)
    if unknown is not None:
        raise BadInput(f"there is no column {unknown!r} in the Spark data frame; available: {', '.join(data.columns)}")
    counted = data.groupBy(*columns).count().toArrow()
    rows = counted.sort_by([(name, "ascending") for name in columns])
    count = rows.column(len(columns)).to_numpy()
    if len(count) > MOST:
        raise BadInput(
            f"{len(count):,} distinct rows exceed the limit of {MOST:,} for one machine; round the scores, or "
            "classify one system at a time or a sample of the items"
        )
    return rows.select(columns), count


def _texts(requested: Any) -> Iterator[str]:
    """The names of columns in texts, and in lists and dicts of them."""
    if isinstance(requested, str):
        yield requested
    elif isinstance(requested, Mapping | list | tuple):
        for part in requested.values() if isinstance(requested, Mapping) else requested:
            yield from _texts(part)


def spark_session() -> Any:
    """The running Spark session, or a new one configured by the environment."""
    try:
        from pyspark import SparkConf, SparkContext
        from pyspark.sql import SparkSession
    except ImportError:
        raise MissingExtra("Spark needs PySpark: pip install 'cranfield[spark]'") from None
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
