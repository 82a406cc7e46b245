"""Runs in Spark: the same evidence and the same values as on one machine, bit for bit."""

from __future__ import annotations

import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.engines import local
from cranfield.engines import spark as engine
from cranfield.errors import BadInput, BadSetting
from cranfield.tables.sources import as_judgments, as_run
from generators.ids import encoded
from generators.rankings import collections

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark's, on pandas
    pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning"),
]
MEASURES = ["AP", "nDCG@10", "RR", "P@10", "R@1000", "Bpref", "ERR@20", "RBP", "Rprec", "NumRet"]
ARRAYS = ("n_retrieved", "rank", "tie_start", "tie_size", "answered")
COUNTS = ("n_unjudged_queries", "n_tied_queries", "n_merged_queries")


def messy(n: int = 40) -> tuple[pa.Table, pa.Table]:
    """The judgments and the run of many messy collections, as bytes; each has queries of its own."""
    source, qrels, run = random.Random(7), [], []
    for number in range(n):
        made = collections(source)
        qrels += [(encoded(f"{number}/{q}"), encoded(d), grade) for q, d, grade in made.qrels]
        run += [(encoded(f"{number}/{q}"), encoded(d), score) for q, d, score in made.run]
    return table(qrels, "grade"), table(run, "score")


def table(rows: list[tuple[Any, ...]], value: str) -> pa.Table:
    return pa.table(dict(zip(("query", "document", value), map(list, zip(*rows, strict=True)), strict=True)))


def as_text(data: pa.Table) -> pa.Table:
    """The table with its ids as text, without the rows that have others."""
    rows = []
    for row in data.to_pylist():
        try:
            rows.append({name: v.decode() if isinstance(v, bytes) else v for name, v in row.items()})
        except UnicodeDecodeError:
            continue
    return pa.Table.from_pylist(rows)


def require_same(frame: Any, run: Any, qrels: Any, **settings: Any) -> None:
    """That Spark and this machine count the same."""
    judged = as_judgments(qrels)
    ours, theirs = (
        counting.judged_ranks(as_run(data), judged, **settings) for counting, data in ((engine, frame), (local, run))
    )
    for name in ARRAYS:
        assert np.array_equal(getattr(ours, name), getattr(theirs, name)), name
    assert [getattr(ours, name) for name in COUNTS] == [getattr(theirs, name) for name in COUNTS]
    assert sorted(ours.strangers) == sorted(theirs.strangers)


@pytest.mark.parametrize("form", [bytes, str])
def test_messy_collections_are_counted_alike(spark, form):
    qrels, run = messy() if form is bytes else map(as_text, messy())
    frame = spark.createDataFrame(run)
    require_same(frame, run, qrels)
    if form is str:
        require_same(frame, run, qrels, order="name ascending", precision="single")


def test_values_and_their_names_are_the_same_bits(spark):
    qrels, run = map(as_text, messy())
    ours = cranfield.evaluate(spark.createDataFrame(qrels), spark.createDataFrame(run), MEASURES)
    theirs = cranfield.evaluate(qrels, run, MEASURES)
    assert ours.to_csv(per_query=True) == theirs.to_csv(per_query=True)
    assert ours.values.tobytes() == theirs.values.tobytes()
    assert ours.micro.tobytes() == theirs.micro.tobytes()
    assert ours.provenance.engine == "spark"
    assert ours.warnings == tuple(w for w in theirs.warnings if w.kind != "unsorted-queries")


def skewed() -> tuple[pa.Table, pa.Table]:
    """One query with most of the rows, and many with one."""
    chance = np.random.default_rng(5)
    n, few = 20_000, 200
    query = ["q"] * n + [f"q{i}" for i in range(few)]
    document = [f"d{i}" for i in range(n)] + ["d1"] * few
    run = pa.table({"query": query, "document": document, "score": chance.integers(0, 5000, n + few) / 8})
    judged = chance.choice(n + few, 400, replace=False)
    grades = pa.array(chance.integers(0, 3, 400))
    return run.take(judged).drop_columns(["score"]).append_column("grade", grades), run


def test_a_skewed_query_that_straddles_partitions_is_counted_whole(spark):
    qrels, run = skewed()
    scattered = spark.createDataFrame(run).repartition(5)
    assert scattered.where("query = 'q'").selectExpr("spark_partition_id() as p").distinct().count() == 5
    require_same(scattered, run, qrels)


def test_a_killed_executor_changes_nothing(spark, tmp_path):
    qrels, run = skewed()
    marker = str(tmp_path / "killed")

    def killing(batches: Any) -> Any:
        import os
        import signal

        for batch in batches:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))  # once
            except FileExistsError:
                yield batch
                continue
            with open(f"/proc/{os.getppid()}/stat") as daemon:
                executor = int(daemon.read().rpartition(")")[2].split()[1])
            os.kill(executor, signal.SIGKILL)
            yield batch

    if spark.sparkContext.master.startswith("local["):
        pytest.skip("there is no executor of its own to kill")
    frame = spark.createDataFrame(run).repartition(4).mapInArrow(killing, "query string, document string, score double")
    require_same(frame, run, qrels)
    assert Path(marker).exists()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    qrels, run = map(as_text, messy(10))
    keep = [row for row in run.to_pylist() if not any(c.isspace() for c in row["query"] + row["document"])]
    judged = [row for row in qrels.to_pylist() if not any(c.isspace() for c in row["query"] + row["document"])]
    text = "".join(f"{row['query']} Q0\t{row['document']}  {n} {row['score']} x\n" for n, row in enumerate(keep))
    (tmp_path / "it.run").write_text(text, "utf-8")
    text = "".join(f"{row['query']} 0 {row['document']} {row['grade']}\n" for row in judged)
    (tmp_path / "qrels.txt").write_text(text, "utf-8")
    return tmp_path


def test_the_command_line_hands_addresses_and_the_engine_to_spark(spark, files, capsys):
    def printed(*arguments: str) -> str:
        assert main(["eval", *arguments, "-m", "AP,nDCG@10", "-q", "-f", "csv", "--quiet"]) == 0
        return capsys.readouterr().out

    qrels, run = str(files / "qrels.txt"), str(files / "it.run")
    here = printed(qrels, run)
    assert printed(qrels, run, "--engine", "spark") == here
    assert printed(f"file://{qrels}", f"file://{run}") == here
    spark.read.text(run).write.text(str(files / "parts" / "it.run"))  # a folder of files
    assert printed(qrels, f"file://{files}/parts/it.run") == here
    cranfield.tables.adapters.spark.read_frame(run, "run")[0].write.parquet(str(files / "it.parquet"))
    assert printed(qrels, f"file://{files}/it.parquet") == here


def test_lines_in_a_data_frame_are_runs_and_judgments(spark, files):
    here = cranfield.evaluate(files / "qrels.txt", files / "it.run", MEASURES)
    qrels, run = (spark.read.text(str(files / name)) for name in ("qrels.txt", "it.run"))
    assert cranfield.evaluate(qrels, run, MEASURES).values.tobytes() == here.values.tobytes()


@pytest.mark.parametrize(("path", "reason"), [
    ("file:///nowhere/it.run", "Path does not exist"),
    ("nosuch://bucket/it.parquet", "No FileSystem for scheme"),
])  # fmt: skip
def test_addresses_that_spark_cannot_read_are_explained(spark, path, reason, capsys):
    with pytest.raises(BadInput, match=f"{path}: Spark cannot read it .*{reason}"):
        cranfield.evaluate({"q": {"d": 1}}, path, "AP")


def test_lines_are_split_once_at_any_blanks(spark, tmp_path, capsys):
    (tmp_path / "it.run").write_text(" \t q  Q0\td 1 2.0 x \t\n\t\n \nq Q0 e 2 1.0 x\n")
    frame, _ = cranfield.tables.adapters.spark.read_frame(str(tmp_path / "it.run"), "run")
    frame.explain()
    assert capsys.readouterr().out.count("split(") == 1  # it is most of the work on text
    assert [row.asDict() for row in frame.select("query", "document", "score").collect()] == [
        {"query": "q", "document": "d", "score": "2.0"},
        {"query": "q", "document": "e", "score": "1.0"},
    ]


@pytest.mark.parametrize(("rows", "message"), [
    ([("q", "d", 1.0), ("q", "d", 2.0)], "duplicate document 'd' for query 'q'"),
    ([("q", "d", float("nan"))], "NaN"),
    ([("q", None, 1.0)], "the document is missing"),
    ([], "no rows"),
])  # fmt: skip
def test_what_is_wrong_arrives_in_words(spark, rows, message):
    frame = spark.createDataFrame(rows, "query string, document string, score double")
    with pytest.raises(BadInput, match=message):
        cranfield.evaluate({"q": {"d": 1}}, frame, "AP")


def test_text_that_is_not_utf_8_and_broken_lines_are_refused(spark, tmp_path):
    for content, message in ((b"q Q0 d\xe9 1 2.0 x\n", "not UTF-8"), (b"q Q0 d 1 2.0\n", "must have the fields")):
        (tmp_path / "it.run").write_bytes(content)
        with pytest.raises(BadInput, match=message):
            cranfield.evaluate({"q": {"d": 1}}, tmp_path / "it.run", "AP", engine="spark")


def test_what_spark_cannot_do_is_refused():
    with pytest.raises(BadSetting, match="no order"):
        engine.judged_ranks(as_run({"q": {"d": 1}}), as_judgments({"q": {"d": 1}}), order="as given")
    with pytest.raises(BadInput, match="takes Spark data frames and paths"):
        cranfield.evaluate({"q": {"d": 1}}, {"q": {"d": 1}}, "AP", engine="spark")
    with pytest.raises(BadSetting, match="Novelty needs all ranked documents, which Spark does not return"):
        cranfield.evaluate({"q": {"d": 1}}, "one.run", "Novelty", item_info={"d": {"popularity": 1}}, engine="spark")


def test_other_verbs_and_engines_take_spark_frames_too(spark):
    qrels, run = map(as_text, messy(5))
    frame = spark.createDataFrame(run)
    here = cranfield.evaluate(qrels, run, "AP")
    assert cranfield.evaluate(qrels, frame, "AP", engine="local").values.tobytes() == here.values.tobytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert cranfield.pool([frame, run], depth=2).to_csv() == cranfield.pool([run, run], depth=2).to_csv()
