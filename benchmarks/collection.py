"""Test collections made up for the benchmarks: the same numbers wherever they are made, written once and reused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from cranfield.arrays import Ints

if TYPE_CHECKING:
    from benchmarks.rankings import Shape


COLLECTION = 8_841_823  # documents; a prime, so that equal steps through it come to no document twice
LINES = 1_000_000  # made up at a time
STEPS = 999_999  # scores have six decimals: ties occur, and 32-bit numbers still tell all of them apart
SEED = 20


def write_collection(folder: Path, shape: Shape) -> None:
    """Write the qrels and the run of a test collection, in TREC's format, unless they are there."""
    if folder.exists():
        return
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    with open(unfinished / "qrels.txt", "wb") as qrels, open(unfinished / "run.txt", "wb") as run:
        for query in _blocks(shape):
            random = np.random.default_rng([SEED, int(query[0])])
            walk = random.integers(1, COLLECTION, (2, len(query), 1))
            _ranking(query, walk, shape, random).write_csv(run, include_header=False, separator=" ", float_precision=6)
            _judgments(query, walk, shape, random).write_csv(qrels, include_header=False, separator=" ")
    unfinished.rename(folder)


def write_runs(folder: Path, shape: Shape, n_runs: int) -> None:
    """Write qrels, and runs that rank the same documents in different orders, unless they are there."""
    if folder.exists():
        return
    write_collection(folder.with_suffix(".unfinished"), shape)
    folder.with_suffix(".unfinished").rename(folder)
    rows = [line.split() for line in (folder / "run.txt").read_bytes().splitlines()]
    rankings = [rows[first : first + shape.depth] for first in range(0, len(rows), shape.depth)]
    score = [row[4] for row in rankings[0]]
    for number in range(2, n_runs + 1):
        order = np.random.default_rng([SEED, number]).permutation(shape.depth)
        with open(folder / f"run-{number:02}.txt", "wb") as run:
            for ranking in rankings:  # in the order of their scores, as systems write them
                for rank, at in enumerate(order):
                    query, iteration, document, _, _, tag = ranking[at]
                    run.write(b"%b %b %b %d %b %b\n" % (query, iteration, document, rank + 1, score[rank], tag))


def write_shuffled(source: Path, folder: Path) -> None:
    """Write the lines of a run in random order, with the same qrels, unless they are there."""
    if folder.exists():
        return
    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(exist_ok=True)
    (unfinished / "qrels.txt").write_bytes((source / "qrels.txt").read_bytes())
    lines = np.array((source / "run.txt").read_bytes().splitlines(keepends=True), object)
    (unfinished / "run.txt").write_bytes(b"".join(np.random.default_rng(SEED).permutation(lines).tolist()))
    unfinished.rename(folder)


def write_parquet(folder: Path) -> None:
    """Write the run of a folder as Parquet too, unless it is there."""
    if (folder / "run.parquet").exists():
        return
    text, number = pl.String(), pl.Float64()
    columns = {"query": text, "Q0": text, "document": text, "rank": text, "score": number, "tag": text}
    run = pl.scan_csv(folder / "run.txt", separator=" ", has_header=False, schema=columns, quote_char=None)
    run.select("query", "document", "score").sink_parquet(folder / "run.unfinished")
    (folder / "run.unfinished").rename(folder / "run.parquet")


def write_predictions(folder: Path, n_items: int, decimals: int | None) -> None:
    """Write labels, a tenth of them positive, and scores as Parquet, unless they are there."""
    if folder.exists():
        return
    from pyarrow.parquet import ParquetWriter

    unfinished = folder.with_suffix(".unfinished")
    unfinished.mkdir(parents=True, exist_ok=True)
    writer = None
    for first in range(0, n_items, LINES):
        random = np.random.default_rng([SEED, first])
        label = random.random(min(LINES, n_items - first)) < 0.1
        score = random.normal(size=len(label)) + label
        score = score if decimals is None else np.round(score, decimals)
        table = pl.DataFrame({"label": label.astype(np.int8), "score": score}).to_arrow()
        writer = writer or ParquetWriter(unfinished / "predictions.parquet", table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    unfinished.rename(folder)


def _blocks(shape: Shape) -> Iterator[Ints]:
    many = max(1, LINES // shape.depth)
    return (np.arange(first, min(first + many, shape.n_queries)) for first in range(0, shape.n_queries, many))


def _documents(walk: Ints, step: Ints) -> Ints:
    """The documents that a query's walk through the collection has come to after so many steps."""
    start, stride = walk
    document: Ints = (start + stride * step) % COLLECTION
    return document


def _ranking(query: Ints, walk: Ints, shape: Shape, random: np.random.Generator) -> pl.DataFrame:
    score = np.sort(random.integers(1, STEPS + 1, (len(query), shape.depth)), axis=1)[:, ::-1]
    rank = np.broadcast_to(np.arange(shape.depth), score.shape)
    return pl.DataFrame(
        {
            "query": np.repeat(shape.first_query + query, shape.depth),
            "document": _documents(walk, rank).ravel(),
            "rank": rank.ravel() + 1,
            "score": score.ravel() / (STEPS + 1),
        }
    ).select("query", pl.lit("Q0").alias("Q0"), "document", "rank", "score", pl.lit("run").alias("tag"))


def _judgments(query: Ints, walk: Ints, shape: Shape, random: np.random.Generator) -> pl.DataFrame:
    """Some of the documents in the ranking, at any rank, and some that it missed."""
    n_missed = shape.n_judged - shape.n_found
    retrieved = np.argsort(random.random((len(query), shape.depth)), axis=1)[:, : shape.n_found]
    missed = np.broadcast_to(shape.depth + np.arange(n_missed), (len(query), n_missed))
    step = np.hstack([retrieved, missed])
    return pl.DataFrame(
        {
            "query": np.repeat(shape.first_query + query, shape.n_judged),
            "document": _documents(walk, step).ravel(),
            "grade": random.integers(shape.least, shape.greatest + 1, step.size),
        }
    ).select("query", pl.lit(0).alias("iteration"), "document", "grade")
