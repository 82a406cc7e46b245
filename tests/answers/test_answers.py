"""Judged answers: an oracle in fractions, laws, every way to pass the tables, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import cranfield
from cranfield.answers.answers import evaluate_answers
from cranfield.cli.main import main
from cranfield.errors import BadInput, BadSetting, CranfieldError, CranfieldWarning
from cranfield.evidence.answers import Citations, Nuggets
from cranfield.measures.naming import parse
from cranfield.measures.registry import bound, declarations
from reference import answers as reference

QUERIES = ["7", "007", "qüery, with a comma", "猫"]
Rows = list[dict[str, str]]


def judged_nuggets(seed: int, systems: tuple[str, ...] = ("a", "b")) -> Rows:
    rng = np.random.default_rng(seed)
    rows = []
    for query in QUERIES:
        importance = rng.choice(["vital", "okay"], int(rng.integers(1, 6)))
        for system in systems:
            length = str(rng.integers(0, 700))
            for place, vital in enumerate(importance):
                support = str(rng.choice(["support", "partial_support", "not_support"]))
                rows.append({"query": query, "system": system, "nugget": f"n{place}", "importance": str(vital),
                             "support": support, "length": length})  # fmt: skip
    return [rows[place] for place in rng.permutation(len(rows))]


def judged_citations(seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    rows = []
    for query in QUERIES:
        for system in ("a", "b"):
            for sentence in range(int(rng.integers(1, 5))):
                cited = rng.integers(0, 3)
                labels = [str(rng.choice(["full", "partial", "no"])) for _ in range(cited)] or [""]
                rows += [{"query": query, "system": system, "sentence": str(sentence), "support": label,
                          "citation": f"d{place}" if label else ""} for place, label in enumerate(labels)]  # fmt: skip
    return rows


def same(found: float, expected: Fraction | None) -> bool:
    return bool(np.isnan(found)) if expected is None else found == pytest.approx(float(expected), rel=1e-14)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("importance", ["all", "vital", "weighted"])
@pytest.mark.parametrize("seed", range(5))
def test_nugget_recall_is_that_of_fractions(seed: int, importance: str, strict: bool) -> None:
    rows = judged_nuggets(seed)
    measure = f"NuggetRecall(importance={importance!r}, strict={strict})"
    result = evaluate_answers(rows, measure)
    for system in "ab":
        for query, value in result.per_query(measure, system).items():
            assert same(value, reference.nugget_recall(rows, system, query, importance, strict))


@pytest.mark.parametrize("seed", range(5))
def test_nugget_precision_and_f_are_those_of_the_question_answering_track(seed: int) -> None:
    rows = judged_nuggets(seed)
    measures = ["NuggetPrecision", "NuggetPrecision(allowance=20)", "NuggetF", "NuggetF(beta=5, allowance=20)"]
    result = evaluate_answers(rows, measures)
    for system in "ab":
        for query in QUERIES:
            for measure, beta, allowance in zip(measures, (None, None, 3, 5), (100, 20, 100, 20)):
                precision = reference.nugget_precision(rows, system, query, allowance)
                recall = reference.nugget_recall(rows, system, query, "vital", False)
                either = None if recall is None else reference.f(precision, recall, beta or 1)
                expected = precision if beta is None else either
                assert same(result.per_query(measure, system)[query], expected), (measure, query)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_citation_measures_are_those_of_fractions(seed: int, strict: bool) -> None:
    rows = judged_citations(seed)
    setting = "(strict=True)" if strict else ""
    result = evaluate_answers(
        rows, [f"{name}{setting}" for name in ("CitationPrecision", "CitationRecall", "CitationF")]
    )
    for system in "ab":
        for query in QUERIES:
            precision = reference.citation_precision(rows, system, query, strict)
            recall = reference.citation_recall(rows, system, query, strict)
            f = None if precision is None or recall is None else reference.f(precision, recall, 1)
            values = (result.per_query(measure, system)[query] for measure in result.measures)
            for value, expected in zip(values, (precision, recall, f)):
                assert same(value, expected)


def test_the_names_of_the_track_and_of_nuggetizer_are_known() -> None:
    for name, printed in {
        "V_strict": "NuggetRecall(importance='vital', strict=True)",
        "strict_vital_score": "NuggetRecall(importance='vital', strict=True)",
        "vital_score": "NuggetRecall(importance='vital')",
        "A_strict": "NuggetRecall(strict=True)",
        "strict_all_score": "NuggetRecall(strict=True)",
        "all_score": "NuggetRecall",
        "W_strict": "NuggetRecall(importance='weighted', strict=True)",
    }.items():
        assert str(parse(name, "answers")) == printed


# laws


def nuggets() -> Nuggets:
    return Nuggets(("p", "q", "r"), np.array([0, 0, 1, 1, 1]), np.array([True, False, True, True, False]),
                   np.array([1, 0.5, 0, 0.5, 1.0]), np.array([90.0, 900, np.nan]))  # fmt: skip


def citations() -> Citations:
    return Citations(("p", "q", "r"), np.array([0, 0, 1]), np.array([0, 0, 2]), np.array([0.5, 1, 0.0]))


@pytest.mark.parametrize("name", declarations("answers"))
def test_answers_are_scored_alone_and_evidence_adds(name: str) -> None:
    measure = bound(declarations("answers")[name], {})
    evidence: Any = nuggets() if measure.declaration.evidence is Nuggets else citations()
    values = measure.values(evidence)
    assert np.array_equal(measure.values(evidence + evidence), np.concatenate([values, values]), equal_nan=True)
    assert ((values >= 0) & (values <= 1) | np.isnan(values)).all()
    assert parse(str(measure), "answers") == measure
    assert np.isnan(values[2])  # without nuggets, without sentences
    assert measure.declaration.undefined


def test_an_answer_has_a_reason_for_every_undefined_value() -> None:
    one = evaluate_answers([{"query": "q", "nugget": "n", "importance": "okay", "support": "full"}], "vital_score")
    assert np.isnan(one.per_query("vital_score")["q"])
    alone = nuggets()
    empty = Nuggets(("r",), np.empty(0, np.int64), np.empty(0, np.bool_), np.empty(0), np.array([np.nan]))
    assert parse("NuggetRecall", "answers").why_undefined(empty) == "there are no nuggets"
    assert parse("NuggetF", "answers").why_undefined(empty) == "the length of the answer is not known"
    assert len(alone) == 3


# doors


def test_files_frames_and_rows_give_the_same_bits(tmp_path: Path) -> None:
    rows, cited = judged_nuggets(1), judged_citations(1)
    frames = pd.DataFrame(rows), pd.DataFrame(cited)
    for name, frame in zip(("n", "c"), frames):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
        frame.to_json(tmp_path / f"{name}.jsonl", orient="records", lines=True)
    expected = evaluate_answers(frames[0]).values
    for data in (rows, pl.from_pandas(frames[0]), *(str(tmp_path / f"n.{end}") for end in ("csv", "parquet", "jsonl"))):
        assert np.array_equal(evaluate_answers(data).values, expected, equal_nan=True)
    both = evaluate_answers([rows, frames[1]])
    from_files = evaluate_answers([tmp_path / "n.csv", str(tmp_path / "c.jsonl")])
    assert np.array_equal(both.values, from_files.values, equal_nan=True)
    assert list(both.units) == list(from_files.units)


def test_one_file_per_system_is_named_by_its_file(tmp_path: Path) -> None:
    rows = judged_nuggets(2)
    for system in "ab":
        own = [{key: row[key] for key in row if key != "system"} for row in rows if row["system"] == system]
        pd.DataFrame(own).to_csv(tmp_path / f"{system}.csv", index=False)
    apart = evaluate_answers([str(tmp_path / "a.csv"), str(tmp_path / "b.csv")])
    together = evaluate_answers(rows)
    assert apart["all_score"] == pytest.approx(together["all_score"])


def test_a_query_without_an_answer_scores_0_or_is_left_out_with_a_warning() -> None:
    rows = [row for row in judged_nuggets(3) if (row["system"], row["query"]) != ("b", "7")]
    with pytest.warns(CranfieldWarning, match="b: 1 of 4 queries have no judged answer; each scores 0"):
        zero = evaluate_answers(rows, "all_score")
    assert zero.per_query("all_score", "b")["7"] == 0
    with pytest.warns(CranfieldWarning, match="is left out"):
        assert "7" not in evaluate_answers(rows, "all_score", missing="skip").per_query("all_score", "b")


def test_the_queries_of_two_tables_are_the_same_if_they_were_read_as_floats() -> None:
    nuggets, citations = (pd.DataFrame(rows(1)) for rows in (judged_nuggets, judged_citations))
    numbers = {query: place for place, query in enumerate(QUERIES)}
    nuggets["query"], citations["query"] = (table["query"].map(numbers) for table in (nuggets, citations))
    expected = evaluate_answers([nuggets, citations])
    read = evaluate_answers([nuggets.astype({"query": float}), citations])
    assert sorted(read.units) == ["0", "1", "2", "3"]
    assert np.array_equal(read.aggregated(), expected.aggregated())


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(("column", "spelled", "message"), [
    ("query", {"猫": "猫 "}, "the queries '猫' and '猫 ' differ only by surrounding blanks"),
    ("query", {"7": "7.0"}, "the queries '7' and '7.0' differ only by a decimal point"),
    ("system", {"a": "A"}, "the systems 'A' and 'a' differ only by upper and lower case"),
])  # fmt: skip
def test_names_that_are_spelled_differently_in_another_table_are_named(column, spelled, message) -> None:
    citations = [row | {column: spelled.get(row[column], row[column])} for row in judged_citations(1)]
    with pytest.warns(CranfieldWarning, match=message):
        evaluate_answers([judged_nuggets(1), citations])


def test_a_nugget_without_a_judgment_counts_as_not_supported_with_a_warning() -> None:
    rows = [
        {"query": "q", "system": s, "nugget": n, "importance": "vital", "support": "yes"} for s, n in ("ax", "ay", "bx")
    ]
    with pytest.warns(CranfieldWarning, match="b: 1 nugget has no judgment and counts as not supported"):
        assert evaluate_answers(rows, "all_score")["all_score"] == {"a": 1.0, "b": 0.5}


def test_intervals_tests_findings_reports_and_saving_work(tmp_path: Path) -> None:
    result = evaluate_answers([judged_nuggets(4), judged_citations(4)])
    assert result.intervals()["a", "NuggetRecall"]
    compared = cranfield.compare(result, "a")
    assert {row.system for row in compared.rows} == {"b"}
    result.save(tmp_path / "r")
    assert np.array_equal(cranfield.load(tmp_path / "r").values, result.values, equal_nan=True)
    assert "CitationRecall" in cranfield.report(compared).html
    assert result.findings() is not None
    assert result.plot.systems("all_score").data.num_rows


def test_commands_print_what_python_computes(tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(judged_nuggets(5)).to_csv("n.csv", index=False)
    pd.DataFrame(judged_citations(5)).to_csv("c.csv", index=False)
    assert main(["answers", "n.csv", "c.csv", "-m", "V_strict,CitationF", "-q", "-f", "csv", "-o", "values.csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(Path("values.csv").read_text())))
    result = evaluate_answers(["n.csv", "c.csv"], ["V_strict", "CitationF"])
    assert len(rows) == result.values.size
    assert main(["compare", "--answers", "n.csv", "--answers", "c.csv", "-m", "CitationF", "-f", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["comparisons"]
    (expected,) = cranfield.compare(evaluate_answers(["n.csv", "c.csv"], "CitationF")).rows
    assert row["p"] == expected.p
    assert main(["report", "--answers", "n.csv", "-o", "r.html"]) == 0
    assert "NuggetRecall" in Path("r.html").read_text()
    assert main(["compare", "--answers", "n.csv", "--depth", "3"]) == 2
    assert "--depth cannot be combined with --answers" in capsys.readouterr().err


# what is refused


GOOD = {"query": "q", "nugget": "n", "importance": "vital", "support": "support"}
CITED = {"query": "q", "sentence": "1", "citation": "d", "support": "full"}


@pytest.mark.parametrize(
    ("rows", "error"),
    [
        ([GOOD, GOOD], "nugget 'n' of query 'q' is judged twice for answers"),
        ([GOOD, GOOD | {"system": "b", "importance": "okay"}], "is both vital and okay"),
        ([GOOD | {"importance": "crucial"}], "importance 'crucial' is not known; accepted: vital, okay, ok"),
        ([GOOD | {"support": "maybe"}], "support 'maybe' is not known; accepted: support, "),
        ([GOOD | {"support": "2"}], "support is 2; numbers must be 1, 0.5 (partial) or 0"),
        ([GOOD | {"nugget": ""}], "the nugget is missing"),
        ([{"query": "q", "nugget": "n", "support": "no"}], "no column for importance"),
        ([{"query": "q", "grade": "1"}], "expected a column for the nugget"),
        ([GOOD | {"length": "-3"}], "the length of the answer is negative"),
        ([GOOD | {"length": "3"}, GOOD | {"nugget": "m", "length": "4"}], "has two lengths"),
        ([CITED, CITED], "citation 'd' of query 'q' is judged twice"),
        ([CITED | {"citation": ""}], "support without a citation"),
        ([CITED | {"support": ""}], "a citation without support"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(rows: Rows, error: str) -> None:
    if len(rows) == 2 and "system" in rows[1]:
        rows = [rows[0] | {"system": "a"}, rows[1]]
    with pytest.raises(BadInput) as raised:
        evaluate_answers(rows)
    assert error in str(raised.value)


def test_measures_need_their_tables() -> None:
    with pytest.raises(BadSetting, match="CitationF needs a table of judged citations"):
        evaluate_answers([GOOD], "CitationF")
    with pytest.raises(CranfieldError, match="AP measures rankings"):
        evaluate_answers([GOOD], "AP")
    with pytest.raises(BadInput, match="each need a column for the system"):
        evaluate_answers([[GOOD], [GOOD], [CITED]])


def test_the_length_of_an_answer_may_be_in_one_of_several_tables() -> None:
    tables = [[GOOD], [GOOD | {"nugget": "m", "length": "100"}]]
    forward, backward = (cranfield.evaluate_answers(order, "NuggetPrecision") for order in (tables, tables[::-1]))
    assert forward["NuggetPrecision"] == backward["NuggetPrecision"]
