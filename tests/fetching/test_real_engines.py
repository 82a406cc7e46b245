"""Real engines: Groonga over its own HTTP server, and PostgreSQL's full text search behind a small one."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from cranfield import evaluate
from cranfield.fetching.fetch import fetch
from engine_server import Asked, serving
from groonga_server import PATHS, REQUEST, groonga

WORDS = [
    "river",
    "bank",
    "water",
    "fish",
    "boat",
    "stone",
    "bridge",
    "mill",
    "wheel",
    "rain",
    "cloud",
    "wind",
    "storm",
    "sea",
    "salt",
]


@pytest.fixture(scope="module")
def documents() -> list[dict[str, str]]:
    """Documents of random words."""
    chance = random.Random(1)
    return [
        {"_key": f"d{n}", "title": " ".join(chance.choices(WORDS, k=3)), "body": " ".join(chance.choices(WORDS, k=30))}
        for n in range(300)
    ]


@pytest.fixture(scope="module")
def groonga_url(tmp_path_factory: pytest.TempPathFactory, documents: list[dict[str, str]]) -> Iterator[str]:
    """A Groonga server with these documents."""
    with groonga(tmp_path_factory.mktemp("groonga"), documents) as url:
        yield url


def test_groonga_answers_with_what_has_the_words(groonga_url: str, documents: list[dict[str, str]]) -> None:
    topics = {"1": "river", "2": "storm salt", "3": "nothing"}
    fetched = fetch(topics, groonga_url, request=REQUEST, k=1000, repeat=2, **PATHS)
    counted = {
        document["_key"]: float(10 * document["title"].split().count("river") + document["body"].split().count("river"))
        for document in documents
    }
    assert fetched.passed
    assert fetched.run()["1"] == {document: score for document, score in counted.items() if score}
    both = {one["_key"] for one in documents if {"storm", "salt"} <= {*one["title"].split(), *one["body"].split()}}
    assert set(fetched.run()["2"]) == both
    assert fetched.queries[2].n == 0
    title_of = {one["_key"]: one["title"] for one in documents}
    assert all(result.title == title_of[result.document] for result in fetched.results)
    assert set(fetched.queries["stable"]) == {True}
    best = max(counted, key=lambda name: (counted[name], name))
    assert evaluate({"1": {best: 1}}, {"groonga": {"1": fetched.run()["1"]}}, "R@100")["groonga", "R@100"] == 1


def test_errors_of_groonga_are_told(groonga_url: str) -> None:
    fetched = fetch({"1": "river", "2": "((("}, groonga_url, request=REQUEST, **PATHS)
    assert fetched.failed == ("2",)
    assert "status 400: Syntax error" in str(fetched.queries[1].error)
    fetched = fetch({"1": "river"}, groonga_url, request=REQUEST.replace("Docs", "Nope"), **PATHS)
    assert "invalid name: <Nope>" in str(fetched.queries[0].error)


SEARCH = """
SELECT id, ts_rank_cd(words, query) AS score, title FROM docs, plainto_tsquery('english', %s) query
WHERE words @@ query ORDER BY score DESC, id LIMIT %s
"""


def test_postgresql_behind_any_json(postgresql: Callable[..., str], documents: list[dict[str, str]]) -> None:
    address = postgresql().replace("postgresql+psycopg", "postgresql")
    with psycopg.connect(address, autocommit=True) as database:
        database.execute(
            "CREATE TABLE docs (id text PRIMARY KEY, title text, body text, words tsvector "
            "GENERATED ALWAYS AS (to_tsvector('english', title || ' ' || body)) STORED)"
        )
        rows = [(one["_key"], one["title"], one["body"]) for one in documents]
        database.cursor().executemany("INSERT INTO docs (id, title, body) VALUES (%s, %s, %s)", rows)

        def searched(request: Asked) -> Any:
            asked = {name: values[0] for name, values in parse_qs(urlsplit(request.path).query).items()}
            found = database.execute(SEARCH, (asked["q"], int(asked["n"]))).fetchall()
            return {"hits": [{"id": name, "score": score, "title": title} for name, score, title in found]}

        with serving(searched) as server:
            paths = {"ids": "hits[*].id", "scores": "hits[*].score", "titles": "hits[*].title"}
            topics = {"1": "rivers", "2": "storm salt"}
            fetched = fetch(topics, server.url, request="GET /s?q={{query}}&n={{k}}", k=7, parallel=1, **paths)
        expected = database.execute(SEARCH, ("storm salt", 7)).fetchall()
    assert [query.n for query in fetched.queries] == [7, 7]
    assert fetched.run()["2"] == {name: pytest.approx(score) for name, score, _ in expected}
    has_river = {one["_key"] for one in documents if "river" in f"{one['title']} {one['body']}"}
    assert set(fetched.run()["1"]) <= has_river


def test_no_server_is_left(tmp_path: Path, documents: list[dict[str, str]]) -> None:
    with groonga(tmp_path, documents[:1]) as url:
        port = int(url.rpartition(":")[2])
    import socket

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=5).close()
