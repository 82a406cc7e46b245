"""What readers choose in a report: measure, baseline, system, query, theme; and links that open it so again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from browser_pages import cells
from cranfield.errors import CranfieldWarning
from cranfield.reporting.report import report

DIMMED = "[...document.querySelectorAll('#systems [data-system]:not(.dimmed)')].map(mark => mark.dataset.system)"


@pytest.fixture(scope="session")
def contrary_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs that RR and R@5 order differently, a third that is short, and texts with markup in them."""
    queries = [f"q{q}" for q in range(1, 9)]
    qrels = {query: {"a": 1, "b": 1, "c": 2} for query in queries}
    far = {"x": 9.0, "c": 8.0, "b": 7.0, "a": 6.0} | {f"n{n}": -float(n) for n in range(20)}
    early = {"a": 9.0} | {f"n{n}": -float(n) for n in range(20)}
    runs = {
        "early": {query: dict(early) for query in queries},
        "broad": {query: dict(far) if query != "q3" else {"b": 1.0} | far for query in queries},
        "a run with a name that is much longer than any figure has room for": {
            query: {"a": 2.0, "n1": 1.0, "n2": 0.5} for query in queries[1:]
        },
    }
    path = tmp_path_factory.mktemp("contrary") / "report.html"
    texts = {"c": "the <b>text</b> of document c", "x": "not judged"}
    with pytest.warns(CranfieldWarning, match="1 of 8 judged queries is missing"):
        report(qrels, runs, ["RR", "R@5"], queries={"q2": "what is <i>c</i>?"}, documents=texts).save(path)
    return path


def test_the_leaderboard_comes_first(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page, width=1300, height=900).page
    assert page.locator("#board table").bounding_box()["y"] < 400


def test_a_measure_orders_the_systems_and_a_link_opens_the_same_view(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    assert cells(page.locator("#board table"), 0)[0] == "early"
    page.locator("#measure").select_option(label="R@5")
    assert cells(page.locator("#board table"), 0)[0] == "broad"
    assert "broad has the best R@5" in page.locator("#lead").inner_text()
    page.locator("#baseline").select_option(label="early")
    assert "Against early, broad gains 0.667" in page.locator("#lead").inner_text()
    address = page.url
    again = page.context.new_page()
    again.goto(address)
    assert again.locator("#lead").inner_text() == page.locator("#lead").inner_text()
    assert again.locator("#board th[aria-sort]").inner_text().startswith("R@5")


def test_back_and_forward_undo_and_redo_a_choice(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    page.locator("#measure").select_option(label="R@5")
    page.locator("#baseline").select_option(label="early")
    page.go_back()
    assert page.locator("#baseline").input_value() == "none"
    assert page.locator("#measure").evaluate("one => one.selectedOptions[0].text") == "R@5"
    page.go_back()
    assert cells(page.locator("#board table"), 0)[0] == "early"
    page.go_forward()
    assert cells(page.locator("#board table"), 0)[0] == "broad"


def test_a_link_keeps_filters_order_and_the_opened_query(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    page.locator("#other").select_option(label="broad")
    page.locator("#text").fill("q2")
    page.locator("#values thead button", has_text="A − B").click()
    page.locator("#values tbody td").last.click()  # anywhere in the row
    again = page.context.new_page()
    again.goto(page.url)
    assert again.locator("#text").input_value() == "q2"
    assert again.locator("#other").evaluate("one => one.selectedOptions[0].text") == "broad"
    assert again.locator("#values th[aria-sort=descending]").inner_text().startswith("A − B")
    assert again.locator("#lists-title").inner_text() == page.locator("#lists-title").inner_text()
    again.go_back()
    page.go_back()
    assert page.locator("#lists").is_hidden()


def test_tiers_follow_the_measure(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    drawn = "[...document.querySelectorAll('#tiers .picture g[data-system]')].map(row => row.dataset.system)"
    assert page.evaluate(drawn)[0] == "early"
    assert page.locator("#tiers details").is_visible()
    page.locator("#measure").select_option(label="R@5")
    assert page.locator("#tiers-title").inner_text() == "R@5: connected systems are not significantly different"
    assert page.evaluate(drawn)[0] == "broad"
    assert page.locator("#tiers details").is_hidden()  # its data are those of RR


def test_tiers_are_shown_and_copied_as_ranges(opened: Any, tmp_path: Path) -> None:
    n_found = {"first": [6, 7] * 10, "noisy": [3, 3, 9, 9] * 5, "last": [5, 5] * 10}
    qrels = {f"q{q}": {f"r{d}": 1 for d in range(10)} for q in range(20)}
    runs = {
        name: {f"q{q}": {f"{'r' if d < n else 'x'}{d}": 10.0 - d for d in range(10)} for q, n in enumerate(counts)}
        for name, counts in n_found.items()
    }
    path = tmp_path / "report.html"
    report(qrels, runs, ["P@10"]).save(path)
    page = opened(path).page
    assert cells(page.locator("#board table"), 1) == ["1", "1–2", "2"]
    page.locator("#board .copy").click()
    page.locator("#board .copy", has_text="Copied").wait_for()
    assert [line.split("\t")[1] for line in page.evaluate("navigator.clipboard.readText()").splitlines()[1:]] == [
        "1",
        "1–2",
        "2",
    ]


def test_a_run_with_few_documents_and_missing_queries_is_marked(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    assert page.locator("#board em.warn").all_inner_texts() == ["3 documents per query", "1 query missing"]


def test_a_system_is_highlighted_in_every_figure(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    page.locator("#board a", has_text="broad").click()
    assert page.evaluate(DIMMED) == ["broad"]
    assert page.locator("#precision-recall [data-system=broad].dimmed").count() == 0
    assert page.locator("#precision-recall [data-system=early].dimmed").count() > 0
    assert "system=broad" in page.url
    page.locator("#board a", has_text="broad").click()
    assert page.locator(".dimmed").count() == 0


def test_marks_say_what_they_show(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    mark = page.locator("#systems .mean").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    assert page.locator("#tip").inner_text() == "early\nmean: 1.0000"


def test_rankings_show_the_text_of_query_and_documents(contrary_page: Path, opened: Any) -> None:
    seen = opened(contrary_page)
    page = seen.page
    page.locator("#values button", has_text="q2").click()
    assert page.locator("#lists-title").inner_text() == "Query q2: what is <i>c</i>?"
    page.locator("#other").select_option(label="broad")
    page.locator(".strip", has_text="broad").locator("button").nth(1).click()
    assert "the <b>text</b> of document c" in page.locator("#document").inner_text()
    assert "grade 2" in page.locator("#document").inner_text()
    assert page.locator("#document mark").all_inner_texts() == []  # short words of a query are not marked
    assert seen.complaints == []


def test_words_of_the_query_are_marked_in_documents(opened: Any, tmp_path: Path) -> None:
    path, run = tmp_path / "report.html", {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 1.0}}
    texts = {"d1": "C++ Sleep? A sleeping thread; SLEEP (time.sleep)", "d2": "none"}
    report({"q1": {"d1": 1}, "q2": {"d1": 1}}, run, ["RR"], queries={"q1": "sleep in C++ (a.b)"}, documents=texts).save(
        path
    )
    page = opened(path).page
    page.locator("#values button", has_text="q1").click()
    page.locator(".strip button").first.click()
    assert page.locator("#document mark").all_inner_texts() == ["Sleep", "SLEEP", "sleep"]
    assert page.locator("#document .text").inner_text() == texts["d1"]


def test_ranks_are_linear_or_logarithmic(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    assert page.locator("#build-up .linear").is_visible()
    page.locator("#build-up-scale").check()
    assert page.locator("#build-up .log").is_visible()
    assert not page.locator("#build-up .linear").is_visible()
    assert "scale=log" in page.url


def test_the_theme_is_switched(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page, color_scheme="light", reduced_motion="reduce").page
    paper = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(paper)
    page.locator("#theme").click()
    assert page.evaluate(paper) != light
    page.locator("#theme").click()
    assert page.evaluate(paper) == light


def test_a_table_is_copied_with_tabs(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    page.locator("#board .copy").click()
    page.locator("#board .copy", has_text="Copied").wait_for()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert lines[0].split("\t")[0] == "System"
    assert lines[1].split("\t")[0] == "early"
    assert len({len(line.split("\t")) for line in lines}) == 1


def test_nothing_that_is_copied_runs_in_a_spreadsheet(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page).page
    formulas = ["=1+2", "+cmd", "-2+cmd", "@SUM(A1)", "--run", " =1+2", "\u00a0=1+2"]
    others = ["bm25", "-0.25", "+0.5", "1e-05", "-0.0312*", "a=b", ""]
    cells = "[...document.querySelectorAll('#board tbody td')]"
    page.evaluate(f"(texts) => {cells}.forEach((cell, i) => cell.dataset.copy = texts[i] ?? '')", [*formulas, *others])
    page.locator("#board .copy").click()
    page.locator("#board .copy", has_text="Copied").wait_for()
    rows = page.evaluate("navigator.clipboard.readText()").split("\n")[1:-1]
    copied = [text for row in rows for text in row.split("\t")[1:]]
    assert copied[: len(formulas)] == [f"'{text}" for text in formulas]
    assert copied[len(formulas) : len(formulas) + len(others)] == others


def test_names_in_figures_are_not_cut_off(contrary_page: Path, opened: Any) -> None:
    page = opened(contrary_page, width=1300, height=900).page
    outside = page.evaluate(
        "[...document.querySelectorAll('.picture')].filter(p => p.offsetParent).flatMap(p => "
        "[...p.querySelectorAll('text')].filter(t => t.getBoundingClientRect().width && "
        "(t.getBoundingClientRect().left < p.getBoundingClientRect().left - 1 || "
        "t.getBoundingClientRect().right > p.getBoundingClientRect().right + 1)).map(t => t.textContent))"
    )
    assert outside == []
