"""The whole loop in a real browser, from an empty server to the leaderboard.

With CRANFIELD_SCREENSHOTS=FOLDER, every screen is also drawn, light and dark, 1280 and 390 pixels wide.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from campaign.web.campaign import DOCUMENTS, RUNS, TOPICS, lines, run_file
from campaign_server import PASSWORD, Served
from time_limits import HANGS

SIZES = ((1280, 800), (390, 844))
GRADES = {"ann": {"d1": 3, "d2": 1, "d6": 2}, "bob": {"d1": 3, "d2": 0, "d6": 2}}  # 0 for all others


class Walk:
    """One person's browser; each screen is looked at when it is left."""

    def __init__(self, browser: Any, served: Served) -> None:
        self.context = browser.new_context(base_url=served.address, viewport={"width": 1280, "height": 800})
        self.context.set_default_timeout(1000 * HANGS)
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def draw(self, name: str) -> None:
        """Pictures of the screen as it is."""
        folder = os.environ.get("CRANFIELD_SCREENSHOTS")
        if not folder:
            return
        Path(folder).mkdir(parents=True, exist_ok=True)
        for width, height in SIZES:
            for scheme in ("light", "dark"):
                self.page.set_viewport_size({"width": width, "height": height})
                self.page.emulate_media(color_scheme=scheme)
                self.page.wait_for_timeout(200)  # colours change gradually
                path = Path(folder) / f"{name}-{width}-{scheme}.png"
                self.page.screenshot(path=path, full_page=name != "judge")
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.page.emulate_media(color_scheme="light")

    def fill(self, **fields: str) -> None:
        for name, value in fields.items():
            self.page.fill(f"#{name}", value)

    def press(self, words: str) -> None:
        """A button of the page, and the page that follows."""
        with self.page.expect_navigation():
            self.page.click(f"main button:has-text('{words}')")
        assert "That did not work" not in self.page.inner_text("main"), self.page.inner_text("main")

    def upload(self, selector: str, name: str, content: bytes) -> None:
        self.page.set_input_files(selector, {"name": name, "mimeType": "text/plain", "buffer": content})


@pytest.fixture
def walk(browser: Any, served: Served) -> Any:
    walks: list[Walk] = []

    def start() -> Walk:
        walks.append(Walk(browser, served))
        return walks[-1]

    yield start
    for one in walks:
        one.context.close()


def test_from_an_empty_server_to_the_leaderboard(served: Served, walk: Any) -> None:
    ada = walk()
    set_up(ada, served)
    assessors = {name: joined(ada, walk(), name) for name in GRADES}
    submit_and_pool(ada)
    for name, grades in GRADES.items():
        judge(assessors[name], grades, draw=name == "ann")
    ada.page.goto("/b/loop/agreement")
    assert "8 documents were judged by more than one assessor; the grades of 1 differ." in ada.page.inner_text("main")
    ada.draw("agreement")
    adjudicate(ada)
    export(ada)
    for one in (ada, *assessors.values()):
        assert one.complaints == []


def set_up(ada: Walk, served: Served) -> None:
    ada.page.goto(f"/setup/{served.secret}")
    ada.draw("setup")
    ada.fill(name="Ada Author", email="ada@example.org", password=PASSWORD)
    ada.press("Create the administrator")
    ada.draw("home")
    ada.fill(name="Python search", slug="loop", purpose="Which function of the library does it?")
    ada.press("Create the benchmark")
    ada.page.goto("/b/loop/settings")
    ada.fill(guidelines="Judge what the **documentation** says, not what you know.")
    ada.draw("settings")
    ada.press("Save")
    ada.page.goto("/b/loop/topics")
    ada.upload("#topics", "topics.jsonl", lines(TOPICS))
    ada.press("Import topics")
    ada.upload("#documents", "documents.jsonl", lines(DOCUMENTS))
    ada.press("Import documents")
    assert "2 topics, 8 documents." in ada.page.inner_text("main")
    ada.draw("topics")


def joined(ada: Walk, person: Walk, name: str) -> Walk:
    ada.page.goto("/b/loop/people")
    ada.page.select_option("#role", "assessor")
    ada.press("Create links")
    ada.draw("people")
    person.page.goto(ada.page.inner_text("#link").split()[0])
    person.draw("join")
    person.fill(name=name, email=f"{name}@example.org", password=PASSWORD)
    person.press("Join")
    return person


def submit_and_pool(ada: Walk) -> None:
    for name in RUNS:
        ada.page.goto("/b/loop/runs")
        ada.upload("#file", f"{name}.run", run_file(name))
        ada.press("Check and submit")
    ada.draw("runs")
    ada.page.goto("/b/loop/pool")
    ada.fill(depth="2")
    ada.press("Build the pool")
    ada.fill(double="100")
    ada.press("Assign")
    ada.draw("pool")
    ada.page.goto("/b/loop")
    assert "0 of 16" in ada.page.inner_text("main")
    ada.draw("overview")


def judge(person: Walk, grades: dict[str, int], *, draw: bool) -> None:
    page = person.page
    page.goto("/b/loop")
    if draw:
        person.draw("assessor")
    with page.expect_navigation():
        page.click("text=Judge 8 documents")
    page.wait_for_selector("#screen[data-shown]")
    for place in range(1, 9):
        document, shown = page.inner_text("#document-name"), page.get_attribute("#screen", "data-shown")
        grade = str(grades.get(document, 0))
        if draw and place == 4:
            person.draw("judge")
        if document == "d2":  # say why
            page.keyboard.press("n")
            page.keyboard.type(f"I read it as {grade}.")
            page.click("#note-dialog button.main")
        page.keyboard.press(grade)
        page.wait_for_selector(f"#screen[data-saved='{place}']")
        if place < 8:
            page.wait_for_selector(f"#screen[data-shown]:not([data-shown='{shown}'])")
    assert "judged. Thank you." in page.inner_text("#done")


def adjudicate(ada: Walk) -> None:
    ada.page.click("main a:has-text('Decide 1 open conflict')")
    ada.page.wait_for_selector("h1:has-text('Conflicts')")
    ada.draw("conflicts")
    ada.page.click("main tbody a")
    ada.page.wait_for_selector("#decision")
    shown = ada.page.inner_text("main")
    assert "I read it as 1." in shown
    assert "I read it as 0." in shown
    ada.draw("conflict")
    ada.page.keyboard.press("1")
    ada.page.keyboard.type("The text names the function.")
    with ada.page.expect_navigation():
        ada.page.keyboard.press("Control+Enter")
    assert "0 of 1 conflict is open" in ada.page.inner_text("main")
    ada.draw("decided")


def export(ada: Walk) -> None:
    ada.page.goto("/b/loop/results")
    ada.press("Export the qrels")
    board = ada.page.inner_text("main")
    assert all(name in board for name in RUNS)
    assert "Version 1" in board
    ada.draw("results")
    ada.page.goto("/account")
    ada.draw("account")
