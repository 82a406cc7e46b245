"""Cross-entropy H(p, q) of soft labels: the actual class of an item is itself a distribution."""

from __future__ import annotations

import csv
import io
import json
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

ACTUAL = [(0.7, 0.2, 0.1), (1, 0, 0), (0.25, 0.25, 0.5)]
PREDICTED = [(0.6, 0.3, 0.1), (0.9, 0.1, 0), (0.5, 0.3, 0.2)]
SOFT = ["--actual-probability", "no=p1", "--actual-probability", "maybe=p2", "--actual-probability", "yes=p3"]
GIVEN = [
    "classify",
    "soft.csv",
    *SOFT,
    "--probability",
    "yes=q3",
    "--probability",
    "no=q1",
    "--probability",
    "maybe=q2",
]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [",".join(map(str, (f"é{n}", *p, *q))) for n, (p, q) in enumerate(zip(ACTUAL, PREDICTED, strict=True))]
    Path("soft.csv").write_text("\n".join(["name,p1,p2,p3,q1,q2,q3", *lines]) + "\n")


def crossed(p: tuple[float, ...], q: tuple[float, ...]) -> float:
    return -sum(a * log(max(b, 1e-15)) for a, b in zip(p, q, strict=True) if a)


def test_the_means_with_their_intervals(capsys: Capture) -> None:
    assert main([*GIVEN, "-f", "json"]) == 0
    found = {row["measure"]: row for row in json.loads(capsys.readouterr().out)["entropies"]}
    each = np.array([crossed(p, q) for p, q in zip(ACTUAL, PREDICTED, strict=True)])
    own = np.array([crossed(p, p) for p in ACTUAL])
    for name, values in (("CrossEntropy", each), ("Entropy", own), ("KLDivergence", each - own)):
        half = stats.t.ppf(0.975, 2) * values.std(ddof=1) / sqrt(3)
        assert [found[name][field] for field in ("value", "low", "high")] == approx(
            [values.mean(), max(values.mean() - half, 0), values.mean() + half]
        )
    assert found["KLDivergence"]["value"] >= 0


def test_each_item_is_shown_and_can_be_compared(capsys: Capture) -> None:
    assert main([*GIVEN, "--item", "name", "--steps", "-f", "csv"]) == 0
    text = capsys.readouterr().out
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["measure"] == "CrossEntropy"]
    assert [float(row["value"]) for row in rows] == approx(
        [crossed(p, q) for p, q in zip(ACTUAL, PREDICTED, strict=True)]
    )
    Path("values.csv").write_text(text)
    assert main(["compare", "--values", "values.csv", "-b", "0", "--quiet"]) == 0
    assert "CrossEntropy" in capsys.readouterr().out


@pytest.mark.parametrize("form", ["table", "markdown", "latex", "html"])
def test_every_format_shows_it(form: str, capsys: Capture) -> None:
    assert main([*GIVEN, "--steps", "-f", form]) == 0
    out = capsys.readouterr().out
    assert "Kullback" in out
    assert "Each item" in out


def test_hard_labels_give_the_log_loss() -> None:
    actual, p = ["a", "b", "a"], {"a": [0.9, 0.4, 0.2], "b": [0.1, 0.6, 0.8]}
    one_hot = {name: [float(label == name) for label in actual] for name in "ab"}
    log_loss = cranfield.classify(actual, probability=p, measures="LogLoss", labels=["a", "b"], positive="a")["LogLoss"]
    assert cranfield.cross_entropy(one_hot, p)["CrossEntropy"] == approx(log_loss)
    assert cranfield.cross_entropy(one_hot, p)["Entropy"] == 0


def test_several_systems_and_no_probability_at_all() -> None:
    actual = {"a": [0.5], "b": [0.5]}
    systems = {"sure": {"a": [1], "b": [0]}, "even": actual}
    result = cranfield.cross_entropy(actual, systems)
    assert result["CrossEntropy"] == approx({"sure": -log(1e-15) / 2, "even": log(2)}, rel=1e-9)
    assert result["KLDivergence"]["even"] == approx(0)
    assert np.isnan(result.rows[0].low)  # one item


@pytest.mark.parametrize(("change", "said"), [
    ((",0.7,", ",0.9,"), "the probabilities add up to 1.2"),
    ((",0.7,", ",-0.7,"), "actual probability of 'no' is -0.7, which is not between 0 and 1"),
    ((",0.7,", ",,"), "actual probability of 'no' is missing"),
])  # fmt: skip
def test_what_is_no_distribution_is_refused(change: tuple[str, str], said: str, capsys: Capture) -> None:
    Path("soft.csv").write_text(Path("soft.csv").read_text().replace(*change))
    assert main(GIVEN) == 1
    assert said in capsys.readouterr().err


def test_what_does_not_apply_is_refused(capsys: Capture) -> None:
    assert main([*GIVEN, "--threshold", "0.5"]) == 2
    assert "--threshold does not apply to soft labels" in capsys.readouterr().err
    assert main(["classify", "soft.csv", *SOFT]) == 2
    assert "give the predicted probability of each class" in capsys.readouterr().err
    assert main([*GIVEN[:-2]]) == 1
    assert "'maybe' has an actual or a predicted probability, but not both" in capsys.readouterr().err
    with pytest.raises(BadSetting, match="clip must be a number between"):
        cranfield.cross_entropy({"a": [1], "b": [0]}, {"a": [1], "b": [0]}, clip=0)
    with pytest.raises(BadInput, match="at least two classes"):
        cranfield.cross_entropy({"a": [1]}, {"a": [1]})
    with pytest.raises(BadSetting, match="there is no 'AUC'"):
        cranfield.cross_entropy({"a": [1], "b": [0]}, {"a": [1], "b": [0]})["AUC"]
