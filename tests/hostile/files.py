"""Small sound files in every form that a command reads."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.ipc
from pyarrow import parquet

Columns = Mapping[str, Sequence[Any]]

RUN: Columns = {
    "query": ["q1", "q1", "q1", "q2", "q2", "q3"],
    "document": ["d1", "FBIS3-10082", "clueweb09-en0000-00-00000", "d1", "日本", "d9"],
    "score": [3.5, 2.5, 2.5, 1e-3, -4.0, 0.0],
}
QRELS: Columns = {
    "query": ["q1", "q1", "q2", "q2", "q3"],
    "document": ["d1", "clueweb09-en0000-00-00000", "日本", "d1", "d9"],
    "grade": [1, 2, 1, 0, 1],
}
ITEMS: Columns = {
    "item": ["i1", "i2", "i3", "i4", "i5", "i6"],
    "label": ["yes", "no", "yes", "no", "yes", "no"],
    "guess": ["yes", "no", "no", "yes", "yes", "no"],
    "score": [0.9, 0.25, 0.5, 0.5, 0.75, 0.125],
    "price": [1.5, 2.0, -3.0, 4.25, 5.0, 6.0],
    "bid": [1.0, 2.5, -3.0, 4.0, 5.5, 6.25],
}
VALUES: Columns = {
    "query": ["q1", "q2", "q3", "q4", "q5", "q6"],
    "bm25": [0.5, 0.25, 0.75, 0.5, 0.125, 1.0],
    "dense": [0.75, 0.25, 1.0, 0.5, 0.5, 0.75],
    "tree": [0.25, 0.5, 0.5, 0.375, 0.125, 0.25],
}
RATINGS: Columns = {
    "query": ["q1", "q1", "q1", "q1", "q2", "q2", "q3", "q3"],
    "iteration": ["ann", "bob"] * 4,
    "document": ["d1", "d1", "d2", "d2", "日本", "日本", "d9", "d9"],
    "grade": [1, 1, 0, 1, 2, 2, 0, 2],
}


class Reader(NamedTuple):
    """A command, with `{}` where it takes the file, and a file that it can read."""

    command: str
    file: str
    data: bytes
    others: Mapping[str, bytes] = {}  # in the same folder, which is what the command takes

    def __str__(self) -> str:
        return f"{self.command.replace('{}', self.file)}"

    def written(self, folder: Path, data: bytes, number: int) -> str:
        """What the command takes, once the file is there with this content."""
        path = folder / f"{number}-{self.file}"
        for name, content in {**{path.parent / name: other for name, other in self.others.items()}, path: data}.items():
            name.parent.mkdir(parents=True, exist_ok=True)
            name.write_bytes(content)
        return path.relative_to(folder).parts[0]


def separated(columns: Columns, delimiter: str = ",") -> bytes:
    """The table with a header, and this delimiter between its cells."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))
    return text.getvalue().encode()


def rows(columns: Columns) -> list[dict[str, Any]]:
    """The table as one dict per row."""
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def json_lines(columns: Columns) -> bytes:
    """The table as JSON Lines."""
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows(columns))


def nested(columns: Columns) -> bytes:
    """The table as `{query: {document: number}}`."""
    made: dict[str, dict[str, Any]] = {}
    for query, document, value in zip(*columns.values(), strict=True):
        made.setdefault(query, {})[document] = value
    return json.dumps(made, indent=1).encode()


def arrow(table: pa.Table, kind: str, **options: Any) -> bytes:
    """The table as an Arrow file or stream."""
    sink = io.BytesIO()
    new = pa.ipc.new_file if kind == "file" else pa.ipc.new_stream
    with new(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table, 4)
    return sink.getvalue()


def parquet_file(table: pa.Table) -> bytes:
    """The table as a Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(table, sink)
    return sink.getvalue()


def forms(columns: Columns) -> dict[str, bytes]:
    """The table in every form, by the ending of the file's name."""
    table = pa.table(dict(columns))
    text = separated(columns)
    name = table.column_names[0]
    coded = table.set_column(0, name, table[name].dictionary_encode())
    return {
        "csv": text,
        "tsv": separated(columns, "\t"),
        "jsonl": json_lines(columns),
        "json": json.dumps(rows(columns)).encode(),
        "parquet": parquet_file(coded),
        "arrow": arrow(coded, "file"),
        "arrows": arrow(table, "stream"),
        "lz4.arrow": arrow(table, "file", compression="lz4"),
        "csv.gz": gzip.compress(text, mtime=0),
        "csv.zst": pa.compress(text, "zstd", asbytes=True),
        "csv.bz2": bz2.compress(text),
    }


def trec(columns: Columns, kind: str) -> bytes:
    """The table as TREC writes runs and judgments."""
    lines = zip(*columns.values(), strict=True)
    written = (
        f"{query} Q0 {document} {place} {value} tag" if kind == "run" else f"{query} 0 {document} {value}"
        for place, (query, document, value) in enumerate(lines, 1)
    )
    return "".join(f"{line}\n" for line in written).encode()


EVAL_RUN, EVAL_QRELS = "eval qrels.txt {} -m AP -m nDCG@10 -f csv", "eval {} run.txt -m AP -m nDCG@10 -f csv"
CLASSIFY = "classify {} -a label -p guess -m Accuracy -f csv"
COMPARE = "compare --values {} -f json"
AGREE = "agree {} -f json --resamples 10"


def full() -> Iterator[Reader]:
    """One command for each reader, with files of every form."""
    for command, columns, kind in ((EVAL_RUN, RUN, "run"), (EVAL_QRELS, QRELS, "qrels")):
        yield Reader(command, f"{kind}.trec", trec(columns, kind))
        yield Reader(command, f"nested-{kind}.json", nested(columns))
        yield from (Reader(command, f"{kind}.{form}", data) for form, data in forms(columns).items())
    for command, columns, name in (
        (CLASSIFY, ITEMS, "items"),
        (COMPARE, VALUES, "values"),
        (AGREE, RATINGS, "ratings"),
    ):
        yield from (Reader(command, f"{name}.{form}", data) for form, data in forms(columns).items())
    yield Reader("trec_eval qrels.txt {}", "trec-run.txt", trec(RUN, "run"))
    yield Reader("trec_eval {} run.txt", "trec-qrels.txt", trec(QRELS, "qrels"))
    yield Reader("eval qrels.txt run.txt --topics {}", "topics.tsv", b"query\ttopic\nq1\ta\nq2\tb\nq3\tb\n")
    yield Reader("eval {} run.txt --judgments prefs -m Prefs", "prefs.txt", PREFS)
    yield Reader("agree {} --resamples 10", "raters.qrels", b"t ann d1 1\nt ann d2 0\nt bob d1 1\nt bob d2 1\n")
    yield Reader("agree {} --resamples 10", "wide.csv", b"item,ann,bob\ni1,good,poor\ni2,good,good\ni3,poor,poor\n")
    yield Reader("check {}", "gates.toml", GATES)
    yield Reader("check {} -f json", "values.toml", VALUE_GATES)
    collection = {name: BESIDE[name] for name in ("qrels.txt", "a.run", "b.run")}
    yield from (Reader("meta . {} -m AP", f"web/{name}", collection[name], collection) for name in collection)
    yield Reader("compare --values {}", "mteb/dense/ArguAna.json", mteb("ArguAna"), MTEB)


GATES = b"""qrels = "qrels.txt"
run = "run.txt"
baseline = "other.txt"
settings = {depth = 100}

[[gate]]
measure = "AP"
require = "at least"
value = 0.125

[[gate]]
measure = "nDCG@10"
require = "not worse"
margin = 0.9
level = 0.2
"""
VALUE_GATES = b"""values = "people.csv"
run = "dense"
baseline = "bm25"
lower_is_better = []

[[gate]]
measure = "quality"
require = "at least"
value = 0.125
"""


def mteb(task: str) -> bytes:
    """A result of MTEB."""
    record = {"hf_subset": "default", "main_score": 0.5, "ndcg_at_10": len(task) / 16, "languages": ["eng-Latn"]}
    return json.dumps({"task_name": task, "mteb_version": "1.2", "scores": {"test": [record]}}, indent=1).encode()


MTEB = {
    "STS12.json": mteb("STS12"),
    "../bm25/STS12.json": mteb("STS12").replace(b"0.5", b"0.25"),
    "../bm25/ArguAna.json": mteb("ArguAna").replace(b"0.5", b"0.75"),
}
PREFS = b"q1 g s d1 1\nq1 g s d9 2\nq2 g s d1 1\nq2 g t d1 2\n"

COMMANDS: dict[str, Columns] = {
    "classify {} -a label --score score --positive yes": ITEMS,
    "classify {} -a label -p guess --positive yes --item item --weight bid --findings": {
        **ITEMS,
        "bid": [1, 2, 3, 4, 5, 6],
    },
    "regress {} -a price -p bid --findings": ITEMS,
    "report --classify {} --actual label --predicted guess --positive yes -o page.html": ITEMS,
    "plot roc {} -a label -s score --positive yes": ITEMS,
    "plot residuals {} -a price -p bid": ITEMS,
    "plot confusion {} -a label -p guess -o plot.json": ITEMS,
    "latent --values {}": VALUES,
    "reproduce --values {} --resamples 10": VALUES,
    "correlate --orders {}": VALUES,
    "plot kappas {}": RATINGS,
    "compare qrels.txt other.txt {}": RUN,
    "latent qrels.txt other.txt {} -m P@1": RUN,
    "reproduce qrels.txt other.txt {} --resamples 10": RUN,
    "plan qrels.txt other.txt {} --difference 0.1": RUN,
    "correlate qrels.txt other.txt {}": RUN,
    "curve qrels.txt {}": RUN,
    "plot strips qrels.txt {}": RUN,
    "report qrels.txt {} -o page.html": RUN,
    "agree raters.qrels --run other.txt --run {} --resamples 10": RUN,
    "correlate qrels.txt run.txt other.txt --also {}": QRELS,
    "bayes --values {} --model signed-rank --resamples 10": VALUES,
    "mixed --values {}": VALUES,
    "monitor --values {} --range 0,1": VALUES,
    "estimate --human people.csv --machine {}": VALUES,
    "pool other.txt {} -f csv": RUN,
    "pool --quality --qrels {} other.txt run.txt": QRELS,
}


def columns_of(command: str) -> Columns | None:
    """The table that a command reads, if it reads one with types."""
    own = {EVAL_RUN: RUN, EVAL_QRELS: QRELS, CLASSIFY: ITEMS, COMPARE: VALUES, AGREE: RATINGS}
    return (own | COMMANDS).get(command)


def briefly(form: str) -> Iterator[Reader]:
    """Every other command that reads a file, with a file of one form."""
    return (Reader(command, f"file.{form}", forms(columns)[form]) for command, columns in COMMANDS.items())


OTHER: Columns = {**RUN, "score": [1, 2, 3, 1, 2, 0]}
BESIDE = {
    "qrels.txt": trec(QRELS, "qrels"),
    "run.txt": trec(RUN, "run"),
    "other.txt": trec(OTHER, "run"),
    "people.csv": separated({name: column[:5] for name, column in VALUES.items()}),
    "a.run": trec(RUN, "run"),
    "b.run": trec(OTHER, "run"),
    "raters.qrels": b"q1 ann d1 1\nq1 bob d1 0\nq1 ann FBIS3-10082 0\nq1 bob FBIS3-10082 1\nq2 ann d1 1\nq2 bob d1 1\n",
}
