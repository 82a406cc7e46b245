"""A campaign in the database alone: two assessors, one topic, four pooled documents."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, insert

from cranfield.campaign.rules.assignments import Share
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import accounts, benchmarks, judgments, pools, schema, topics_and_documents
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.judgments import Sent
from cranfield.tables.collections.topics import Topic

DOCUMENTS = ("d1", "d2", "d3", "d4")
PEOPLE = ("carla", "ann", "bob", "zoe")


class Small:
    """The numbers of its people and pooled documents, and functions to judge."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.people: dict[str, int] = {}
        self.pooled: dict[str, int] = {}
        store.write(self._make)

    def _make(self, connection: Connection) -> None:
        for name in PEOPLE:
            made = accounts.create(connection, email=f"{name}@x.org", name=name, password="", now=1)
            self.people[name] = made.id
        self.benchmark = benchmarks.create(connection, slug="b", name="B", purpose="", by=self.people["carla"], now=1)
        for name in PEOPLE:
            role = "coordinator" if name == "carla" else "assessor"
            values = {"account": self.people[name], "benchmark": self.benchmark.id, "role": role, "team": ""}
            connection.execute(insert(schema.membership).values(**values))
        topics_and_documents.add_topics(connection, self.benchmark.id, [Topic("07", "t")])
        run = {"benchmark": self.benchmark.id, "account": self.people["carla"], "name": "r", "team": "", "file": "f"}
        run |= {"description": "", "kind": "automatic", "hash": "", "size": 0, "n_rows": 0, "n_topics": 1}
        connection.execute(insert(schema.run).values(**run, remarks="[]", created=1))
        rows = [
            {
                "query": "07",
                "document": name,
                "order": place,
                "stratum": "",
                "probability": 1.0,
                "contributors": {"r": 1},
            }
            for place, name in enumerate(DOCUMENTS, 1)
        ]
        settings: dict[str, Any] = {"method": "depth", "settings": {}, "by": self.people["carla"], "now": 1}
        pools.add(connection, self.benchmark.id, rows, **settings)
        found = pools.unassigned(connection, self.benchmark.id)["07"]
        self.pooled = dict(zip(DOCUMENTS, (one.id for one in found), strict=True))
        pools.assign(connection, self.benchmark.id, [
            Share(key, self.people[name], place)
            for name in ("ann", "bob") for place, key in enumerate(self.pooled.values(), 1)
        ])  # fmt: skip

    def judge(self, name: str, document: str, judged: Judged, at: int = 5) -> None:
        """An assessor judges a document."""
        with self.store.read() as connection:
            own = judgments.queue(connection, self.benchmark.id, self.people[name], relevant_from=1)
            shares = connection.execute(
                schema.assignment.select().where(schema.assignment.c.account == self.people[name])
            ).all()
        share = next(row.id for row in shares if row.pooled == self.pooled[document])
        assert share in {one["assignment"] for one in own}
        sent = Sent(share, accounts.new_secret(), judged)
        self.store.write(
            lambda connection: judgments.record(connection, self.benchmark.id, self.people[name], sent, at)
        )
