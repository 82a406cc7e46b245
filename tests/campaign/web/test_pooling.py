"""Pools on the web: every method of the catalogue, and the quality of the pool, beside the verbs on the same files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

import cranfield
from campaign.web.campaign import RUNS, Campaign, judge_all
from campaign.web.test_judging import Visit
from campaign_server import Person
from cranfield.campaign.store import schema

SETTINGS: dict[str, dict[str, Any]] = {
    "depth": {"depth": 2},
    "rrf": {"depth": 4, "budget": 3},
    "rbp": {"depth": 4, "budget": 3},
    "uniform": {"depth": 4, "proportion": 0.5, "seed": 3},
    "stratified": {"strata": "1:1,4:0.5", "seed": 3},
}
AS_RUNS = {name: {t: {d: -r for r, d in enumerate(found)} for t, found in run.items()} for name, run in RUNS.items()}


def pooled(campaign: Campaign) -> list[tuple[int, str, str, str, float]]:
    """Wave, topic, document, stratum and probability of all pooled documents."""
    row, pool, topic = schema.pooled, schema.pool, schema.topic
    columns = (pool.c.wave, topic.c.name, row.c.document, row.c.stratum, row.c.probability)
    joined = select(*columns).join(pool, pool.c.id == row.c.pool).join(topic, topic.c.id == row.c.topic)
    joined = joined.where(row.c.selected == 1)
    with campaign.served.store.read() as connection:
        return sorted(map(tuple, connection.execute(joined)))


def test_every_method_pools_what_the_verb_pools(submitted: Campaign) -> None:
    before: set[tuple[str, str]] = set()
    for wave, (method, settings) in enumerate(SETTINGS.items(), 1):
        answer = submitted.ada.post("/api/b/py/pool", {"method": method} | settings)
        result = cranfield.pool(AS_RUNS, method, **settings)
        rows = {(row["query"], row["document"]): row for row in result.content()["pool"] if row["selected"]}
        new = {pair: row for pair, row in rows.items() if pair not in before}
        assert answer.status_code == (201 if new else 422), answer.text
        found = {(topic, document): (stratum, p) for w, topic, document, stratum, p in pooled(submitted) if w == wave}
        assert found == {pair: (str(row["stratum"]), row["probability"]) for pair, row in new.items()}
        if not new:
            break
        before |= new.keys()
    waves = submitted.ada.get("/api/b/py/pool").json()["waves"]
    assert [one["method"] for one in waves] == [*SETTINGS][: len(waves)]
    assert submitted.ada.get("/b/py/pool").status_code == 200


@pytest.mark.parametrize(
    ("asked", "words"),
    [({"method": "dept"}, "did you mean depth"), ({"method": "depth", "budget": 3}, "has no setting 'budget'"),
     ({"method": "stratified"}, "needs strata"), ({"method": "stratified", "strata": "x"}, "strat"),
     ({"method": "maxmean"}, "export the qrels"), ({"method": "depth", "depth": 0}, "depth")],
    ids=str,
)  # fmt: skip
def test_settings_that_make_no_sense_are_refused_in_words(unchanged: Campaign, asked: Any, words: str) -> None:
    answer = unchanged.ada.post("/api/b/py/pool", asked)
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert len(unchanged.ada.get("/api/b/py/pool").json()["waves"]) == 1


def test_adaptive_methods_follow_the_judgments_so_far(judged: Campaign, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(judged.ada.get("/b/py/qrels/1").text)
    before = {(topic, document) for _, topic, document, _, _ in pooled(judged)}
    judged.ada.ok("/b/py/pool", {"method": "maxmean", "depth": 4, "burn_in": 1})
    assert judged.ada.get("/api/b/py/pool").json()["waves"][1]["settings"]["burn_in"] == 1
    result = cranfield.pool(AS_RUNS, "maxmean", judgments=str(tmp_path / "qrels"), depth=4, burn_in=1)
    expected = {(row["query"], row["document"]) for row in result.content()["pool"] if row["selected"]}
    assert {(topic, document) for wave, topic, document, _, _ in pooled(judged) if wave == 2} == expected - before


@pytest.mark.parametrize(
    "settings", [{"method": "maxmean", "burn_in": 1}, {"method": "mtf"}], ids=lambda one: one["method"]
)
def test_live_judging_follows_each_judgment_as_the_simulated_order_does(
    submitted: Campaign, settings: dict[str, Any]
) -> None:
    carla, ann = (submitted.people[name] for name in ("carla", "ann"))
    carla.ok("/b/py/pool", settings | {"depth": 3, "live": "true"})
    carla.ok("/b/py/assignments", {"double": 100, "seed": 1})
    grades = {"d1": 1, "d3": 2, "d5": 1, "d8": 3}
    judged: dict[str, list[str]] = {}
    while (one := next_open(ann)) is not None:
        topic, document = judge(ann, one, grades)
        judged.setdefault(topic, []).append(document)
    qrels = {topic: {document: grades.get(document, 0) for document in judged[topic]} for topic in judged}
    expected = cranfield.pool(AS_RUNS, **settings, judgments=qrels, depth=3)
    assert judged == {topic: [row.document for row in expected[topic]] for topic in judged}
    assert len(judged) == 2


def test_a_live_budget_ends_a_topic_and_progress_counts_what_is_to_be_judged(submitted: Campaign) -> None:
    carla, ann, bob = (submitted.people[name] for name in ("carla", "ann", "bob"))
    carla.ok("/b/py/pool", {"method": "maxmean", "burn_in": 1, "depth": 4, "budget": 3, "live": "true"})
    carla.ok("/b/py/assignments", {"double": 100, "repeats": 50, "seed": 1})
    while (one := next_open(ann)) is not None:
        judge(ann, one, {"d1": 1, "d6": 2})
    items = ann.get("/api/b/py/judge/queue").json()["items"]
    firsts, repeats = (
        [one for one in items if (one["assignment"] in repeated(submitted)) is again] for again in (False, True)
    )
    assert {topic: sum(one["topic"] == topic for one in firsts) for topic in ("09", "9")} == {"09": 3, "9": 3}
    assert {one["kind"] for one in items} == {"grade"}
    cells = {
        (topic["name"], column["name"]): cell
        for page in [carla.get("/api/b/py/pool").json()]
        for topic in page["topics"]
        for column, cell in zip(page["columns"], topic["cells"], strict=True)
    }
    by_ann = [cell for (_, name), cell in cells.items() if name == "ann"]
    assert sum(cell["n_assigned"] for cell in by_ann) == 6 + len(repeats)
    assert all(cell["n_assigned"] == cell["n_done"] for cell in by_ann)
    assert {cells[topic, "bob"]["n_assigned"] for topic in ("09", "9")} == {3}
    assert len(bob.get("/api/b/py/judge/queue").json()["items"]) == 6  # whatever ann judged


def test_the_live_order_tells_an_assessor_nothing_of_runs_and_ranks(submitted: Campaign) -> None:
    submitted.ada.ok("/b/py/pool", {"method": "mtf", "depth": 4, "live": "true"})
    submitted.ada.ok("/b/py/assignments", {"seed": 1})
    answer = submitted.people["ann"].get("/api/b/py/judge/queue").json()
    assert answer["live"]
    assert {key for one in answer["items"] for key in one} == {"assignment", "topic", "kind", "grade", "note", "seen"}


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"method": "depth", "live": "true"}, "Depth-k pool is not adaptive"),
        ({"method": "maxmean"}, "choose live, or judge a first wave"),
    ],
)
def test_live_is_for_adaptive_methods(submitted: Campaign, asked: dict[str, str], words: str) -> None:
    answer = submitted.ada.post("/api/b/py/pool", asked)
    assert (answer.status_code, words in answer.text) == (422, True)


def next_open(person: Person) -> dict[str, Any] | None:
    """The first document of the queue without a label."""
    items = person.get("/api/b/py/judge/queue").json()["items"]
    return next((one for one in items if one["kind"] is None), None)


def judge(person: Person, one: dict[str, Any], grades: dict[str, int]) -> tuple[str, str]:
    """Judge a document of the queue; its topic and name."""
    document = person.get(f"/api/b/py/judge/items/{one['assignment']}").json()["document"]["name"]
    sent = {"key": f"key-{one['assignment']:08}", "assignment": one["assignment"], "kind": "grade"}
    sent |= {"grade": grades.get(document, 0)}
    answer = person.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": person.csrf})
    assert answer.status_code == 201, answer.text
    return one["topic"], document


def repeated(campaign: Campaign) -> set[int]:
    """The assignments that are hidden repeats."""
    with campaign.served.store.read() as connection:
        share = schema.assignment
        return set(connection.scalars(select(share.c.id).where(share.c.repeat == 1)))


def test_the_quality_of_the_pool_is_that_of_the_verb(judged: Campaign, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text(judged.ada.get("/b/py/qrels/1").text)
    found = judged.ada.get("/api/b/py/pool/quality").json()["quality"]
    measure = "nDCG(gain={0: 0, 1: 1, 2: 3, 3: 7})@10"
    teams = dict.fromkeys(RUNS, "Team P")
    result = cranfield.pool_quality(str(tmp_path / "qrels"), AS_RUNS, measure, teams=teams)
    fields = ("run", "left_out", "unique", "unique_relevant", "score", "rank", "rank_without", "flipped")
    assert [[row[field] for field in fields] for row in found["left_out"]] == [
        [row[field] for field in fields] for row in result.to_dict()["left_out"]
    ]
    page = judged.ada.get("/b/py/pool/quality").text
    assert all(name in page for name in RUNS)


def test_without_qrels_the_quality_page_says_what_is_missing(campaign: Campaign) -> None:
    assert "exported qrels are needed" in campaign.ada.get("/b/py/pool/quality").text


SAMPLES: dict[str, dict[str, Any]] = {
    "uniform": SETTINGS["uniform"],
    "stratified": {"strata": "1:0.5,4:0.5", "seed": 3},
}


@pytest.mark.parametrize("method", SAMPLES)
def test_a_sample_is_judged_and_what_it_left_out_is_kept_for_estimates(
    submitted: Campaign, tmp_path: Path, method: str
) -> None:
    ada, ann, settings = submitted.ada, submitted.people["ann"], SAMPLES[method]
    ada.ok("/b/py/pool", {"method": method} | settings)
    (wave,) = ada.get("/api/b/py/pool").json()["waves"]
    sample = cranfield.pool(AS_RUNS, method, **settings)
    chosen = {(row.topic, row.document) for row in sample if row.selected}
    assert (wave["n_documents"], wave["n_left_out"]) == (len(chosen), len(sample) - len(chosen))
    ada.ok("/b/py/assignments", {"double": 0})
    assert sum(len(submitted.people[name].get("/api/b/py/judge/queue").json()["items"]) for name in ("ann", "bob")) == (
        len(chosen)
    )
    judge_all(ann, {"d1": 3, "d5": 2})
    ada.ok("/b/py/qrels", {})
    assert "have no label yet" in ada.get("/api/b/py/results").json()["estimates"]["reason"]
    judge_all(submitted.people["bob"], {"d2": 1, "d6": 2, "d8": 1})
    ada.ok("/b/py/qrels", {})
    (tmp_path / "qrels").write_text(ada.get("/b/py/qrels/2").text)
    rows = [line.split() for line in (tmp_path / "qrels").read_text().splitlines()]
    assert {(topic, document) for topic, _, document, grade in rows if grade != "-1"} == chosen
    assert {(topic, document) for topic, _, document, _ in rows} == {(row.topic, row.document) for row in sample}
    expected = cranfield.evaluate_sample(sample, str(tmp_path / "qrels"), AS_RUNS)
    shown = ada.get("/api/b/py/results").json()["estimates"]["rows"]
    assert shown == [{"run": run, "AP": expected[run, "AP"], "nDCG": expected[run, "nDCG"]} for run in RUNS]
    assert "estimated" in ada.get("/b/py/results").text
    ada.ok("/b/py/pool", {"depth": 4})  # a later wave judges what the sample left out
    assert ada.get("/api/b/py/pool").json()["waves"][1]["n_documents"] == len(sample) - len(chosen)


def test_only_the_settings_of_the_chosen_method_are_shown_and_sent(submitted: Campaign, browser: Any) -> None:
    seen = Visit(browser, submitted, "carla")
    page = seen.page
    page.goto("/b/py/pool")

    def settings() -> list[str]:
        return [one.get_attribute("data-setting") for one in page.locator("[data-setting]:visible").all()]

    assert settings() == ["depth"]
    page.select_option("#method", "maxmean")
    assert settings() == ["depth", "budget", "burn_in", "live"]
    page.select_option("#method", "stratified")
    assert settings() == ["strata", "seed"]
    assert "strata are ranges" in page.inner_text("#definition")
    page.fill("#strata", "2:1")
    with page.expect_navigation():
        page.click("text=Build the pool")
    assert "Stratified sample" in page.inner_text("main")  # the depth, which this method does not have, was not sent
    assert seen.complaints == []
    seen.context.close()
