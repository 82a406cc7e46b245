"""Strict thresholds: an item with the score of the threshold is predicted negative."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting

ACTUAL, SCORE = [1, 0, 1, 1, 0], [0.9, 0.5, 0.5, 0.7, 0.1]


@pytest.mark.parametrize(("strict", "counts"), [(False, [[1, 1], [0, 3]]), (True, [[2, 0], [1, 2]])])
def test_scores_at_the_threshold(
    strict: bool, counts: list[list[int]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for given in ({"score": SCORE, "threshold": 0.5}, {"probability": SCORE}):
        found = cranfield.classify(ACTUAL, strict=strict, **given).confusion  # type: ignore[arg-type]
        assert found is not None
        assert found.counts.tolist() == counts
    (tmp_path / "s.csv").write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(ACTUAL, SCORE, strict=True)))
    given = ["classify", str(tmp_path / "s.csv"), "-a", "y", "-s", "s", "--threshold", "0.5", *["--strict"] * strict]
    assert main([*given, "-f", "json", "--quiet"]) == 0
    system = json.loads(capsys.readouterr().out)["systems"]["s"]
    assert (system["threshold"], system["confusion"]["counts"]) == (0.5, counts)
    assert main([*given, "--quiet"]) == 0
    said = "scores above 0.5 are predicted positive" if strict else "scores of 0.5 and above are predicted positive"
    assert said in capsys.readouterr().out


def test_strict_needs_a_threshold() -> None:
    with pytest.raises(BadSetting, match="strict needs a threshold"):
        cranfield.classify(ACTUAL, score=SCORE, strict=True)
    with pytest.raises(BadSetting, match="strict needs a threshold"):
        cranfield.classify(ACTUAL, probability=SCORE, goal="Accuracy", strict=True)


def test_the_working_of_strict_thresholds_leaves_out_equal_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "s.csv").write_text("y,s\n" + "".join(f"{y},{s}\n" for y, s in zip(ACTUAL, SCORE, strict=True)))
    given = ["classify", str(tmp_path / "s.csv"), "-a", "y", "-s", "s", "--threshold", "0.5", "--strict", "--steps"]
    assert main([*given, "-f", "json"]) == 0
    steps = json.loads(capsys.readouterr().out)["steps"]
    for row in steps:
        above = [y for y, s in zip(ACTUAL, SCORE, strict=True) if s > row["threshold"]]
        assert (row["TP"], row["FP"]) == (sum(above), len(above) - sum(above))
    assert [row["threshold"] for row in steps] == [0.9, 0.7, 0.5, 0.1]
    assert main(given) == 0
    assert "\nscores above the threshold are predicted positive\n" in capsys.readouterr().out
