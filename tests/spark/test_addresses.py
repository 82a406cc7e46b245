"""Single files and data frames that Spark holds: every verb takes them as it takes a file on this machine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput
from cranfield.tables.adapters import spark as spark_files

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark's, on pandas
    pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning"),
]

QRELS = "q1 0 a 1\nq1 0 bb-long-name 0\nq1 0 文 2\nq02 0 a 1\nq02 0 c 3\n"
OTHER = "q1 0 a 1\nq1 0 bb-long-name 1\nq1 0 文 2\nq02 0 a 0\nq02 0 c 3\n"
RUN = "q1 Q0 文 1 0.5 s\nq1 Q0 x 2 0.5 s\nq1 Q0 a 3 1e-3 s\nq02 Q0 c 1 7 s\nq02 Q0 a 2 6.5 s\n"
TEXTS = {
    "qrels.txt": QRELS,
    "other.txt": OTHER,
    "run.txt": RUN,
    "values.csv": 'query,"sys, 1",系2\nq1,0.5,0.25\nq02,0.125,0.75\nq3,1,0.5\nq4,0.2,0.1\n',
    "ratings.csv": 'rater,item,label\nann,1,"ja, doch"\nbob,1,nein\nann,02,nein\nbob,02,nein\nann,3,文\nbob,3,文\n',
    "counts.csv": "actual,no,yes\nno,1820,180\nyes,10,20\n",
    "items.csv": "document,popularity,group\na,5,x\n文,1,y\nc,7,x\nbb-long-name,2,y\nx,0,y\n",
    "systems.csv": "system,year\nrun,2024\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files with = and ,")
    for name, text in TEXTS.items():
        (folder / name).write_text(text, "utf-8")
    (folder / "qrels.txt.gz").write_bytes(gzip.compress(QRELS.encode()))
    (folder / "latin.txt").write_bytes(QRELS.replace("文", "é").encode("latin-1"))
    return folder


def content(result: Any) -> dict[str, Any]:
    """The result, apart from the names of its inputs and how many decimals depend on them."""
    found: dict[str, Any] = json.loads(result.to_json())
    for origin in found["provenance"].pop("inputs"):
        assert origin["digest"], "a file that was read as a whole has a digest"
    return found


VERBS: dict[str, Callable[[Callable[[str], str]], Any]] = {
    "compressed": lambda at: cranfield.agree([at("qrels.txt.gz"), at("other.txt")]),
    "not UTF-8": lambda at: cranfield.agree([at("latin.txt"), at("other.txt")]),
    "compare": lambda at: cranfield.compare(at("values.csv")),
    "agree": lambda at: cranfield.agree(at("ratings.csv")),
    "judgments": lambda at: cranfield.agree([at("qrels.txt"), at("other.txt")]),
    "counts": lambda at: cranfield.classify(counts=at("counts.csv"), positive="yes"),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_single_file_is_read_as_on_this_machine(spark, folder, verb):
    there, here = (VERBS[verb](at) for at in (lambda name: f"file://{folder}/{name}", lambda name: f"{folder}/{name}"))
    assert content(there) == content(here)


def test_runs_are_ranked_in_the_cluster_but_tables_beside_them_are_read_as_files(spark, folder):
    def evaluated(at: str) -> Any:
        return cranfield.evaluate(
            f"{at}/qrels.txt", f"{folder}/run.txt", ["AP", "Novelty@2"],
            item_info=f"{at}/items.csv", system_info=f"{at}/systems.csv", engine="local",
        )  # fmt: skip

    there, here = evaluated(f"file://{folder}"), evaluated(str(folder))
    assert content(there) == content(here)


@pytest.mark.parametrize("command", [
    ["compare", "--values", "{}/values.csv"],
    ["agree", "{}/ratings.csv"],
    ["agree", "{}/qrels.txt", "{}/other.txt"],
    ["classify", "--counts", "{}/counts.csv", "--positive", "yes"],
    ["eval", "{}/qrels.txt", "{}/run.txt", "-m", "AP"],
], ids=" ".join)  # fmt: skip
def test_the_command_line_prints_the_same_for_an_address(spark, folder, command, capsys):
    printed = []
    for at in (f"file://{folder}", str(folder)):
        assert main([*(word.format(at) for word in command), "-f", "csv", "--quiet"]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]


def test_data_frames_in_spark_are_tables_for_every_verb(spark, folder):
    def frame(name: str, **settings: Any) -> Any:
        return spark.read.csv(f"{folder}/{name}", header=True, **settings)

    numbers = frame("values.csv", inferSchema=True)
    assert str(cranfield.compare(numbers)) == str(cranfield.compare(f"{folder}/values.csv"))
    there, here = cranfield.agree(frame("ratings.csv")), cranfield.agree(f"{folder}/ratings.csv")
    assert there.to_csv() == here.to_csv()


def test_large_files_folders_and_orc_are_left_to_the_readers_of_tables(spark, folder, tmp_path, monkeypatch):
    here = cranfield.compare(f"{folder}/values.csv")
    table = spark.read.csv(f"{folder}/values.csv", header=True, inferSchema=True)
    table.write.parquet(f"{tmp_path}/parts")
    table.withColumnsRenamed({"sys, 1": "one"}).coalesce(1).write.orc(f"{tmp_path}/orc")
    assert str(cranfield.compare(f"file://{tmp_path}/parts")) == str(here)
    (file,) = Path(tmp_path, "orc").glob("*.orc")
    (row,) = cranfield.compare(f"file://{file}").rows
    assert row.difference == here.rows[0].difference
    monkeypatch.setattr(spark_files, "MOST_BYTES", 10)
    assert str(cranfield.compare(f"file://{folder}/values.csv")) == str(here)
    assert str(cranfield.agree(f"file://{folder}/ratings.csv")) == str(cranfield.agree(f"{folder}/ratings.csv"))


def test_what_cannot_be_read_is_explained_in_one_line(spark, folder, monkeypatch):
    for verb in (cranfield.compare, cranfield.agree):
        with pytest.raises(BadInput, match=r"^file:///there/is/none.csv: Spark cannot read it \(.*\)$"):
            verb("file:///there/is/none.csv")
    with pytest.raises(BadInput, match=r"values\.csv"):
        cranfield.agree([f"file://{folder}/values.csv", f"file://{folder}/other.txt"])


def test_empty_files_and_those_that_spark_skips_are_explained(spark, tmp_path):
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "empty.csv").touch()
    for name in ("_skipped.csv", ".skipped.csv"):
        (tmp_path / name).write_text(TEXTS["values.csv"], "utf-8")
    verbs: tuple[Callable[[str], Any], ...] = (
        cranfield.compare,
        cranfield.agree,
        lambda at: cranfield.classify("y", score="s", data=at),
    )
    for name in ("folder.csv", "empty.csv", "_skipped.csv", ".skipped.csv"):
        address = f"file://{tmp_path}/{name}"
        for verb in verbs:
            with pytest.raises(
                BadInput, match="there are no data; the file or folder is empty, or its name"
            ) as refused:
                verb(address)
            assert str(refused.value).startswith(f"{address}: ")
