"""Importing collections and topics, proposals, cards of runs, and participants who judge."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from campaign.web.campaign import RUNS, Campaign, lines, run_file, set_up
from campaign_server import Served
from cranfield.cli.main import main

ARTICLE = """<article><fno>a1</fno><fm><tig><atl>On waiting</atl></tig></fm>
<bdy><sec><st>One</st><p>Sleep <it>well</it>.</p></sec><sec><st>Two</st><p>Wait for the condition.</p></sec></bdy>
</article>"""


def zipped(files: dict[str, str | bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def imported(campaign: Campaign, content: bytes, name: str = "documents") -> Any:
    return campaign.ada.post("/api/b/py/documents", files={"file": (name, content)})


def test_documents_that_are_there_already_are_left_and_another_text_is_refused(campaign: Campaign) -> None:
    known = {"id": "d1", "title": "Document 1", "text": "Text 1.\n\nSleep for some seconds, or read a file."}
    new = [{"id": f"n{n}", "text": "the same text"} for n in range(1200)]
    answer = imported(campaign, lines([*new, known]))
    assert answer.json() == {"n_documents": 1200, "n_known": 1}
    assert imported(campaign, lines([*new, known])).json() == {"n_documents": 0, "n_known": 1201}
    refused = imported(campaign, lines([{"id": "n9999", "text": "x"}, known | {"text": "another"}]))
    assert refused.status_code == 422
    assert "line 2: there is already a document 'd1' with a different text" in refused.text
    assert campaign.ada.get("/api/b/py/topics").json()["n_documents"] == 8 + 1200  # nothing of the refused file
    assert [path for path in (campaign.served.store.folder / "uploads").iterdir() if path.stat().st_size > 1e4] == []


def test_components_of_articles_are_judged_like_documents(campaign: Campaign) -> None:
    """A run retrieves elements by article and path; the text of the article is stored once."""
    ada, ann = campaign.ada, campaign.people["ann"]
    assert imported(campaign, ARTICLE.encode()).json()["n_documents"] == 1
    section = "a1/article[1]/bdy[1]/sec[2]"
    run = f"09 Q0 {section} 1 9 x\n09 Q0 a1 2 8 x\n09 Q0 a1/article[1]/bdy[1]/sec[7] 3 7 x\n".encode()
    answer = ada.ok("/api/b/py/runs", {"name": "elements"}, files={"file": ("x", run)}).json()
    assert not any("collection" in remark for remark in answer["remarks"])
    ada.ok("/api/b/py/pool", {"depth": 3})
    ada.ok("/api/b/py/assignments", {"double": 100})
    texts = {}
    for one in ann.get("/api/b/py/judge/queue").json()["items"]:
        shown = ann.get(f"/api/b/py/judge/items/{one['assignment']}").json()["document"]
        texts[shown["name"]] = (shown["title"], shown["text"])
    assert texts[section] == ("On waiting", "Two\nWait for the condition.")
    assert texts["a1"][1].endswith("Wait for the condition.\n")
    assert texts["a1/article[1]/bdy[1]/sec[7]"] == ("", None)  # there is no such section


def test_a_folder_of_text_and_html_files_is_imported_as_zip(campaign: Campaign) -> None:
    page = "<html><title>T</title><script>alert(1)</script><p>visible &amp; safe</p></html>"
    files: dict[str, str | bytes] = {"notes/a.txt": "First line\nmore", "notes/b.html": page, "notes/c.xml": ARTICLE}
    assert imported(campaign, zipped(files | {".hidden": "x", "notes/": ""})).json()["n_documents"] == 3


def test_articles_without_an_id_are_named_after_their_files(campaign: Campaign) -> None:
    """Uploads are stored under names that the server chose, which must not become ids."""
    article = ARTICLE.replace("<fno>a1</fno>", "")
    assert imported(campaign, zipped({"a7.xml": article, "b/a8.1.xml": article})).json()["n_documents"] == 2
    assert imported(campaign, article.encode(), "C:\\texts\\a9.xml.gz").json()["n_documents"] == 1
    manifest = campaign.ada.get("/api/b/py/documents/file").text
    assert {line.split("\t")[0] for line in manifest.splitlines()} >= {"a7", "b/a8.1", "a9"}
    refused = imported(campaign, (article + article).encode(), "a10.xml")
    assert "the article has no id; add the attribute id, or put it in its own file" in refused.text


BOMB = zipped({f"{n}.txt": b"\0" * (40 << 20) for n in range(4)})
HOSTILE = {
    "a path out of the folder": (zipped({"../../etc/cron": "x"}), "leads outside the archive"),
    "an absolute path": (zipped({"/etc/passwd": "x"}), "leads outside the archive"),
    "a bomb": (BOMB, "times its size"),
    "an archive in the archive": (zipped({"a.zip": zipped({"b": "x"})}), "archives inside an archive"),
    "a damaged archive": (zipped({"a.txt": "x" * 1000})[:-30], "damaged"),
    "an entity": (b'<!DOCTYPE article [<!ENTITY a "aaaa">]><article>&a;</article>', "<!DOCTYPE"),
    "an element that is not closed": (b"<article>\n<fno>1</fno>\n<bdy><sec>x</bdy></article>", "line 3: element <sec>"),
    "half a surrogate pair": (rb'{"id": "1", "text": "\ud800"}', "line 1: not JSON"),
    "an id with a blank": (b'{"id": "a b", "text": "x"}', "'a b'"),
}


@pytest.mark.sqlite
@pytest.mark.parametrize("attack", HOSTILE)
def test_hostile_collections_are_refused_in_words_and_leave_nothing(unchanged: Campaign, attack: str) -> None:
    content, words = HOSTILE[attack]
    uploads = unchanged.served.store.folder / "uploads"
    before = set(uploads.iterdir())
    answer = imported(unchanged, content)
    assert answer.status_code == 422
    assert words in answer.json()["error"]
    assert str(uploads.parent) not in answer.text
    assert set(uploads.iterdir()) == before
    assert unchanged.ada.get("/api/b/py/topics").json()["n_documents"] == 8


@pytest.mark.sqlite
def test_a_link_in_an_archive_is_refused(unchanged: Campaign) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        link = zipfile.ZipInfo("link.txt")
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "/etc/passwd")
    assert "symbolic link" in imported(unchanged, packed.getvalue()).text


CAS = b"""<INEX-Topic topic-id="09" query-type="CAS" ct-no="048"><Title><te>article</te><cw>nonmonotonic reasoning</cw>
<ce>bdy/sec</ce><cw>-calendar</cw><ce>tig/atl</ce></Title><Description>x</Description></INEX-Topic>"""


def test_participants_propose_topics_and_the_coordinator_decides(campaign: Campaign) -> None:
    pia, carla = campaign.people["pia"], campaign.people["carla"]
    sent = {"title": "pause the program", "description": "How do I wait?"}
    (first,) = pia.ok("/api/b/py/proposals", sent).json()["proposals"]
    (second,) = pia.ok("/api/b/py/proposals", files={"file": ("t.xml", CAS)}).json()["proposals"]
    assert pia.post("/api/b/py/proposals", {}).status_code == 422
    one, other = carla.get("/api/b/py/proposals").json()["proposals"]
    assert one["alike"] == ["topic 09"]
    assert (one["proposer"], one["state"], other["kind"], other["alike"]) == ("pia", "proposed", "CAS", [])
    assert other["words"] == (
        "Retrieve the element article: about “nonmonotonic reasoning” in bdy/sec; not about “calendar” in tig/atl."
    )
    assert pia.post(f"/api/b/py/proposals/{second}/accept", {"topic": "45"}).status_code == 403
    carla.ok(f"/api/b/py/proposals/{first}/decline", {"reason": "topic 09 asks for the same"})
    assert carla.post(f"/api/b/py/proposals/{second}/accept", {"topic": "09"}).status_code == 422
    carla.ok(f"/api/b/py/proposals/{second}/accept", {"topic": "45"})
    assert carla.post(f"/api/b/py/proposals/{second}/accept", {"topic": "46"}).status_code == 422
    mine = pia.get("/api/b/py/proposals").json()["proposals"]
    assert [(one["state"], one["topic"], one["reason"]) for one in mine] == [
        ("declined", None, "topic 09 asks for the same"),
        ("accepted", "45", ""),
    ]
    topics = {one["name"]: one for one in pia.get("/api/b/py/topics").json()["topics"]}
    assert set(topics) == {"09", "9", "45"}
    assert topics["45"]["words"] == other["words"]
    assert "Proposed topics" in carla.get("/b/py/proposals").text


def test_a_run_has_a_card_and_remarks_on_unknown_documents(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = set_up(served)
    pia = campaign.people["pia"]
    (tmp_path / "dense.run").write_bytes(run_file("dense") + b"09 Q0 nowhere 9 0.5 dense\n")
    monkeypatch.setenv("CRANFIELD_TOKEN", pia.ok("/api/account/tokens", {"name": "x"}).json()["secret"])
    card = ["--software", "Faiss 1.9", "--uses", "encoder-a", "--uses", "b", "--tag", "dense", "--manual"]
    assert main(["submit", f"{served.address}/b/py", str(tmp_path / "dense.run"), *card]) == 0
    assert "documents that are not in the collection: nowhere" in capsys.readouterr().out
    (run,) = pia.get("/api/b/py/runs").json()["runs"]
    assert (run["system"], run["models"], run["tags"]) == ("Faiss 1.9", ["encoder-a", "b"], ["dense"])
    assert (run["kind"], run["team"]) == ("manual", "Team P")
    assert "Faiss 1.9" in pia.get("/b/py/runs").text


def test_participants_judge_a_share_and_never_alone_what_only_their_team_found(served: Served) -> None:
    campaign = set_up(served)
    quinn = served.invited(campaign.ada, "py", "participant", "quinn", team="Team Q")
    team_runs = (("bm25", campaign.people["pia"]), ("dense", quinn))
    for name, person in team_runs:
        person.ok("/b/py/runs", {"name": name}, files={"file": ("x", run_file(name))})
    carla = campaign.people["carla"]
    carla.ok("/b/py/pool", {"depth": 4})
    carla.ok("/b/py/assignments", {"who": "participants"})
    n_judged = 0
    for name, person in team_runs:
        (other,) = {"bm25", "dense"} - {name}
        for one in person.get("/api/b/py/judge/queue").json()["items"]:
            document = person.get(f"/api/b/py/judge/items/{one['assignment']}").json()["document"]["name"]
            assert document in RUNS[other][one["topic"]]
            n_judged += 1
    assert n_judged == 9  # each document once
    assert campaign.people["ann"].get("/api/b/py/judge/queue").json()["items"] == []


def test_a_campaign_is_driven_from_the_command_line(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = served.administrator()
    monkeypatch.setenv("CRANFIELD_TOKEN", ada.ok("/api/account/tokens", {"name": "x"}).json()["secret"])
    at = f"{served.address}/b/shell"

    def api(*words: str) -> Any:
        assert main(["api", at, *words]) == 0
        out = capsys.readouterr().out
        return json.loads(out) if out[:1] in "[{" else out

    (tmp_path / "topics.xml").write_bytes(CAS)
    (tmp_path / "documents.xml").write_text(ARTICLE)
    (tmp_path / "r.run").write_text("09 Q0 a1 1 1 r\n")
    api("/benchmarks", "slug=shell", "name=From the shell")
    assert api("topics", f"file=@{tmp_path / 'topics.xml'}") == {"n_topics": 1}
    assert api("documents", f"file=@{tmp_path / 'documents.xml'}")["n_documents"] == 1
    assert main(["submit", at, str(tmp_path / "r.run")]) == 0
    capsys.readouterr()
    assert api("pool", "method=depth", "depth=5") == {"wave": 1}
    served.invited(ada, "shell", "assessor", "ann")
    assert api("assignments", "double=0") == {"n_assigned": 1}
