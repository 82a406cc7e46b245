"""`cranfield compare --values` compares systems on whatever units a table has values for."""

from __future__ import annotations

import json
from base64 import b64encode
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
    chosen = ["-m", "AP", "-m", "nDCG@10", "-m", "GMAP", "-m", "gm_bpref"]
    assert main(["eval", *given, *chosen, "-q", "-o", "values.csv"]) == 0
    assert main(["compare", *given, *chosen, "-f", "json"]) == 0
    direct = json.loads(capsys.readouterr().out)
    again = compared(capsys, "values.csv")
    for part, figures in (("comparisons", ("mean", "difference", "p", "adjusted_p")), ("intervals", ("low", "high"))):
        for one, other in zip(again[part], direct[part], strict=True):
            assert [one[name] for name in figures] == pytest.approx([other[name] for name in figures], abs=1e-12)


def test_the_table_says_over_what(capsys: Capture) -> None:
    assert main(["compare", "--values", "folds.csv", "--steps"]) == 0
    out = capsys.readouterr().out
    assert "95 % confidence intervals of single means, over 5 folds" in out
    assert "H0: tree and forest have the same mean in value over folds like these 5" in out


@pytest.mark.parametrize(
    ("table", "said"),
    [
        (
            "system,value\na,1\n",
            "no column among 'system', 'value' names the unit of a value; call it query, item, fold",
        ),
        ("system,query,value\na,q1,1\na,q1,2\n", "line 3: a already has a value for query 'q1'"),
        ("system,query,value\na,q1,1\na,q2,2\nb,q1,1\nb,q3,2\n", "2 are not in both"),
        ("query,a,b\nq1,1,2\nq1,2,3\n", "duplicate query 'q1'"),
        ("query,a,b\nq1,1,x\nq2,2,y\n", "column 'b' contains no numbers"),
        ("query,a,b\nq1,1,\nq2,2,3\n", "odd.csv, line 2: b has no value"),
        ("query,a\nq1,1\nq2,2\n", "at least two systems"),
        ("query,a,b\nq1,1,2\n", "at least 2 queries are needed"),
        ("query,a,b\n", "there is a header but no rows"),
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
        (["compare", "qrels.txt", "good.run", "--values", "folds.csv"], "QRELS applies only to runs"),
        (["compare", "--values", "folds.csv", "-m", "AP"], "--measure applies only to runs"),
        (["compare", "--values", "folds.csv", "--ties", "best"], "--ties applies only to runs"),
        (["report", "--values", "folds.csv", "--sort", "AP"], "--sort applies only to runs"),
        (["report", "--values", "folds.csv", "qrels.txt"], "judgments and runs cannot be combined with --values"),
        (["report", "--values", "folds.csv", "--interval", "auto"], "--interval must be t or bca"),
        (["report", "--published", "a=1/2", "--published", "b=2/2", "--depth", "3"], "--depth does not apply to publ"),
        (["report", "qrels.txt", "good.run", "--lower-is-better", "AP"], "--lower-is-better requires --values"),
        (["report"], "needs judgments and at least one run"),
        (["compare", "--values", "folds.csv", "-t", "corrected t"], "needs the overlap"),
        (["compare", "--values", "folds.csv", "--overlap", "0.1"], "--overlap applies to corrected t, not"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[str], said: str, capsys: Capture) -> None:
    assert main(arguments) == 2
    assert said in capsys.readouterr().err


def page(*arguments: str) -> str:
    assert main(["report", *arguments, "-o", "page.html"]) == 0
    return Path("page.html").read_text("utf-8")


def test_a_report_has_the_comparison_of_a_table(capsys: Capture) -> None:
    asked = ["--values", "folds.csv", "-b", "tree", "--lower-is-better", "value"]
    text = page(*asked, "--steps", "--title", "Two learners")
    assert main(["compare", *asked, "-f", "csv"]) == 0
    assert b64encode(capsys.readouterr().out.encode()).decode() in text  # comparison.csv, embedded
    assert "<h1>Two learners</h1>" in text
    assert "1 difference" in text
    assert "Steps of the tests" in text
    assert text.count("<svg ") == 3  # differences, power, systems


def test_a_report_has_the_comparison_of_published_figures() -> None:
    text = page("--published", "new=170/200", "--published", "old=150/200")
    assert "z-test of published proportions" in text
    assert "<svg " in text


def test_a_geometric_mean_orders_systems_alike_by_both_doors(capsys: Capture) -> None:
    text = "query,system,measure,value\n"
    for measure in ("GMAP", "AP"):
        for system, values in (("a", (0.9, 0.1)), ("b", (0.4, 0.4))):
            text += "".join(f"{query},{system},{measure},{value}\n" for query, value in enumerate(values))
    Path("values.csv").write_text(text)
    means = {(row["measure"], row["system"]): row for row in compared(capsys, "values.csv")["comparisons"]}
    assert means["AP", "a"]["difference"] > 0 > means["GMAP", "a"]["difference"]
    assert main(["correlate", "--values", "values.csv", "--coefficient", "tau-b", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["correlations"][0]["value"] == -1


def test_logarithms_are_not_taken_for_the_values_of_a_geometric_mean(capsys: Capture) -> None:
    Path("values.csv").write_text(
        "query,system,measure,value\n1,a,GMAP,-1.5\n1,b,GMAP,-0.5\n2,a,GMAP,-1\n2,b,GMAP,-2\n"
    )
    assert main(["compare", "--values", "values.csv"]) == 1
    assert "GMAP: a geometric mean needs values of 0 or more; one is -2" in capsys.readouterr().err
