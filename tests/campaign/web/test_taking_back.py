"""What coordinators take back: what is asked first, what stays, and what the audit keeps."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from campaign.web.campaign import Campaign, judge_one
from cranfield.campaign.store import schema


def queue_of(campaign: Campaign, name: str) -> list[Any]:
    listed: list[Any] = campaign.people[name].get("/api/b/py/judge/queue").json()["items"]
    return listed


def account_of(campaign: Campaign, name: str) -> int:
    people = campaign.ada.get("/api/b/py/people").json()["people"]
    return int(next(person["id"] for person in people if person["email"].startswith(name)))


def test_what_somebody_who_leaves_has_not_answered_goes_to_somebody_else(campaign: Campaign) -> None:
    zoe = campaign.served.invited(campaign.ada, "py", "assessor", "zoe")
    campaign.people["zoe"] = zoe
    carla, before = campaign.people["carla"], queue_of(campaign, "ann")
    judge_one(campaign.people["ann"], 3)
    who = {"assessor": account_of(campaign, "ann"), "to": account_of(campaign, "zoe")}
    asked = carla.ok("/api/b/py/assignments/back", who).json()
    assert (asked["n_documents"], asked["n_given"], asked["n_answered"]) == (len(before) - 1, len(before) - 1, 1)
    page = carla.ok("/b/py/assignments/back", who).text
    assert f"{len(before) - 1} unanswered documents are taken from ann" in page
    assert len(queue_of(campaign, "ann")) == len(before)  # so far, nobody has agreed
    assert carla.post("/api/b/py/assignments/back", who | {"expected": 1}).status_code == 409
    carla.ok("/api/b/py/assignments/back", who | {"expected": asked["n_documents"]})
    assert [one["grade"] for one in queue_of(campaign, "ann")] == [3]
    assert len(queue_of(campaign, "zoe")) == len(before) - 1
    (kept,) = carla.get("/api/b/py/audit?kind=corrections").json()["changes"]
    assert kept["action"] == f"took back {len(before) - 1} documents, gave {len(before) - 1} to zoe"
    back = {"assessor": who["to"], "to": who["assessor"], "expected": len(before) - 1}
    carla.ok("/api/b/py/assignments/back", back)  # and back again
    assert {one["assignment"] for one in queue_of(campaign, "zoe")} == set()
    assert len(queue_of(campaign, "ann")) == len(before)


def test_documents_of_one_topic_are_taken_back_and_can_be_assigned_again(campaign: Campaign) -> None:
    carla, before = campaign.people["carla"], queue_of(campaign, "ann")
    n_topic = sum(one["topic"] == "9" for one in before)
    for name in ("ann", "bob"):
        values = {"assessor": account_of(campaign, name), "topic": "9", "expected": n_topic}
        carla.ok("/b/py/assignments/back", values)
        assert {one["topic"] for one in queue_of(campaign, name)} == {"09"}
    assert carla.get("/api/b/py/pool").json()["n_open"] == n_topic
    carla.ok("/b/py/assignments", {"double": 100})
    assert len(queue_of(campaign, "ann")) == len(before)
    assert (
        carla.post("/api/b/py/assignments/back", {"assessor": account_of(campaign, "vera"), "expected": 0}).status_code
        == 422
    )
    assert carla.post("/api/b/py/assignments/back", {"assessor": 10**6}).status_code == 422


def test_an_unjudged_wave_is_deleted_and_a_judged_one_stays(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    before = carla.get("/api/b/py/pool").json()
    carla.ok("/b/py/pool", {"depth": 4})
    carla.ok("/b/py/assignments", {"double": 100})
    assert "delete wave 2 first" in carla.post("/api/b/py/pool/1/delete", {"expected": 16}).text
    asked = carla.ok("/api/b/py/pool/2/delete").json()
    assert (asked["n_judged"], asked["n_assigned"]) == (0, 2 * asked["n_documents"])
    assert f"Wave 2 has {asked['n_documents']} documents" in carla.ok("/b/py/pool/2/delete").text
    carla.ok("/b/py/pool/2/delete", {"expected": asked["n_assigned"]})
    after = carla.get("/api/b/py/pool").json()
    assert after == before
    judge_one(campaign.people["ann"], 3)
    for sent in ({}, {"expected": 16}):
        assert "1 documents of wave 1 are judged, so it stays" in carla.post("/api/b/py/pool/1/delete", sent).text
    with campaign.served.store.read() as connection:
        assert connection.scalar(select(func.count()).select_from(schema.act)) == 1
