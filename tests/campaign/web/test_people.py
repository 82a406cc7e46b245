"""People of a benchmark: roles, removal, invitations, and a class behind one address."""

from __future__ import annotations

import pytest

from campaign.web.campaign import Campaign, judge_one
from campaign.web.test_taking_back import account_of, queue_of
from campaign_server import PASSWORD
from cranfield.campaign.web import sign_in_attempts as attempts


def test_a_role_is_changed_and_takes_effect_at_once(campaign: Campaign) -> None:
    carla, vera = campaign.people["carla"], campaign.people["vera"]
    assert vera.get("/api/b/py/conflicts").status_code == 403
    carla.ok(f"/b/py/people/{account_of(campaign, 'vera')}", {"role": "coordinator"})
    assert vera.get("/api/b/py/conflicts").status_code == 200
    (kept,) = carla.get("/api/b/py/audit?kind=corrections").json()["changes"]
    assert (kept["action"], kept["subject"]) == ("changed the role from viewer to coordinator", "vera")
    assert carla.post("/api/b/py/people/1000000", {"role": "viewer"}).status_code == 422


def test_who_is_removed_leaves_judgments_behind_and_unanswered_documents_are_free(campaign: Campaign) -> None:
    carla, ann = campaign.people["carla"], campaign.people["ann"]
    n_documents = len(queue_of(campaign, "ann"))
    judge_one(ann, 3)
    path = f"/people/{account_of(campaign, 'ann')}/remove"
    asked = carla.ok(f"/api/b/py{path}").json()
    assert (asked["n_answered"], asked["n_documents"]) == (1, n_documents - 1)
    assert "1 answers stay" in carla.ok(f"/b/py{path}").text
    carla.ok(f"/b/py{path}", {"expected": n_documents - 1})
    assert ann.get("/api/b/py").status_code == 404
    for page in ("pool", "agreement", "conflicts", "audit", "people", "machines", "topics", "passages", ""):
        assert carla.get(f"/b/py/{page}".rstrip("/")).status_code == 200, page
    exported = carla.ok("/api/b/py/qrels").json()
    assert carla.get(f"/b/py/qrels/{exported['version']}").text.count(" 3\n") == 1


def test_invitations_are_made_from_a_list_and_withdrawn(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    made = carla.ok("/api/b/py/people", {"role": "assessor", "note": "Eva\nFritz\n\nGül"}).json()
    assert [one["note"] for one in made["links"]] == ["Eva", "Fritz", "Gül"]
    opened = carla.get("/api/b/py/people").json()["invitations"]
    assert [one["note"] for one in opened] == ["Eva", "Fritz", "Gül"]
    carla.ok(f"/b/py/invitations/{opened[1]['id']}/withdraw")
    path = {one["note"]: "/join/" + one["link"].rpartition("/")[2] for one in made["links"]}
    visitor = campaign.served.visitor()
    assert (visitor.get(path["Fritz"]).status_code, visitor.get(path["Eva"]).status_code) == (404, 200)
    assert carla.post(f"/api/b/py/invitations/{10**6}/withdraw").status_code == 422


def test_a_class_behind_one_address_gets_in_and_a_guesser_does_not(
    campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "PER_ACCOUNT", attempts.Attempts(3))
    monkeypatch.setattr(attempts, "PER_ADDRESS", attempts.Attempts(5))

    def sign_in(name: str, password: str) -> int:
        values = {"email": f"{name}@example.org", "password": password}
        return campaign.served.visitor().post("/login", values).status_code

    assert {sign_in("ann", PASSWORD) for _ in range(10)} == {303}
    assert [sign_in("bob", "guess") for _ in range(5)] == [403] * 3 + [429] * 2
    assert sign_in("ann", PASSWORD) == 303
    assert [sign_in(f"nobody{n}", "guess") for n in range(3)] == [403, 403, 429]
