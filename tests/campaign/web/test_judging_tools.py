"""What assessors use besides grades: find, marks, keys of their own, undo after a reload, the end of the queue."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import update

from campaign.web.campaign import Campaign, judge_all
from campaign.web.test_judging import Visit, labels
from cranfield.campaign.store import schema
from time_limits import HANGS

LONG = "\n\n".join(["Nothing of interest."] * 120 + ["Sleep and delay: pause the program."] + ["The end."] * 60)


@pytest.fixture
def ann(browser: Any, campaign: Campaign) -> Iterator[Visit]:
    seen = Visit(browser, campaign, "ann", viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    yield seen
    seen.context.close()
    assert seen.complaints == []


def test_cannot_tell_asks_for_a_reason_and_keeps_it(campaign: Campaign, ann: Visit) -> None:
    page = ann.judging()
    page.keyboard.press("c")
    ann.press("3", 1)
    page.keyboard.press("c")
    page.fill("#reason", "Two pages are missing.")
    page.click("text=Save this reason")
    page.wait_for_selector("#screen[data-saved='2']")
    items = campaign.people["ann"].get("/api/b/py/judge/queue").json()["items"]
    assert [(one["kind"], one["note"]) for one in items[:3]] == [
        ("unreadable", "The text is cut off or unreadable."),
        ("cannot tell", "Two pages are missing."),
        (None, ""),
    ]


def test_undo_reaches_back_beyond_a_reload(campaign: Campaign, ann: Visit) -> None:
    ann.judging()
    for place, grade in enumerate("123", 1):
        ann.press(grade, place)
    ann.press("u", 4)
    page = ann.judging()  # loads the screen again
    ann.press("u", 1)
    ann.press("u", 2)
    assert labels(campaign) == [None] * 8
    page.keyboard.press("u")
    page.wait_for_selector("#spoken:text-is('There is nothing to undo.')")


def test_keys_are_printed_changed_refused_and_kept(campaign: Campaign, ann: Visit) -> None:
    page = ann.judging()
    assert page.inner_text("[data-act=later] kbd") == "L"
    page.keyboard.press("?")
    field = page.get_by_label("Key for: Later")
    for refused, words in (
        ("3", "Digits are reserved for grades."),
        ("u", "“U” is already the key for: Undo"),
        ("a", "reserved for"),
    ):
        field.fill(refused)
        field.blur()
        assert words in page.inner_text("#key-message")
        assert field.input_value() == "L"
    field.fill("x")
    field.blur()
    page.click("text=Close")
    ann.judging()
    assert page.inner_text("[data-act=later] kbd") == "X"
    assert page.get_attribute("[data-act=later]", "aria-keyshortcuts") == "X"
    page.keyboard.press("l")
    ann.press("x", 1)
    assert labels(campaign)[:2] == ["later", None]


def test_keys_of_a_hostile_setting_are_ignored(ann: Visit) -> None:
    page = ann.judging()
    evil = '{"later": "<img src=x onerror=window.ran=1>", "undo": {"a": 1}, "note": 7}'
    page.evaluate("evil => localStorage.setItem('cranfield keys', evil)", evil)
    ann.judging()
    assert page.inner_text("[data-act=later] kbd") == "L"
    assert page.evaluate("window.ran") is None


def test_marks_are_counted_stepped_through_and_switched_off(ann: Visit) -> None:
    page = ann.judging()
    n = page.locator("#text mark").count()
    assert n
    page.keyboard.press(".")
    assert page.inner_text("#matches") == f"mark 1 of {n}"
    page.keyboard.press(",")
    assert page.inner_text("#matches") == f"mark {n} of {n}"
    page.keyboard.press("m")
    page.wait_for_selector("#matches:text-is('no marks')")
    assert page.get_attribute("[data-act=marks]", "aria-pressed") == "false"


def test_find_counts_and_leaves_the_document_as_it_is(ann: Visit) -> None:
    page = ann.judging()
    before = page.inner_html("#text")
    page.keyboard.press("/")
    page.keyboard.type("SE")  # "Sleep for some seconds": one place, across a mark or not
    assert page.inner_text("#find-count") == "1 of 1"
    page.keyboard.type("3")  # types, does not judge
    assert page.inner_text("#find-count") == "not in this document"
    page.keyboard.press("Escape")
    assert page.is_hidden("#find")
    assert page.inner_html("#text") == before
    assert page.evaluate("document.activeElement.id") == "title"


def test_a_long_document_opens_where_the_terms_are(campaign: Campaign, ann: Visit) -> None:
    campaign.served.store.write(lambda connection: connection.execute(update(schema.body).values(text=LONG)))
    campaign.served.store.write(
        lambda connection: connection.execute(update(schema.topic).values(title="pause the program", keywords="sleep"))
    )
    page = ann.judging()
    assert page.is_visible("#opened")
    seen = "() => { const box = document.querySelector('#text mark').getBoundingClientRect(); return box.top; }"
    assert 0 < page.evaluate(seen) < 800
    page.click("#from-start")
    assert page.evaluate("document.querySelector('#title').getBoundingClientRect().top") > 0


def set_texts(campaign: Campaign, text: str, **topic: str) -> None:
    store = campaign.served.store
    store.write(lambda connection: connection.execute(update(schema.body).values(text=text)))
    store.write(lambda connection: connection.execute(update(schema.topic).values(keywords="", **topic)))


def test_terms_are_marked_in_scripts_without_spaces(campaign: Campaign, ann: Visit) -> None:
    set_texts(campaign, "機械学習による情報検索の評価は難しい。", title="情報検索の評価")
    page = ann.judging()
    marked = "".join(page.locator("#text mark").all_inner_texts())
    assert "検索" in marked
    assert "評価" in marked
    assert "機械" not in marked


def test_text_from_right_to_left_is_set_so(campaign: Campaign, ann: Visit) -> None:
    set_texts(campaign, "تقييم نظم البحث\n\nIn English.", title="تقييم")
    page = ann.judging()
    directions = "all => all.map(one => getComputedStyle(one).direction)"
    assert page.eval_on_selector_all("#text p", directions) == ["rtl", "ltr"]
    assert page.eval_on_selector_all("#need", directions) == ["rtl"]


def test_an_inex_topic_is_shown_in_words_and_what_it_excludes_is_not_marked(campaign: Campaign, ann: Visit) -> None:
    structure = {"target": "article", "conditions": [{"words": "calendar", "path": "", "negated": True}]}
    fields = {"title": "reasoning -calendar", "kind": "CAS", "structured": json.dumps(structure)}
    set_texts(campaign, "Reasoning about a calendar.", **fields)
    page = ann.judging()
    assert page.inner_text("#words") == "Retrieve the element article: not about “calendar” anywhere."
    assert page.locator("#text mark").all_inner_texts() == ["Reasoning"]


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_nothing_is_cut_off_however_long_the_words(campaign: Campaign, ann: Visit, width: int) -> None:
    set_texts(campaign, "x" * 3000, title="t" * 300, description="d" * 500, narrative="n" * 500)
    page = ann.judging()
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") == width
    cut = """all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"""
    assert page.eval_on_selector_all(".others button, .grades span, #title, #text p, header strong", cut) == []


def test_the_end_says_what_is_left(campaign: Campaign, ann: Visit) -> None:
    judge_all(campaign.people["ann"], {})
    page = ann.judging()
    assert page.inner_text("#done-title") == "All 8 judged. Thank you."
    page.keyboard.press("k")
    page.wait_for_selector("#screen[data-shown]:not([data-shown=end])")
    ann.press("l", 1)
    page.wait_for_selector("#done:has-text('1 is still marked “later”')")
    page.click("text=Judge the 1 document marked “later”")
    page.wait_for_selector("#screen[data-shown]:not([data-shown=end])")
    ann.press("2", 2)
    page.wait_for_selector("#done-title:has-text('All 8 judged')")
    assert labels(campaign)[-1] == 2


def test_nothing_to_judge_says_why_and_what_next(browser: Any, campaign: Campaign) -> None:
    for name, words, link in (
        ("carla", "assign the pool to", "/b/py/pool"),
        ("pia", "are assigned to you yet", "/b/py"),
    ):
        seen = Visit(browser, campaign, name)
        seen.page.goto("/b/py/judge")
        seen.page.wait_for_selector("#nothing:visible")
        assert words in seen.page.inner_text("#nothing")
        assert seen.page.get_attribute("#nothing a", "href") == link
        seen.context.close()


def test_fifty_judgments_wait_at_most(campaign: Campaign, ann: Visit) -> None:
    page = ann.judging()
    page.wait_for_load_state("networkidle")
    ann.context.set_offline(True)
    for _ in range(25):
        page.keyboard.press("1")
        page.keyboard.press("u")
    page.wait_for_selector("#banner:has-text('50 judgments')")
    page.keyboard.press("2")
    page.wait_for_selector("#banner:has-text('wait for the connection')")
    page.evaluate("dispatchEvent(new Event('online'))")  # otherwise they are sent again after up to 15 seconds
    page.wait_for_selector("#banner:has-text('wait until')")
    ann.context.set_offline(False)
    page.wait_for_selector("#screen[data-saved='50'][data-shown]", timeout=1000 * HANGS)
    assert labels(campaign) == [None] * 8
    ann.complaints.clear()  # the browser says that requests failed


def test_the_first_ten_of_many_documents_are_warm_up_and_offered_again(ann: Visit) -> None:
    page = ann.judging()
    walked = page.evaluate(
        """async () => {
          const { Queue } = await import("/static/queue.js"), queue = new Queue();
          const items = Array.from({ length: 21 }, (_, n) => ({ assignment: n + 1, topic: "1" }));
          const judged = { kind: "grade", grade: 1, note: "" };
          queue.fill({ items, history: items.slice(1).map((one) => ({ ...one, ...judged })), pace: null }, []);
          queue.place = -1;
          const first = queue.following();
          queue.place = first;
          queue.judge({ assignment: 1, ...judged });
          const end = queue.following();
          queue.review = [...Array(queue.warmUp).keys()];
          const again = [];
          for (queue.place = 0; queue.place < queue.n; queue.place = queue.following()) again.push(queue.place);
          return [first, end, queue.warmUp, again, queue.review, queue.undo()];
        }"""
    )
    assert walked == [0, 21, 10, list(range(10)), [], 0]
