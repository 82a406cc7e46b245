"""Settings of measures that lectures use, through the command line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

EIGHT = ["--counts", "TP=2", "FP=2", "FN=1", "TN=3"]  # prevalence 3/8


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("".join(f"q 0 d{n} {int(n in (1, 2, 9))}\n" for n in range(1, 10)))
    Path("run").write_text("".join(f"q Q0 d{n} {n} {9 - n} r\n" for n in range(1, 5)))


def values(capsys: Capture, *arguments: str) -> dict[str, float]:
    assert main([*arguments, "-f", "csv", "--quiet"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    return {row["measure"]: float(row["value"]) for row in rows if row["value"]}


def asked(*measures: str) -> list[str]:
    return [part for measure in measures for part in ("-m", measure)]


def test_the_rates_of_a_retrieved_set(capsys: Capture) -> None:
    """Of 20 documents 3 are relevant; d1 to d4 are retrieved, of which d1 and d2 are relevant."""
    names = ["MissRate", "Specificity(collection=20)", "NPV(collection=20)", "ErrorRate(collection=20)",
             "SetAccuracy(collection=20)", "Fallout(collection=20)", "F(beta=inf)", "MissRate@1"]  # fmt: skip
    found = values(capsys, "eval", "qrels", "run", *asked(*names))
    expected = [1 / 3, 15 / 17, 15 / 16, 3 / 20, 17 / 20, 2 / 17, 2 / 3, 2 / 3]
    assert [found[name] for name in names] == approx(expected)


def test_f_from_precision_to_recall(capsys: Capture) -> None:
    names = ["F(beta=0)", "F(beta=0.5)", "F", "F(beta=2)", "F(beta=inf)"]
    found = values(capsys, "classify", *EIGHT, *asked(*names))
    assert [found[name] for name in names] == approx([0.5, 0.5263157894736842, 4 / 7, 0.625, 2 / 3])


def test_gains_by_alpha_and_by_beta(capsys: Capture) -> None:
    names = ["PrecisionGain", "RecallGain", "FGain", "FGain(beta=0.5)", "FGain(beta=2)", "FGain(alpha=0.8)",
             "FGain(alpha=0)", "FGain(beta=inf)"]  # fmt: skip
    found = values(capsys, "classify", *EIGHT, *asked(*names))
    assert [found[name] for name in names] == approx([0.4, 0.7, 0.55, 0.46, 0.64, 0.46, 0.7, 0.7])


def test_gains_below_the_baseline_are_clipped_on_request(capsys: Capture) -> None:
    """Precision 1/6 at prevalence 3/8: (1/6 - 3/8) / ((1 - 3/8) / 6) = -2."""
    names = ["PrecisionGain", "PrecisionGain(clip=True)", "FGain", "FGain(clip=True)", "RecallGain(clip=True)"]
    found = values(capsys, "classify", "--counts", "TP=1", "FP=5", "FN=2", "TN=0", *asked(*names))
    assert [found[name] for name in names] == approx([-2, 0, -1.1, 0, 0])
    nothing = cranfield.classify(counts="TP=0 FP=2 FN=1 TN=3", measures=["PrecisionGain(clip=True)", "FGain"])
    assert nothing["PrecisionGain(clip=True)"] == 0
    assert nothing["FGain"] != nothing["FGain"]


def test_the_clipped_f_gain_is_the_mean_of_clipped_gains(capsys: Capture) -> None:
    """Prevalence 6/16, precision 4/14 below it, recall 4/6."""
    names = [
        "PrecisionGain",
        "RecallGain",
        "FGain(clip=True)",
        "FGain(beta=2, clip=True)",
        "FGain(alpha=0.9, clip=True)",
    ]
    found = values(capsys, "classify", "--counts", "TP=4", "FP=10", "FN=2", "TN=0", *asked(*names))
    gain = 1 - 6 / 10 * 2 / 4
    assert [found[name] for name in names] == approx([1 - 6 / 10 * 10 / 4, gain, gain / 2, 4 / 5 * gain, 0.1 * gain])


def test_errors_of_type_i_and_ii_are_false_positives_and_false_negatives(capsys: Capture) -> None:
    found = values(capsys, "classify", *EIGHT, *asked("TypeI", "TypeII"))
    assert [found["Fallout"], found["MissRate"]] == approx([2 / 5, 1 / 3])
    Path("q").write_text("".join(f"q 0 d{n} {int(n in (1, 5, 7))}\n" for n in range(1, 9)))
    Path("r").write_text("".join(f"q Q0 d{n} 0 {-n} r\n" for n in (1, 3, 5, 6)))
    found = values(capsys, "eval", "q", "r", *asked("TypeI(collection=8)", "TypeII"))
    assert [*found.values()] == approx([2 / 5, 1 / 3])
    assert main(["measures", "TypeI"]) == 0
    assert "the rate of type I errors" in capsys.readouterr().out


def test_a_goal_may_be_a_clipped_gain_or_recall() -> None:
    actual, score = [1, 0, 1, 1, 0, 0], [0.9, 0.8, 0.7, 0.4, 0.3, 0.1]
    result = cranfield.classify(actual, score=score)
    assert result.choose("F(beta=inf)").threshold == 0.4
    assert result.choose("FGain(clip=True)").value == approx(result.choose("FGain").value)


@pytest.mark.parametrize("name", ["F(beta=-inf)", "F(beta=nan)", "RBP(p=inf)", "FGain(alpha=0.5, beta=2)"])
def test_other_infinite_settings_are_refused(name: str) -> None:
    with pytest.raises(BadSetting):
        cranfield.classify(counts="TP=2 FP=2 FN=1 TN=3", measures=[name])[name] if "F" in name else cranfield.parse(
            name
        )


def test_infinite_beta_prints_and_parses_back() -> None:
    assert str(cranfield.parse("F(beta=inf)")) == "F(beta=inf)"
    assert cranfield.parse(str(cranfield.parse("F(beta=inf)"))) == cranfield.parse("F(beta=inf)")


@pytest.mark.parametrize(("name", "kind"), [("Fallout", "type I errors"), ("MissRate", "type II errors")])
def test_errors_of_type_one_and_two_are_named_in_the_reference(name: str, kind: str, capsys: Capture) -> None:
    assert main(["measures", name]) == 0
    assert kind in capsys.readouterr().out
