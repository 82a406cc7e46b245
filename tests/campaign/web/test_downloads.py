"""What members download: topics, the manifest of the documents, runs and the pool."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json

from campaign.web.campaign import DOCUMENTS, TOPICS, Campaign, judge_all, lines, run_file
from campaign_server import Served


def test_the_hash_of_the_collection_is_that_of_its_manifest(campaign: Campaign) -> None:
    vera = campaign.people["vera"]
    manifest = vera.get("/b/py/documents/file").content
    rows = [line.split("\t") for line in manifest.decode().splitlines()]
    content = {one["id"]: f"{len(one['title'])}\n{one['title']}\n{one['text']}" for one in DOCUMENTS}
    assert rows == [[name, hashlib.sha256(content[name].encode()).hexdigest()] for name in sorted(content)]
    assert vera.get("/api/b/py").json()["collection"] == hashlib.sha256(manifest).hexdigest()


def test_more_documents_are_another_collection_whatever_their_order(served: Served) -> None:
    ada = served.administrator()
    more = [{"id": name, "title": "", "text": "x"} for name in ("é", "Z", "a-1", "中", "a1", "\N{GRINNING FACE}")]
    hashes = []
    for slug, parts in (("one", [more[:4], more]), ("two", [more[::-1]])):
        ada.ok("/benchmarks", {"name": slug, "slug": slug})
        hashes.append(ada.get(f"/api/b/{slug}").json()["collection"])
        for part in parts:
            ada.ok(f"/b/{slug}/documents", files={"file": ("d.jsonl", lines(part))})
            hashes.append(ada.get(f"/api/b/{slug}").json()["collection"])
    empty, first, whole, still_empty, same = hashes
    assert empty == still_empty == ""
    assert len({first, whole}) == 2
    assert same == whole
    manifest = ada.get("/b/two/documents/file").text.splitlines()
    assert [line.split("\t")[0] for line in manifest] == sorted((one["id"] for one in more), key=str.encode)


def test_topics_can_be_imported_again(campaign: Campaign) -> None:
    content = campaign.people["ann"].get("/b/py/topics/file").content
    assert [json.loads(line)["id"] for line in content.splitlines()] == [one["id"] for one in TOPICS]
    ada = campaign.ada
    ada.ok("/benchmarks", {"name": "Copy", "slug": "copy"})
    ada.ok("/b/copy/topics", files={"file": ("topics.jsonl", content)})
    fields = ("name", "title", "description", "narrative", "keywords")
    copied, before = (ada.get(f"/api/b/{slug}/topics").json()["topics"] for slug in ("copy", "py"))
    assert [[one[name] for name in fields] for one in copied] == [[one[name] for name in fields] for one in before]


def test_a_run_comes_back_as_it_was_sent(campaign: Campaign) -> None:
    pia = campaign.people["pia"]
    sent = gzip.compress(run_file("bm25"))
    made = pia.ok("/api/b/py/runs", {"name": "Größe-中"}, files={"file": ("x.gz", sent)}).json()
    answer = pia.get(f"/b/py/runs/{made['id']}/file")
    assert answer.content == sent
    assert "Gr%C3%B6%C3%9Fe-%E4%B8%AD.run.gz" in answer.headers["content-disposition"]


def test_the_pool_as_a_file_names_every_contributor(campaign: Campaign) -> None:
    rows = list(csv.DictReader(io.StringIO(campaign.people["carla"].get("/b/py/pool/file").text)))
    first = next(row for row in rows if row["document"] == "d1")
    assert (first["wave"], first["selected"], first["probability"]) == ("1", "1", "1.0")
    assert json.loads(first["contributors"]) == {"bm25": 1, "dense": 2}


def test_a_leaderboard_names_the_collection_and_its_licence(campaign: Campaign) -> None:
    carla = campaign.people["carla"]
    scale = "0, no, 0\n1, a little, 1\n2, yes, 2\n3, very, 3"
    fields = {"purpose": "x", "licence": "CC BY 4.0", "scale": scale, "relevant_from": 1, "measures": "P@5"}
    carla.ok("/b/py/settings", fields)
    assert "CC BY 4.0" in carla.get("/b/py").text
    judge_all(campaign.people["ann"], {"d1": 3})
    carla.ok("/b/py/qrels", {})
    board = carla.get("/api/b/py/results").json()["board"]
    collection = carla.get("/api/b/py").json()["collection"]
    assert board["collection"] == {"sha256": collection, "licence": "CC BY 4.0"}
    page = carla.get(f"/b/py/boards/{board['digest']}").text
    assert collection in page
    assert "CC BY 4.0" in page
