"""One small test collection in every form that can be read."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import make_dataclass
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import pandas
import polars
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from generated import collection

QRELS, RUN = collection(seed=1, n_queries=12)

Row = tuple[str, str, float]
Writer = Callable[[Path, list[Row]], Any]


class JudgedRanks(NamedTuple):
    query_id: str
    doc_id: str
    score: float


Judged = make_dataclass("Judged", ["qid", "docno", "label"])


def rows(nested: dict[str, dict[str, Any]]) -> list[Row]:
    return [(query, document, value) for query, found in nested.items() for document, value in found.items()]


def lines(pattern: str, ending: str = ".txt", pack: Callable[[bytes], bytes] = bytes, head: str = "") -> Writer:
    """A file with a line for each row, in which `n` stands for the rank."""

    def write(folder: Path, rows: list[Row]) -> Path:
        text, seen = head, dict.fromkeys((query for query, _, _ in rows), 0)
        for query, document, value in rows:
            seen[query] += 1
            text += pattern.format(q=query, d=document, v=value, n=seen[query])
        path = folder / f"given{ending}"
        path.write_bytes(pack(text.encode()))
        return path

    return write


def quoted(folder: Path, rows: list[Row]) -> Path:
    text = io.StringIO()
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("Score", "note", "Query-ID", "DocNo"), *((v, 'a "b",\nc', q, d) for q, d, v in rows)])
    (folder / "given.csv").write_text(text.getvalue(), newline="")
    return folder / "given.csv"


def by_query(rows: list[Row]) -> dict[str, dict[str, float]]:
    content: dict[str, dict[str, float]] = {}
    for query, document, value in rows:
        content.setdefault(query, {})[document] = value
    return content


def nested(folder: Path, rows: list[Row], **how: Any) -> Path:
    content = by_query(rows)
    (folder / "given.json").write_text(json.dumps(content, **how))
    return folder / "given.json"


def as_array(folder: Path, rows: list[Row]) -> Path:
    (folder / "given.json").write_text(json.dumps([JudgedRanks(*row)._asdict() for row in rows]))
    return folder / "given.json"


def table(rows: list[Row], value: str) -> dict[str, list[Any]]:
    return {"query_id": [r[0] for r in rows], "doc_id": [r[1] for r in rows], value: [r[2] for r in rows]}


def written(write: Callable[[pa.Table, Path], None], ending: str, value: str) -> Writer:
    def to_file(folder: Path, rows: list[Row]) -> Path:
        write(pa.table(table(rows, value)), folder / f"given{ending}")
        return folder / f"given{ending}"

    return to_file


def arrow_stream(content: pa.Table, path: Path) -> None:
    with pa.ipc.new_stream(path, content.schema) as writer:
        writer.write_table(content, max_chunksize=7)


def parquet(content: pa.Table, path: Path) -> None:
    pa.parquet.write_table(content, path, row_group_size=11)


def generator(rows: list[Row]) -> Iterator[Row]:
    yield from rows


PACKED = {
    "gzip": (".gz", gzip.compress),
    "zstd": (".zst", lambda data: pa.Codec("zstd").compress(data, asbytes=True)),
    "bzip2": (".bz2", bz2.compress),
}

RUNS: dict[str, Writer] = {
    "TREC": lines("{q} Q0 {d} {n} {v} tag\n", ".run"),
    "TREC, tabs": lines("{q}\tQ0\t{d}\t{n}\t{v}\ttag\r\n", ".run"),
    "TREC, untidy": lines("# note\n {q}\t Q0 {d}  {n} {v}\ttag and more \r\n\n", ".res"),
    **{f"TREC, {name}": lines("{q} Q0 {d} {n} {v} tag\n", f".run{end}", pack) for name, (end, pack) in PACKED.items()},
    "MS MARCO with score": lines("{q}\t{d}\t{n}\t{v}\n", ".tsv"),
    "pairs": lines("{q}\t{d}\t{v}\n", ".tsv"),
    "CSV": lines("{q},{d},{v}\n", ".csv"),
    "CSV of TREC": lines("{q},Q0,{d},{n},{v},tag\n", ".csv"),
    "CSV, PyTerrier": lines("{q},7,{d},{n},{v},text\n", ".csv", head="qid,docid,docno,rank,score,query\n"),
    "CSV, quoted": quoted,
    "CSV, semicolons": lines("{q};{d};{v}\n", ".csv", head="qid;docno;score\n"),
    "TSV, BEIR": lines("{q}\t{d}\t{v}\n", ".tsv", head="query-id\tcorpus-id\tscore\n"),
    "blanks, trectools": lines("{q} Q0 {d} {n} {v} s\n", head="query q0 docid rank score system\n"),
    "JSON": nested,
    "JSON, indented": lambda folder, rows: nested(folder, rows, indent=2),
    "JSON rows": as_array,
    "JSON Lines": lines('{{"q_id": "{q}", "doc_id": "{d}", "score": {v}, "more": [{{"x": 1}}]}}\n', ".jsonl"),
    "Parquet": written(parquet, ".parquet", "score"),
    "Arrow file": written(
        lambda content, path: pa.feather.write_feather(content, path, chunksize=9), ".arrow", "score"
    ),
    "Arrow stream": written(arrow_stream, ".arrows", "score"),
    "Polars": lambda _, rows: polars.DataFrame(table(rows, "score")),
    "Polars, lazy": lambda _, rows: polars.LazyFrame(table(rows, "score")),
    "Polars, categories": lambda _, rows: polars.DataFrame(table(rows, "score")).cast({"query_id": polars.Categorical}),
    "pandas": lambda _, rows: pandas.DataFrame(table(rows, "score")),
    "pandas, categories": lambda _, rows: pandas.DataFrame(table(rows, "score")).astype(
        {"query_id": "category", "doc_id": "category"}
    ),
    "pandas, indexed": lambda _, rows: pandas.DataFrame(table(rows, "score")).set_index(["query_id", "doc_id"]),
    "Arrow table": lambda _, rows: pa.table(table(rows, "score")),
    "Arrow batch": lambda _, rows: pa.record_batch(table(rows, "score")),
    "dict": lambda _, rows: by_query(rows),
    "named tuples": lambda _, rows: [JudgedRanks(*row) for row in rows],
    "ir_measures": lambda _, rows: (ir_measures.ScoredDoc(*row) for row in rows),
    "tuples": lambda _, rows: generator(rows),
    "dicts": lambda _, rows: [JudgedRanks(*row)._asdict() for row in rows],
}

GRADED: dict[str, Writer] = {
    "TREC": lines("{q} 0 {d} {v}\n", ".qrels"),
    "TREC, untidy": lines("\n# x\n{q}\t0  {d} {v} \r\n"),
    **{f"TREC, {name}": lines("{q} 0 {d} {v}\n", f".qrels{end}", pack) for name, (end, pack) in PACKED.items()},
    "fractions": lines("{q} 0 {d} {v}.0\n"),
    "MS MARCO": lines("{q}\t0\t{d}\t{v}\n", ".tsv"),
    "three fields": lines("{q} {d} {v}\n"),
    "BEIR": lines("{q}\t{d}\t{v}\n", ".tsv", head="query-id\tcorpus-id\tscore\n"),
    "CSV, PyTerrier": lines("{q},{d},{v}\n", ".csv", head="qid,docno,label\n"),
    "CSV, ir_datasets": lines("{q},{d},{v},0\n", ".csv", head="query_id,doc_id,relevance,iteration\n"),
    "CSV, trectools": lines("{q},0,{d},{v}\n", ".csv", head="query,q0,docid,rel\n"),
    "CSV, quoted": quoted,
    "JSON": nested,
    "JSON Lines": lines('{{"qid": "{q}", "docno": "{d}", "label": {v}}}\n', ".jsonl"),
    "Parquet": written(parquet, ".parquet", "relevance"),
    "Arrow stream": written(arrow_stream, ".arrow", "relevance"),
    "Polars": lambda _, rows: polars.DataFrame(table(rows, "relevance")),
    "pandas": lambda _, rows: pandas.DataFrame(table(rows, "label")),
    "dict": lambda _, rows: QRELS,
    "ir_measures": lambda _, rows: (ir_measures.Qrel(*row) for row in rows),
    "dataclasses": lambda _, rows: [Judged(*row) for row in rows],
    "tuples": lambda _, rows: generator(rows),
}
