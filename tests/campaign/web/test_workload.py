"""Exactly n judges, hidden repeats, hours left, topics in words, and sessions that end when they are not used."""

from __future__ import annotations

from collections import Counter

from sqlalchemy import select, update

from campaign.web.campaign import RUNS, Campaign, judge_all, judge_one
from cranfield.campaign.store import schema
from cranfield.campaign.store.accounts import IDLE_LASTS
from cranfield.campaign.web import guard

INEX = b"""<INEX-Topic topic-id="056" query-type="CAS" ct-no="1"><Title><te>article</te><cw>sleep</cw><ce>bdy/sec</ce>
<cw>-calendar</cw><ce>hdr//yr</ce></Title><Description>Waiting</Description></INEX-Topic>"""


def test_exactly_so_many_assessors_judge_each_document(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    for name in ("zoe", "yan"):
        campaign.served.invited(campaign.ada, "py", "assessor", name)
    carla.ok("/b/py/pool", {"depth": 4})
    assert "at least 9 assessors; got 4" in carla.post("/api/b/py/assignments", {"double": 100, "judges": 9}).text
    carla.ok("/b/py/assignments", {"double": 100, "judges": 3, "seed": 5})
    with campaign.served.store.read() as connection:
        wave = select(schema.pooled.c.id).join(schema.pool, schema.pool.c.id == schema.pooled.c.pool)
        new = set(connection.scalars(wave.where(schema.pool.c.wave == 2)))
        shares = connection.execute(select(schema.assignment.c.pooled, schema.assignment.c.account)).all()
    assert new
    assert {key: len({own for one, own in shares if one == key}) for key in new} == dict.fromkeys(new, 3)


def test_repeats_are_hidden_from_the_assessor_and_shown_to_the_coordinator(campaign: Campaign) -> None:
    people = campaign.people
    for name in ("ann", "bob"):
        judge_all(people[name], {"d1": 3})
    people["carla"].ok("/b/py/pool", {"depth": 4})
    people["carla"].ok("/b/py/assignments", {"double": 100, "repeats": 50, "seed": 1})
    items = people["ann"].get("/api/b/py/judge/queue").json()["items"]
    assert {tuple(sorted(one)) for one in items} == {("assignment", "grade", "kind", "note", "seen", "topic")}
    opened = [one["assignment"] for one in items if one["kind"] is None]
    shown = [people["ann"].get(f"/api/b/py/judge/items/{key}").json() for key in opened]
    seen = Counter((one["topic"]["name"], one["document"]["name"]) for one in shown)
    twice = {pair for pair, n in seen.items() if n == 2}
    assert twice
    assert "repeat" not in "".join(map(str, shown))
    judged: Counter[tuple[str, str]] = Counter()
    for key, one in zip(opened, shown, strict=True):  # the second time, one grade higher
        pair = (one["topic"]["name"], one["document"]["name"])
        sent = {"key": f"repeat-{key:06}", "assignment": key, "kind": "grade", "grade": judged[pair], "active": 36_000}
        judged[pair] += 1
        head = {"x-csrf-token": people["ann"].csrf}
        assert people["ann"].http.post("/api/b/py/judge/events", json=sent, headers=head).status_code == 201
    found = people["carla"].get("/api/b/py/agreement").json()["repeats"]
    assert [(one["n"], one["n_same"], one["mean"]) for one in found["assessors"]] == [(len(twice), 0, 1.0)]
    qrels = people["carla"].get(f"/b/py/qrels/{people['carla'].ok('/api/b/py/qrels', {}).json()['version']}").text
    assert all(f"{topic} 0 {document} 0\n" in qrels for topic, document in twice)  # the first judgment counts
    assert "Hidden repeats" in people["carla"].get("/b/py/agreement").text
    assert people["bob"].get("/b/py/agreement").status_code == 403


def test_hours_left_follow_the_measured_pace(campaign: Campaign) -> None:
    ann, carla = campaign.people["ann"], campaign.people["carla"]
    items = ann.get("/api/b/py/judge/queue").json()
    assert items["pace"] is None
    for place, active in enumerate((36_000, 72_000, 3_600_000)):
        sent = {"key": f"timed-{place:04}", "assignment": items["items"][place]["assignment"], "active": active}
        sent |= {"kind": "grade", "grade": 1}
        ann.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": ann.csrf})
    people = {one["assessor"]: one for one in carla.get("/api/b/py/pool").json()["people"]}
    assert (people["ann"]["n_done"], people["ann"]["hours_left"]) == (3, 5 * 0.02)  # the median is 72 seconds
    bob = people["bob"]
    assert (bob["n_assigned"], bob["n_done"], bob["hours_left"]) == (8, 0, None)
    assert ann.get("/api/b/py/judge/queue").json()["pace"] == 0.02
    assert "6 min left" in carla.get("/b/py/pool").text


def test_topics_are_shown_in_words_and_near_duplicates_are_pointed_out(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    carla.ok("/b/py/topics", files={"file": ("topics.xml", INEX)})
    carla.ok("/b/py/topics", files={"file": ("more.jsonl", b'{"id": "more", "title": "Pause a program"}')})
    found = carla.get("/api/b/py/topics").json()
    words = {one["name"]: one["words"] for one in found["topics"]}
    assert words["056"] == (
        "Retrieve the element article: about \u201csleep\u201d in bdy/sec; not about \u201ccalendar\u201d in hdr//yr."
    )
    assert words["09"] == ""
    assert [(one["first"], one["second"]) for one in found["alike"]] == [("09", "more")]
    assert "Very similar topics" in carla.get("/b/py/topics").text
    assert campaign.people["ann"].get("/api/b/py/topics").json()["alike"] == []


def test_a_session_ends_when_it_is_not_used(campaign: Campaign) -> None:
    ann, store = campaign.people["ann"], campaign.served.store
    guard._noted.clear()
    before = guard.now()
    assert ann.get("/api/account").status_code == 200
    table = schema.session
    store.write(lambda _: None)  # what was queued is written
    with store.read() as connection:
        assert max(connection.scalars(select(table.c.used))) >= before
    idle = update(table).values(used=guard.now() - IDLE_LASTS - 1)
    store.write(lambda connection: connection.execute(idle))
    assert ann.get("/api/account").status_code == 401
    assert ann.get("/b/py").headers["location"] == "/login?following=/b/py"


def test_what_a_deeper_pool_would_cost(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    told = carla.get("/api/b/py/pool/cost").json()
    for depth in (1, 2, 3, 4, 100):
        union = {(topic, one) for run in RUNS.values() for topic, listed in run.items() for one in listed[:depth]}
        assert told["n_documents"][depth - 1] == len(union), depth
    assert (told["n_pooled"], told["hours_each"]) == (8, None)
    judge_one(campaign.people["ann"], 2)
    assert carla.get("/api/b/py/pool/cost").json()["hours_each"] is None  # no time was measured


def test_topics_are_given_to_one_assessor(campaign: Campaign) -> None:
    carla, bob = campaign.people["carla"], campaign.people["bob"]
    carla.ok("/b/py/pool", {"depth": 4})
    page = carla.get("/api/b/py/pool").json()
    waiting = {one["name"]: one["n_open"] for one in page["topics"]}
    assert waiting == {"09": 1, "9": 0}
    account = next(one["id"] for one in page["columns"] if one["name"] == "bob")
    assert carla.ok("/api/b/py/assignments", {"topic": "09", "assessor": account}).json() == {"n_assigned": 1}
    assert len(bob.get("/api/b/py/judge/queue").json()["items"]) == 9
    assert len(campaign.people["ann"].get("/api/b/py/judge/queue").json()["items"]) == 8
    assert (
        "all pooled documents of topic 09 are already assigned" in carla.post("/b/py/assignments", {"topic": "09"}).text
    )
    assert {one["name"]: one["n_open"] for one in carla.get("/api/b/py/pool").json()["topics"]} == {"09": 0, "9": 0}
