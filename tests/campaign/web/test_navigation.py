"""The navigation: four groups and the overview, and the pages of the current group."""

from __future__ import annotations

import re

from campaign.web.campaign import Campaign


def links(page: str) -> list[list[str]]:
    return [re.findall(r">([^<]+)</a>", nav) for nav in re.findall(r'<nav class="tabs[^"]*".*?</nav>', page, re.S)]


def test_pages_are_in_groups_and_everybody_sees_only_theirs(unchanged: Campaign) -> None:
    groups = ["Overview", "Set up", "Judge", "Results", "Audit"]
    coordinating = unchanged.people["carla"]
    assert links(coordinating.get("/b/py").text) == [groups]
    assert links(coordinating.get("/b/py/conflicts").text) == [
        groups, ["Pool", "Judge", "Prefer", "Conflicts", "Agreement", "Preference results", "Machines"],
    ]  # fmt: skip
    assert links(coordinating.get("/b/py/people").text)[1] == ["Topics", "Proposals", "Runs", "People", "Settings"]
    assert links(coordinating.get("/b/py/audit").text) == [groups]
    assert links(unchanged.people["ann"].get("/b/py/topics").text) == [["Overview", "Topics", "Judge"]]
    assert 'aria-current="page">Conflicts' in coordinating.get("/b/py/conflicts").text
