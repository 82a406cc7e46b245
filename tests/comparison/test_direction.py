"""Values that are better the lower they are: read from a table, they win where they are less."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cranfield import classify, compare, latent, reproduce
from cranfield.cli.main import main
from cranfield.errors import BadSetting

Capture = pytest.CaptureFixture[str]
RNG = np.random.default_rng(2)
Y = RNG.integers(0, 2, 80)
FOLD = np.arange(80) % 8
GOOD, POOR = (np.where(RNG.random(80) < right, Y, 1 - Y) for right in (0.9, 0.55))
FRAME = pd.DataFrame({"y": Y, "good": GOOD, "poor": POOR, "fold": FOLD})


@pytest.fixture
def folds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> Path:
    """The error rate and the accuracy on each fold, as the command prints them."""
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("answers.csv", index=False)
    columns = ["--predicted", "good", "--predicted", "poor", "--by", "fold", "-m", "ErrorRate", "-m", "Accuracy"]
    assert main(["classify", "answers.csv", "--actual", "y", *columns, "-f", "csv"]) == 0
    path = tmp_path / "folds.csv"
    path.write_text(capsys.readouterr().out)
    return path


def rows(text: str) -> dict[str, dict[str, float]]:
    table = pd.read_csv(io.StringIO(text)).set_index("measure")
    return {str(measure): row.to_dict() for measure, row in table.iterrows()}


def test_a_known_measure_brings_its_direction(folds: Path, capsys: Capture) -> None:
    assert main(["compare", "--values", str(folds), "-f", "csv"]) == 0
    found = rows(capsys.readouterr().out)
    direct = classify("y", {"good": "good", "poor": "poor"}, data=FRAME, by="fold", measures=["ErrorRate", "Accuracy"])
    for row in compare(direct).rows:
        assert (found[row.measure]["wins"], found[row.measure]["losses"]) == (row.wins, row.losses)
    assert found["ErrorRate"]["wins"] == found["Accuracy"]["wins"] > found["Accuracy"]["losses"]
    assert found["ErrorRate"]["difference"] == pytest.approx(-found["Accuracy"]["difference"])
    assert found["ErrorRate"]["p"] == pytest.approx(found["Accuracy"]["p"])


def test_the_table_says_so(folds: Path, capsys: Capture) -> None:
    assert main(["compare", "--values", str(folds)]) == 0
    assert "lower values are better and count as wins: ErrorRate" in capsys.readouterr().out
    assert main(["compare", "--values", str(folds), "-f", "json"]) == 0
    told = {row["measure"]: row["lower_is_better"] for row in json.loads(capsys.readouterr().out)["comparisons"]}
    assert told == {"ErrorRate": True, "Accuracy": False}


def test_a_frame_has_it_too(folds: Path) -> None:
    found = compare(pd.read_csv(folds))
    assert {row.measure: row.wins > row.losses for row in found.rows} == {"ErrorRate": True, "Accuracy": True}


def test_other_measures_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    Path("wide.csv").write_text("query,slow,fast\nq1,9,1\nq2,8,2\nq3,7,3.5\nq4,5,6\n")
    Path("tidy.csv").write_text(
        "system,query,measure,value\na,1,latency,3\na,2,latency,4\nb,1,latency,1\nb,2,latency,2\n"
    )
    assert main(["compare", "--values", "wide.csv", "-f", "csv"]) == 0
    assert rows(capsys.readouterr().out)["value"]["wins"] == 3
    assert main(["compare", "--values", "wide.csv", "--lower-is-better", "value", "-f", "csv"]) == 0
    assert rows(capsys.readouterr().out)["value"]["wins"] == 1
    assert main(["compare", "--values", "tidy.csv", "--lower-is-better", "latency", "-f", "csv"]) == 0
    assert rows(capsys.readouterr().out)["latency"]["losses"] == 2
    assert main(["compare", "--values", "tidy.csv", "--lower-is-better", "size"]) == 2
    assert "lower_is_better: there are no values 'size'; available: latency" in capsys.readouterr().err


def test_plain_values_are_told() -> None:
    values = {"slow": [9, 8, 7, 5.0], "fast": [1, 2, 3.5, 6]}
    assert compare(values).rows[0].wins == 3
    assert compare(values, lower_is_better=True).rows[0].wins == 1
    assert compare(pd.DataFrame(values), lower_is_better="value").rows[0].wins == 1
    with pytest.raises(BadSetting, match="the direction of a result's measures is known"):
        compare(classify("y", {"good": "good", "poor": "poor"}, data=FRAME, by="fold"), lower_is_better=True)


def test_ability_is_what_is_good() -> None:
    right = {"a": [1, 1, 1, 0, 1], "b": [1, 1, 0, 0, 1], "c": [1, 0, 0, 1, 0]}
    wrong = {name: [1 - value for value in row] for name, row in right.items()}
    assert np.allclose(latent(wrong, lower_is_better=True).ability, latent(right).ability)


def test_the_direction_does_not_matter_for_reproduction() -> None:
    values = RNG.random((4, 30))
    up, down = ({f"s{n}": row.tolist() for n, row in enumerate(table)} for table in (values, 1 - values))
    first, second = (reproduce(given, resamples=50).rows[0] for given in (up, down))
    assert (first.swap_rate, first.tau) == pytest.approx((second.swap_rate, second.tau))


def test_orders_by_error_rate_and_by_accuracy_agree(folds: Path, capsys: Capture) -> None:
    assert main(["correlate", "--values", str(folds), "--coefficient", "tau-a", "-f", "csv"]) == 0
    assert pd.read_csv(io.StringIO(capsys.readouterr().out))["value"].tolist() == [1.0]
