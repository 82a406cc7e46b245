"""A small campaign, driven through the API as programs do."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from campaign_server import Person, Served

TOPICS = [
    {"id": "09", "title": "pause the program", "description": "How can a program wait?", "keywords": "sleep, delay"},
    {"id": "9", "title": "read a file", "narrative": "Line by line <b>too</b>."},
]
DOCUMENTS = [
    {"id": f"d{n}", "title": f"Document {n}", "text": f"Text {n}.\n\nSleep for some seconds, or read a file."}
    for n in range(1, 9)
]
RUNS = {
    "bm25": {"09": ["d1", "d2", "d3", "d4"], "9": ["d5", "d6", "d7"]},
    "dense": {"09": ["d2", "d1", "d8", "d3"], "9": ["d6", "d5", "d8"]},
    "secretrun": {"09": ["d4", "d3", "d2", "d1"], "9": ["d7", "d8", "d5"]},
}


def lines(records: list[dict[str, str]]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def run_file(name: str) -> bytes:
    rows = [
        f"{topic} Q0 {document} {rank} {10 - rank} {name}\n"
        for topic, documents in RUNS[name].items()
        for rank, document in enumerate(documents, 1)
    ]
    return "".join(rows).encode()


@dataclass
class Campaign:
    """A benchmark and its people."""

    served: Served
    ada: Person
    people: dict[str, Person] = field(default_factory=dict)


def set_up(served: Served) -> Campaign:
    """A benchmark with topics, documents and a person of each role."""
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": "Python search", "slug": "py", "purpose": "Find functions."})
    campaign = Campaign(served, ada)
    ada.ok("/b/py/topics", files={"file": ("topics.jsonl", lines(TOPICS))})
    ada.ok("/b/py/documents", files={"file": ("documents.jsonl", lines(DOCUMENTS))})
    for name, role in (("carla", "coordinator"), ("pia", "participant"), ("ann", "assessor"), ("bob", "assessor"),
                       ("vera", "viewer")):  # fmt: skip
        campaign.people[name] = served.invited(ada, "py", role, name, team="Team P" if role == "participant" else "")
    return campaign


def submitted_to(served: Served) -> Campaign:
    """The same, with three runs."""
    campaign = set_up(served)
    for name in RUNS:
        campaign.people["pia"].ok("/b/py/runs", {"name": name}, files={"file": (f"{name}.run", run_file(name))})
    return campaign


def pooled(served: Served) -> Campaign:
    """The same, with a pool, and all documents for both assessors."""
    campaign = submitted_to(served)
    campaign.people["carla"].ok("/b/py/pool", {"depth": 2})
    campaign.people["carla"].ok("/b/py/assignments", {"double": 100, "seed": 1})
    return campaign


GRADES = {"d1": 3, "d2": 1, "d5": 2, "d6": 2}


def exported(served: Served) -> Campaign:
    """The same, judged by one of them, with qrels and a leaderboard."""
    campaign = pooled(served)
    judge_all(campaign.people["ann"], GRADES)
    campaign.ada.ok("/b/py/qrels", {})
    assert campaign.ada.get("/api/b/py/results").status_code == 200  # computes the leaderboard
    return campaign


def judge_all(person: Person, grade_of: dict[str, int]) -> None:
    """Judge the whole queue; documents that are not listed get 0."""
    for one in person.get("/api/b/py/judge/queue").json()["items"]:
        shown = person.get(f"/api/b/py/judge/items/{one['assignment']}").json()
        grade = grade_of.get(shown["document"]["name"], 0)
        sent = {"key": f"key-{one['assignment']:08}", "assignment": one["assignment"], "kind": "grade", "grade": grade}
        answer = person.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": person.csrf})
        assert answer.status_code == 201, answer.text


def judge_one(person: Person, grade: int) -> None:
    """Judge the first document of the queue."""
    first = person.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    sent = {"key": "key-of-the-first", "assignment": first, "kind": "grade", "grade": grade}
    answer = person.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": person.csrf})
    assert answer.status_code == 201, answer.text


def signed_in_again(served: Served, before: Campaign) -> Campaign:
    """The people of a campaign in a copy of it, with the sessions that they had when it was copied."""
    people = {}
    for name, person in (before.people | {"ada": before.ada}).items():
        people[name] = Person(served.client(cookies=dict(person.http.cookies)), person.csrf)
    return Campaign(served, people.pop("ada"), people)


def judged_by_machine(campaign: Campaign, grade_of: dict[str, int]) -> int:
    """A machine assessor that judges the whole pool; its account."""
    carla = campaign.people["carla"]
    secret = carla.ok("/api/b/py/machines", {"name": "robo"}).json()["secret"]
    account = int(carla.get("/api/b/py/machines").json()["machines"][-1]["id"])
    carla.ok(f"/api/b/py/machines/{account}/assign", {"most": 100})
    program = campaign.served.program(secret)
    for one in program.get("/api/b/py/judge/queue").json()["items"]:
        name = program.get(f"/api/b/py/judge/items/{one['assignment']}").json()["document"]["name"]
        sent = {"key": f"answer-{one['assignment']:06}", "assignment": one["assignment"], "model": "m-1"}
        sent |= {"prompt": "0" * 64, "answer": json.dumps({"grade": grade_of.get(name, 0)})}
        assert program.post("/api/b/py/judge/answers", json=sent).status_code == 201
    return account
