"""A small embedding model labels over the protocol of any other endpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield

pytest.importorskip("wordllama")


def test_the_small_model_grades_by_similarity_through_the_same_command(tmp_path: Path) -> None:
    from cranfield.demo.embedding_judge import MODEL, served_judge

    documents = {"sleep": "Pause the program for some seconds.", "json": "Serialise an object to a JSON document."}
    run = {"1": {"sleep": 2.0, "json": 1.0}}
    with served_judge() as endpoint:
        labels = cranfield.label(
            {"1": "pause the program"}, documents, run, str(tmp_path / "llm.qrels"), endpoint=endpoint, model=MODEL
        )
    assert labels.qrels["1"]["sleep"] > labels.qrels["1"]["json"]
    assert {row.problem for row in labels.labels} == {""}
