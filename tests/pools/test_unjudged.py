"""What new runs bring that nobody has judged."""

from __future__ import annotations

from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting

QRELS = {"1": {"a": 1, "b": 0}, "2": {"é": 1}}
RUNS = {
    "old": {"1": {"a": 3.0, "b": 2.0, "c": 1.0}, "2": {"é": 2.0, "f": 1.0}, "3": {"a": 1.0}},
    "new": {"1": {"d": 3.0, "a": 2.0, "c": 1.0}, "2": {"é": 1.0}},
}


def test_only_unjudged_documents_are_left_in_their_order() -> None:
    whole = cranfield.pool(RUNS, depth=3)
    left = cranfield.pool(RUNS, depth=3, judgments=QRELS, unjudged=True)
    expected = [
        (row.topic, row.document, row.contributors) for row in whole if row.document not in QRELS.get(row.topic, {})
    ]
    assert [(row.topic, row.document, row.contributors) for row in left] == expected
    assert [(topic, document) for topic, document, _ in expected] == [("1", "d"), ("1", "c"), ("2", "f"), ("3", "a")]
    assert "3 judged documents left out" in left.notes
    assert left.provenance.settings["unjudged"] is True
    assert str(left).startswith("4 documents to judge for 3 queries")


def test_it_needs_judgments() -> None:
    with pytest.raises(BadSetting, match="pass judgments"):
        cranfield.pool(RUNS, unjudged=True)
    with pytest.raises(BadSetting, match="unjudged=True leaves them out"):
        cranfield.pool(RUNS, judgments=QRELS)


def test_the_command_lists_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "new.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n")
    assert main(["pool", "new.run", "--qrels", "qrels.txt", "--unjudged", "--depth", "10", "-o", "to-judge.csv"]) == 0
    rows = (tmp_path / "to-judge.csv").read_text().splitlines()
    assert len(rows) == 2
    assert rows[1].startswith("1,b,")
