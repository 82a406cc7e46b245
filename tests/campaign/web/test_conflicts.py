"""Conflicts and agreement through the API: what is listed, who decides, and what it does to the leaderboard."""

from __future__ import annotations

import pytest
from sqlalchemy import func, update

import cranfield
from campaign.web.campaign import RUNS, Campaign, judge_all
from cranfield.campaign.rules.assessor_labels import CURRENT
from cranfield.campaign.store import schema
from cranfield.campaign.web.screens import conflicts

ANN = {"d1": 3, "d2": 1, "d6": 2, "d5": 1}
BOB = {"d1": 3, "d2": 1, "d6": 0, "d5": 3}
NDCG = cranfield.nDCG(k=10, gain=((0, 0), (1, 1), (2, 3), (3, 7)))  # with the gains of the default scale


def both_judged(campaign: Campaign) -> Campaign:
    judge_all(campaign.people["ann"], ANN)
    judge_all(campaign.people["bob"], BOB)
    return campaign


def test_conflicts_are_listed_decided_and_taken_back(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    page = carla.get("/api/b/py/conflicts").json()
    listed = [(one["topic"], one["document"], one["size"]) for one in page["conflicts"]]
    assert listed == [("9", "d5", 2), ("9", "d6", 2)]
    assert (page["n_open"], page["n_all"]) == (2, 2)
    assert carla.get("/api/b/py/conflicts?topic=09").json()["conflicts"] == []
    key = page["conflicts"][1]["id"]
    path = f"/api/b/py/conflicts/{key}"
    assert carla.post(path, {"grade": 2, "reason": " "}).status_code == 422
    carla.ok(path, {"grade": 2, "reason": "it answers the question <b>"})
    one = carla.get(path).json()
    assert one["conflict"]["decision"]["reason"] == "it answers the question <b>"
    assert one["shown"]["text"].startswith("Text 6.")
    assert "&lt;b&gt;" in carla.get(f"/b/py/conflicts/{key}").text
    assert 'data-reason="Only mentions the subject"' in carla.get(f"/b/py/conflicts/{key}").text
    exported = carla.ok("/api/b/py/qrels", {}).json()
    assert [one["document"] for one in exported["unresolved"]] == ["d5"]
    assert "9 0 d6 2\n" in carla.get(f"/b/py/qrels/{exported['version']}").text
    carla.ok(f"{path}/undo")
    assert carla.get("/api/b/py/conflicts").json()["n_open"] == 2
    assert carla.post(f"{path}/undo").status_code == 422


def test_a_document_that_nobody_can_grade_holds_nothing_up(campaign: Campaign) -> None:
    """What is next: decide, export, see the leaderboard, although an assessor cannot tell."""
    ann, carla = campaign.people["ann"], campaign.people["carla"]
    judge_all(ann, ANN)
    judge_all(campaign.people["bob"], ANN)
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    sent = {"key": "cannot-tell-it", "assignment": first, "kind": "cannot tell", "note": "in a language I cannot read"}
    assert ann.post("/api/b/py/judge/events", json=sent).status_code == 201
    assert carla.get("/api/b/py").json()["next"]["words"] == "Export the qrels"  # Bob's grade stands
    second = next(
        one["assignment"] for one in campaign.people["bob"].get("/api/b/py/judge/queue").json()["items"]
        if campaign.people["bob"].get(f"/api/b/py/judge/items/{one['assignment']}").json()["document"]
        == ann.get(f"/api/b/py/judge/items/{first}").json()["document"]
    )  # fmt: skip
    assert campaign.people["bob"].post("/api/b/py/judge/events", json=sent | {"assignment": second}).status_code == 201
    page = carla.get("/api/b/py").json()
    assert page["next"]["words"] == "Decide 1 open conflict"
    assert next(step for step in page["steps"] if step["name"] == "Judging")["done"]
    (key,) = [one["id"] for one in carla.get("/api/b/py/conflicts").json()["conflicts"]]
    carla.ok(f"/b/py/conflicts/{key}", {"grade": 0, "reason": "x"})
    assert carla.get("/api/b/py").json()["next"]["words"] == "Export the qrels"
    carla.ok("/b/py/qrels", {})
    assert carla.get("/api/b/py").json()["next"]["words"] == "See the leaderboard"


def test_open_conflicts_are_counted_and_listed_before_the_export(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    page = carla.get("/api/b/py/results").json()
    assert [(one["topic"], one["document"], one["graded"]) for one in page["left_out"]] == [
        ("9", "d5", True), ("9", "d6", True),
    ]  # fmt: skip
    shown = carla.get("/b/py/results").text
    assert f"2 of {page['n_judged']} judged documents have an open conflict" in shown
    assert f'href="/b/py/conflicts/{page["left_out"][0]["id"]}">9 d5' in shown
    carla.ok("/b/py/qrels", {})
    shown = carla.get("/b/py/results").text
    assert f"2 of {page['n_judged']} judged documents are missing from version 1" in shown
    carla.ok("/b/py/qrels", {"ties": "higher"})
    assert "missing from version" not in carla.get("/b/py/results").text
    assert "missing from version 1" in carla.get("/b/py/results?version=1").text


def test_conflicts_are_shown_in_parts(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conflicts, "AT_ONCE", 1)
    carla = both_judged(campaign).people["carla"]
    first, second = (carla.get(f"/api/b/py/conflicts?part={part}").json() for part in (1, 2))
    assert [one["document"] for page in (first, second) for one in page["conflicts"]] == ["d5", "d6"]
    assert (first["n_parts"], first["n_all"], first["topics"]) == (2, 2, {"9": 2})
    assert "Part 1 of 2" in carla.get("/b/py/conflicts").text
    assert "part=1" in carla.get("/b/py/conflicts?part=2").text


def test_all_pages_use_the_rule_for_ties_of_the_latest_export(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    n_judged = {topic["name"]: topic["judged"] for topic in carla.get("/api/b/py/topics").json()["topics"]}
    page = carla.get("/api/b/py/pool/separation").json()
    assert (page["n_complete"], page["n_undecided"], page["rule"]) == (1, 2, "most frequent grade; ties left out")
    carla.ok("/b/py/qrels", {"ties": "higher"})
    now = {topic["name"]: topic["judged"] for topic in carla.get("/api/b/py/topics").json()["topics"]}
    assert {name: now[name] - n_judged[name] for name in now} == {"09": 0, "9": 2}
    page = carla.get("/api/b/py/pool/separation").json()
    assert (page["n_complete"], page["n_undecided"], page["rule"]) == (
        2,
        0,
        "most frequent grade; higher grade if tied",
    )
    assert [carla.get("/api/b/py/results").json()[name] for name in ("rule", "tie")] == ["majority", "higher"]


def test_the_second_of_two_coordinators_is_told_about_the_first_decision(campaign: Campaign) -> None:
    carla, ada = both_judged(campaign).people["carla"], campaign.ada
    key = carla.get("/api/b/py/conflicts").json()["conflicts"][0]["id"]
    path = f"/api/b/py/conflicts/{key}"
    seen = carla.get(path).json()["seen"]  # both look at the same time
    carla.ok(path, {"grade": 0, "reason": "off topic", "seen": seen})
    for sent in ({"seen": seen}, {}):
        answer = ada.post(path, {"grade": 3, "reason": "on topic"} | sent)
        assert answer.status_code == 409
        assert "carla has decided 0 Not relevant on this document since you opened it: “off topic”" in answer.text
    assert carla.get(path).json()["conflict"]["decision"]["grade"] == 0
    ada.ok(path, {"grade": 3, "reason": "on topic", "seen": ada.get(path).json()["seen"]})
    assert ada.post(f"{path}/undo", {"seen": seen}).status_code == 409
    assert carla.get(path).json()["conflict"]["decision"]["grade"] == 3
    assert f'name="seen" value="{carla.get(path).json()["seen"]}"' in carla.get(f"/b/py/conflicts/{key}").text


def test_a_document_without_a_conflict_has_no_page_to_decide(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    keys = {one["id"] for one in carla.get("/api/b/py/conflicts").json()["conflicts"]}
    other = next(key for key in range(1, 9) if key not in keys)
    assert carla.get(f"/api/b/py/conflicts/{other}").status_code == 404
    answer = carla.post(f"/api/b/py/conflicts/{other}", {"grade": 1, "reason": "x"})
    assert "agree; there is nothing to decide" in answer.text


def test_another_assessor_judges_conflicts_blind_and_the_majority_decides(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    assert "invite another one" in carla.post("/api/b/py/assignments/further").text
    zoe = campaign.served.invited(campaign.ada, "py", "assessor", "zoe")
    assert carla.ok("/api/b/py/assignments/further").json() == {"n_assigned": 2}
    assert carla.post("/api/b/py/assignments/further").status_code == 422  # they are with Zoe already
    items = zoe.get("/api/b/py/judge/queue").json()["items"]
    assert [(one["kind"], one["grade"]) for one in items] == [(None, None)] * 2
    judge_all(zoe, {"d6": 2, "d5": 0})
    found = {one["document"]: one for one in carla.get("/api/b/py/conflicts").json()["conflicts"]}
    assert (found["d6"]["open"], found["d6"]["majority"]) == (False, 2)  # 2, 0, 2
    assert (found["d5"]["open"], found["d5"]["majority"]) == (True, None)  # 1, 3, 0


def test_the_page_says_what_each_assessor_does_to_the_order_of_the_runs(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    order = carla.get("/api/b/py/agreement").json()["order"]
    runs = {name: {t: {d: -r for r, d in enumerate(found)} for t, found in run.items()} for name, run in RUNS.items()}
    pool = {topic: {document for run in RUNS.values() for document in run[topic][:2]} for topic in ("09", "9")}
    value = {}
    for judge, grades in (("ann", ANN), ("bob", BOB)):
        qrels = {topic: {one: grades.get(one, 0) for one in documents} for topic, documents in pool.items()}
        value[judge] = cranfield.evaluate(qrels, runs, [NDCG])[NDCG]
    pair = next(row for row in order if "current" not in row["judge"] + row["other"])
    assert (pair["measure"], pair["n_topics"]) == (str(NDCG), 2)
    assert pair["tau"] == float(cranfield.correlate(value["ann"], value["bob"], "tau-b"))
    assert pair["greatest_change"] == max(abs(value["ann"][name] - value["bob"][name]) for name in RUNS)
    assert [(row["judge"][:3], row["other"]) for row in order[:2]] == [("ann", CURRENT), ("bob", CURRENT)]


def test_pairs_of_assessors_are_shown_whatever_the_case_of_their_names(campaign: Campaign) -> None:
    table = schema.account
    for name, shown in (("ann", "ann"), ("bob", "Bob")):
        renamed = update(table).where(func.lower(table.c.name) == name).values(name=shown)
        campaign.served.store.write(lambda connection, renamed=renamed: connection.execute(renamed))  # type: ignore[misc]
    page = both_judged(campaign).people["carla"].get("/b/py/agreement").text
    assert page.count('<span class="note">n = 8</span>') == 2  # ann and Bob, Bob and ann


def test_every_coefficient_is_given_for_all_pairs_and_topics(campaign: Campaign) -> None:
    rows = both_judged(campaign).people["carla"].get("/api/b/py/agreement").json()["agreement"]
    measures = {row["measure"] for row in rows if row["scope"] == "all"}
    assert {"Agreement", "Kappa", "Fleiss", "AC1", "Alpha(level='ordinal')"} <= measures
    for scope, names in (("pair", 1), ("topic", 2)):
        assert len([row for row in rows if row["scope"] == scope]) == names * len(measures)
    observed = next(row for row in rows if (row["measure"], row["scope"]) == ("Agreement", "all"))
    assert observed["value"] == 6 / 8
    assert observed["low"] <= observed["value"] <= observed["high"]


def test_topics_of_inex_are_in_words_where_people_decide_and_prefer(campaign: Campaign) -> None:
    carla = both_judged(campaign).people["carla"]
    carla.ok("/api/b/py/preferences", {"most": 1})
    values = {"kind": "CO", "narrative": "The same text twice.", "description": "The same text twice."}
    campaign.served.store.write(lambda connection: connection.execute(update(schema.topic).values(**values)))
    key = carla.get("/api/b/py/conflicts").json()["conflicts"][0]["id"]
    for page in (carla.get(f"/b/py/conflicts/{key}").text, campaign.people["ann"].get("/b/py/prefer").text):
        assert "Retrieve documents or components about “" in page
        assert page.count("The same text twice.") == 1
