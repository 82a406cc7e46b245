"""Reports: what they say, how large they are, and what they refuse."""

from __future__ import annotations

import json
import re
import sys
from base64 import b64decode
from dataclasses import replace
from itertools import chain, combinations
from pathlib import Path

import altair as alt
import numpy as np
import pytest

from cranfield import plot
from cranfield.classification.classify import classify
from cranfield.cli.main import main
from cranfield.comparison.tables import leaderboard
from cranfield.engines.protocol import Ties
from cranfield.engines.watched import Watched
from cranfield.errors import BadSetting, MissingExtra
from cranfield.present.formats import latex
from cranfield.rankings.evaluate import evaluate
from cranfield.reporting import page
from cranfield.reporting.figures import figure
from cranfield.reporting.rankings import depth_for
from cranfield.reporting.report import report
from cranfield.results.values import Result
from cranfield.tables.sources import as_judgments, as_run

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d1": 1, "d4": 1}, "q3": {"d5": 1, "d6": 0}}
GOOD = {"q1": {"d3": 3.0, "d1": 2.0, "d2": 1.0}, "q2": {"d4": 2.0, "d1": 1.0}, "q3": {"d5": 2.0, "d6": 1.0}}
POOR = {"q1": {"d2": 3.0, "d9": 2.0, "d1": 1.0}, "q2": {"d8": 2.0, "d7": 1.0}, "q3": {"d6": 2.0, "d5": 1.0}}
RUNS = {"good": GOOD, "poor": POOR}


def test_the_first_documents_are_those_of_the_ranking_with_ties_as_trec_eval_has_them() -> None:
    judged = as_judgments(QRELS)
    run = Watched(as_run({"q1": {"d1": 1.0, "d3": 2.0, "d2": 2.0, "d9": 0.5}, "other": {"d1": 1.0}}, "r"), judged, 3)
    for part in run.parts():
        part()
    assert run.first == {b"q1": [b"d3", b"d2", b"d1"]}


@pytest.mark.parametrize(
    ("ties", "first"), [("trec", [b"d3", b"d2"]), ("name", [b"d2", b"d3"]), ("given", [b"d3", b"d2"])]
)
def test_the_first_documents_are_ordered_as_they_are_evaluated(ties: Ties, first: list[bytes]) -> None:
    run = Watched(as_run({"q1": {"d3": 2.0, "d2": 2.0, "d1": 1.0}}, "r"), as_judgments(QRELS), 2, ties)
    run.whole()
    assert run.first == {b"q1": first}


def test_pairs_and_the_working_of_a_query_are_tables_on_request() -> None:
    plain, full = report(QRELS, RUNS, "AP"), report(QRELS, RUNS, "AP", pairs=True, query="q2")
    assert plain.content.tables == ()
    pairs, *working = full.content.tables
    assert [pairs.title, *(table.title for table in working)] == ["paired t-test", "good, query q2", "poor, query q2"]
    assert [cell.value for cell in pairs.rows[0][:3]] == ["AP", "good", "poor"]
    with pytest.raises(BadSetting, match="query requires judgments and runs"):
        report(evaluate(QRELS, RUNS, "AP"), query="q2")


def test_a_report_on_a_comparison_lists_every_pair_on_request() -> None:
    many = evaluate(QRELS, {f"run{n}": GOOD if n % 2 else POOR for n in range(7)}, "AP").compare()
    matrix, listed = (report(many, pairs=pairs).content.tables[0] for pairs in (False, True))
    assert (len(matrix.rows), len(listed.rows)) == (7, 21)


def test_options_of_evaluation_and_comparison_change_the_page(tmp_path: Path) -> None:
    for name, run in (("good", GOOD), ("poor", POOR)):
        lines = (f"{query} Q0 {document} 1 {score} {name}" for query in run for document, score in run[query].items())
        (tmp_path / f"{name}.run").write_text("\n".join(lines) + "\n")
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {grade}\n" for q in QRELS for d, grade in QRELS[q].items()))
    (tmp_path / "topics").write_text("q1 t1\nq2 t1\nq3 t2\n")
    files = [str(tmp_path / name) for name in ("qrels", "good.run", "poor.run")]

    def page_with(*options: str) -> str:
        assert main(["report", *files, "-o", str(tmp_path / "page.html"), "--quiet", *options]) == 0
        return (tmp_path / "page.html").read_text()

    plain = page_with("-m", "AP")
    topics = str(tmp_path / "topics")
    pages: list[dict[tuple[str, ...], str]] = [
        {
            ("--ties", "name"): "ordered by name, ascending",
            ("--missing", "skip", "--undefined", "skip", "--depth", "2"): "Rankings were cut at depth 2.",
            ("--bounds", "-m", "AP"): "AP(unjudged=",
            ("--confidence", "0.8"): "80\N{NO-BREAK SPACE}% confidence intervals",
            ("--per-query",): "values-by-query.csv",
            ("--steps",): "Steps of the tests",
        },
        {
            ("--aggregate", "median", "--aggregate", "sum"): "Other aggregates: median, sum",
            ("--sort", "P@10"): "has the best P@10 of 2 systems",
            ("--interval", "bca"): "BCa bootstrap",
            ("--test", "sign", "--correction", "bonferroni", "--level", "0.1"): "sign test",
        },
        {("--topics", topics): "over clusters", ("--test", "tost", "--margin", "0.1"): "equivalen"},
        {("--digits", "1", "--interval", "none"): "<b>1.0</b></td>"},
    ]
    for texts in pages:
        page = page_with(*chain.from_iterable(texts))
        for text in texts.values():
            assert text in page
            assert text not in plain
    assert "95\N{NO-BREAK SPACE}% confidence intervals" in plain
    assert "confidence intervals" not in page


def test_a_report_prints_its_title() -> None:
    assert repr(report(QRELS, RUNS, "AP")) == "Report: Leaderboard of 2 systems (2 systems, 3 queries, 7 judgments)"


def test_lists_are_shorter_where_there_are_many() -> None:
    assert [depth_for(5, 250), depth_for(20, 1000), depth_for(100, 10_000)] == [20, 10, 5]


def test_the_explorer_holds_values_and_graded_lists() -> None:
    data = report(QRELS, RUNS, ["AP", "RR"]).content.explorer
    assert data is not None
    assert data["systems"] == ["good", "poor"]
    assert data["values"] == evaluate(QRELS, RUNS, ["AP", "RR"]).values.tolist()
    names, grades = data["documents"][0].values()
    assert [names[place] for place in data["lists"][1][0]] == ["d2", "d9", "d1"]
    assert [grades[place] for place in data["lists"][1][0]] == [0, None, 1]
    assert data["relevant"] == [2, 2, 1]


def test_the_tests_of_a_report_are_over_topics_as_its_intervals_are() -> None:
    qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(8)}
    runs = {
        "one": {query: {"a": 2, "b": 1, "c": 3.5 * (n % 3 == 0)} for n, query in enumerate(qrels)},
        "two": {query: {"c": 2, "a": 1, "b": 0.6 * (n % 4)} for n, query in enumerate(qrels)},
    }
    topic = {query: f"t{n // 2}" for n, query in enumerate(qrels)}
    page = report(qrels, runs, "AP", topic=topic)
    (link,) = [file.link for file in page.content.downloads if file.name == "comparisons.csv"]
    assert b64decode(link.partition(",")[2]).decode() == evaluate(qrels, runs, "AP").compare(topic=topic).to_csv()


def test_a_report_says_how_its_figures_came() -> None:
    content = report(QRELS, RUNS, ["nDCG@10", "AP(rel=2)"]).content
    words = " ".join(paragraph for passage in content.methods for paragraph in passage.paragraphs)
    for claim in ("as trec_eval does", "rel = 2", "95 % confidence intervals", "paired t-test", "numpy"):
        assert claim in words
    assert content.lead[0].startswith("good has the best nDCG@10 of 2 systems")


def test_the_first_sentences_name_the_measure_they_are_about_and_all_that_tie() -> None:
    qrels = {f"q{n}": {"a": 1, "b": n % 2} for n in range(6)}
    first = {query: {"a": 3, "b": 2, "c": 1} for query in qrels}
    runs = {"one": first, "two": first, "three": {query: {"c": 3, "a": 2, "b": 1} for query in qrels}}
    lead = report(qrels, runs, ["RR", "AP"]).content.lead
    assert lead[0] == "one and two have the best RR of 3 systems (1.0000)."
    assert lead[1].startswith("In RR, one ")
    against = report(qrels, runs, ["RR", "AP"], baseline="three").content.lead[1]
    assert against.startswith("In RR, no system that could be tested is significantly different from three")


def test_files_come_with_their_digests(tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 d1 1 2.0 a\nq2 Q0 d1 1 2.0 a\nq3 Q0 d5 1 1 a\n")
    inputs = report(QRELS, [str(run)], ["AP"]).content.inputs
    assert [len(str(row[3].value)) for row in inputs.rows] == [len("not a file"), 64]


def test_downloads_hold_the_figures() -> None:
    files = {file.name: file for file in report(QRELS, RUNS, ["AP"]).content.downloads}
    text = {name: b64decode(file.link.partition(",")[2]).decode() for name, file in files.items()}
    assert text["systems.csv"].startswith("system,measure,aggregate,value,low,high,interval,queries,")
    assert "\ngood,AP,mean,1.0,,,all values are the same: no variance,3,0\npoor,AP,mean,0.2" in text["systems.csv"]
    assert json.loads(text["report.json"])["results"][0]["value"] == 1.0
    assert "\\begin{tabular}" in text["leaderboard.tex"]
    assert [finding["rule"] for finding in json.loads(text["findings.json"])]
    assert text["comparisons.csv"].startswith("measure,system,baseline")


def test_a_baseline_is_marked_with_a_star_and_must_be_there() -> None:
    rng = np.random.default_rng(0)
    qrels = {f"q{q}": {"d1": 1} for q in range(30)}
    low = {query: {"d0": 2.0 + rng.random(), "d1": 1.0} for query in qrels}
    high = {query: {"d1": 3.0, "d0": 1.0} if q else {"d0": 2.0, "d1": 1.0} for q, query in enumerate(qrels)}
    board = report(qrels, {"low": low, "high": high}, ["RR"], baseline="low").content.board
    assert [row[-1].marks for row in board.rows] == ["*", ""]
    with pytest.raises(BadSetting, match="no system 'lower'; available: low, high"):
        report(qrels, {"low": low, "high": high}, ["RR"], baseline="lower")


@pytest.mark.parametrize("baseline", [0.31, "0.31"])
def test_a_number_is_a_baseline_of_one_system_and_of_several(baseline: float | str) -> None:
    qrels = {f"q{q}": {"d1": 1} for q in range(9)}
    runs = {name: {q: {"d1": (n + k) % 3, "d0": 1.5} for n, q in enumerate(qrels)} for k, name in enumerate("ab")}
    for systems in ({"a": runs["a"]}, runs):
        content = report(qrels, systems, ["RR"], baseline=baseline).content
        assert "significantly different from 0.31." in content.lead[1]
        assert "one-sample t-test" in content.explorer["board"]["tested"]
        assert all(row[-1].marks == "*" for row in content.board.rows)


def at_ranks(**rank: int) -> Result:
    """Thirty queries whose one relevant document each system puts at its rank, now and then one farther down."""
    qrels = {f"q{q}": {"d1": 1} for q in range(30)}
    runs = {
        name: {
            query: {f"d{'1' if place == own + (q % 7 == 0) else f'x{place}'}": float(99 - place) for place in range(40)}
            for q, query in enumerate(qrels)
        }
        for name, own in rank.items()
    }
    return evaluate(qrels, runs, ["RR"])


def test_marks_name_the_systems_that_are_beaten() -> None:
    result = at_ranks(first=0, second=1, third=3)
    board = leaderboard(result, comparison=result.compare())
    assert [(row[0].value, row[1].value, row[2].marks) for row in board.rows] == [
        ("A", "first", "BC"),
        ("B", "second", "C"),
        ("C", "third", ""),
    ]
    assert r"\textsuperscript{BC}" in latex(board)


def test_of_many_systems_those_are_marked_that_the_best_beats() -> None:
    result = at_ranks(**{f"s{place}": place // 2 for place in range(12)})
    board = leaderboard(result, comparison=result.compare())
    assert [row[1].marks for row in board.rows] == [""] * 2 + ["†"] * 10
    assert any(note.startswith("† significantly worse than the best of its column") for note in board.notes)


@pytest.mark.parametrize("baseline", [None, "s5"])
def test_lead_marks_and_tiers_come_from_one_test(baseline: str | None) -> None:
    rng = np.random.default_rng(3)
    qrels = {f"q{q}": {f"d{d}": 1 for d in range(3)} for q in range(12)}
    runs = {f"s{s}": {q: {f"d{d}": s / 4 * (d < 3) + rng.normal() for d in range(20)} for q in qrels} for s in range(6)}
    content = report(qrels, runs, ["AP"], baseline=baseline).content
    (said,) = [passage for passage in content.methods if passage.heading == "Uncertainty"]
    assert sum("Differences were tested" in paragraph for paragraph in said.paragraphs) == 1
    assert "each for a single mean" in said.paragraphs[0]
    assert (
        "Confidence intervals of differences (comparisons.csv): 95 % t, for single differences, not adjusted"
        in said.paragraphs[1]
    )
    columns = [column.name for column in content.board.columns]
    assert ("tier" in columns) is (baseline is None)
    assert content.explorer["board"]["tested"].startswith("paired t-test, level 0.05, Holm over")
    assert "significantly" in content.lead[1]
    if baseline is None:
        rows = [dict(zip(columns, row, strict=True)) for row in content.board.rows]
        for one, other in combinations(rows, 2):
            shared = {*str(one["tier"].value).split()} & {*str(other["tier"].value).split()}
            assert not (shared and str(other[""].value) in one["AP"].marks)


def test_one_system_or_one_query_needs_no_comparison() -> None:
    assert report(QRELS, {"good": GOOD}, ["AP"]).content.lead[0].startswith("good has AP 1.0000")
    one = report({"q1": QRELS["q1"]}, {"good": {"q1": GOOD["q1"]}, "poor": {"q1": POOR["q1"]}}, ["AP"])
    assert "too few queries" in one.content.lead[1]
    assert "<!DOCTYPE html>" in one.html


def test_names_of_what_every_object_has_can_be_reported_on() -> None:
    runs = {"constructor": {"toString": GOOD["q1"], "q2": GOOD["q2"]}, "valueOf": {"toString": POOR["q1"]}}
    with pytest.warns(UserWarning, match="missing"):
        content = report({"toString": QRELS["q1"], "q2": QRELS["q2"]}, runs, ["AP"]).content
    assert content.figures
    assert all("<svg" in figure.light for figure in content.figures)


def test_a_picture_that_cannot_be_drawn_leaves_its_data() -> None:
    broken = replace(plot.systems(evaluate(QRELS, RUNS, ["AP"])), draw=lambda: alt.Chart().mark_bar().encode(x="x:?"))
    shown = figure("broken", broken)
    assert "could not be drawn" in shown.caption
    assert len(shown.data.rows) == 6


def test_names_from_right_to_left_do_not_move_the_figures_beside_them() -> None:
    html = report(QRELS, {"בדיקה": GOOD, "poor": POOR}, ["AP"]).html
    assert "<b>\u2068בדיקה\u2069</b> has the best AP" in html


def test_a_page_refers_to_nothing_outside() -> None:
    html = report(QRELS, RUNS, ["AP"]).html
    outside = re.findall(r"""(?:src|href)=["'](?!data:|#)([^"']*)""", html)
    assert outside == []
    assert "default-src 'none'" in html
    assert not re.findall(r"@import|url\((?!#)", html)


def test_missing_jinja_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    page._template.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtra, match=r"cranfield\[report\]"):
        _ = report(QRELS, RUNS, ["AP"]).html


def made(n_systems: int, n_queries: int, depth: int = 30) -> tuple[dict, dict]:
    """Judgments and runs of a size, with names as long as those of web pages."""
    rng = np.random.default_rng(1)
    qrels = {f"{q}": {f"clueweb12-{q:04d}tw-{d:05d}": d % 3 for d in range(30)} for q in range(n_queries)}
    runs = {}
    for s in range(n_systems):
        runs[f"system-{s}"] = {
            query: {
                f"clueweb12-{int(query):04d}tw-{d:05d}": float(depth - place)
                for place, d in enumerate(rng.permutation(200)[:depth])
            }
            for query in qrels
        }
    return qrels, runs


@pytest.mark.parametrize(
    ("n_systems", "n_queries", "largest"), [(5, 250, 3e6), pytest.param(20, 1000, 15e6, marks=pytest.mark.thorough)]
)
def test_a_report_is_small(n_systems: int, n_queries: int, largest: float) -> None:
    html = report(*made(n_systems, n_queries), ["nDCG@10", "AP", "RR", "P@10", "R@1000"]).html
    assert len(html.encode()) < largest


def test_every_interval_of_a_leaderboard_is_that_of_its_system() -> None:
    actual = [1, 0] * 50
    both = classify(actual, {"poor": [1] * 60 + [0] * 40, "good": actual}, measures=["Accuracy"])
    board = report(both).content.board
    assert [row[0].value for row in board.rows] == ["good", "poor"]
    for row in board.rows:
        low, high = row[1].bounds or (1.0, 0.0)
        assert low <= float(str(row[1].value)) <= high


def test_the_command_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 c 1\n")
    (tmp_path / "x.run").write_text("1 Q0 a 1 2.0 x\n1 Q0 b 2 1.0 x\n2 Q0 d 1 2.0 x\n2 Q0 c 2 1.0 x\n")
    out = tmp_path / "report.html"
    assert main(["report", str(tmp_path / "qrels"), str(tmp_path / "x.run"), "-m", "RR", "-o", str(out)]) == 0
    assert "x has RR 0.7500" in out.read_text("utf-8")
    assert main(["report", str(tmp_path / "qrels"), "-o", str(out)]) == 2
    assert "at least one run" in capsys.readouterr().err


def test_texts_come_from_files_also_without_a_header(tmp_path: Path) -> None:
    (tmp_path / "topics.tsv").write_text("07\tgrüne Äpfel\n8\tred pears\n")
    (tmp_path / "docs.jsonl").write_text(
        '{"docno": "d1", "title": "Apples", "body": "' + "x" * 5000 + '"}\n{"docno": "d2", "body": "never shown"}\n'
    )
    paths = {"queries": str(tmp_path / "topics.tsv"), "documents": str(tmp_path / "docs.jsonl")}
    runs = {"r": {"07": {"d1": 2.0}, "8": {"d3": 1.0}}}
    explorer = report({"07": {"d1": 1}, "8": {"d1": 1}}, runs, ["AP"], **paths).content.explorer
    assert explorer is not None
    assert explorer["titles"] == ["grüne Äpfel", "red pears"]
    assert [*explorer["texts"]] == ["d1"]
    title, text = explorer["texts"]["d1"]
    assert title == "Apples"
    assert 1000 < len(text) < 1500
    assert text.endswith(" …")


@pytest.mark.parametrize(
    ("wide", "across"),
    [
        ((), {"tiers"}),
        (("systems",), {"systems"}),
        (("systems", "tiers"), {"systems", "tiers", "differences"}),
        (("tiers", "differences"), {"tiers", "differences", "systems"}),
        (
            ("tiers", "differences", "systems", "build-up"),
            {"tiers", "differences", "systems", "build-up", "precision-recall"},
        ),
    ],
)
def test_the_grid_of_figures_has_no_hole(wide: tuple[str, ...], across: set[str]) -> None:
    content = report(QRELS, RUNS, ["AP"]).content
    assert [figure.name for figure in content.figures] == [
        "systems", "differences", "precision-recall", "build-up", "tiers",
    ]  # fmt: skip
    widened = [
        replace(figure, light=figure.light.replace('width="', 'width="9', 1)) if figure.name in wide else figure
        for figure in content.figures
    ]
    laid_out = replace(content, figures=tuple(widened)).across
    assert (len(widened) - len(laid_out)) % 2 == 0
    assert laid_out == across


def test_more_findings_than_a_short_table_has_room_for_follow_below_it() -> None:
    content = report(QRELS, RUNS, ["AP"]).content
    assert [content.stacked(n) for n in (1, 2, 7)] == [False, False, True]


def test_values_without_an_interval_are_explained_in_the_methods() -> None:
    text = report(QRELS, RUNS, ["AP", "P@1"]).content.passages[-1].paragraphs[0]
    assert "over similar queries (wilson, bounded t), each" in text
    assert text.endswith("Some values have no interval (all values are the same: no variance).")
