"""Preferences through the API and in a browser, by keyboard."""

from __future__ import annotations

from typing import Any

from axe_playwright_python.sync_playwright import Axe

from campaign.web.campaign import Campaign
from campaign_server import Person
from time_limits import HANGS


def next_pair(person: Person) -> dict[str, Any]:
    found: dict[str, Any] = person.get("/api/b/py/prefer").json()
    return found


def test_assessors_prefer_undo_and_stay_blind(campaign: Campaign) -> None:
    carla, ann, bob = (campaign.people[name] for name in ("carla", "ann", "bob"))
    assert carla.ok("/api/b/py/preferences", {"most": 3, "judges": 2, "seed": 3}).json() == {"n_pairs": 12}
    assert carla.post("/api/b/py/preferences", {"most": 3, "judges": 2, "seed": 3}).status_code == 422
    first = next_pair(ann)
    assert (first["n"], first["n_done"]) == (6, 0)
    sent = {"pair": first["pair"]["id"], "choice": "left", "key": "one-choice", "note": "a note of Ann"}
    for _ in range(2):  # sent twice, kept once
        ann.ok("/b/py/prefer", sent)
    assert "another choice was saved" in ann.post("/api/b/py/prefer", sent | {"choice": "right"}).text
    assert "not assigned to you" in bob.post("/api/b/py/prefer", sent | {"key": "not-his-own"}).text
    assert next_pair(ann)["n_done"] == 1
    blind = next_pair(bob)
    assert blind["n_done"] == 0
    assert all(hidden not in str(blind) for hidden in ("a note of Ann", "bm25", "secretrun", "rank", "assessor"))
    assert bob.get("/api/b/py/preferences").status_code == bob.get("/b/py/preferences/file").status_code == 403
    ann.ok("/b/py/prefer/undo")
    assert next_pair(ann)["pair"]["id"] == first["pair"]["id"]
    assert ann.post("/api/b/py/prefer/undo").status_code == 422
    ann.ok("/b/py/prefer", sent | {"key": "once-again", "choice": "right"})
    page = carla.get("/api/b/py/preferences").json()
    better = first["pair"]["right"]["name"]
    assert [(one["choice"], one["better"]) for one in page["preferences"]] == [("right", better)]
    lines = carla.get("/b/py/preferences/file").text.splitlines()
    assert lines[0] == f"{first['pair']['topic']['name']} pair1 0 {better} 2"


def test_pairs_are_judged_by_keyboard(campaign: Campaign, browser: Any) -> None:
    campaign.people["carla"].ok("/b/py/preferences", {"most": 2, "judges": 2})
    cookie = campaign.people["ann"].http.cookies["cranfield_session"]
    context = browser.new_context(base_url=campaign.served.address, viewport={"width": 320, "height": 640})
    context.set_default_timeout(1000 * HANGS)
    context.add_cookies([{"name": "cranfield_session", "value": cookie, "url": campaign.served.address}])
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/b/py/prefer")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    faults = [one for one in Axe().run(page).response["violations"] if one["impact"] in ("serious", "critical")]
    assert faults == []
    for key in ("ArrowLeft", "u", "=", "ArrowRight", "c"):
        with page.expect_navigation():
            page.keyboard.press(key)
    with page.expect_navigation():
        page.click("text=Left is better")
    assert "All your 4 pairs are judged." in page.inner_text("main")
    context.close()
    assert complaints == []
    made = campaign.people["carla"].get("/api/b/py/preferences").json()
    assert made["counts"] == {"equal": 1, "right": 1, "cannot tell": 1, "left": 1}
    assert "4 of 8 pairs are judged" in campaign.people["carla"].get("/b/py/preferences").text
