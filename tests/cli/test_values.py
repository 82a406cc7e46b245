"""`cranfield compare --values` compares systems on whatever units a table has values for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cranfield.cli.main import main

Capture = pytest.CaptureFixture[str]

EXAMPLES = Path(__file__).parents[2] / "examples"
FOLDS = """
fold,tree,forest
1,0.18,0.20
2,0.21,0.22
3,0.18,0.18
4,0.22,0.25
5,0.20,0.21
"""
RIGHT = "item,old,new\n" + "".join(f"i{n},{int(n % 3 == 0)},{int(n % 4 > 0)}\n" for n in range(30))


@pytest.fixture(autouse=True)
def tables(at_the_files: Path) -> None:
    (at_the_files / "folds.csv").write_text(FOLDS.lstrip())
    (at_the_files / "right.csv").write_text(RIGHT)
    (at_the_files / "ten.tsv").write_text("tree\tforest\n" + "".join(f"0.{n}\t0.{n + n % 3}\n" for n in range(1, 11)))


def compared(capsys: Capture, *arguments: str) -> dict[str, object]:
    assert main(["compare", "--values", *arguments, "-f", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_folds_by_the_corrected_t_test(capsys: Capture) -> None:
    found = compared(capsys, "folds.csv", "-b", "tree", "-t", "corrected t", "--overlap", "0.25")
    (row,) = found["comparisons"]
    assert (row["system"], row["n"]) == ("forest", 5)
    assert row["statistic"] == pytest.approx(1.8304172612897176, abs=1e-9)
    assert found["settings"]["units"] == "fold"
    plain = compared(capsys, "folds.csv", "-b", "tree")["comparisons"][0]
    assert (plain["statistic"], plain["p"]) == pytest.approx((2.745625891934576, 0.05160595781117475), abs=1e-9)


def test_items_by_mcnemar_and_ten_halves_by_five_by_two(capsys: Capture) -> None:
    assert compared(capsys, "right.csv", "-t", "mcnemar")["settings"]["units"] == "item"
    assert compared(capsys, "ten.tsv", "-t", "5x2cv")["comparisons"][0]["n"] == 10


def test_what_eval_prints_is_compared_as_the_runs_are(capsys: Capture) -> None:
    given = [str(EXAMPLES / name) for name in ("qrels.txt", "bm25.run", "dense.run")]
    chosen = ["-m", "AP", "-m", "nDCG@10"]
    assert main(["eval", *given, *chosen, "-q", "-o", "values.csv"]) == 0
    assert main(["compare", *given, *chosen, "-f", "json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    again = compared(capsys, "values.csv")
    for part, figures in (("comparisons", ("mean", "difference", "p", "corrected")), ("intervals", ("low", "high"))):
        for one, other in zip(again[part], direct[part], strict=True):
            assert [one[name] for name in figures] == pytest.approx([other[name] for name in figures], abs=1e-12)


def test_the_table_says_over_what(capsys: Capture) -> None:
    assert main(["compare", "--values", "folds.csv", "--steps"]) == 0
    out = capsys.readouterr().out
    assert "intervals with 95% confidence, over 5 folds" in out
    assert "H0: tree and forest have the same mean in value over folds like these 5" in out


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("system,value\na,1\n", "no column says which query, topic, fold"),
        ("system,query,value\na,q1,1\na,q1,2\n", "line 3: a has a value for query 'q1' already"),
        ("system,query,value\na,q1,1\na,q2,2\nb,q1,1\nb,q3,2\n", "2 of them not shared"),
        ("query,a,b\nq1,1,2\nq1,2,3\n", "query 'q1' has two rows"),
        ("query,a,b\nq1,1,x\nq2,2,y\n", "column 'b' holds no numbers"),
        ("query,a,b\nq1,1,\nq2,2,3\n", "odd.csv, line 2: b has no value"),
        ("query,a\nq1,1\nq2,2\n", "only one system"),
        ("query,a,b\nq1,1,2\n", "1 query only"),
        ("query,a,b\n", "there is a header, but no row"),
    ],
)
def test_a_table_that_cannot_be_compared_is_refused(table: str, said: str, capsys: Capture) -> None:
    Path("odd.csv").write_text(table)
    assert main(["compare", "--values", "odd.csv"]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["compare"], "give judgments and runs (QRELS RUN …), or a table of values (--values FILE)"),
        (["compare", "qrels.txt"], "give judgments and runs"),
        (["compare", "qrels.txt", "good.run", "--values", "folds.csv"], "QRELS goes with runs"),
        (["compare", "--values", "folds.csv", "-m", "AP"], "--measure goes with runs"),
        (["compare", "--values", "folds.csv", "-t", "corrected t"], "needs the overlap"),
        (["compare", "--values", "folds.csv", "--overlap", "0.1"], "--overlap goes with corrected t, not"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err
