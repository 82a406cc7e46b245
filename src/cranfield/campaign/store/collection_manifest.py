"""The manifest of a collection, which lists its documents, and the hash that identifies it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from sqlalchemy import Connection, collate, func, insert, select

from cranfield.campaign.store import schema
from cranfield.campaign.store.database import Store

AT_ONCE = 5_000
BYTE_ORDER = {"sqlite": "BINARY", "postgresql": "C"}  # collations that sort UTF-8 by its bytes


def manifest_lines(connection: Connection, benchmark: int) -> Iterator[bytes]:
    """The lines of the manifest: the id of each document and the SHA-256 of its content, sorted by id."""
    table = schema.document
    in_order = collate(table.c.name, BYTE_ORDER[connection.dialect.name])
    rows = connection.execute(
        select(table.c.name, table.c.body).where(table.c.benchmark == benchmark).order_by(in_order),
        execution_options={"yield_per": AT_ONCE},
    )
    for row in rows:
        yield f"{row.name}\t{row.body}\n".encode()


def collection_hash(store: Store, benchmark: int, now: int) -> str:
    """The SHA-256 of the manifest, empty without documents; computed once, since documents are only ever added."""
    table, score = schema.document, schema.score
    with store.read() as connection:
        counted = select(func.count(), func.max(table.c.id)).where(table.c.benchmark == benchmark)
        n_documents, last = connection.execute(counted).one()
        key = f"collection {benchmark} {n_documents} {last}"
        known = connection.scalar(select(score.c.value).where(score.c.key == key))
        if known is not None or not n_documents:
            return known or ""
        digest = hashlib.sha256()
        for line in manifest_lines(connection, benchmark):
            digest.update(line)
    made = digest.hexdigest()

    def keep(connection: Connection) -> None:
        if connection.scalar(select(score.c.key).where(score.c.key == key)) is None:
            connection.execute(insert(score).values(key=key, value=made, created=now))

    store.write(keep)
    return made
