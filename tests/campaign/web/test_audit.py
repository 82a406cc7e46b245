"""Every change is in the audit, can be filtered, and leaves as a file that no spreadsheet runs."""

from __future__ import annotations

import csv
from typing import Any

from campaign.web.campaign import RUNS, Campaign, judge_all, judge_one


def changes(campaign: Campaign, **asked: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = campaign.people["carla"].get("/api/b/py/audit", params=asked).json()["changes"]
    return found


def test_changes_are_listed_latest_first_and_filtered(campaign: Campaign) -> None:
    ann, carla = campaign.people["ann"], campaign.people["carla"]
    judge_one(ann, 3)
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    undo = {"key": "taken-back", "assignment": first, "kind": "undo"}
    ann.http.post("/api/b/py/judge/events", json=undo, headers={"x-csrf-token": ann.csrf})
    judge_all(campaign.people["bob"], {"d1": 3})
    run = carla.get("/api/b/py/runs").json()["runs"][0]
    carla.ok(f"/b/py/runs/{run['id']}/withdraw")
    carla.ok("/b/py/qrels")
    everything = changes(campaign)
    assert [one["at"] for one in everything] == sorted((one["at"] for one in everything), reverse=True)
    assert [one["kind"] for one in everything[:2]] == ["qrels", "runs"]
    assert [one["action"] for one in changes(campaign, person="ann")] == ["undo", "grade 3"]
    assert sorted(one["subject"] for one in changes(campaign, kind="runs")) == sorted([*RUNS, run["name"]])
    assert len(changes(campaign, kind="judgments", person="bob")) == 8
    assert changes(campaign, kind="decisions") == []
    assert [one["action"] for one in changes(campaign, kind="pools")] == ["depth"]
    assert "withdrawn" in carla.get("/b/py/audit").text


def test_the_file_has_all_changes_and_no_formula(campaign: Campaign) -> None:
    ann, carla = campaign.people["ann"], campaign.people["carla"]
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    sent = {"key": "with-a-note", "assignment": first, "kind": "grade", "grade": 1, "note": '=HYPERLINK("x")'}
    ann.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": ann.csrf})
    rows = list(csv.DictReader(carla.get("/b/py/audit/file").text.splitlines()))
    assert rows[0]["note"] == '\'=HYPERLINK("x")'
    assert len(rows) == len(changes(campaign))
    only = list(csv.DictReader(carla.get("/b/py/audit/file", params={"person": "ann"}).text.splitlines()))
    assert [one["person"] for one in only] == ["ann"]
