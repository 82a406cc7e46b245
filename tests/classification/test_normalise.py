"""Probabilities that fail to add up to 1: rounding is allowed, within a tolerance that is printed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from cranfield import classify
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

RNG = np.random.default_rng(4)


def drawn(n_items: int, n_classes: int) -> tuple[list[str], np.ndarray]:
    table = RNG.dirichlet(np.full(n_classes, 0.3), n_items)
    actual = [*range(n_classes), *RNG.integers(0, n_classes, n_items - n_classes)]
    return [f"c{label:02}" for label in actual], table


@pytest.mark.parametrize("n_classes", [2, 3, 10, 50])
def test_rounding_is_allowed(n_classes: int) -> None:
    actual, table = drawn(500, n_classes)
    exact = classify(actual, probability=table, measures="Brier")["Brier"]
    for rounded in (
        table.round(3),
        table.astype(np.float16),
        table.astype(np.float32),
        table.round(3).astype(np.float16),
    ):
        assert classify(actual, probability=rounded, measures="Brier")["Brier"] == pytest.approx(exact, abs=2e-3)


def test_more_than_rounding_is_refused() -> None:
    with pytest.raises(
        BadInput, match=r"row 1: the probabilities add up to 1.02, not to 1 \(allowed: 0.0005 per class"
    ):
        classify(["a", "b"], probability=np.array([[0.5, 0.5], [0.52, 0.5]]))
    with pytest.raises(BadInput, match="row 1"):
        classify(["a", "b"], probability=np.array([[0.5, 0.5], [0.5, 0.498]]))


def test_normalising_divides_by_the_sum() -> None:
    actual, table = drawn(200, 4)
    votes = table * RNG.uniform(0.5, 30, (200, 1))
    plain, scaled = classify(actual, probability=table), classify(actual, probability=votes, normalise=True)
    for measure in ("LogLoss", "Brier", "Accuracy", "AUC"):
        assert scaled[measure] == pytest.approx(plain[measure], rel=1e-12)
    two = classify([1, 0, 1], probability=np.array([[1, 3], [4, 1], [1, 1]]), normalise=True)
    assert two.of().predictions.score.tolist() == [0.75, 0.2, 0.5]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "said"),
    [([[0, 0], [1, 1]], "row 0: the probabilities are all 0"), ([[1, -1], [1, 1]], "is -1.0, which is negative")],
)
def test_what_cannot_be_normalised_is_refused(given: list[list[int]], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        classify(["a", "b"], probability=given, normalise=True)


def test_nothing_else_is_normalised() -> None:
    for given in ({"score": [1, 2]}, {"predicted": [1, 0]}, {"probability": [0.5, 0.2]}):
        with pytest.raises(BadSetting, match="only class probabilities of single-label data"):
            classify([1, 0], normalise=True, **given)


def test_the_tolerance_is_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("p.csv").write_text("y,a,b,c\na,0.333,0.333,0.333\nb,0.1,0.8,0.1\nc,0.2,0.2,0.6\n")
    Path("votes.csv").write_text("y,a,b,c\na,3,3,3\nb,1,8,1\nc,2,2,6\n")
    classes = ["--probability", "a", "--probability", "b", "--probability", "c"]
    assert main(["classify", "p.csv", "--actual", "y", *classes, "--all"]) == 0
    assert "the probabilities of each item sum to 1 within 0.0005 per class" in capsys.readouterr().out
    assert main(["classify", "p.csv", "--actual", "y", *classes, "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["provenance"]["settings"]["tolerance_per_class"] == 0.0005
    assert main(["classify", "votes.csv", "--actual", "y", *classes]) == 1
    assert "which is not between 0 and 1" in capsys.readouterr().err
    assert main(["classify", "votes.csv", "--actual", "y", *classes, "--normalise"]) == 0
    assert "the probabilities of each item were divided by their sum" in capsys.readouterr().out
    assert main(["report", "--classify", "votes.csv", "--actual", "y", *classes, "--normalise", "-o", "p.html"]) == 0
    assert main(["plot", "confusion", "votes.csv", "--actual", "y", *classes, "--normalise"]) == 0
