"""What may mislead in the figures of runs is said once, with what it is about, whatever way the data came in."""

from __future__ import annotations

import io
import sys
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cranfield import evaluate, plot, precision_recall
from cranfield.cli.main import main
from cranfield.errors import BadInput, CranfieldWarning
from cranfield.results.values import Result
from generators.doors import QRELS, RUNS, Row, StandardInput

Nested = dict[str, dict[str, Any]]


class Named(NamedTuple):
    """A run as ranx has it."""

    name: str
    nested: Nested

    def to_dict(self) -> Nested:
        return self.nested


doors = pytest.mark.parametrize("door", [name for name in QRELS if name in RUNS])


def rows(nested: Nested) -> list[Row]:
    return [(query, document, str(value)) for query, own in nested.items() for document, value in own.items()]


def through(door: str, qrels: Nested, run: Nested, folder: Path) -> tuple[Any, Any]:
    """Judgments and run as this door takes them; those that come by standard input as dicts."""
    sides = []
    for side, kind, nested in ((QRELS, "qrels", qrels), (RUNS, "run", run)):
        (folder / kind).mkdir()
        given = side[door].write(folder / kind, rows(nested))
        sides.append(nested if isinstance(given, StandardInput) else given)
    return sides[0], sides[1]


def told(*given: Any, **settings: Any) -> list[str]:
    """What evaluating warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        evaluate(*given, **settings)
    return [str(one.message) for one in caught]


@doors
def test_a_run_without_a_judged_document_shows_how_both_write_their_ids(door: str, tmp_path: Path) -> None:
    qrels = {"1": {"FBIS3-10082": 1, "FBIS3-10083": 0}, "2": {"LA010189-0001": 1}}
    run = {"1": {"d1": 2.5, "d2": 1.25}, "2": {"d1": 2.5, "d3": 1.25}}
    (said,) = told(*through(door, qrels, run, tmp_path), "AP")
    assert said.endswith("no retrieved document is judged: the run has ids such as 'd1', the judgments 'FBIS3-10082'")


@doors
def test_documents_that_differ_by_leading_zeros_are_told(door: str, tmp_path: Path) -> None:
    qrels = {"1": {"0012": 1, "0013": 0, "1014": 1}}
    (said,) = told(*through(door, qrels, {"1": {"12": 2.5, "7": 1.25}}, tmp_path), "AP")
    assert said.endswith(
        "no retrieved document is judged: documents differ from judged ones only by leading zeros, such as '12' in the "
        "run and '0012' in the judgments"
    )
    partly = told(qrels, {"1": {"12": 2.5, "1014": 1.25}}, "AP")
    assert partly == [
        "run: documents differ from judged ones only by leading zeros, such as '12' in the run and '0012' in the "
        "judgments"
    ]


def test_ids_that_differ_by_surrounding_blanks_are_told_even_if_others_match() -> None:
    said = told({"1": {"a": 1, "b": 1}}, {"1": {"a ": 2.5, "b": 1.25}}, "AP")
    assert said == [
        "run: documents differ from judged ones only by surrounding blanks, such as 'a ' in the run and 'a' in the "
        "judgments"
    ]
    queries = told({"1": {"a": 1}, "2": {"a": 1}}, {"1": {"a": 2.5}, " 2": {"a": 2.5}}, "AP")
    assert queries[-1] == (
        "run: queries differ from judged ones only by surrounding blanks, such as ' 2' in the run and '2' in the "
        "judgments"
    )


@doors
def test_no_query_in_common_shows_how_both_write_their_ids(door: str, tmp_path: Path) -> None:
    qrels, run = through(door, {"topic-1": {"a": 1}}, {"q1": {"a": 2.5, "b": 1.5}}, tmp_path)
    with pytest.raises(
        BadInput, match="the run has ids such as 'q1', the judgments 'topic-1'; do both use the same query ids"
    ):
        evaluate(qrels, run, "AP")


@pytest.mark.parametrize(
    ("mine", "theirs", "by"),
    [
        ("1", "001", "leading zeros"),
        ("q01", "q1", "leading zeros"),
        ("1 ", "1", "surrounding blanks"),
        ("1.0", "1", "a decimal point"),
        ("Q1", "q1", "upper"),
    ],
)
def test_query_ids_that_differ_in_how_they_are_written_are_told(mine: str, theirs: str, by: str) -> None:
    with pytest.raises(BadInput, match=rf"'{mine}', the judgments '{theirs}', which differ only by {by}"):
        evaluate({theirs: {"a": 1}, "x": {"a": 1}}, {mine: {"a": 1.0}}, "AP")


def test_some_queries_that_differ_by_leading_zeros_are_told_too() -> None:
    qrels = {f"{number:02}": {"a": 1} for number in range(1, 13)}
    run = {str(number): {"a": 1.0} for number in range(1, 13)}
    assert told(qrels, run, "AP") == [
        "run: 9 of 12 judged queries are missing from the run",
        "run: 9 queries without judgments, left out",
        "run: queries differ from judged ones only by leading zeros, such as '1' in the run and '01' in the judgments",
    ]


@doors
def test_swapped_judgments_and_run_are_told(door: str, tmp_path: Path) -> None:
    scores = {str(q): {f"d{n}": round(31.7 - n * 1.3 + q / 7, 4) for n in range(20)} for q in range(3)}
    grades = {str(q): {f"d{n}": (n * 7 + q) % 3 for n in range(20)} for q in range(3)}
    qrels, run = through(door, scores, grades, tmp_path)
    said = told(qrels, run, "nDCG@10")
    assert "look like scores, and the scores of" in said[0]
    assert "like grades: are judgments and run swapped?" in said[0]
    assert not [one for one in told(grades, scores, "nDCG@10") if "look like" in one]


def test_swapped_judgments_and_run_are_told_where_there_is_little_of_them() -> None:
    (said,) = told({"q": {"a": 12.5, "b": 11.75}}, {"q": {"a": 1, "b": 0}}, "AP")
    assert said == (
        "judgments: grades such as 12.5 look like scores, and the scores of run like grades: are judgments and run "
        "swapped?"
    )


@pytest.mark.parametrize("scores", [{"a": 1000, "b": 999}, {"a": -3, "b": -400}])
def test_swapped_judgments_and_run_of_whole_scores_are_told(scores: dict[str, int]) -> None:
    (said,) = told({"q": scores}, {"q": {"a": 1, "b": 0}}, "nDCG")
    assert "look like scores, and the scores of run like grades: are judgments and run swapped?" in said


@pytest.mark.parametrize("grades", [{"a": 100, "b": 50}, {"a": 2.5, "b": 1}, {"a": 1, "b": -1250}])
def test_grades_on_no_scale_are_told_whatever_the_run_looks_like(grades: dict[str, float]) -> None:
    odd = max(grades.values(), key=abs)
    (said,) = told({"q": grades}, {"q": {"a": 14.5, "b": 13.25}}, ["AP", "nDCG"])
    assert said == f"judgments: grades such as {odd:g} look like the scores of a run: are these judgments?"


def test_very_many_grades_are_told() -> None:
    scores = {"q": {f"d{n}": 1000 - n for n in range(50)}}
    said = told(scores, {"q": {f"d{n}": 3.5 - n / 7 for n in range(50)}}, "nDCG")
    assert said == ["judgments: 50 different grades, such as 1000, look like the scores of a run: are these judgments?"]


def test_grades_below_1_are_told_where_a_measure_takes_them_for_not_relevant() -> None:
    qrels, run = {"q": {"a": 0.5, "b": 1, "c": 0}}, {"q": {"a": 2.5, "b": 1.5}}
    (said,) = told(qrels, run, "AP")
    assert said == (
        "judgments: grades between 0 and 1, such as 0.5, count as not relevant in AP; "
        "rel=0.5 would count them as relevant"
    )
    (said,) = told(qrels, run, ["nDCG", "AP(rel=0.5)", "Compat"])
    assert said == "judgments: grades such as 0.5 look like the scores of a run: are these judgments?"


TIED = {"q": {"a": 1.0, "b": 1.0, "c": 0.5}, "r": {"a": 2.0, "b": 1.0}}
JUDGED = {"q": {"a": 1, "b": 0}, "r": {"a": 1}}


def test_ties_are_told_with_what_they_do_to_the_figures() -> None:
    assert told(JUDGED, TIED, ["RR", "R"]) == [
        "run: 1 query with documents that have the same score, whose order could change RR by up to 0.2500"
    ]
    low, high = (evaluate(JUDGED, TIED, "RR", ties=order)["RR"] for order in ("worst", "best"))
    assert high - low == 0.25


@pytest.mark.parametrize("settings", [{"ties": "expected"}, {"ties": "best"}, {"ties": "worst"}])
def test_ties_are_not_told_where_their_order_was_chosen_for_what_it_does(settings: Any) -> None:
    assert told(JUDGED, TIED, "RR", **settings) == []


def test_ties_that_move_no_figure_are_not_told() -> None:
    assert told(JUDGED, TIED, ["R", "Success@2"]) == []
    assert told(JUDGED, {"q": {"x": 1.0, "y": 1.0, "a": 0.5}, "r": {"a": 1.0}}, "AP") == []


def test_many_runs_with_ties_are_told_in_one_line() -> None:
    runs = {f"run{number:02}": TIED for number in range(11)} | {
        f"sharp{number}": {"q": {"a": 1.0}, "r": {"a": 1.0}} for number in range(6)
    }
    (said,) = told(JUDGED, runs, ["RR", "P@1"])
    moved = "P@1 by up to 0.5000 (run00), RR by up to 0.2500 (run00)"
    named = ", ".join(f"run0{number} (1 query)" for number in range(5))
    assert (
        said
        == f"11 of 17 runs have documents with the same score, whose order could change {moved}: {named} and 6 more"
    )


def test_measures_that_ties_change_alike_are_told_together() -> None:
    runs = {"one": TIED, "two": TIED}
    (said,) = told(JUDGED, runs, ["RR", "AP"])
    assert "whose order could change RR and AP by up to 0.2500 (one): one (1 query)" in said


def evaluated(*given: Any, **settings: Any) -> Result:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CranfieldWarning)
        return evaluate(*given, **settings)


def test_provenance_names_all_runs() -> None:
    runs = {f"run{number:02}": TIED for number in range(11)}
    ((kind, said, subject),) = evaluated(JUDGED, runs, "RR").warnings
    assert said.startswith("all 11 runs have documents with the same score")
    assert said.endswith("run10 (1 query)")
    assert (kind, subject) == ("ties", tuple(runs))


def test_every_kind_of_caution_is_one_line_however_many_runs() -> None:
    run = {"q": {"x": 1.0, "y": 2.0}, "stranger": {"a": 1.0}}
    said = told({"q": {"a": 1}, "r": {"a": 1}}, {"one": run, "two": run, "three": run}, "AP")
    assert said == [
        "all 3 runs lack judged queries: one (1 of 2), two (1 of 2), three (1 of 2)",
        "all 3 runs have queries without judgments, left out: one (1), two (1), three (1)",
        "all 3 runs have no judged document; the judgments have ids such as 'a': one ('x'), two ('x'), three ('x')",
    ]


def test_estimates_are_told_in_one_line() -> None:
    tied = {"q": {f"d{number}": 1.0 for number in range(40)}}
    qrels = {"q": {f"d{number}": number % 2 for number in range(40)}}
    (said,) = told(qrels, {"a": tied, "b": tied}, "ERR", ties="expected")
    assert said == "ERR is estimated from 1000 random orders of tied documents, in both runs: a (1 query), b (1 query)"


def test_an_empty_ranking_is_told() -> None:
    assert told({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0}, "r": {}}, "AP") == ["run: 1 query without a document"]


def test_a_run_without_a_judged_document_is_told_where_its_first_rankings_are_empty() -> None:
    qrels = {str(number): {"a": 1} for number in range(9)}
    run: Nested = {query: {} for query in qrels} | {"8": {"x": 1.0}}
    empty, none = told(qrels, run, "AP")
    assert empty == "run: 8 queries without a document"
    assert none == "run: no retrieved document is judged: the run has ids such as 'x', the judgments 'a'"


@pytest.mark.parametrize("draw", [plot.precision_recall, plot.strips, plot.buildup])
def test_a_plot_of_rankings_tells_the_same(draw: Any) -> None:
    with pytest.warns(CranfieldWarning, match="no retrieved document is judged"):
        draw({"q": {"FBIS3-1": 1}}, {"q": {"d1": 1.5}})
    with pytest.warns(CranfieldWarning, match="are judgments and run swapped"):
        draw({"q": {"a": 12.5, "b": 11.75}}, {"q": {"a": 1, "b": 0}})
    with pytest.raises(BadInput, match=r"no query of the run has judgments.*leading zeros"):
        draw({"01": {"a": 1}}, {"1": {"a": 1.5}})


def test_a_plot_merges_no_runs_of_one_name() -> None:
    runs = [Named("bm25", {"q": {document: 1.5}}) for document in "ab"]
    with pytest.raises(BadInput, match="duplicate run name 'bm25'"):
        plot.strips({"q": {"a": 1}}, runs)


def test_two_names_for_one_content_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("first.run", "second.run"):
        (tmp_path / name).write_text("q Q0 a 1 1.5 tag\n")
    paths = [str(tmp_path / name) for name in ("first.run", "second.run")]
    assert told({"q": {"a": 1}}, paths, "AP") == ["first and second have the same content"]


def test_a_curve_tells_the_same() -> None:
    with pytest.warns(CranfieldWarning, match="run: no retrieved document is judged"):
        precision_recall({"q": {"a": 1}}, {"q": {"x": 1.0}})


def test_the_command_line_prints_one_line_each(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "qrels").write_text("1 0 FBIS3-10082 1\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1 Q0 d1 1 2.5 tag\n")))
    assert main(["eval", str(tmp_path / "qrels"), "-", "-m", "AP"]) == 0
    assert capsys.readouterr().err == (
        "cranfield: warning: stdin: no retrieved document is judged: the run has ids such as 'd1', the judgments "
        "'FBIS3-10082'\n"
    )


def test_copies_of_a_run_share_a_line(tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{name}.run") for name in "abcdefg"]
    for path in paths:
        Path(path).write_text("q Q0 a 1 1.5 tag\n")
    assert told({"q": {"a": 1}}, paths, "AP") == ["a, b, c, d and 3 more have the same content"]


def test_a_grade_that_no_document_has_is_pointed_out() -> None:
    run = {"q": {"a": 2.0, "b": 1.0}}
    with pytest.warns(
        CranfieldWarning, match=r"no document has grade 2 or higher, so none is relevant in P\(rel=2\)@2"
    ):
        evaluate({"q": {"a": 1, "b": 0}}, run, ["AP", "P(rel=2)@2"])
    assert evaluate({"q": {"a": 2, "b": 0}}, run, "P(rel=2)@2")["P(rel=2)@2"] == 0.5
