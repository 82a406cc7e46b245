"""A small benchmark in progress, for `cranfield serve --demo`: runs of three teams, a pool, most of the judgments."""

from __future__ import annotations

import csv
import hashlib
import secrets
import time
from typing import Any

from sqlalchemy import Connection, insert, select

from cranfield.campaign.rules.assignments import shares
from cranfield.campaign.rules.events import Judged
from cranfield.campaign.store import accounts, benchmarks, judgments, pools, schema, submissions
from cranfield.campaign.store import topics_and_documents as stored
from cranfield.campaign.store.accounts import Account
from cranfield.campaign.store.database import Store
from cranfield.campaign.store.submissions import Submission
from cranfield.campaign.web.passwords import hash_of
from cranfield.demo.collection import passes, topics_text
from cranfield.demo.documents import documents
from cranfield.demo.experiments import require_extra, run_text
from cranfield.demo.models import FUSION, ranked
from cranfield.errors import BadInput
from cranfield.pools.pool import pool
from cranfield.tables.collections.documents import Document
from cranfield.tables.collections.topics import Topic

SLUG = "python-search"
N_TOPICS, DEPTH, LEFT_OPEN, MINUTE = 12, 10, 8, 60_000
PARTICIPANTS = {"Pia": "Lexis", "Quinn": "Ngrams", "Rosa": "Vectors"}  # and their teams
PEOPLE = {"Carla": "coordinator", **dict.fromkeys(PARTICIPANTS, "participant"), "Ann": "assessor", "Bob": "assessor"}
SUBMITTED = {  # by whom, the system, and its description
    "bm25": ("Pia", "bm25s", "Okapi BM25 over words, without stemming"),
    "tfidf": ("Pia", "scikit-learn", "cosine of TF-IDF word vectors"),
    "characters": ("Quinn", "scikit-learn", "cosine of TF-IDF vectors of character n-grams"),
    "dense": ("Rosa", "WordLlama", "cosine of mean word embeddings"),
    FUSION: ("Rosa", "WordLlama and others", "reciprocal-rank fusion of the others"),
}
PASSES = {"Ann": "first", "Bob": "second"}  # the pass of judging that each assessor represents
LICENCE = "Python Software Foundation License"
PURPOSE = "Find the function of Python’s standard library that does what a programmer describes."
GUIDELINES = """Read the narrative first. Judge the document, not the module it belongs to.

- **Highly relevant**: it does exactly what is described.
- **Relevant**: it does it, with some effort.
- **Somewhat relevant**: it is related, and would help to find the answer.
"""


def prepare_once(store: Store) -> str:
    """Fill a store unless an earlier start has done so; returns a line on how to sign in."""
    with store.read() as connection:
        if accounts.n_accounts(connection):
            return "continuing the benchmark; sign in with the password printed at the first start"
    return prepare(store)


def prepare(store: Store) -> str:
    """Fill an empty store; returns a line on how to sign in."""
    require_extra()
    with store.read() as connection:
        if accounts.n_accounts(connection):
            raise BadInput(f"{store.folder} already contains campaigns; choose a new folder, or leave out --demo")
    rows = list(csv.DictReader(topics_text().splitlines(), delimiter="\t"))[:N_TOPICS]
    texts = documents()
    runs = dict(ranked(texts, {row["topic"]: row["query"] for row in rows}))
    password = secrets.token_urlsafe(12)
    stored_password, files = hash_of(password), {name: _file(store, name, run) for name, run in runs.items()}
    store.write(lambda connection: _filled(connection, rows, texts, runs, files, stored_password))
    names = (
        "carla@example.org (coordinator), pia@example.org (participant), ann@example.org or bob@example.org (assessors)"
    )
    return f"sign in as {names}; the password is {password}"


def _file(store: Store, name: str, run: Any) -> Submission:
    """A run as if submitted by a participant."""
    content = run_text(name, run).encode()
    path = store.folder / "uploads" / secrets.token_hex(16)
    path.write_bytes(content)
    size, n_rows, n_topics = len(content), content.count(b"\n"), len(run)
    digest = hashlib.sha256(content).hexdigest()
    person, system, words = SUBMITTED[name]
    models = ("l2_supercat_256",) if name in ("dense", FUSION) else ()
    card: dict[str, Any] = {"system": system, "models": models}
    return Submission(
        name, PARTICIPANTS[person], words, "automatic", path.name, digest, size, n_rows, n_topics, (), **card
    )


def _filled(connection: Connection, rows: Any, texts: Any, runs: Any, files: Any, password: str) -> None:
    now = time.time_ns() // 1_000_000
    people = {name: _person(connection, name, password, now) for name in PEOPLE}
    at = benchmarks.create(
        connection, slug=SLUG, name="Python library search", purpose=PURPOSE, by=people["Carla"].id, now=now
    )
    settings: dict[str, Any] = {"purpose": PURPOSE, "licence": LICENCE, "guidelines": GUIDELINES, "scale": at.scale}
    benchmarks.set_up(connection, at.id, **settings, measures=at.measures)
    for name, role in PEOPLE.items():
        values = {"account": people[name].id, "benchmark": at.id, "role": role}
        connection.execute(insert(schema.membership).values(**values, team=PARTICIPANTS.get(name, "")))
    topics = [Topic(row["topic"], row["query"], narrative=row["narrative"]) for row in rows]
    stored.add_topics(connection, at.id, topics)
    stored.add_documents(connection, at.id, [Document(name, name, text) for name, text in texts.items()])
    for name, run in files.items():
        submissions.add(connection, at.id, people[SUBMITTED[name][0]].id, run, now)
    pooled = pool(runs, "depth", depth=DEPTH).content()["pool"]
    made: dict[str, Any] = {"method": "depth", "settings": {"depth": DEPTH, "runs": list(runs)}, "now": now}
    pools.add(connection, at.id, pooled, by=people["Carla"].id, **made)
    shared = shares(pools.unassigned(connection, at.id), pools.assessors(connection, at.id), double=0.4, seed=7)
    pools.assign(connection, at.id, shared)
    for name, column in PASSES.items():
        _judged(connection, at.id, people[name].id, column, now)
    export: dict[str, Any] = {"rule": "majority", "ties": "higher", "by": people["Carla"].id, "now": now}
    judgments.export(connection, at.id, **export)


def _person(connection: Connection, name: str, password: str, now: int) -> Account:
    email = f"{name.lower()}@example.org"
    values: dict[str, Any] = {"email": email, "name": name, "password": password, "now": now}
    return accounts.create(connection, **values, administrator=name == "Carla")


def _judged(connection: Connection, benchmark: int, account: int, column: str, now: int) -> None:
    """Judgments of all but the last documents of an assessor, with the grades of the collection."""
    grade_of = {(topic, name): int(grade) for topic, name, judging_pass, grade in passes() if judging_pass == column}
    queue = judgments.queue(connection, benchmark, account, relevant_from=1)[:-LEFT_OPEN]
    share, pooled = schema.assignment, schema.pooled
    assigned = select(share.c.id, pooled.c.document).join(pooled, pooled.c.id == share.c.pooled)
    document = dict(connection.execute(assigned.where(share.c.account == account)).all())
    for place, one in enumerate(queue):
        key, known = one["assignment"], grade_of.get((one["topic"], document[one["assignment"]]))
        judged = Judged("cannot tell") if known is None else Judged("grade", known)
        sent = judgments.Sent(key, f"demo-{account}-{key}", judged, active=9_000)
        judgments.record(connection, benchmark, account, sent, now - (len(queue) - place) * MINUTE // 4)
