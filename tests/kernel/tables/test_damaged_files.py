"""However a file of topics or documents is damaged, it is read or refused with words; so is an uploaded one."""

from __future__ import annotations

import csv
import io
import json
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from campaign.web.campaign import DOCUMENTS, TOPICS, lines, run_file, set_up
from campaign_server import serving
from cranfield.campaign.store.database import Store
from cranfield.errors import BadInput
from cranfield.tables.collections.documents import read_documents
from cranfield.tables.collections.topics import read_topic_file
from hostile.damage import damaged
from hostile.files import Reader


def cells(records: list[dict[str, str]]) -> bytes:
    """The records as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dict.fromkeys(key for record in records for key in record)))
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue().encode()


def folder() -> bytes:
    """A folder of documents, packed as ZIP."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/d1.txt", "hello 1")
        archive.writestr("b.xml", "<article><p>one</p></article>")
        archive.writestr("c.html", "<p>three</p>")
    return packed.getvalue()


TREC_TOPIC = "<top>\n<num> Number: {id}\n<title> {title}\n<desc> Description:\nx 1\n<narr> Narrative:\ny\n</top>\n"
TREC_DOCUMENT = "<DOC>\n<DOCNO> {id} </DOCNO>\n<TEXT>\n{text}\n</TEXT>\n</DOC>\n"
INEX = b'<inex_topic topic_id="1"><title>a b</title><castitle>//a[about(., x)]</castitle></inex_topic>'
FILES: dict[str, tuple[Callable[[str], Any], bytes]] = {
    "topics.jsonl": (read_topic_file, lines(TOPICS)),
    "topics.csv": (read_topic_file, cells(TOPICS)),
    "topics.trec": (read_topic_file, "".join(TREC_TOPIC.format(**topic) for topic in TOPICS).encode()),
    "topics.xml": (read_topic_file, INEX),
    "documents.jsonl": (read_documents, lines(DOCUMENTS)),
    "documents.csv": (read_documents, cells(DOCUMENTS)),
    "documents.trec": (read_documents, "".join(TREC_DOCUMENT.format(**each) for each in DOCUMENTS).encode()),
    "documents.zip": (read_documents, folder()),
}


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    read, sound = FILES[name]
    path = tmp_path / name
    path.write_bytes(sound)
    assert len(list(read(str(path)))) > 0
    for _, data in damaged(Reader("", name, sound)):
        path.write_bytes(data)
        with suppress(BadInput):
            list(read(str(path)))


UPLOADS = {"topics": ("topics.csv", cells(TOPICS)), "documents": ("documents.jsonl", lines(DOCUMENTS)),
           "runs": ("mine.run", run_file("bm25"))}  # fmt: skip


def test_damaged_uploads_are_refused_with_words(tmp_path: Path) -> None:
    store = Store(tmp_path / "campaigns", None)
    with serving(store) as served:
        campaign = set_up(served)
        for kind, (name, sound) in UPLOADS.items():
            person = campaign.people["pia"] if kind == "runs" else campaign.ada
            for number, (done, data) in enumerate(list(damaged(Reader("", name, sound)))[::16]):
                fields = {"name": f"{kind}{number}"} if kind == "runs" else None
                answer = person.post(f"/api/b/py/{kind}", fields, files={"file": (name, data)})
                assert answer.status_code in (201, 422), (kind, done, answer.text)
                assert answer.status_code == 201 or answer.json()["error"], (kind, done)
                assert "within the limits" not in answer.text, (kind, done)  # the worker has an answer
    store.close()


@pytest.mark.parametrize(
    "read", [read_topic_file, lambda path: list(read_documents(path))], ids=["topics", "documents"]
)
def test_a_tag_without_an_end_is_refused_at_once(read: Callable[[str], object], tmp_path: Path) -> None:
    """Expat would read it again with every chunk, in quadratic time."""
    file = tmp_path / "long.xml"
    file.write_bytes(b'<article topic-id="' + b"a" * 30_000_000 + b'"><Title>x</Title></article>')
    started = time.process_time()
    with pytest.raises(BadInput, match="line 1: a tag or comment is longer than 1,048,576 bytes"):
        read(str(file))
    assert time.process_time() - started < 10


def test_an_encoding_that_is_declared_but_not_used_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "topics.xml"
    file.write_bytes(b'<?xml version="1.0" encoding="utf-16"?><INEX-Topic topic-id="1"><Title>x</Title></INEX-Topic>')
    with pytest.raises(BadInput, match="line 1: not utf-16; save the file as UTF-8"):
        read_topic_file(str(file))


@pytest.mark.parametrize("field", ["title", "text"])
def test_nul_characters_in_json_are_refused(field: str, tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"id": "d1", "title": "t", "text": "x"} | {field: "a\0b"}))
    with pytest.raises(BadInput, match=f"line 1: '{field}' contains a NUL character"):
        list(read_documents(str(file)))
    if field == "title":
        with pytest.raises(BadInput, match="line 1: 'title' contains a NUL character"):
            read_topic_file(str(file))


def test_an_empty_archive_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "empty.zip"
    zipfile.ZipFile(file, "w").close()
    with pytest.raises(BadInput, match="no documents"):
        list(read_documents(str(file)))
