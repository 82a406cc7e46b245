"""What other tools hold is accepted as it is: ir_datasets, BEIR, MTEB, PyTerrier, Hugging Face, Arrow streams."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, CranfieldWarning

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}, "q 3": {"é": 1}}
RUN = {"q1": {"d2": 0.75, "d1": 0.5, "d9": 0.1}, "q2": {"d3": 3.0}, "q 3": {"x": 2.0, "é": 1.0}}
EXPECTED = cranfield.evaluate(QRELS, RUN, ["nDCG@10", "RR"])
RANKED = [(q, d, score) for q, ranked in RUN.items() for d, score in ranked.items()]
JUDGED = [(q, d, grade) for q, judged in QRELS.items() for d, grade in judged.items()]


def require_expected(qrels: Any, run: Any) -> None:
    result = cranfield.evaluate(qrels, run, ["nDCG@10", "RR"])
    assert result.values.tobytes() == EXPECTED.values.tobytes()


@pytest.fixture
def beir(tmp_path: Path) -> Path:
    """A folder in the layout of BEIR."""
    folder = tmp_path / "scifact"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "a"}\n')
    (folder / "queries.jsonl").write_text('{"_id": "q1", "text": "b", "metadata": {}}\n')
    lines = ["query-id\tcorpus-id\tscore", *(f"{q}\t{d}\t{grade}" for q, d, grade in JUDGED)]
    (folder / "qrels" / "test.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    (folder / "qrels" / "dev.tsv").write_text("query-id\tcorpus-id\tscore\nq7\td1\t1\n")
    return folder


def test_a_folder_of_beir_stands_for_its_test_judgments(beir):
    require_expected(beir, RUN)
    assert cranfield.evaluate(beir / "qrels" / "dev.tsv", {"q7": {"d1": 1}}, "RR")["RR"] == 1
    (beir / "qrels" / "test.tsv").rename(beir / "qrels" / "train.tsv")
    with pytest.raises(BadInput, match=r": dev\.tsv, train\.tsv"):
        cranfield.evaluate(beir, RUN, "RR")


def test_a_folder_of_beir_has_the_texts_of_a_report(beir):
    (beir / "corpus.jsonl").write_text('{"_id": "d1", "title": "", "text": "a text of its own"}\n')
    (beir / "queries.jsonl").write_text('{"_id": "q1", "text": "a question of its own"}\n')
    for texts in (beir, str(beir)):
        page = cranfield.report(beir, {"a": RUN, "b": RUN}, "RR", queries=texts, documents=texts).html
        assert "a text of its own" in page
        assert "a question of its own" in page


def test_a_folder_of_beir_with_runs_is_a_collection(beir, tmp_path):
    other = tmp_path / "other"
    (other / "qrels").mkdir(parents=True)
    (other / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td9\t1\n")
    for folder in (beir, other):
        for name, score in (("a.run", 1), ("b.run", 3)):
            (folder / name).write_text(f"q1 Q0 d1 1 2 x\nq1 Q0 d9 2 {score} x\n")
    with pytest.warns(CranfieldWarning):  # queries are missing
        assert cranfield.report_collections([str(beir), str(other)], "RR").content.title == "2 systems on 2 collections"


def test_ids_of_ir_datasets_stand_for_judgments_and_runs(tmp_path, capsys):
    datasets = pytest.importorskip("ir_datasets")
    from ir_datasets.formats import TrecQrels, TrecScoredDocs
    from ir_datasets.util import LocalDownload

    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in JUDGED if " " not in q))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 0 {s} t\n" for q, d, s in RANKED if " " not in q))
    local, ranked = (LocalDownload(tmp_path / name) for name in ("qrels", "run"))
    datasets.registry.register("tiny", datasets.Dataset(TrecQrels(local, {}), TrecScoredDocs(ranked)))
    datasets.registry.register("tiny-missing", datasets.Dataset(TrecQrels(LocalDownload(tmp_path / "no"), {})))
    here = cranfield.evaluate(tmp_path / "qrels", tmp_path / "run", "nDCG@10")
    there = cranfield.evaluate("irds:tiny", "irds:tiny", "nDCG@10")
    assert here.values.tobytes() == there.values.tobytes()
    assert main(["eval", "irds:tiny", str(tmp_path / "run"), "-m", "RR", "-f", "csv"]) == 0
    for name, message in (
        ("tiny-missing", "has to download this collection and could not"),
        ("no/such", "no collection of this name"),
    ):
        with pytest.raises(BadInput, match=message):
            cranfield.evaluate(f"irds:{name}", RUN, "RR")
    with pytest.raises(BadInput, match="has no run"):
        cranfield.evaluate(QRELS, "irds:tiny-missing", "RR")


def test_frames_of_pyterrier_are_runs_and_judgments():
    run = pandas.DataFrame(RANKED, columns=["qid", "docno", "score"])
    run["rank"], run["docid"], run["query"] = range(len(run)), 7, "the text of a query"
    require_expected(pandas.DataFrame(JUDGED, columns=["qid", "docno", "label"]), run)


class Stream:
    """Nothing but the stream interface of Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def table(rows: list[Any], *names: str) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def test_anything_with_arrows_stream_interface_is_a_table_for_every_verb():
    run, qrels = table(RANKED, "query", "document", "score"), table(JUDGED, "query", "document", "grade")
    require_expected(Stream(qrels), Stream(run))
    values = pa.table({"fold": [1, 2, 3], "a": [0.1, 0.2, 0.4], "b": [0.2, 0.5, 0.3]})
    assert cranfield.compare(Stream(values)).to_csv() == cranfield.compare(values).to_csv()
    labels = pa.table({"actual": ["x", "y", "x"], "predicted": ["x", "x", "x"]})
    expected = cranfield.classify("actual", "predicted", data=labels, positive="x").to_csv()
    assert cranfield.classify("actual", "predicted", data=Stream(labels), positive="x").to_csv() == expected


@pytest.mark.parametrize("column", [pa.array([1, 2]), pa.chunked_array([[1, 2]]), polars.Series([1, 2])], ids=type)
def test_a_single_arrow_column_is_no_run(column):
    for qrels, run in ((QRELS, column), (column, RUN), (QRELS, Stream(pa.chunked_array([[1]])))):
        with pytest.raises(BadInput, match="cannot read a table from"):
            cranfield.evaluate(qrels, run, "RR")


def dataset(data: pa.Table) -> Any:
    """What a dataset of Hugging Face offers: formats, slices and `to_dict`, but no stream."""

    class Dataset:
        __module__ = "datasets.arrow_dataset"

        def __init__(self, formatted: str | None = None) -> None:
            self._formatted = formatted

        def with_format(self, form: str) -> Any:
            return Dataset(form)

        def __getitem__(self, rows: slice) -> Any:
            return data[rows] if self._formatted == "arrow" else data[rows].to_pydict()

        def __len__(self) -> int:
            return len(data)

        def to_dict(self) -> Any:
            return data.to_pydict()

    return Dataset()


class Splits(dict[str, Any]):
    """The splits of a dataset of Hugging Face."""

    __module__ = "datasets.dataset_dict"

    def with_format(self, form: str) -> Any:
        return Splits({name: split.with_format(form) for name, split in self.items()})


class Streamed:
    """A dataset of Hugging Face that is read as it arrives."""

    __module__ = "datasets.iterable_dataset"

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def with_format(self, _form: str) -> Any:
        return self

    def __iter__(self) -> Any:
        return iter(self._rows)


def test_datasets_of_hugging_face_are_tables():
    run = table(RANKED, "query-id", "corpus-id", "score")
    require_expected(dataset(table(JUDGED, "query-id", "corpus-id", "score")), dataset(run))
    labels = pa.table({"label": [0, 1, 1], "guess": [0, 1, 0]})
    ours = cranfield.classify("label", "guess", data=dataset(labels))
    assert ours.to_csv() == cranfield.classify("label", "guess", data=labels).to_csv()


@pytest.fixture
def mteb(tmp_path: Path) -> Path:
    """Results in the layout of MTEB: model, revision, task."""
    for place, model in enumerate(("intfloat__e5-small", "BAAI__bge-base")):
        folder = tmp_path / "results" / model / "abc123"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text('{"name": "x"}')
        for number, task in enumerate(("SciFact", "NFCorpus", "FiQA2018", "STS22")):
            record = {
                "ndcg_at_10": 0.3 + number / 10 + place * number / 50,
                "main_score": 0.5,
                "languages": ["eng-Latn"],
            }
            subsets = ["en", "de"] if task == "STS22" else ["default"]
            scores = {"test": [record | {"hf_subset": subset} for subset in subsets], "dev": [record]}
            content = {"dataset_revision": "1", "task_name": task, "mteb_version": "2.0", "scores": scores}
            (folder / f"{task}.json").write_text(json.dumps(content))
    return tmp_path / "results"


def test_results_of_mteb_are_values_by_task(mteb, capsys):
    compared = cranfield.compare(mteb)
    row = compared.row("BAAI/bge-base", measure="ndcg_at_10")
    assert row.n == 5  # one task has two languages
    assert row.difference == pytest.approx((0 + 1 + 2 + 3 + 3) / 50 / 5)
    assert set(compared.samples) == {"ndcg_at_10", "main_score"}
    assert compared.unit == "task"
    assert main(["compare", "--values", str(mteb), "-f", "csv", "--quiet"]) == 0
    assert "intfloat/e5-small" in capsys.readouterr().out


def rewritten(mteb: Path, task: str, **scores: Any) -> None:
    """Replace the scores of a task in the results of all models."""
    for file in mteb.glob(f"*/*/{task}.json"):
        file.write_text(json.dumps(json.loads(file.read_text()) | {"scores": scores}))


def test_a_result_of_mteb_without_the_split_test_counts_with_its_only_split(mteb):
    rewritten(mteb, "SciFact", dev=[{"ndcg_at_10": 0.7, "main_score": 0.7}])
    assert cranfield.compare(mteb).row("BAAI/bge-base", measure="ndcg_at_10").n == 5
    rewritten(mteb, "SciFact", dev=[{"main_score": 0.7}], train=[{"main_score": 0.7}])
    with pytest.raises(BadInput, match=r"SciFact\.json: there is no split 'test'; .* \(dev, train\)"):
        cranfield.compare(mteb)


def test_results_of_mteb_on_different_splits_of_a_task_are_not_compared(mteb):
    (file,) = mteb.glob("intfloat__e5-small/*/SciFact.json")
    content = json.loads(file.read_text())
    file.write_text(json.dumps(content | {"scores": {"dev": content["scores"]["test"]}}))
    with pytest.raises(BadInput, match=r"SciFact has the split '(dev|test)' here, but '(dev|test)' in .*SciFact\.json"):
        cranfield.compare(mteb)


def test_measures_that_some_tasks_of_mteb_do_not_have_are_left_out_with_a_warning(mteb):
    rewritten(mteb, "SciFact", test=[{"accuracy": 0.7, "main_score": 0.7, "ndcg_at_10": float("nan")}])
    with pytest.warns(CranfieldWarning, match="without a value for some task: ndcg_at_10, accuracy") as caught:
        compared = cranfield.compare(mteb)
    assert len(caught) == 1
    assert set(compared.samples) == {"main_score"}
    assert len(compared.samples["main_score"]) == 5
    rewritten(mteb, "SciFact", test=[{"accuracy": 0.7}])
    with pytest.raises(BadInput, match="there is no measure that all tasks have"):
        cranfield.compare(mteb)


def test_other_json_among_results_of_mteb_is_refused(mteb):
    (mteb / "intfloat__e5-small" / "notes.json").write_text("[1]")
    with pytest.raises(BadInput, match="not an MTEB result"):
        cranfield.compare(mteb)


def test_two_revisions_of_one_result_of_mteb_are_refused_by_their_files(mteb):
    newer = mteb / "intfloat__e5-small" / "def456"
    newer.mkdir()
    older = mteb / "intfloat__e5-small" / "abc123" / "SciFact.json"
    (newer / "SciFact.json").write_bytes(older.read_bytes())
    with pytest.raises(BadInput, match="keep one revision") as refused:
        cranfield.compare(mteb)
    assert str(older) in str(refused.value)
    assert str(newer / "SciFact.json") in str(refused.value)


@pytest.mark.parametrize("scores", [{"test": 1}, {"test": []}, {"test": [1]}, {"test": {"a": 1}}, [1]])
def test_scores_of_another_shape_are_no_result_of_mteb(mteb, scores):
    file = mteb / "intfloat__e5-small" / "abc123" / "SciFact.json"
    file.write_text(json.dumps({"task_name": "SciFact", "scores": scores}))
    with pytest.raises(BadInput, match=r"SciFact\.json: not an MTEB result"):
        cranfield.compare(mteb)


def test_values_of_mteb_say_from_which_folder_they_are(mteb):
    (origin,) = cranfield.compare(mteb).provenance.inputs
    assert (origin.name, origin.form) == (str(mteb), "MTEB")


def test_a_dataset_with_one_split_and_a_streamed_one_are_tables_too():
    qrels = table(JUDGED, "query-id", "corpus-id", "score")
    require_expected(Splits(test=dataset(qrels)), RUN)
    require_expected(qrels, Streamed(table(RANKED, "query-id", "corpus-id", "score").to_pylist()))
    with pytest.raises(BadInput, match=r"the dataset has 2 splits \(train, test\); choose one, as in data\['test'\]"):
        cranfield.evaluate(Splits(train=dataset(qrels), test=dataset(qrels)), RUN)
