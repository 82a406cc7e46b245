"""The judging screen and the pages of a campaign in a real browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from sqlalchemy import update

from campaign.web.campaign import Campaign, judge_all, judge_one, judged_by_machine, run_file, set_up
from campaign_server import PASSWORD, Served
from cranfield.campaign.store import schema
from time_limits import HANGS


class Visit:
    """A page of somebody who is signed in, and what it complained about."""

    def __init__(self, browser: Any, campaign: Campaign, name: str, **settings: Any) -> None:
        self.context = browser.new_context(base_url=campaign.served.address, **settings)
        self.context.set_default_timeout(1000 * HANGS)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        session = campaign.people[name].http.cookies["cranfield_session"]
        self.context.add_cookies([{"name": "cranfield_session", "value": session, "url": campaign.served.address}])

    def judging(self) -> Any:
        self.page.goto("/b/py/judge")
        self.page.wait_for_selector("#screen[data-shown]")
        return self.page

    def press(self, key: str, n_saved: int) -> None:
        """Press a key and wait until so many judgments are saved and the document that follows is shown."""
        self.page.keyboard.press(key)
        self.page.wait_for_selector(f"#screen[data-saved='{n_saved}'][data-shown]")


@pytest.fixture
def visit(browser: Any, campaign: Campaign) -> Iterator[Any]:
    visits: list[Visit] = []

    def sign_in(name: str, **settings: Any) -> Visit:
        visits.append(Visit(browser, campaign, name, **settings))
        return visits[-1]

    yield sign_in
    for one in visits:
        one.context.close()


def labels(campaign: Campaign, name: str = "ann") -> list[Any]:
    """What the server holds, in the order of the queue."""
    items = campaign.people[name].get("/api/b/py/judge/queue").json()["items"]
    return [one["grade"] if one["kind"] == "grade" else one["kind"] for one in items]


def test_assessors_judge_by_keyboard_and_the_coordinator_sees_the_leaderboard(campaign: Campaign, visit: Any) -> None:
    for name, grades in (("ann", "31020312"), ("bob", "30020312")):
        seen = visit(name)
        seen.judging()
        for place, grade in enumerate(grades, 1):
            seen.press(grade, place)
        assert labels(campaign, name) == [int(grade) for grade in grades]
        assert "judged. Thank you." in seen.page.inner_text("#done")
        assert seen.page.inner_text("#saved").startswith("✓ Saved ")
        assert seen.complaints == []
    carla = visit("carla")
    carla.context.clear_cookies()
    carla.page.goto("/b/py/agreement")
    carla.page.fill("#email", "carla@example.org")
    carla.page.fill("#password", PASSWORD)
    carla.page.click("main button")
    carla.page.wait_for_url("**/agreement")
    assert "8 documents were judged by more than one assessor" in carla.page.inner_text("main")
    carla.page.goto("/b/py/results")
    carla.page.click("text=Export the qrels")
    carla.page.wait_for_selector("text=secretrun")
    assert carla.page.locator("[aria-label=Leaderboard] tbody tr").count() == 3
    assert carla.complaints == []


def test_a_live_wave_brings_the_next_document_of_the_run_that_did_best(served: Served, browser: Any) -> None:
    campaign = set_up(served)
    for name, documents in {"poor": (1, 2, 3, 4), "good": (5, 6, 7, 8)}.items():
        rows = "".join(f"09 Q0 d{document} 0 {-rank} {name}\n" for rank, document in enumerate(documents))
        campaign.people["pia"].ok("/b/py/runs", {"name": name}, files={"file": (f"{name}.run", rows.encode())})
    campaign.ada.ok("/b/py/pool", {"method": "maxmean", "burn_in": 1, "depth": 4, "live": "true"})
    campaign.ada.ok("/b/py/assignments", {"topic": "09", "assessor": account(campaign, "ann")})
    seen = Visit(browser, campaign, "ann")
    page, shown = seen.judging(), []
    for n_saved in range(1, 9):
        shown.append(int(page.inner_text("#title").removeprefix("Document ")))
        seen.press("2" if shown[-1] >= 5 else "0", n_saved)
        page.wait_for_load_state("networkidle")  # the new order is there
    page.wait_for_selector("#screen[data-shown=end]")
    assert shown == [1, 5, 6, 7, 8, 2, 3, 4]
    assert seen.complaints == []
    seen.context.close()


def account(campaign: Campaign, name: str) -> int:
    """The account of an assessor."""
    people = campaign.ada.get("/api/b/py/people").json()["people"]
    return next(one["id"] for one in people if one["name"] == name)


def test_later_cannot_tell_undo_and_going_back(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    first = page.get_attribute("#screen", "data-shown")
    seen.press("l", 1)
    page.keyboard.press("c")
    seen.press("1", 2)
    seen.press("2", 3)
    assert labels(campaign)[:4] == ["later", "cannot tell", 2, None]
    seen.press("u", 4)
    seen.press("Control+z", 5)
    assert labels(campaign)[:4] == ["later", None, None, None]
    seen.press("u", 6)
    assert page.get_attribute("#screen", "data-shown") == first
    assert labels(campaign)[:2] == [None, None]
    page.keyboard.press("ArrowRight")
    page.wait_for_selector(f"#screen[data-shown]:not([data-shown='{first}'])")
    seen.press("1", 7)
    assert labels(campaign)[:2] == [None, 1]


def test_a_key_pressed_before_the_document_is_there_judges_nothing_and_says_so(campaign: Campaign, visit: Any) -> None:
    seen, held = visit("ann"), []
    asked = iter(range(100))
    seen.page.route("**/judge/items/*", lambda route: held.append(route) if next(asked) else route.continue_())
    page = seen.judging()
    page.keyboard.press("1")
    page.wait_for_selector("#screen[data-saved='1']:not([data-shown])")
    for key in "2cn":
        page.keyboard.press(key)
    page.wait_for_selector("#spoken:text-is('The document is still loading.')", state="attached")
    assert page.locator("dialog[open]").count() == 0
    for route in held:
        route.continue_()
    page.wait_for_selector("#screen[data-shown]")
    seen.press("3", 2)
    assert labels(campaign)[:3] == [1, 3, None]


def test_a_note_is_kept_with_the_grade_and_keys_do_not_judge_while_typing(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    page.keyboard.press("n")
    page.keyboard.type("3 of 10, see u")
    page.click("#note-dialog button.main")
    seen.press("3", 1)
    one = campaign.people["ann"].get("/api/b/py/judge/queue").json()["items"][0]
    assert (one["grade"], one["note"]) == (3, "3 of 10, see u")
    assert labels(campaign)[1:] == [None] * 7


def test_judgments_survive_a_lost_connection_and_a_closed_tab_and_are_sent_once(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    page.wait_for_load_state("networkidle")  # the next documents are there
    seen.context.set_offline(True)
    for place, key in enumerate("31203120", 1):  # all of them: "You can continue" holds
        page.wait_for_selector("#screen[data-shown]:not([data-shown=end])")
        page.keyboard.press(key)
        page.wait_for_function(f"document.getElementById('count').textContent === '{place} of 8'")
    page.wait_for_selector("#banner:has-text('8 judgments are stored in this browser')")
    assert "✓" not in page.inner_text("#saved")
    assert labels(campaign) == [None] * 8
    page.close()
    seen.context.set_offline(False)
    seen.page = seen.context.new_page()
    page = seen.judging()
    page.wait_for_selector("#screen[data-saved='8']")
    assert labels(campaign) == [3, 1, 2, 0, 3, 1, 2, 0]
    assert page.inner_text("#count") == "8 of 8"


def test_a_second_tab_does_not_overwrite_a_grade(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    other = seen.context.new_page()
    other.goto("/b/py/judge")
    other.wait_for_selector("#screen[data-shown]")
    seen.press("3", 1)
    other.keyboard.press("0")
    other.wait_for_selector("#banner:has-text('answered in another tab')")
    assert other.is_checked("input[name=grade][value='3']")  # back at the document, with the answer of the first tab
    assert labels(campaign)[:2] == [3, None]
    other.keyboard.press("1")  # now it is known, and can be changed
    other.wait_for_selector("#screen[data-saved='1']")
    assert labels(campaign)[:2] == [1, None]
    page.close()


def test_an_answer_that_was_lost_does_not_double_the_judgment(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    lost: list[str] = []

    def lose_the_first(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.post_data)
        route.fetch()  # the server keeps it
        route.abort()  # the browser never hears

    page.route("**/judge/events", lose_the_first)
    seen.press("2", 1)
    with campaign.served.store.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM event").scalar() == 1
    assert labels(campaign)[0] == 2


def test_the_grades_work_as_a_radio_group_with_single_keys_switched_off(campaign: Campaign, visit: Any) -> None:
    seen = visit("ann")
    page = seen.judging()
    page.click("[data-act=help]")
    page.uncheck("#keys-on")
    page.click("text=Close")
    page.keyboard.press("3")
    page.focus("input[name=grade][value='0']")
    page.keyboard.press("ArrowRight")
    assert labels(campaign) == [None] * 8
    seen.press("Enter", 1)
    assert labels(campaign)[:2] == [1, None]
    assert page.inner_text("#spoken") == "Saved as Somewhat relevant. Document 2 of 8."


def test_digits_decide_a_conflict_unless_keys_are_off(campaign: Campaign, visit: Any) -> None:
    judge_all(campaign.people["ann"], {"d6": 2})
    judge_all(campaign.people["bob"], {"d6": 0})
    key = campaign.people["carla"].get("/api/b/py/conflicts").json()["conflicts"][0]["id"]
    page = visit("carla").page
    for on, checked in (("true", "2"), ("false", None)):
        page.goto(f"/b/py/conflicts/{key}")
        page.evaluate(f"localStorage.setItem('cranfield keys on', '{on}')")
        page.reload()
        page.keyboard.press("2")
        assert page.evaluate("document.querySelector('input[name=grade]:checked')?.value ?? null") == checked


def test_the_pool_page_tells_the_cost_of_a_deeper_pool_once_it_is_computed(campaign: Campaign, visit: Any) -> None:
    judge_all(campaign.people["ann"], {"d6": 2})
    page = visit("carla").page
    page.goto("/b/py/pool")
    page.wait_for_selector("#cost:not(.waiting)")
    assert page.inner_text("#cost-words").startswith("Depth 10: ")
    page.wait_for_selector("#separation:not([hidden])")
    assert "topic" in page.inner_text("#separation")


def test_documents_are_text_and_nothing_in_them_runs(campaign: Campaign, visit: Any) -> None:
    evil = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
    campaign.served.store.write(lambda connection: connection.execute(update(schema.body).values(text=evil)))
    campaign.served.store.write(lambda connection: connection.execute(update(schema.topic).values(title=evil)))
    seen = visit("ann")
    page = seen.judging()
    assert evil in page.inner_text("#text")
    assert evil in page.inner_text("#need")
    assert page.title() == "Judge · Python search"
    assert seen.complaints == []


def test_axe_finds_no_serious_fault_and_pages_fit_320_pixels(campaign: Campaign, visit: Any) -> None:
    long = {"name": "a-long-name-" * 8, "description": "of a system " * 10, "tags": "=tag, and-a-rather-long-tag"}
    campaign.people["pia"].ok("/b/py/runs", long, files={"file": ("a.run", run_file("bm25"))})
    judge_all(campaign.people["bob"], {"d1": 3})
    judge_one(campaign.people["ann"], 1)
    campaign.ada.ok("/b/py/qrels", {})
    judged_by_machine(campaign, {"d1": 2})
    key = campaign.ada.get("/api/b/py/conflicts").json()["conflicts"][0]["id"]
    campaign.people["carla"].ok("/b/py/preferences", {"most": 2, "judges": 2})
    screens = ["", "/topics", "/proposals", "/runs", "/pool", "/agreement", "/conflicts", f"/conflicts/{key}"]
    screens += ["/machines", "/results", "/people", "/settings", "/judge", "/prefer", "/preferences", "/passages"]
    screens += ["/audit", "/results/runs/1", "/results/compare?first=1&second=4", "/results/topics/1"]
    screens += ["/results/topics/1/document?name=d1", "/pool/quality", "/pool/separation"]
    paths = ["/", "/account", *(f"/b/py{screen}" for screen in screens)]
    seen = visit("carla", viewport={"width": 320, "height": 640})
    assessor = visit("ann", viewport={"width": 320, "height": 640})
    assessor.judging()
    axe = Axe()
    for page, path in [*((seen.page, path) for path in paths), (assessor.page, "")]:
        if path:
            page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
        for scheme, rules in {"light": {}, "dark": {"runOnly": ["color-contrast"]}}.items():  # all else is the same
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # colours change at once
            page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
            found = axe.run(page, options={"resultTypes": ["violations"], **rules}).response["violations"]
            faults = [one for one in found if one["impact"] in ("serious", "critical")]
            where = [(one["id"], [node["html"] for node in one["nodes"]]) for one in faults]
            assert faults == [], (path, scheme, where)
        page.emulate_media(color_scheme="light")
