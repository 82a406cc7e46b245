"""Files that members download: topics, the manifest of the collection, runs and the pool."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import NamedTemporaryFile

from fastapi import HTTPException

from cranfield.campaign.store import pools, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.collection_manifest import manifest_lines
from cranfield.campaign.web.fields import At, Number
from cranfield.campaign.web.replies import Download, StoredFile
from cranfield.results.writing import comma_separated
from cranfield.tables.readers.recognition import HEAD, compression

FIELDS = ("title", "description", "narrative", "keywords")
ENDINGS = {"gzip": ".gz", "zstd": ".zst", "bz2": ".bz2"}


def topics(here: At) -> Download:
    """The topics as JSON Lines, which can be imported again; INEX topics with their kind and their sentence."""
    listed = here.read(stored.topics)
    rows = [
        {"id": one["name"]} | {name: one[name] for name in FIELDS}
        | ({"kind": one["kind"], "words": one["words"]} if one["kind"] else {})
        for one in listed
    ]  # fmt: skip
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return Download(f"{here.at.slug}-topics.jsonl", content.encode(), "application/jsonl")


def manifest(here: At) -> StoredFile:
    """The id and the SHA-256 of every document; the SHA-256 of this file identifies the collection."""
    with NamedTemporaryFile(prefix="cranfield-", delete=False) as file, here.store.read() as connection:
        file.writelines(manifest_lines(connection, here.at.id))
    return StoredFile(f"{here.at.slug}-documents.tsv", Path(file.name), "text/tab-separated-values", temporary=True)


def run(here: At, run: Number) -> StoredFile:
    """A run as it was submitted; before the release, participants have access only to their own."""
    account = None if here.may("see results") else here.me.id
    listed = here.read(submissions.listed, account=account)
    chosen = next((one for one in listed if one["id"] == run), None)
    if chosen is None:
        raise HTTPException(404, "there is no such run, or it is not yours")
    path = here.store.folder / "uploads" / chosen["file"]
    with path.open("rb") as file:
        ending = ENDINGS.get(compression(file.read(HEAD)) or "", "")
    return StoredFile(f"{chosen['name']}.run{ending}", path)


def pool(here: At) -> Download:
    """The pool as CSV, in the columns of `cranfield pool`."""
    rows = here.read(pools.rows)
    columns = ("query", "document", "order", "wave", "selected", "stratum", "probability", "contributors")
    content = comma_separated(columns, [[row[column] for column in columns] for row in rows])
    return Download(f"{here.at.slug}-pool.csv", content.encode(), "text/csv; charset=utf-8")
