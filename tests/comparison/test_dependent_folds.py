"""Folds share training data: a test that takes them for independent says so, wherever the folds come from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import cranfield
from cranfield.cli.main import main

FOLDS = "fold,a,b\n1,0.20,0.18\n2,0.22,0.21\n3,0.18,0.18\n4,0.25,0.22\n5,0.21,0.20\n"


@pytest.mark.parametrize(("column", "noted"), [("fold", True), ("query", False)])
def test_values_by_fold_have_a_note(
    column: str, noted: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "values.csv"
    file.write_text(FOLDS.replace("fold", column))
    assert main(["compare", "--values", str(file)]) == 0
    assert ("folds share training data" in capsys.readouterr().out) is noted
    assert main(["compare", "--values", str(file), "--findings"]) == 0
    if noted:
        assert "quer" not in capsys.readouterr().out.partition("Findings")[2]


def test_the_corrected_test_has_no_note(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "values.csv"
    file.write_text(FOLDS)
    assert main(["compare", "--values", str(file), "--test", "corrected t", "--overlap", "0.25"]) == 0
    assert "share training data" not in capsys.readouterr().out


def test_groups_may_be_folds() -> None:
    random = np.random.default_rng(5)
    actual, fold = random.integers(0, 2, 60), np.arange(60) % 5
    answers = {name: np.where(random.random(60) < 0.8, actual, 1 - actual) for name in "ab"}
    found = cranfield.classify(actual, answers, by=fold, measures="Accuracy").compare()
    assert "if the groups are folds, they share training data" in str(found)
