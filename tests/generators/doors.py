"""One collection through every door: files of all formats, packed or not, standard input, frames, dicts and rows.

A door takes the rows of one side of a collection (query, document, number as it is written) and gives what `evaluate`
takes. Where a format by its nature cannot hold something, the door says so: `Polars` and `JSON` hold only ids that are
text (Polars and Parquet have columns of bytes for others), and a file of three columns without a header holds only
scores that cannot be taken for ranks.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pandas
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from generators.ids import encoded, is_text

Row = tuple[str, str, str]
Write = Callable[[Path, list[Row]], Any]


class Door(NamedTuple):
    """How rows go in, and whether these rows can."""

    write: Write
    takes: Callable[[list[Row]], bool] = lambda rows: True


class StandardInput(NamedTuple):
    """Bytes that are to be read from `-`."""

    data: bytes


def text_only(rows: list[Row]) -> bool:
    """Whether all ids are text."""
    return all(is_text(query) and is_text(document) for query, document, _ in rows)


def no_ranks(rows: list[Row]) -> bool:
    """Whether the numbers cannot be taken for ranks."""
    return any(not score.isdigit() for _, _, score in rows)


def number(text: str) -> int | float:
    """The number that a text stands for; whole ones as such."""
    try:
        return int(text)
    except ValueError:
        return float(text)


def lines(pattern: str, ending: str, pack: Callable[[bytes], bytes] = bytes, head: str = "") -> Write:
    """A file of lines made after a pattern, in which `n` stands for the number of the line."""

    def write(folder: Path, rows: list[Row]) -> Path:
        made = (pattern.format(q=query, d=document, v=value, n=n) for n, (query, document, value) in enumerate(rows))
        path = folder / f"given{ending}"
        path.write_bytes(pack(b"".join(map(encoded, [head, *made]))))
        return path

    return write


def cells(header: tuple[str, ...], order: tuple[int, ...], ending: str = ".csv", **how: Any) -> Write:
    """A file of cells, quoted where they need it; the columns are those of the row in this order."""

    def write(folder: Path, rows: list[Row]) -> Path:
        text = io.StringIO()
        writer = csv.writer(text, **how)
        writer.writerows([header, *([row[place] for place in order] for row in rows)])
        path = folder / f"given{ending}"
        path.write_bytes(encoded(text.getvalue()))
        return path

    return write


def json_number(text: str) -> str:
    """The number as JSON writes it; Python's writer has a word for infinity."""
    try:
        json.loads(text)
    except ValueError:
        return json.dumps(float(text))
    return text if math.isfinite(float(text)) else json.dumps(float(text))


def nested(rows: list[Row]) -> dict[str, dict[str, Any]]:
    """The rows as a dict of dicts."""
    made: dict[str, dict[str, Any]] = {}
    for query, document, value in rows:
        made.setdefault(query, {})[document] = number(value)
    return made


def json_document(folder: Path, rows: list[Row]) -> Path:
    """One object by query and document."""
    path = folder / "given.json"
    path.write_text(json.dumps(nested(rows)))
    return path


def json_lines(value: str, raw: bool = False) -> Write:
    """One object a line; with `raw` ids stand there as bytes, without escapes."""

    def write(folder: Path, rows: list[Row]) -> Path:
        path = folder / "given.jsonl"
        path.write_bytes(
            b"".join(
                encoded(
                    f'{{"qid": {json.dumps(query, ensure_ascii=not raw)}, '
                    f'"docno": {json.dumps(document, ensure_ascii=not raw)}, "{value}": {json_number(written)}}}\n'
                )
                for query, document, written in rows
            )
        )
        return path

    return write


def json_rows(value: str) -> Write:
    """One array of objects."""

    def write(folder: Path, rows: list[Row]) -> Path:
        path = folder / "given.json"
        path.write_text(json.dumps([{"qid": q, "docno": d, value: number(v)} for q, d, v in rows]))
        return path

    return write


def columns(rows: list[Row], value: str) -> dict[str, list[Any]]:
    """The rows as columns; ids are bytes if one of a column is no text, numbers whole if they fit."""
    numbers = [number(written) for _, _, written in rows]
    whole = all(isinstance(one, int) and -(2**63) <= one < 2**63 for one in numbers)
    return {
        "query_id": _names([query for query, _, _ in rows]),
        "doc_id": _names([document for _, document, _ in rows]),
        value: numbers if whole else list(map(float, numbers)),
    }


def _names(names: list[str]) -> list[Any]:
    return names if all(map(is_text, names)) else list(map(encoded, names))


def parquet(value: str) -> Write:
    """A Parquet file of small row groups."""

    def write(folder: Path, rows: list[Row]) -> Path:
        pa.parquet.write_table(pa.table(columns(rows, value)), folder / "given.parquet", row_group_size=7)
        return folder / "given.parquet"

    return write


def feather(value: str) -> Write:
    """An Arrow file of small batches."""

    def write(folder: Path, rows: list[Row]) -> Path:
        pa.feather.write_feather(pa.table(columns(rows, value)), folder / "given.arrow", chunksize=5)
        return folder / "given.arrow"

    return write


def arrow_stream(value: str) -> Write:
    """An Arrow stream of small batches, ids as dictionaries."""

    def write(folder: Path, rows: list[Row]) -> Path:
        table = pa.table(columns(rows, value))
        table = table.set_column(1, "doc_id", table["doc_id"].dictionary_encode())
        with pa.ipc.new_stream(folder / "given.arrows", table.schema) as writer:
            writer.write_table(table.unify_dictionaries(), max_chunksize=3)
        return folder / "given.arrows"

    return write


def piped(pattern: str) -> Write:
    """Lines on standard input."""
    return lambda folder, rows: StandardInput(lines(pattern, ".piped")(folder, rows).read_bytes())


def zstd(data: bytes) -> bytes:
    """The data packed by zstd."""
    return pa.Codec("zstd").compress(data, asbytes=True)


def tables(value: str) -> dict[str, Door]:
    """The doors that are the same for runs and judgments, but for the name of the number."""
    return {
        "CSV, quoted": Door(cells((value, "qid", "docno"), (2, 0, 1), quoting=csv.QUOTE_ALL)),
        "CSV": Door(cells(("Query-ID", "DocNo", value), (0, 1, 2))),
        "CSV, semicolons": Door(cells(("qid", "docno", value), (0, 1, 2), delimiter=";")),
        "TSV": Door(cells(("query-id", "corpus-id", value), (0, 1, 2), ".tsv", delimiter="\t")),
        "JSON": Door(json_document),
        "JSON rows": Door(json_rows(value)),
        "JSON Lines": Door(json_lines(value)),
        "JSON Lines, unescaped": Door(json_lines(value, raw=True)),
        "Parquet": Door(parquet(value)),
        "Arrow file": Door(feather(value)),
        "Arrow stream": Door(arrow_stream(value)),
        "Arrow table": Door(lambda _, rows: pa.table(columns(rows, value))),
        "Polars": Door(lambda _, rows: polars.DataFrame(columns(rows, value))),
        "Polars, lazy": Door(lambda _, rows: polars.LazyFrame(columns(rows, value))),
        "Polars, categories": Door(
            lambda _, rows: polars.DataFrame(columns(rows, value)).cast({"doc_id": polars.Categorical}), text_only
        ),
        "pandas": Door(lambda _, rows: pandas.DataFrame(columns(rows, value))),
        "pandas, categories": Door(
            lambda _, rows: pandas.DataFrame(columns(rows, value)).astype(
                {"query_id": "category", "doc_id": "category"}
            )
        ),
        "dict": Door(lambda _, rows: nested(rows)),
        "dict of bytes": Door(
            lambda _, rows: {
                encoded(query): {encoded(name): one for name, one in found.items()}
                for query, found in nested(rows).items()
            }
        ),
        "tuples": Door(lambda _, rows: ((query, document, number(value)) for query, document, value in rows)),
        "dicts": Door(lambda _, rows: [{"qid": q, "docno": d, value: number(v)} for q, d, v in rows]),
    }


TREC_RUN, TREC_QRELS = "{q} Q0 {d} {n} {v} tag\n", "{q} 0 {d} {v}\n"

RUNS: dict[str, Door] = {
    "TREC": Door(lines(TREC_RUN, ".run")),
    "TREC, tabs": Door(lines("{q}\tQ0\t{d}\t{n}\t{v}\ttag\r\n", ".run")),
    "TREC, untidy": Door(lines("# a note\n  {q}\t Q0 {d}  {n} {v}\t tag and more \r\n\n", ".res")),
    "TREC, gzip": Door(lines(TREC_RUN, ".run.gz", gzip.compress)),
    "TREC, zstd": Door(lines(TREC_RUN, ".run.zst", zstd)),
    "TREC, bzip2": Door(lines(TREC_RUN, ".run.bz2", bz2.compress)),
    "TREC, standard input": Door(piped(TREC_RUN)),
    "four fields": Door(lines("{q}\t{d}\t{n}\t{v}\n", ".tsv")),
    "three fields": Door(lines("{q} {d} {v}\n", ".txt"), no_ranks),
    "CSV of TREC": Door(cells(("query", "q0", "docid", "rank", "score", "system"), (0, 0, 1, 2, 2, 0))),
    **tables("score"),
}

QRELS: dict[str, Door] = {
    "TREC": Door(lines(TREC_QRELS, ".qrels")),
    "TREC, untidy": Door(lines("\n# x\n{q}\t0  {d} {v} \r\n", ".txt")),
    "TREC, gzip": Door(lines(TREC_QRELS, ".qrels.gz", gzip.compress)),
    "TREC, zstd": Door(lines(TREC_QRELS, ".qrels.zst", zstd)),
    "TREC, standard input": Door(piped(TREC_QRELS)),
    "MS MARCO": Door(lines("{q}\t0\t{d}\t{v}\n", ".tsv")),
    "three fields": Door(lines("{q} {d} {v}\n", ".txt")),
    **tables("relevance"),
}
