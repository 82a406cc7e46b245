"""Predictions at addresses that Spark reads: the same values as from the same file on this machine, bit for bit."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.orc
import pyarrow.parquet
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, MissingExtra

pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),  # PySpark's, on pandas
    pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning"),
]
LABELS = ['ja, "doch"', "nein", "vielleicht 文", "=1", " mit\nUmbruch ", "01"]


@pytest.fixture(scope="module")
def items() -> pa.Table:
    """Labels of several lengths and scripts with quotes and line breaks, rounded and repeated scores, folds."""
    chance = np.random.default_rng(17)
    n = 600
    actual = chance.choice(len(LABELS), n, p=[0.4, 0.3, 0.2, 0.05, 0.04, 0.01])
    predicted = np.where(chance.random(n) < 0.7, actual, chance.integers(0, len(LABELS), n))
    spam = chance.integers(0, 2, n)
    score = np.round(np.clip(chance.normal(0.3 + 0.3 * spam, 0.2), 0, 1), 2)
    return pa.table({
        "actual": [LABELS[code] for code in actual],
        "predicted": [LABELS[code] for code in predicted],
        "spam": spam,
        "is spam": spam == 1,
        "a.score`": score,
        "margin": chance.normal(size=n) - 1e-3 * score,
        "fold": chance.integers(0, 5, n),
        "not spam": np.round(1 - score, 2),
    })  # fmt: skip


@pytest.fixture(scope="module")
def files(items: pa.Table, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("predictions")
    pa.parquet.write_table(items, folder / "items.parquet")
    pa.orc.write_table(items.drop_columns(["a.score`"]), folder / "items.orc")  # ORC allows no backtick in names
    for name, delimiter in (("items.csv", ","), ("items.tsv", "\t"), ("semicolons.csv", ";")):
        pa.csv.write_csv(items, folder / name, pa.csv.WriteOptions(delimiter=delimiter))
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in items.to_pylist())
    (folder / "items.jsonl").write_text(lines, "utf-8")
    return folder


def content(result: Any) -> dict[str, Any]:
    """The result, apart from the names of its inputs."""
    found: dict[str, Any] = json.loads(result.to_json())
    found["provenance"].pop("inputs")
    return found


ASKED: list[dict[str, Any]] = [
    {"actual": "actual", "predicted": "predicted"},
    {"actual": "actual", "predicted": "predicted", "by": "fold"},
    {"actual": "spam", "score": {"rounded": "a.score`", "distinct": "margin"}},
    {"actual": "is spam", "probability": "a.score`", "goal": "F1"},
]


@pytest.mark.parametrize("name", ["items.parquet", "items.csv", "items.tsv", "semicolons.csv", "items.jsonl"])
@pytest.mark.parametrize("asked", ASKED, ids=str)
def test_a_file_at_an_address_gives_the_same_bits_as_the_local_file(spark, files, name, asked):
    there, here = (cranfield.classify(**asked, data=path) for path in (f"file://{files}/{name}", files / name))
    assert content(there) == content(here)


def test_orc_and_folders_of_part_files_give_the_same_bits_as_parquet(spark, files):
    here = content(cranfield.classify("spam", probability="not spam", data=files / "items.parquet"))
    spark.read.parquet(str(files / "items.parquet")).repartition(3).write.parquet(str(files / "folder"))
    for name in ("items.orc", "folder", "folder/"):
        assert content(cranfield.classify("spam", probability="not spam", data=f"file://{files}/{name}")) == here


def test_provenance_names_the_address(spark, files):
    result = cranfield.classify("actual", "predicted", data=f"file://{files}/items.csv")
    (origin,) = result.provenance.inputs
    assert (origin.name, origin.form) == (f"file://{files}/items.csv", "CSV in Spark")


def test_single_items_give_the_same_values_up_to_their_order(spark, files):
    """Rows in Spark have no order, in which weights are added."""
    for asked in (
        {"predicted": "predicted", "weight": "a.score`"},
        {"score": {"rest": "margin"}, "positive": "nein", "threshold": 0.5},
    ):
        there, here = (
            cranfield.classify("actual", data=path, **asked)
            for path in (f"file://{files}/items.parquet", files / "items.parquet")
        )
        assert [there[name] for name in ("Precision", "Recall", "F")] == pytest.approx(
            [here[name] for name in ("Precision", "Recall", "F")], rel=1e-12
        )


def test_other_verbs_read_addresses_too(spark, files):
    for name in ("items.parquet", "items.csv"):
        paths = (f"file://{files}/{name}", files / name)
        there, here = (cranfield.regress("a.score`", "margin", data=path) for path in paths)
        assert content(there) == content(here)
        soft = {"yes": "a.score`", "no": "not spam"}
        there, here = (cranfield.cross_entropy(soft, soft, data=path) for path in paths)
        assert content(there) == content(here)


@pytest.mark.parametrize("command", [
    ["classify", "--actual", "spam", "--probability", "a.score`", "-f", "csv", "--quiet"],
    ["classify", "--actual", "actual", "--predicted", "predicted", "-f", "csv", "--quiet"],
    ["regress", "--actual", "a.score`", "--predicted", "margin", "-f", "csv", "--quiet"],
], ids=" ".join)  # fmt: skip
def test_the_command_line_prints_the_same_for_an_address(spark, files, command, capsys):
    verb, *options = command
    printed = []
    for path in (f"{files}/items.csv", f"file://{files}/items.csv"):
        assert main([verb, path, *options]) == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] != ""


def test_plots_and_reports_are_the_same_for_an_address(spark, files, tmp_path, capsys):
    points = []
    for number, path in enumerate((f"{files}/items.parquet", f"file://{files}/items.parquet")):
        curve, page = tmp_path / f"{number}.csv", tmp_path / f"{number}.html"
        columns = ["--actual", "spam", "--probability", "a.score`"]
        assert main(["plot", "roc", path, *columns, "-o", str(curve)]) == 0
        assert main(["report", "--classify", path, *columns, "-o", str(page)]) == 0
        points.append(curve.read_text())
    assert points[0] == points[1]
    capsys.readouterr()


@pytest.mark.parametrize(("name", "text"), [
    ("cell.csv", "label,score\nja,0.5\nnein,0.25\n,0.5\n"),
    ("cell.csv", "label,score\nja,0.5\nnein,\n"),
    ("cell.csv", "label,score\nja,0.5\nnein,0,5x\n"),
    ("cell.csv", "label,score\nja,0.5\nnein,half\n"),
    ("cell.csv", "label,score\nja,0.5\nnein,nan\n"),
    ("cell.jsonl", '{"label": "ja", "score": 0.5}\n{"label": null, "score": 0.25}\n'),
    ("cell.jsonl", '{"label": "ja", "score": 0.5}\n{"label": "nein"}\n'),
    ("cell.csv", "label,score\nja,0.5\nja,0.25\n"),
])  # fmt: skip
def test_cells_are_refused_in_the_words_of_the_local_reader(spark, tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    messages = []
    for data in (str(path), f"file://{path}"):
        with pytest.raises(BadInput) as refused:
            cranfield.classify("label", score="score", positive="ja", data=data)
        messages.append(str(refused.value))
    here, there = messages
    assert there.startswith(f"file://{path}: ")
    if "fields" not in here:  # Spark says in its own words that rows differ in width
        assert there.removeprefix(f"file://{path}: ") == here.split(": ", 1)[1]


@pytest.mark.parametrize(("name", "content", "message"), [
    ("short.csv", b"a,b,c\n1,1,0\n0,0\n", "Spark cannot read it .*Malformed"),
    ("long.csv", b"a,b,c\n1,1,0\n0,0,1,1\n", "Spark cannot read it .*Malformed"),
    ("again.csv", b"a,b,c\n1,1,0\na,b,c\n", "the header occurs again; remove this line"),
    ("latin.csv", b"a,b,c\ncaf\xe9,1,0\n", "a is 'caf\ufffd', which is not UTF-8; save the file as UTF-8"),
    ("header.csv", b"a,b,c\n", "the table has no rows"),
    ("empty.csv", b"", "there are no data; the file or folder is empty"),
    ("other.csv", b"x,y,z\n1,1,0\n", "there is no column 'a'"),
    ("broken.jsonl", b'{"a": 1, "b": 1}\n{"a": 1, \n', "Spark cannot read it .*Unexpected end"),
    ("not.parquet", b"a,b,c\n1,1,0\n", "Spark cannot read it .*is not a Parquet file"),
    ("no-extension", b"a,b,c\n1,1,0\n", "Spark cannot read it .*is not a Parquet file"),
])  # fmt: skip
def test_damaged_files_are_refused_in_one_line(spark, tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadInput, match=f"^file://{tmp_path}/{name}: {message}") as refused:
        cranfield.classify("a", "b", data=f"file://{tmp_path}/{name}")
    assert "\n" not in str(refused.value)


def test_a_file_that_is_damaged_in_the_middle_is_refused_in_one_line(spark, files, tmp_path):
    data = bytearray((files / "items.parquet").read_bytes())
    data[4:400] = bytes(396)
    (tmp_path / "damaged.parquet").write_bytes(data)
    for verb, reason in ((cranfield.classify, "Spark cannot read it"), (cranfield.regress, "the data cannot be read")):
        with pytest.raises(BadInput, match=rf"damaged\.parquet: {reason}") as refused:
            verb("actual", "predicted", data=f"file://{tmp_path}/damaged.parquet")
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("path", "reason"), [
    ("file:///nowhere/items.parquet", "Path does not exist"),
    ("file:///nowhere/items.csv", "Path does not exist"),
    ("nosuch://bucket/items.parquet", "No FileSystem for scheme"),
])  # fmt: skip
def test_addresses_that_spark_cannot_read_are_explained(spark, path, reason, capsys):
    with pytest.raises(BadInput, match=f"{path}: Spark cannot read it .*{reason}"):
        cranfield.classify("actual", "predicted", data=path)
    assert main(["classify", path, "--actual", "actual", "--predicted", "predicted"]) != 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"cranfield: {path}: Spark cannot read it")


def test_settings_that_do_not_apply_are_refused_as_for_local_files(spark, files):
    address = f"file://{files}/items.parquet"
    with pytest.raises(BadInput, match=f"{address}: there is no column 'predict'; did you mean 'predicted'"):
        cranfield.classify("actual", "predict", data=address)
    with pytest.raises(BadSetting, match="items are counted in Spark, without their names; leave item out"):
        cranfield.classify("actual", "predicted", item="fold", data=address)
    with pytest.raises(BadSetting, match="nothing to evaluate"):
        cranfield.classify(data=address)
    with pytest.raises(BadSetting, match="data applies to single items, not to counts"):
        cranfield.classify(counts="TP=1 FP=2 FN=1 TN=1", data=address)


def test_multilabel_predictions_are_read_from_lists(spark, tmp_path):
    tags = pa.array([["文", "b"], [], ["文"], ["b", "文"]] * 3)
    pa.parquet.write_table(
        pa.table({"tags": tags, "guess": tags.take(pa.array(range(12))[::-1])}), tmp_path / "it.parquet"
    )
    there, here = (
        cranfield.classify("tags", "guess", data=path)
        for path in (f"file://{tmp_path}/it.parquet", tmp_path / "it.parquet")
    )
    assert {name: there[name] for name in ("F", "Jaccard")} == {name: here[name] for name in ("F", "Jaccard")}


def test_quotes_in_runs_are_read_as_on_this_machine(spark, tmp_path):
    (tmp_path / "it.csv").write_text('query,document,score\nq,"say ""hi"", \\",2\nq,e,1\n')
    qrels = {"q": {'say "hi", \\': 1}}
    there, here = (cranfield.evaluate(qrels, path, "RR") for path in (f"file://{tmp_path}/it.csv", tmp_path / "it.csv"))
    assert there.values.tolist() == here.values.tolist() == [[[1.0]]]


def test_addresses_without_pyspark_say_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark", None)
    with pytest.raises(MissingExtra, match=r"Spark needs PySpark: pip install 'cranfield\[spark\]'"):
        cranfield.classify("actual", "predicted", data="s3://bucket/items.parquet")


def test_local_files_are_classified_without_importing_pyspark(tmp_path):
    (tmp_path / "it.csv").write_text("a,b\n1,1\n0,0\n")
    code = f"import sys, cranfield; cranfield.classify('a', 'b', data={str(tmp_path / 'it.csv')!r})"
    code += "; assert not any(name.startswith(('pyspark', 'py4j')) for name in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
