"""Passages are highlighted by key on topics of INEX, and become specificity."""

from __future__ import annotations

from typing import Any

from sqlalchemy import update

from campaign.web.campaign import Campaign
from cranfield.campaign.store import schema
from time_limits import HANGS

TEXT = "\U0001f600 First paragraph.\n\nSleep for some seconds,\nor read a file."


def inex(campaign: Campaign) -> None:
    """All topics are of INEX, and all documents have the same text."""
    store = campaign.served.store
    store.write(lambda connection: connection.execute(update(schema.topic).values(kind="CO")))
    store.write(lambda connection: connection.execute(update(schema.body).values(text=TEXT)))


def test_selected_text_becomes_a_passage(campaign: Campaign, browser: Any) -> None:
    inex(campaign)
    ann, carla = campaign.people["ann"], campaign.people["carla"]
    context = browser.new_context(base_url=campaign.served.address)
    context.set_default_timeout(1000 * HANGS)
    cookie = {"name": "cranfield_session", "value": ann.http.cookies["cranfield_session"]}
    context.add_cookies([cookie | {"url": campaign.served.address}])
    page = context.new_page()
    page.goto("/b/py/judge")
    page.wait_for_selector("#screen[data-shown]")
    select = """([first, from, last, to]) => {
      const node = (paragraph, at) => {
        const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
        while (walker.nextNode() && at > walker.currentNode.length) at -= walker.currentNode.length;
        return [walker.currentNode, at];
      };
      const paragraphs = document.querySelectorAll("#text p"), range = document.createRange();
      range.setStart(...node(paragraphs[first], from));
      range.setEnd(...node(paragraphs[last], to));
      getSelection().removeAllRanges();
      getSelection().addRange(range);
    }"""
    page.evaluate(select, [0, 3, 1, 5])  # "First paragraph." and, after a blank line, "Sleep"
    page.wait_for_selector(f"#specificity:has-text('0.00 → {23 / len(TEXT):.2f}')")  # before it is saved
    page.keyboard.press("h")
    page.wait_for_selector(f"#specificity:text-is('Specificity {23 / len(TEXT):.2f}')")
    page.keyboard.press("2")
    page.wait_for_selector("#screen[data-saved='1']")
    context.close()
    (one,) = carla.get("/api/b/py/passages").json()["passages"]
    assert [TEXT[start:end] for start, end in one["spans"]] == ["First paragraph.\n\nSleep"]
    assert (one["exhaustivity"], one["specificity"]) == (2, 23 / len(TEXT))
    assert f"{23 / len(TEXT):.3f}" in carla.get("/b/py/passages").text
    assert "passages" not in str(campaign.people["bob"].get("/api/b/py/judge/queue").json())


def test_passages_are_replaced_kept_once_and_checked(campaign: Campaign) -> None:
    inex(campaign)
    ann, bob = campaign.people["ann"], campaign.people["bob"]
    own = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]

    def sent(person: Any, spans: list[list[int]], key: str = "key-passage") -> Any:
        content = {"key": key, "assignment": own, "spans": spans}
        return person.http.post("/api/b/py/judge/passages", json=content, headers={"x-csrf-token": person.csrf})

    assert sent(ann, [[0, 10], [5, 20]]).json()["specificity"] == 20 / len(TEXT)
    assert sent(ann, [[0, 10], [5, 20]]).status_code == 201
    assert "other passages were saved under this key" in sent(ann, [[0, 5]]).text
    assert ann.get(f"/api/b/py/judge/items/{own}").json()["spans"] == [[0, 20]]
    assert "is not within" in sent(ann, [[0, 10_000]], "another-key").text
    assert "not assigned to you" in sent(bob, [[0, 1]]).text
    assert sent(ann, [], "none-at-all").json()["specificity"] == 0
    assert ann.get(f"/api/b/py/judge/items/{own}").json()["spans"] == []
    assert bob.get("/api/b/py/passages").status_code == 403
