"""`cranfield eval --steps`: the working of rankings, with the tables of the lectures as oracles."""

from __future__ import annotations

import csv
import io
import json
import math
import random
from pathlib import Path
from typing import Any

import pytest

import cranfield
from cranfield.cli.main import main
from cranfield.errors import BadSetting, CranfieldWarning

Capture = pytest.CaptureFixture[str]
approx = pytest.approx

FOURTEEN = [588, 589, 576, 590, 986, 592, 984, 988, 578, 985, 103, 591, 772, 990]
RELEVANT = [588, 589, 590, 592, 772]
WEBER = [0, 2, 1, 3, 0, 2, 0, 3, 1, 3]  # of 5 documents of grade 3 and 10 of grade 2
KANPUR = [4, 3, 4, 2, 0, 0, 0, 1, 1, 0]


def write(name: str, grades: dict[str, float], ranking: list[str]) -> None:
    Path(f"{name}.qrels").write_text("".join(f"q 0 {doc} {grade}\n" for doc, grade in grades.items()))
    lines = (f"q Q0 {doc} {place} {1 - place / 100} {name}\n" for place, doc in enumerate(ranking, 1))
    Path(f"{name}.run").write_text("".join(lines))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write("fourteen", {str(doc): int(doc in RELEVANT) for doc in FOURTEEN}, [str(doc) for doc in FOURTEEN])
    graded = {f"d{place}": grade for place, grade in enumerate(WEBER, 1)}
    rest = {f"r{place}": grade for place, grade in enumerate([3] * 2 + [2] * 8)}
    write("weber", graded | rest, list(graded))
    graded = {f"d{place}": grade for place, grade in enumerate(KANPUR, 1)}
    write("kanpur", graded, list(graded))


def steps(capsys: Capture, name: str, *arguments: str) -> list[dict[str, str]]:
    assert main(["eval", f"{name}.qrels", f"{name}.run", "--steps", *arguments, "-f", "csv", "--quiet"]) == 0
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def column(rows: list[dict[str, str]], name: str) -> list[float]:
    return [float(row[name]) for row in rows if row["rank"]]


def test_precision_and_recall_of_fourteen_documents(capsys: Capture) -> None:
    rows = steps(capsys, "fourteen")
    hits = [1, 2, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5]
    assert column(rows, "P") == approx([n / rank for rank, n in enumerate(hits, 1)])
    assert column(rows, "R") == approx([.2, .4, .4, .6, .6, .8, .8, .8, .8, .8, .8, .8, 1, 1])  # fmt: skip
    assert sum(column(rows, "AP_part")) == approx(593 / 780)
    assert [row["document"] for row in rows if row["outcome"] == "TP"] == ["588", "589", "590", "592", "772"]
    assert [row["relevant"] for row in rows] == [str(mark == "+") for mark in "++-+-+------+-"]


def test_cumulative_gain_with_documents_that_were_missed(capsys: Capture) -> None:
    rows = steps(capsys, "weber", "-m", "nDCG@10")
    assert column(rows, "CG") == [0, 2, 3, 6, 6, 8, 8, 11, 12, 15]
    assert column(rows, "nCG") == approx([0, 2/6, 3/9, 6/12, 6/15, 8/18, 8/21, 11/24, 12/27, 15/30])  # fmt: skip
    assert column(rows, "discount")[4] == approx(0.38685280723454163)  # printed 0.38, which rounds to 0.39
    assert column(rows, "DCG")[-1] == approx(5.88092266055397)
    assert column(rows, "ideal_gain") == [3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    assert column(rows, "IDCG")[1] == approx(4.892789260714372)
    assert column(rows, "IDCG")[-1] == approx(12.035577795056081)
    assert column(rows, "nDCG") == approx([
        0, 0.2579018714896944, 0.2756010616477029, 0.3973924704302878, 0.34525256054466086, 0.39405583022078766,
        0.3683621575977413, 0.43413447039773523, 0.43759553779147115, 0.4886281955628011])  # fmt: skip
    missed = [row for row in rows if not row["rank"]]
    assert {row["outcome"] for row in missed} == {"FN"}
    assert sorted(row["document"] for row in missed) == sorted(f"r{n}" for n in range(10))


def test_exponential_gains(capsys: Capture) -> None:
    rows = steps(capsys, "weber", "-m", "nDCG(gain='exp2')@10")
    assert column(rows, "DCG")[-1] == approx(11.008884645941489)
    assert column(rows, "nDCG")[-1] == approx(0.43300274820845247)


def test_the_discount_of_jarvelin_and_kekalainen_and_the_ideal_of_the_retrieved(capsys: Capture) -> None:
    rows = steps(capsys, "kanpur", "-m", "nDCG(discount='log(i)', ideal='retrieved')@10")
    assert column(rows, "discount")[:5] == approx([1, 1, 0.6309297535714575, 0.5, 0.43067655807339306])
    printed = [4, 3, 2.52, 1, 0, 0, 0, 0.33, 0.32, 0]  # the column "gain" of the source
    assert column(rows, "DCG_part") == approx(printed, abs=0.005)
    assert column(rows, "DCG")[-1] == approx(11.172517224404894)
    assert column(rows, "nDCG") == approx([
        1, 0.875, 0.962693004298174, 0.9661179301650845, 0.9293726128289269, 0.8986705955976593, 0.8986705955976593,
        0.9271355199074565, 0.9540745714277723, 0.9540745714277723])  # fmt: skip


@pytest.mark.parametrize(("form", "text"), [
    ("table", "AP = 0.2000 + 0.2000 + 0.1500 + 0.1333 + 0.0769 = 0.7603"),
    ("markdown", "| 588 "), ("latex", "588"), ("html", "588"),
])  # fmt: skip
def test_every_format_shows_the_working(form: str, text: str, capsys: Capture) -> None:
    assert main(["eval", "fourteen.qrels", "fourteen.run", "--steps", "-f", form]) == 0
    assert text in capsys.readouterr().out


@pytest.mark.parametrize(("measure", "cells"), [
    ("nDCG", ["3", "15"]), ("nDCG(gain={1: 0.5, 2: 1, 3: 2})", ["2.0000", "9.0000"]),
])  # fmt: skip
def test_whole_gains_are_shown_without_decimals(measure: str, cells: list[str], capsys: Capture) -> None:
    assert main(["eval", "weber.qrels", "weber.run", "--steps", "-m", measure, "--quiet"]) == 0
    (last,) = [line.split() for line in capsys.readouterr().out.splitlines() if line.startswith("  10 ")]
    assert last[9:11] == cells  # gain and CG


def test_json_has_the_conventions(capsys: Capture) -> None:
    assert main(["eval", "weber.qrels", "weber.run", "--steps", "-m", "nDCG(gain='exp2')@3", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["settings"]["gain"], found["settings"]["k"]) == ("exp2", 3)
    assert [row["rank"] for row in found["steps"]][:4] == [1, 2, 3, None]
    assert {row["document"] for row in found["steps"] if row["outcome"] == "FN"} >= {"d4", "d6", "r0"}


MEASURES = {"P": "P", "R": "R", "F": "F(beta=2)", "DCG": "DCG(gain='exp2', base=3)",
            "nCG": "nCG", "nDCG": "nDCG(gain='exp2', base=3)"}  # fmt: skip


def messy(seed: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments with grades from -1, and a run with tied and rounded scores, unjudged and missing documents."""
    draw = random.Random(seed)
    documents = [f"{'é' * (n % 3)}doc {n}" for n in range(30)]
    qrels = {f"q{q}": {doc: draw.choice([-1, 0, 0, 1, 2, 3]) for doc in draw.sample(documents, 15)} for q in range(4)}
    run = {f"q{q}": {doc: round(draw.random(), 1) for doc in draw.sample(documents, 12)} for q in range(3)}
    return qrels, run


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.filterwarnings("ignore")
def test_every_row_is_the_measure_at_that_cutoff(seed: int) -> None:
    qrels, run = messy(seed)
    working = cranfield.steps(qrels, run, list(MEASURES.values())).records()["steps"]
    by_result = cranfield.evaluate(qrels, run, list(MEASURES.values())).steps().records()["steps"]
    for k in (1, 2, 5, 12):
        names = [f"{name}@{k}" for name in MEASURES.values()]
        values = cranfield.evaluate(qrels, run, [*names, f"AP@{k}"])
        for query in ("q0", "q1", "q2"):
            rows = [row for row in working if row["query"] == query and row["rank"]]
            for shown, name in zip(MEASURES, names, strict=True):
                expected = values.per_query(name)[query]
                assert rows[k - 1][shown] == (None if math.isnan(expected) else approx(expected))
            assert sum(row["AP_part"] or 0 for row in rows[:k]) == approx(values.per_query(f"AP@{k}")[query])
            assert sum(row["DCG_part"] for row in rows[:k]) == approx(rows[k - 1]["DCG"])
    nameless = [{**row, "document": None} for row in working]
    key = lambda row: (row["query"], row["rank"] or 99, row["outcome"], row["grade"] or 0)  # noqa: E731
    assert sorted(nameless, key=key) == sorted(by_result, key=key)


def test_documents_are_named_in_the_order_of_their_ranks() -> None:
    with pytest.warns(CranfieldWarning):
        working = cranfield.steps({"q": {"a": 1, "b": 0, "c": 1}}, {"q": {"b": 1.0, "a": 1.0, "x": 2.0}})
    rows = working.records()["steps"]
    assert [(row["rank"], row["document"], row["outcome"]) for row in rows] == [
        (1, "x", "FP"), (2, "b", "FP"), (3, "a", "TP"), (None, "c", "FN"),
    ]  # fmt: skip
    assert rows[0]["grade"] is None


def test_a_missing_query_and_one_without_relevant_documents() -> None:
    with pytest.warns(CranfieldWarning, match="missing"):
        working = cranfield.steps({"q": {"a": 1}, "r": {"b": 0}}, {"r": {"b": 1}})
    rows = working.records()["steps"]
    assert [(row["query"], row["outcome"], row["R"], row["nDCG"]) for row in rows] == [
        ("q", "end", 0, 0), ("q", "FN", None, None), ("r", "FP", None, None),
    ]  # fmt: skip
    assert "query r" in str(working)


def test_what_has_no_working_is_refused(capsys: Capture) -> None:
    run = {"q": {"a": 1}}
    with pytest.raises(BadSetting, match="'trec', 'name' or 'given', not 'expected'"):
        cranfield.steps({"q": {"a": 1}}, run, ties="expected")
    with pytest.raises(BadSetting, match="changes unjudged documents"):
        cranfield.steps({"q": {"a": 1}}, run, "AP(unjudged='skip')")
    with pytest.raises(BadSetting, match="query 'x' has no judgments"):
        cranfield.steps({"q": {"a": 1}}, run, query="x")
    assert main(["eval", "weber.qrels", "weber.run", "--query", "q"]) != 0
    assert "--query requires --steps" in capsys.readouterr().err


def test_the_working_can_be_saved(tmp_path: Path) -> None:
    working = cranfield.steps({"q": {"a": 1, "b": 2}}, {"q": {"a": 1}})
    working.save(tmp_path / "steps.zip")
    assert cranfield.load(tmp_path / "steps.zip").records() == working.records()


MISSED = ("FN", "TN")
SHOWN = {"P": "P(rel=2)", "R": "R(rel=2)", "F": "F(rel=2, beta=2)", "CG": "CG(gain='exp2')", "nCG": "nCG",
         "DCG": "DCG(gain='exp2', base=3)", "IDCG": "IDCG(gain='exp2', base=3)",
         "nDCG": "nDCG(gain='exp2', base=3)"}  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("cutoff", [1, 4, 12, 40, None])
@pytest.mark.parametrize("ideal", ["judged", "retrieved"])
@pytest.mark.filterwarnings("ignore")
def test_the_last_row_of_the_working_is_the_value(seed: int, cutoff: int | None, ideal: str) -> None:
    qrels, run = messy(seed)
    run["q1"] = dict([*run["q1"].items()][:2])  # shorter than most cutoffs
    measures = {name: cranfield.parse(text) for name, text in SHOWN.items()}
    measures |= {name: measures[name](ideal=ideal) for name in ("IDCG", "nDCG")}
    if cutoff is not None:
        measures = {name: measure @ cutoff for name, measure in measures.items()}
    values = cranfield.evaluate(qrels, run, [*measures.values(), "AP(rel=2)" + (f"@{cutoff}" if cutoff else "")])
    working = cranfield.steps(qrels, run, [*measures.values()])
    assert values.steps(k=cutoff).records()["steps"][-1]["outcome"] in ("FN", "TN")
    for query in qrels:
        rows = [row for row in working.records()["steps"] if row["query"] == query and row["outcome"] not in MISSED]
        average = sum(row["AP_part"] or 0 for row in rows)
        for name, measure in measures.items():
            expected = values.per_query(measure)[query]
            assert rows[-1][name] == (None if math.isnan(expected) else approx(expected)), (name, query)
        assert average == approx(values.per_query(values.measures[-1])[query], nan_ok=True)


@pytest.mark.filterwarnings("ignore")
def test_every_cutoff_below_the_last_document_has_a_row() -> None:
    qrels, run = {"q": {"a": 1, "b": 3, "c": 1}}, {"q": {"a": 2.0, "b": 1.0}}
    working = cranfield.steps(qrels, run, ["P@2", "P@5", "nDCG@10", "AP"])
    rows = working.records()["steps"]
    assert [(row["rank"], row["outcome"]) for row in rows] == [
        (1, "TP"), (2, "TP"), (5, "empty"), (10, "empty"), (None, "end"), (None, "FN"),
    ]  # fmt: skip
    values = cranfield.evaluate(qrels, run, ["P@5", "nDCG@10"])
    assert (rows[2]["P"], rows[3]["nDCG"]) == (approx(values["P@5"]), approx(values["nDCG@10"]))
