"""Confusion matrices: named cells, rows either way, one class against the rest, and all rates around them."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from pathlib import Path

import pytest

import cranfield
from cranfield import plot
from cranfield.cli.main import main
from cranfield.errors import BadSetting
from plot.gallery import CONFUSED

# by predicted and actual class, as in the lecture
MATRIX = {
    "Woman": {"Woman": 13, "Man": 4, "Child": 2},
    "Man": {"Woman": 2, "Man": 15, "Child": 1},
    "Child": {"Woman": 5, "Man": 1, "Child": 57},
}
# what stands beside the matrix of the class Woman, and below it
RATES = {
    "PPV": (13, 19), "FDR": (6, 19), "FOR": (7, 81), "NPV": (74, 81), "TPR": (13, 20), "FPR": (6, 80),
    "FNR": (7, 20), "TNR": (74, 80), "ACC": (87, 100), "ERR": (13, 100), "prevalence": (20, 100),
}  # fmt: skip


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """One row per item."""
    cells = [(actual, predicted, n) for predicted, row in MATRIX.items() for actual, n in row.items()]
    lines = [f"{actual},{predicted}" for actual, predicted, n in cells for _ in range(n)]
    file = tmp_path / "people.csv"
    file.write_text("\n".join(["actual,answer", *lines]) + "\n")
    return file


def drawn(people: Path, *options: str) -> list[dict[str, str]]:
    """The data of a plot from the command line."""
    file = people.with_name("data.csv")
    given = ["plot", "confusion", str(people), "--actual", "actual", "--predicted", "answer", *options]
    assert main([*given, "-o", str(file)]) == 0
    return list(csv.DictReader(io.StringIO(file.read_text())))


def test_one_class_against_the_rest_with_all_rates(people: Path) -> None:
    rows = drawn(people, "--collapse", "Woman", "--overview", "--rows", "predicted")
    counts = {row["name"]: (row["row"], row["column"], float(row["n"])) for row in rows if row["part"] == "cell"}
    assert counts == {
        "TP": ("Woman", "Woman", 13),
        "FP": ("Woman", "not Woman", 6),
        "FN": ("not Woman", "Woman", 7),
        "TN": ("not Woman", "not Woman", 74),
    }
    rates = {row["name"]: row for row in rows if row["part"] == "rate"}
    assert {name: (float(row["n"]), float(row["of"])) for name, row in rates.items()} == RATES
    for name, (n, of) in RATES.items():
        assert float(rates[name]["value"]) == float(Fraction(n, of))


def test_rates_of_rows_stand_beside_and_rates_of_columns_below(people: Path) -> None:
    for rows, beside in (("predicted", {"PPV", "FDR", "FOR", "NPV"}), ("actual", {"TPR", "FNR", "FPR", "TNR"})):
        table = drawn(people, "--collapse", "Woman", "--overview", "--rows", rows)
        found = {row["name"] for row in table if row["row"] in ("Woman", "not Woman") and row["part"] == "rate"}
        assert found == beside


def test_cells_of_two_classes_are_named(people: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = drawn(people, "--collapse", "Child")
    named = {row["name"]: int(row["n"]) for row in rows if row["name"]}
    assert named == {"TP": 57, "FP": 6, "FN": 3, "TN": 34}
    given = ["plot", "confusion", str(people), "--actual", "actual", "--predicted", "answer", "--collapse", "Child"]
    assert main(given) == 0
    assert "TP 57" in capsys.readouterr().out


def test_the_positive_class_of_a_classification_names_the_cells() -> None:
    known = cranfield.classify(["no", "yes", "yes", "no", "no"], ["yes", "yes", "no", "no", "no"], positive="yes")
    rows = known.plot.confusion().data.to_pylist()
    assert {row["name"]: row["n"] for row in rows if row["name"]} == {"TP": 1, "FP": 1, "FN": 1, "TN": 2}
    assert {row["name"] for row in known.plot.confusion(overview=True).data.to_pylist()} >= RATES.keys()


def test_classes_keep_their_order_unless_asked() -> None:
    cells = [row for row in plot.confusion(CONFUSED).data.to_pylist() if row["part"] == "cell"]
    assert [row["actual"] for row in cells[::3]] == ["man", "woman", "child"]
    reordered = [row for row in plot.confusion(CONFUSED, reorder=True).data.to_pylist() if row["part"] == "cell"]
    assert [row["actual"] for row in reordered[::3]] == ["man", "child", "woman"]


def test_rows_are_actual_or_predicted() -> None:
    spec = plot.confusion(CONFUSED, rows="predicted").spec
    cells = next(layer for layer in spec["layer"] if layer["mark"].get("style") == "good")
    assert (cells["encoding"]["x"]["field"], cells["encoding"]["y"]["field"]) == ("actual", "predicted")


def test_right_and_wrong_cells_have_different_styles() -> None:
    styles = [layer["mark"].get("style") for layer in plot.confusion(CONFUSED).spec["layer"]]
    assert styles[:2] == ["good", "bad"]


def test_what_an_overview_needs() -> None:
    with pytest.raises(BadSetting, match="an overview needs two classes, one of them positive"):
        plot.confusion(CONFUSED, overview=True)
    with pytest.raises(BadSetting, match="there is no class 'dog'"):
        plot.confusion(CONFUSED, collapse="dog")
    with pytest.raises(BadSetting, match="rows must be one of 'actual', 'predicted', not 'columns'"):
        plot.confusion(CONFUSED, rows="columns")  # type: ignore[arg-type]


def test_the_titles_of_an_overview_are_centred_on_the_matrix() -> None:
    spec = cranfield.classify([1, 0, 1], [1, 0, 0]).plot.confusion(overview=True).spec
    encoding = spec["layer"][0]["encoding"]
    assert encoding["x"]["axis"]["titleX"] == spec["width"] / 4
    assert encoding["y"]["axis"]["titleY"] == spec["height"] / 4


@pytest.mark.parametrize("rows", ["actual", "predicted"])
def test_a_published_matrix_is_drawn_without_items(rows: str, tmp_path: Path) -> None:
    named, table = ["TP=13", "FP=6", "FN=7", "TN=74"], tmp_path / "m.csv"
    first, second = ("Woman,13,7", "rest,6,74") if rows == "actual" else ("Woman,13,6", "rest,7,74")
    table.write_text(f"{rows},Woman,rest\n{first}\n{second}\n")
    for given in (named, [str(table), "--positive", "Woman"]):
        file = tmp_path / "drawn.csv"
        assert main(["plot", "confusion", "--counts", *given, "--rows", rows, "--overview", "-o", str(file)]) == 0
        table_drawn = csv.DictReader(io.StringIO(file.read_text()))
        found = {row["name"]: (float(row["n"]), float(row["of"])) for row in table_drawn}
        assert {name: found[name] for name in RATES} == RATES


def test_one_class_of_a_published_matrix_and_what_does_not_go_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "m.csv"
    lines = [",".join([name, *(str(row[other]) for other in MATRIX)]) for name, row in MATRIX.items()]
    table.write_text("\n".join([f"predicted,{','.join(MATRIX)}", *lines]) + "\n")
    given = ["plot", "confusion", "--counts", str(table), "--rows", "predicted", "--collapse", "Woman"]
    assert main([*given, "-o", str(tmp_path / "drawn.csv")]) == 0
    assert "13" in (tmp_path / "drawn.csv").read_text()
    assert main([*given, "--actual", "a"]) != 0
    assert "--actual applies to a table of predictions, not to a confusion matrix (--counts)" in capsys.readouterr().err
    assert main(["plot", "venn", "--counts", "TP=1", "FP=2", "FN=3", "TN=4"]) != 0
    assert "venn has no --counts" in capsys.readouterr().err
