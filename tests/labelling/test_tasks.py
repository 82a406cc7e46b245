"""Preferences in both orders, nuggets made, merged and assigned, and citations checked, by a model that knows."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput
from cranfield.labelling.tasks import label_citations, label_nuggets, label_preferences, read_answers
from labelling.collection import DOCUMENTS, GRADES, NAME_OF, QUERY_OF, RUNS, TOPICS, written
from model_server import Said, asked_about, chat, model_server

ANSWERS = [
    {"query": "1", "system": "a", "answer": [
        {"text": "Black bears live in forests.", "citations": ["d1", "zz"]}, {"text": "They are nice."},
    ]},
    {"query": "1", "system": "b", "answer": "Bears sleep in winter."},
    {"query": "2", "system": "b", "answer": "A white swan on a lake."},
    {"query": "2", "system": "a", "answer": [{"text": "Swans are mostly white.", "citations": ["d3", "d5"]}]},
]  # fmt: skip


def knowing(request: dict[str, Any]) -> Said:
    """Prefers the higher grade, finds one fact per relevant document, and sees it where it stands word for word."""
    content = asked_about(request)
    query = QUERY_OF.get(content.get("topic", {}).get("title"), "")
    if "first" in content:
        grades = [GRADES.get((query, NAME_OF[content[name]["text"]]), 0) for name in ("first", "second")]
        return chat(json.dumps({"preferred": "second" if grades[1] > grades[0] else "first"}))
    if "sentence" in content:
        return chat(json.dumps({"support": "full" if content["sentence"] == content["document"]["text"] else "no"}))
    if "answer" in content:
        words = ["support" if fact in content["answer"] else "not_support" for fact in content["facts"]]
        return chat("Here you are: " + json.dumps({"support": words}))
    if "statements" in content:
        nuggets = [
            {"nugget": text, "importance": "vital" if place == 0 else "okay"}
            for place, text in enumerate(sorted(content["statements"]))
        ]
        return chat(json.dumps({"nuggets": nuggets}))
    text = content["document"]["text"]
    return chat(json.dumps({"nuggets": [text] if GRADES.get((query, NAME_OF[text])) else []}))


def runs() -> dict[str, dict[str, dict[str, float]]]:
    return {name: {q: {d: -float(r) for r, d in enumerate(ds)} for q, ds in run.items()} for name, run in RUNS.items()}


def test_preferences_are_asked_in_both_orders_and_audited(tmp_path: Path) -> None:
    output = tmp_path / "preferences.csv"
    with model_server(knowing) as (url, got):
        result = label_preferences(TOPICS, DOCUMENTS, runs(), str(output), endpoint=url, model="m")
        assert (
            label_preferences(TOPICS, DOCUMENTS, runs(), str(output), endpoint=url, model="m").labels == result.labels
        )
    rows = {(row.query, row.first, row.second): row.preferred for row in result.labels}
    assert len(got) == len(rows)
    assert rows["1", "d1", "d2"] == rows["1", "d2", "d1"] == "d1"
    assert {(second, first) for query, first, second in rows if query == "2"} == {
        (first, second) for query, first, second in rows if query == "2"
    }
    assert (rows["1", "d5", "d2"], rows["2", "d5", "d3"]) == ("d2", "d3")
    human = {"1": {"d1": 1, "d5": 0}}
    audit = cranfield.audit(human, human, preferences=str(output))
    same = audit["order of presentation", "same preference in both orders"]
    ties = sum(GRADES.get((q, one), 0) == GRADES.get((q, two), 0) for q, one, two in rows)
    assert same.value == 1 - ties / len(rows)


def test_nuggets_are_made_merged_and_assigned(tmp_path: Path) -> None:
    output = tmp_path / "nuggets.csv"
    with model_server(knowing) as (url, got):
        result = label_nuggets(TOPICS, DOCUMENTS, runs(), ANSWERS, str(output), endpoint=url, model="m")
        n_asked = len(got)
        label_nuggets(TOPICS, DOCUMENTS, runs(), ANSWERS, str(output), endpoint=url, model="m")
        assert len(got) == n_asked
    support = {(row.query, row.system, row.nugget): (row.importance, row.support) for row in result.labels}
    assert support == {
        ("1", "a", "Bears sleep in winter."): ("vital", "not_support"),
        ("1", "a", "Black bears live in forests."): ("okay", "support"),
        ("1", "b", "Bears sleep in winter."): ("vital", "support"),
        ("1", "b", "Black bears live in forests."): ("okay", "not_support"),
        ("2", "a", "A white swan on a lake."): ("vital", "not_support"),
        ("2", "a", "Swans are mostly white."): ("okay", "support"),
        ("2", "b", "A white swan on a lake."): ("vital", "support"),
        ("2", "b", "Swans are mostly white."): ("okay", "not_support"),
    }
    evaluated = cranfield.evaluate_answers(str(output))
    assert set(evaluated.systems) == {"a", "b"}


def test_citations_are_checked(tmp_path: Path) -> None:
    path, output = tmp_path / "answers.jsonl", tmp_path / "citations.csv"
    path.write_text("".join(json.dumps(one) + "\n" for one in ANSWERS))
    with model_server(knowing) as (url, got):
        result = label_citations(DOCUMENTS, str(path), str(output), endpoint=url, model="m")
    assert len(got) == 3
    assert [tuple(row) for row in result.labels] == [
        ("1", "a", "1", "d1", "full"), ("1", "a", "1", "zz", "no"), ("1", "a", "2", "", ""), ("1", "b", "1", "", ""),
        ("2", "a", "1", "d3", "full"), ("2", "a", "1", "d5", "no"),
        ("2", "b", "1", "", ""),
    ]  # fmt: skip
    assert "1 cited documents do not exist, such as 'zz'" in result.notes[0]
    assert cranfield.evaluate_answers(str(output)).systems


@pytest.mark.parametrize("task", ["preferences", "nuggets", "citations"])
def test_each_task_is_a_command(task: str, tmp_path: Path, capsys: Any) -> None:
    files, output, answers = written(tmp_path), tmp_path / "out.csv", tmp_path / "answers.jsonl"
    answers.write_text("".join(json.dumps(one) + "\n" for one in ANSWERS))
    words = ["label", *files.words, "--task", task, "--model", "m", "-o", str(output)]
    with model_server(knowing) as (url, _):
        more = [] if task == "preferences" else ["--answers", str(answers)]
        assert main([*words, *more, "--endpoint", url]) == 0
    assert capsys.readouterr().out.startswith("m gave ")
    with output.open() as file:
        assert next(csv.reader(file))[0] == "query"


def test_an_answer_that_cannot_be_read_is_counted() -> None:
    with model_server(lambda _: chat('{"preferred": "both"}')) as (url, got):
        result = label_preferences(TOPICS, DOCUMENTS, runs(), endpoint=url, model="m", depth=1)
    assert len(got) == 2 * 4  # each question once more
    assert (len(result.labels), result.notes[-1]) == (0, "4 answers (preferences) could not be read")


@pytest.mark.parametrize(
    ("text", "words"),
    [("{", "line 1: not a JSON object"), ('{"query": "1"}', "an answer needs query, answer"), ("[]", "got list"),
     ('{"query": "1", "answer": 3}', "an answer is a text, or a list"), ("", "no answers"),
     ('{"query": "1", "answer": [{"words": "x"}]}', "a sentence needs a text"),
     ('{"query": "1", "answer": "x"}\n{"query": "1", "answer": "y"}', "line 2: a second answer of answers")],
)  # fmt: skip
def test_answers_that_cannot_be_read_are_refused(text: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(text)
    with pytest.raises(BadInput, match=words):
        read_answers(str(path))


def test_queries_without_documents_are_refused() -> None:
    with pytest.raises(BadInput, match="1 queries of the answers have no retrieved document, such as '9'"):
        label_nuggets(TOPICS, DOCUMENTS, runs(), [{"query": "9", "answer": "x"}], endpoint="http://h", model="m")
