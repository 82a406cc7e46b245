"""The demonstration: its collection, its models, and the whole command, offline."""

from __future__ import annotations

import csv
import inspect
import pkgutil
import re
import shlex
import shutil
import socket
import tomllib
from collections import defaultdict
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import pytrec_eval

from cranfield.cli.main import main
from cranfield.demo.collection import collection
from cranfield.demo.command import activation, left_out
from cranfield.demo.documents import documents
from cranfield.demo.models import fused
from cranfield.demo.written_files import require_own, save_files

ROOT = Path(__file__).parents[2]
DATA = resources.files("cranfield.demo") / "data"


def read_qrels(text: str) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = defaultdict(dict)
    for line in text.splitlines():
        topic, zero, name, grade = line.split(" ")
        assert zero == "0"
        assert name not in grades[topic]
        grades[topic][name] = int(grade)
    return grades


def read_run(text: str) -> dict[str, dict[str, float]]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for line in text.splitlines():
        topic, _, name, _, score, _ = line.split(" ")
        scores[topic][name] = float(score)
    return scores


def imported(name: str) -> Any:
    try:
        return pkgutil.resolve_name(name)
    except ModuleNotFoundError:
        return pkgutil.resolve_name(f"builtins:{name}")


def test_a_document_is_the_docstring_of_the_object_with_its_name():
    texts = documents()
    assert len(texts) > 2500
    for name in ("time.sleep", "os.walk", "shutil.rmtree", "str.split", "json", "pathlib.Path.glob", "TimeoutError"):
        assert texts[name] == inspect.cleandoc(imported(name).__doc__)
    assert not any(part.startswith("_") for name in texts for part in name.split("."))


def test_a_docstring_that_should_have_been_escaped_is_no_binary_document(monkeypatch):
    monkeypatch.setattr(shlex.quote, "__doc__", "Pad with b'\0'.")
    assert documents()["shlex.quote"] == r"Pad with b'\0'."


def test_every_judged_name_that_is_a_document_can_be_imported():
    texts = documents()
    judged = {name for grades in read_qrels((DATA / "qrels.txt").read_text("utf-8")).values() for name in grades}
    for name in sorted(judged & texts.keys()):
        assert imported(name).__doc__


def test_the_data_are_part_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["cranfield"]
    packaged = {path.name for pattern in patterns for path in (ROOT / "src" / "cranfield").glob(pattern)}
    assert {path.name for path in DATA.iterdir()} <= packaged


def test_sixty_topics_each_with_a_relevant_document():
    rows = list(csv.DictReader((DATA / "topics.tsv").read_text("utf-8").splitlines(), delimiter="\t"))
    grades = read_qrels((DATA / "qrels.txt").read_text("utf-8"))
    assert len(rows) >= 60
    assert len({row["query"] for row in rows}) == len(rows)
    assert all(row["narrative"].endswith(".") for row in rows)
    assert [row["topic"] for row in rows] == list(grades)
    assert all(max(of_topic.values()) == 3 for of_topic in grades.values())
    assert {grade for of_topic in grades.values() for grade in of_topic.values()} == {0, 1, 2, 3}


def test_judgments_of_names_that_do_not_exist_are_left_out_and_counted():
    grades = read_qrels((DATA / "qrels.txt").read_text("utf-8"))
    n_of_sleep = sum("time.sleep" in of_topic for of_topic in grades.values())
    n_judgments = sum(map(len, grades.values()))
    data = collection({"time.sleep": "Delay execution.", "new.function": "Not judged."})
    assert data.n_judgments == n_of_sleep > 0
    assert data.n_left_out == n_judgments - n_of_sleep
    assert data.judgments["t01"] == {"time.sleep": 3}
    assert f"{data.n_left_out:,} judgments." in left_out(data.n_left_out)
    assert left_out(1).endswith("1 judgment.")
    assert "Every judged name" in left_out(0)


def test_fusion_adds_reciprocal_ranks():
    one, other = {"q": {"a": 9.0, "b": 8.0}}, {"q": {"b": 0.3, "c": 0.2}}
    expected = {"b": 1 / 62 + 1 / 61, "a": 1 / 61, "c": 1 / 62}
    assert fused([one, other])["q"] == pytest.approx(expected, abs=1e-6)
    assert list(fused([one, other])["q"]) == ["b", "a", "c"]


def test_the_page_on_the_collection_states_its_figures(capsys: pytest.CaptureFixture[str]):
    lines = (ROOT / "docs" / "explanation" / "demo-collection.md").read_text("utf-8").splitlines()
    page = " ".join(lines)  # wherever its lines break
    grades = read_qrels((DATA / "qrels.txt").read_text("utf-8"))
    assert f"{sum(map(len, grades.values())):,} judgments" in page
    for grade in range(4):
        n = sum(value == grade for of_topic in grades.values() for value in of_topic.values())
        assert re.search(rf"\| {grade} \|[^|]+\| {n} \|", page)
    passes = list(csv.DictReader((DATA / "passes.csv").read_text("utf-8").splitlines()))
    apart = [abs(int(row["first"]) - int(row["second"])) for row in passes]
    assert f"all {len(passes):,} pairs" in page
    assert f"{sum(map(bool, apart))} of them" in page
    assert max(apart) == 1  # as the page says
    taken = [
        [name for name in ("first", "second") if int(row[name]) == grades[row["topic"]][row["item"]]] for row in passes
    ]
    assert all(taken)  # adjudication chooses between the two grades
    assert f"{taken.count(['first'])} times" in page
    assert f"{taken.count(['second'])} times" in page
    status = main(["agree", str(DATA / "passes.csv"), "--per", "all", "-m", "Kappa", "-m", "Alpha(level='ordinal')"])
    assert status == 0
    for line in capsys.readouterr().out.splitlines():
        if line.startswith(("Kappa  ", "Alpha(")):
            assert line in lines


@pytest.fixture(scope="module")
def demonstration(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """What the command prints without a network, and the folder it writes."""
    import contextlib
    import io

    folder = tmp_path_factory.mktemp("demo") / "first"
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(io.StringIO()) as out:
        patched.setattr(socket.socket, "connect", _no_network)
        assert main(["demo", "--folder", str(folder)]) == 0
    return out.getvalue(), folder


def _no_network(*_: object) -> None:
    raise OSError("the demonstration must not need a network")


def test_the_leaderboard_holds_the_values_that_trec_eval_computes_from_the_files(demonstration: tuple[str, Path]):
    printed, folder = demonstration
    measured = pytrec_eval.RelevanceEvaluator(
        read_qrels((folder / "qrels.txt").read_text("utf-8")), {"ndcg_cut.10", "map"}
    )
    for path in folder.glob("*.run"):
        by_topic = measured.evaluate(read_run(path.read_text("utf-8"))).values()
        for measure in ("ndcg_cut_10", "map"):
            mean = sum(values[measure] for values in by_topic) / len(by_topic)
            (row,) = re.findall(rf"^[A-E]  {path.stem} .*$", printed, re.MULTILINE)
            assert f" {mean:.4f}" in row


def test_every_document_of_the_pool_is_judged(demonstration: tuple[str, Path]):
    printed, folder = demonstration
    grades = read_qrels((folder / "qrels.txt").read_text("utf-8"))
    pool = set()
    for path in folder.glob("*.run"):
        for line in path.read_text("utf-8").splitlines():
            topic, _, name, rank, _, _ = line.split(" ")
            if int(rank) <= 10:
                pool.add((topic, name))
    unjudged = sum(name not in grades[topic] for topic, name in pool)
    assert f"pool of {len(pool):,}; {unjudged} of these are unjudged" in " ".join(printed.split())


def test_the_demonstration_tells_the_whole_story(demonstration: tuple[str, Path]):
    printed, folder = demonstration
    for part in (
        "64 topics",
        "the passes agree on 90 %",
        "Kappa 0.84",
        " tier ",
        "Findings:",
        "digits",
        "breast-cancer",
        "What to try next",
    ):
        assert part in printed
    names = {path.name for path in folder.iterdir()}
    assert names == {
        "topics.tsv", "qrels.txt", "report.html", "bm25.run", "tfidf.run", "characters.run", "dense.run", "fusion.run",
        "breast-cancer.csv", "breast-cancer.html", "digits.csv", "digits.html", "SHA256SUMS",
    }  # fmt: skip
    assert max(len(line) for line in (folder / "digits.csv").read_text("utf-8").splitlines()) < 80


def test_the_commands_to_try_next_run(demonstration: tuple[str, Path], capsys: pytest.CaptureFixture[str]):
    import shlex

    printed, folder = demonstration
    commands = [line for line in printed.splitlines() if line.startswith("cranfield ")]
    assert len(commands) == 7
    for line in commands:
        words = [
            str(path)
            for word in shlex.split(line, comments=True)[1:]
            for path in (sorted(folder.glob("*.run")) if word.endswith("*.run") else [word])
        ]
        if "--serve" not in words:  # which does not end
            assert main(words) == 0, line
    assert capsys.readouterr().out


def test_every_page_is_named_on_a_line_of_its_own(demonstration: tuple[str, Path]):
    printed, folder = demonstration
    for name in ("report", "breast-cancer", "digits"):
        assert f"{folder}/{name}.html" in printed.splitlines()


def test_an_inactive_environment_is_said_how_to_activate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "activate").touch()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.prefix", str(tmp_path / ".venv"))
    monkeypatch.setenv("PATH", "")
    assert activation().startswith("source .venv/bin/activate ")
    monkeypatch.setattr("sys.prefix", str(tmp_path))
    assert activation() == ""


def test_models_give_the_same_runs_again(demonstration: tuple[str, Path]):
    from cranfield.demo.models import ranked

    _, folder = demonstration
    data = collection(documents())
    for system, run in ranked(data.documents, data.queries):
        assert read_run((folder / f"{system}.run").read_text("utf-8")) == run


def test_written_predictions_give_the_printed_values(
    demonstration: tuple[str, Path], capsys: pytest.CaptureFixture[str]
):
    printed, folder = demonstration
    settings = ("--actual", "actual", "--probability", "bayes", "--positive", "malignant", "-m", "AUC,LogLoss")
    assert main(["classify", str(folder / "breast-cancer.csv"), *settings, "-f", "csv"]) == 0
    values = {row["measure"]: float(row["value"]) for row in csv.DictReader(capsys.readouterr().out.splitlines())}
    shown = next(line.split() for line in printed.splitlines() if line.startswith("bayes "))  # of breast cancer
    assert [f"{values['AUC']:.4f}", f"{values['LogLoss']:.4f}"] == shown[3:5]


def test_files_that_were_changed_are_not_overwritten(
    demonstration: tuple[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    _, folder = demonstration
    require_own(str(folder))  # as it was written
    copied = shutil.copytree(folder, tmp_path / "copied")
    (copied / "qrels.txt").write_text("mine")
    assert main(["demo", "--folder", str(copied)]) == 2
    assert "qrels.txt was not written by cranfield demo, or has been changed since" in capsys.readouterr().err
    assert (copied / "qrels.txt").read_text() == "mine"
    (copied / "qrels.txt").unlink()
    require_own(str(copied))
    save_files(str(copied), {"qrels.txt": "another Python"})
    require_own(str(copied))


def test_a_folder_with_other_files_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "thesis.tex").write_text("mine")
    assert main(["demo", "--folder", str(tmp_path)]) == 2
    assert "contains other files, such as thesis.tex" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
