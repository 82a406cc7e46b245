"""Counting in a Spark cluster: rows are shuffled by query, workers count with `local`, only evidence is returned."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import reduce
from itertools import chain
from operator import add
from typing import Any

from cranfield.arrow import pa
from cranfield.engines import local
from cranfield.engines.protocol import Precision, Progress, TieOrder
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.evidence.ranks_table import ranks_from, ranks_table
from cranfield.frozen import frozen
from cranfield.tables.adapters.arrow import slices
from cranfield.tables.adapters.chunks import RunChunk
from cranfield.tables.adapters.spark import collected, require_spark
from cranfield.tables.judgments import Judgments
from cranfield.tables.rankings import RunSource

NAME = "spark"

_SCHEMA = "evidence binary, problem string"
_PLACE = re.compile(r", row \d+ \(counting from 0\)")  # row numbers within a partition mean nothing to users
_REPLACED = "\ufffd"  # Spark's replacement for bytes that are not UTF-8


def judged_ranks(
    run: RunSource,
    judged: Judgments,
    *,
    order: TieOrder = "name descending",
    precision: Precision = "double",
    progress: Progress | None = None,  # noqa: ARG001  # Spark shows its own
) -> JudgedRanks:
    """The ranks of the judged documents in a run."""
    if order == "as given":
        raise BadSetting("rows in Spark have no order, so ties='given' does not apply; choose another setting")
    source = require_spark(run)
    columns = source.columns()
    count = _Count(replace(judged), tuple(columns), source.name, order, precision, source.text)
    rows = source.frame.select(*(source.frame[column].alias(role) for role, column in columns.items()))
    counted = collected(rows.repartition("query").sortWithinPartitions("query").mapInArrow(count, _SCHEMA))
    problems = sorted(filter(None, counted["problem"].to_pylist()))
    if problems:
        raise BadInput(problems[0])
    evidence = [ranks_from(_read(data), judged) for data in counted["evidence"].to_pylist()]
    if not evidence:
        raise BadInput(f"{source.name}: the table has no rows")
    return replace(reduce(add, evidence), n_disordered_queries=0)  # rows in Spark have no order


@frozen(eq=False)
class _Count:
    """The function that a worker applies to the rows of a partition, sorted by query."""

    judged: Judgments
    roles: tuple[str, ...]
    name: str
    order: TieOrder
    precision: Precision
    text: bool

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        filled = (batch for batch in batches if len(batch))
        first = next(filled, None)
        if first is None:
            return
        evidence, problem = None, None
        try:
            evidence = _written(ranks_table(self._counted(chain([first], filled)), self.judged))
        except BadInput as error:  # an exception would arrive as a Java traceback
            problem = _PLACE.sub("", str(error)) + self._expected(str(error))
        yield pa.RecordBatch.from_pydict(
            {"evidence": pa.array([evidence], pa.binary()), "problem": pa.array([problem], pa.string())}
        )

    def _counted(self, batches: Iterable[pa.RecordBatch]) -> JudgedRanks:
        checked = map(self._decoded, batches) if self.text else batches
        chunks = slices(checked, {role: role for role in self.roles}, self.name)
        counts = (local.counted(RunChunk(chunk)(), self.judged, self.order, self.precision) for chunk in chunks)
        return local.together(counts, self.judged)

    def _decoded(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The batch, after checking that all its ids were UTF-8."""
        from pyarrow.compute import any as any_of
        from pyarrow.compute import match_substring

        for role in ("query", "document"):
            if any_of(match_substring(batch[role], _REPLACED)).as_py():
                raise BadInput(
                    f"{self.name}: a {role} is not UTF-8, as Spark requires; use Parquet with binary "
                    "columns, or another engine"
                )
        return batch

    def _expected(self, problem: str) -> str:
        missing = self.text and problem.endswith("is missing")
        return "; lines must have the fields query, Q0, document, rank, score and tag" if missing else ""


def _written(table: pa.Table) -> bytes:
    data = io.BytesIO()
    with pa.ipc.new_stream(data, table.schema) as stream:
        stream.write_table(table)
    return data.getvalue()


def _read(data: bytes) -> Any:
    return pa.ipc.open_stream(data).read_all()
