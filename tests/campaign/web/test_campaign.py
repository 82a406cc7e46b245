"""The whole loop through the API: topics, documents, runs, pool, judgments, agreement, qrels, leaderboard."""

from __future__ import annotations

import gzip
import hashlib
from typing import Any

import pytest

import cranfield
from campaign.web.campaign import RUNS, Campaign, judge_all, judge_one, run_file, set_up
from campaign_server import Person, Served

GRADES = {"d1": 3, "d2": 1, "d6": 2}


def test_the_whole_loop(campaign: Campaign) -> None:
    people = campaign.people
    judge_all(people["ann"], GRADES)
    judge_all(people["bob"], GRADES | {"d6": 0})
    carla = people["carla"]
    agreement = carla.get("/api/b/py/agreement").json()
    assert (agreement["n_several"], agreement["n_different"], agreement["n_open"]) == (8, 1, 1)
    expected = cranfield.agree(by_hand(GRADES, GRADES | {"d6": 0}), order=[0, 1, 2, 3])
    kappa = next(row for row in agreement["agreement"] if row["measure"] == "Kappa")
    assert kappa["value"] == expected["Kappa"]
    exported = carla.ok("/api/b/py/qrels", {"rule": "lowest"}).json()
    text = carla.get("/b/py/qrels/1").text
    assert (exported["version"], exported["hash"]) == (1, hashlib.sha256(text.encode()).hexdigest())
    assert (exported["rule"], exported["unresolved"]) == ("lowest grade", [])
    lowest = {"d1": 3, "d2": 1}
    assert sorted(text.splitlines()) == sorted(
        f"{topic} 0 {document} {lowest.get(document, 0)}" for topic, document in in_pool()
    )
    board = carla.get("/api/b/py/results").json()["board"]
    qrels: dict[str, dict[str, int]] = {}
    for topic, document in in_pool():
        qrels.setdefault(topic, {})[document] = lowest.get(document, 0)
    runs = {name: {t: {d: -r for r, d in enumerate(found)} for t, found in run.items()} for name, run in RUNS.items()}
    result = cranfield.evaluate(qrels, runs, ["AP"])
    assert [one["title"] for one in board["measures"]] == ["nDCG@10", "AP", "P@10", "RR", "Judged@10"]
    assert {row["run"]: row["values"][1]["value"] for row in board["rows"]} == result["AP"]
    assert board["qrels"] == exported["hash"]
    assert carla.get("/b/py/results").status_code == carla.get("/b/py/agreement").status_code == 200


def in_pool() -> set[tuple[str, str]]:
    return {(topic, document) for run in RUNS.values() for topic, found in run.items() for document in found[:2]}


def by_hand(*assessors: dict[str, int]) -> dict[str, dict[str, dict[str, int]]]:
    labels: dict[str, dict[str, dict[str, int]]] = {}
    for place, grades in enumerate(assessors):
        for topic, document in in_pool():
            labels.setdefault(str(place), {}).setdefault(topic, {})[document] = grades.get(document, 0)
    return labels


def test_exporting_the_same_judgments_again_makes_no_new_version(campaign: Campaign) -> None:
    judge_all(campaign.people["ann"], GRADES)
    versions = [campaign.ada.ok("/api/b/py/qrels", {}).json()["version"] for _ in range(2)]
    judge_all(campaign.people["bob"], {})
    assert versions == [1, 1]
    assert campaign.ada.ok("/api/b/py/qrels", {}).json()["version"] == 2  # without the conflicts
    assert campaign.ada.ok("/api/b/py/qrels", {"ties": "higher"}).json()["version"] == 3
    assert campaign.ada.ok("/api/b/py/qrels", {}).json()["version"] == 2


def event(person: Person, **fields: Any) -> Any:
    return person.http.post(
        "/api/b/py/judge/events", json={"key": "key-00000001"} | fields, headers={"x-csrf-token": person.csrf}
    )


def test_a_judgment_that_is_sent_twice_is_kept_once(campaign: Campaign) -> None:
    ann = campaign.people["ann"]
    own = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    first = event(ann, assignment=own, kind="grade", grade=2)
    assert event(ann, assignment=own, kind="grade", grade=2).json() == first.json()
    other = event(ann, assignment=own, kind="grade", grade=3)
    assert (other.status_code, other.json()["error"]) == (422, "another judgment was saved under this key")
    assert ann.get("/api/b/py/judge/queue").json()["items"][0]["grade"] == 2


def test_undo_goes_back_one_judgment_at_a_time(campaign: Campaign) -> None:
    ann = campaign.people["ann"]
    own = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    steps: list[dict[str, Any]] = [
        {"kind": "later"}, {"kind": "grade", "grade": 1}, {"kind": "grade", "grade": 3}, {"kind": "undo"},
        {"kind": "undo"}, {"kind": "undo"}, {"kind": "undo"}, {"kind": "cannot tell"},
    ]  # fmt: skip
    seen = []
    for number, step in enumerate(steps):
        assert event(ann, key=f"step-{number:04}", assignment=own, **step).status_code == 201
        now = ann.get("/api/b/py/judge/queue").json()["items"][0]
        seen.append(now["grade"] if now["kind"] == "grade" else now["kind"])
    assert seen == ["later", 1, 3, 1, "later", None, None, "cannot tell"]


@pytest.mark.parametrize(
    "fields",
    [{"kind": "grade"}, {"kind": "grade", "grade": 7}, {"kind": "later", "grade": 1}, {"kind": "perfect"},
     {"kind": "grade", "grade": 1, "key": "short"}, {"kind": "grade", "grade": 1, "active": -1}],
    ids=str,
)  # fmt: skip
def test_judgments_that_make_no_sense_are_refused(unchanged: Campaign, fields: dict[str, Any]) -> None:
    ann = unchanged.people["ann"]
    own = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    assert event(ann, assignment=own, **fields).status_code == 422
    assert ann.get("/api/b/py/judge/queue").json()["items"][0]["kind"] is None


def test_nobody_judges_what_is_given_to_others(unchanged: Campaign) -> None:
    people = unchanged.people
    own = people["ann"].get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    assert event(people["bob"], assignment=own, kind="grade", grade=1).status_code == 422
    assert people["bob"].get(f"/api/b/py/judge/items/{own}").status_code == 404


def test_a_judgment_based_on_an_earlier_answer_is_refused(campaign: Campaign) -> None:
    ann = campaign.people["ann"]
    judge_one(ann, 3)
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]
    assert (first["seen"], first["grade"]) == (1, 3)
    sent = {"key": "from-a-second-tab", "assignment": first["assignment"], "kind": "grade", "grade": 0, "seen": 0}
    answer = ann.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": ann.csrf})
    assert (answer.status_code, "answered in another tab" in answer.text) == (409, True)
    for _ in range(2):  # sent again, it is the same judgment
        answer = ann.http.post("/api/b/py/judge/events", json=sent | {"seen": 1}, headers={"x-csrf-token": ann.csrf})
        assert answer.status_code == 201, answer.text
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]
    assert (first["seen"], first["grade"]) == (2, 0)


def test_settings_that_somebody_else_has_changed_are_not_overwritten(campaign: Campaign) -> None:
    carla, ada = campaign.people["carla"], campaign.ada
    scale = "0, Not relevant, 0\n1, Somewhat relevant, 1\n2, Relevant, 3\n3, Highly relevant, 7"
    values = {"scale": scale, "relevant_from": 1, "measures": "AP"}
    seen = ada.get("/api/b/py/settings").json()["seen"]
    carla.ok("/b/py/settings", values | {"purpose": "Carla’s", "seen": seen})
    answer = ada.post("/api/b/py/settings", values | {"purpose": "Ada’s", "seen": seen})
    assert (answer.status_code, "somebody has changed the settings" in answer.text) == (409, True)
    assert ada.get("/api/b/py/settings").json()["purpose"] == "Carla’s"
    assert "That did not work" in ada.post("/b/py/settings", values | {"seen": seen}).text


def test_the_scale_is_frozen_after_the_first_judgment(campaign: Campaign) -> None:
    scale = {"purpose": "", "guidelines": "", "measures": "AP", "scale": "0, No\n1, Yes", "relevant_from": 1}
    judge_all(campaign.people["ann"], {})
    answer = campaign.ada.post("/b/py/settings", scale)
    assert "the scale cannot change after the first judgment" in answer.text
    set_back = campaign.ada.get("/api/b/py").json()["scale"]["grades"]
    assert [grade["value"] for grade in set_back] == [0, 1, 2, 3]


@pytest.mark.sqlite
@pytest.mark.parametrize("measure", ["TRisk(baseline='a')", "URisk", "ItemCoverage@10", "Novelty@10"])
def test_a_leaderboard_refuses_measures_that_need_more_than_one_run(measure: str, unchanged: Campaign) -> None:
    settings = {"purpose": "", "guidelines": "", "measures": measure, "scale": "0, No\n1, Yes", "relevant_from": 1}
    answer = unchanged.ada.post("/b/py/settings", settings)
    assert answer.status_code == 422
    assert "cannot be shown on a leaderboard" in answer.text


def test_a_later_wave_adds_only_new_documents(campaign: Campaign) -> None:
    campaign.ada.ok("/b/py/pool", {"depth": 3})
    waves = campaign.ada.get("/api/b/py/pool").json()["waves"]
    everything = {(t, d) for run in RUNS.values() for t, found in run.items() for d in found[:3]}
    assert [wave["n_documents"] for wave in waves] == [len(in_pool()), len(everything - in_pool())]
    assert campaign.ada.post("/b/py/pool", {"depth": 3}).status_code == 422


def test_a_withdrawn_run_leaves_the_leaderboard_and_is_kept(campaign: Campaign) -> None:
    judge_all(campaign.people["ann"], GRADES)
    campaign.ada.ok("/b/py/qrels", {})
    pia = campaign.people["pia"]
    runs = pia.get("/api/b/py/runs").json()["runs"]
    pia.ok(f"/b/py/runs/{runs[0]['id']}/withdraw")
    board = campaign.ada.get("/api/b/py/results").json()["board"]
    assert {row["run"] for row in board["rows"]} == {"dense", "secretrun"}
    assert [run["withdrawn"] is not None for run in pia.get("/api/b/py/runs").json()["runs"]] == [True, False, False]


HOSTILE = {
    "a score that is no number": (b"09 Q0 d1 1 x tag\n", "line 1"),
    "NaN": (b"09 Q0 d1 1 5 t\n09 Q0 d2 2 nan t\n", "line 2"),
    "a document twice": (b"09 Q0 d1 1 5 t\n09 Q0 d1 2 4 t\n", "d1"),
    "nothing": (b"", "empty"),
    "no topic of ours": (b"77 Q0 d1 1 5 t\n", "77"),
    "a NUL byte": (b"09 Q0 d\0 1 5 t\n09 Q0", "binary data"),
    "a long line": (b"09 Q0 d" + b"1" * 3_000_000 + b" 1 5 t\n", "line 1: the line is longer than"),
    "a gzip bomb": (gzip.compress(b"\0" * 300_000_000, compresslevel=1), ""),
    "a ZIP archive": (b"PK\x03\x04" + b"\0" * 100, "ZIP archive; extract it first"),
    "a truncated gzip": (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03abc", ""),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_runs_are_refused_in_words_and_leave_nothing(unchanged: Campaign, attack: str) -> None:
    content, words = HOSTILE[attack]
    ada, uploads = unchanged.ada, unchanged.served.store.folder / "uploads"
    before = set(uploads.iterdir())
    answer = ada.post("/api/b/py/runs", {"name": "x"}, files={"file": ("../../etc/passwd", content)})
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert str(uploads.parent) not in answer.text
    assert set(uploads.iterdir()) == before


def test_a_file_name_is_only_a_name(served: Served) -> None:
    ada = set_up(served).ada
    answer = ada.ok("/api/b/py/runs", {}, files={"file": ("../../etc/run.txt", run_file("bm25"))}).json()
    assert answer["name"] == "run"
    assert len(list((served.store.folder / "uploads").iterdir())) == 1


BAD_RECORDS = {
    "not JSON": (b'{"id": "1", "title": "x"}\n{"id": ', "line 2: this is not JSON"),
    "no id": (b'{"title": "x"}', "line 1"),
    "an id twice": (b'{"id": "1", "title": "x"}\n\n{"id": "1", "title": "y"}', "line 3: duplicate topic '1'"),
    "deep nesting": (b'{"id": "1", "title": ' + b"[" * 100_000, "line 1: JSON nested more than 64 levels deep"),
    "blanks in the id": (b'{"id": "a b", "title": "x"}', "'a b'"),
    "an entity from a file": (
        b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n<INEX-Topic topic-id="1" query-type="CO">&e;'
        b"</INEX-Topic>",
        "line 1",
    ),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("damage", BAD_RECORDS)
def test_damaged_topics_are_refused_with_their_line(served: Served, damage: str) -> None:
    content, words = BAD_RECORDS[damage]
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": "x", "slug": "py"})
    answer = ada.post("/api/b/py/topics", files={"file": ("topics", content)})
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert ada.get("/api/b/py/topics").json()["topics"] == []


@pytest.mark.parametrize(
    "path", ["/b/py/qrels/{}", "/b/py/results?version={}", "/b/py/judge/items/{}", "/b/{}", "/b/%00{}/topics"]
)
@pytest.mark.parametrize("number", [10**30, -1, 0])
def test_numbers_that_no_database_holds_are_refused(unchanged: Campaign, path: str, number: int) -> None:
    assert unchanged.ada.get("/api" + path.format(number)).status_code in (404, 422)
