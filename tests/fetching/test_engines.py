"""Each known engine, against a server that answers as the engine's documentation says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cranfield.errors import BadSetting
from cranfield.fetching.fetch import RULES, Fetched, fetch
from cranfield.outgoing import Caller, Secrets
from engine_server import Asked, serving

TOPICS = {"1": 'the "first" topic', "2": "second"}


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait before a request is repeated."""
    monkeypatch.setattr("cranfield.outgoing.Pace.sleep", lambda *_: None)


def lucene(**changes: Any) -> dict[str, Any]:
    """The answer of Elasticsearch and OpenSearch to a search (Search API, response body)."""
    hits = [
        {"_index": "docs", "_id": "d2", "_score": 1.5, "_source": {"title": "Two"}},
        {"_index": "docs", "_id": "d1", "_score": 0.5, "_source": {}},
    ]
    shards = {"total": 2, "successful": 2, "skipped": 0, "failed": 0}
    found = {"total": {"value": 2, "relation": "eq"}, "max_score": 1.5, "hits": hits}
    return {"took": 5, "timed_out": False, "_shards": shards, "hits": found} | changes


def solr(**header: Any) -> dict[str, Any]:
    """The answer of Solr's query handler in JSON."""
    docs = [{"id": "d2", "score": 1.5, "title": ["Two"]}, {"id": "d1", "score": 0.5}]
    found = {"numFound": 2, "start": 0, "maxScore": 1.5, "numFoundExact": True, "docs": docs}
    return {"responseHeader": {"status": 0, "QTime": 3} | header, "response": found}


def vespa(**root: Any) -> dict[str, Any]:
    """Vespa's default JSON result."""
    coverage = {"coverage": 100, "documents": 2, "full": True, "nodes": 1, "results": 1, "resultsFull": 1}
    children = [
        {"id": "id:ns:doc::d2", "relevance": 1.5, "source": "content", "fields": {"title": "Two"}},
        {"id": "id:ns:doc::d1", "relevance": 0.5, "source": "content", "fields": {}},
    ]
    top = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 2}, "coverage": coverage, "children": children}
    return {"root": {name: value for name, value in (top | root).items() if value is not None}}


def algolia(**changes: Any) -> dict[str, Any]:
    """Algolia's answer to a search of one index."""
    hits = [{"objectID": "d2", "title": "Two"}, {"objectID": "d1"}]
    return {"hits": hits, "nbHits": 2, "page": 0, "nbPages": 1, "hitsPerPage": 100, "processingTimeMS": 1} | changes


class Preset:
    """An engine, where it is asked, a complete answer, an error, and where it tells its version."""

    def __init__(self, path: str, whole: Callable[..., Any], error: Any, version: tuple[str, Any, str]) -> None:
        self.path, self.whole, self.error, self.version = path, whole, error, version


LUCENE_ERROR = {
    "error": {"root_cause": [{"type": "index_not_found_exception", "reason": "no such index [docs]"}],
              "type": "index_not_found_exception", "reason": "no such index [docs]"},
    "status": 404,
}  # fmt: skip
PRESETS = {
    "elasticsearch": Preset("/docs/_search", lucene, LUCENE_ERROR, ("/", {"version": {"number": "9.1.0"}}, "9.1.0")),
    "opensearch": Preset(
        "/docs/_search", lucene, LUCENE_ERROR,
        ("/", {"version": {"distribution": "opensearch", "number": "3.2.0"}}, "3.2.0"),
    ),
    "solr": Preset(
        "/solr/docs/query", solr,
        {"responseHeader": {"status": 400, "QTime": 1}, "error": {"msg": "undefined field text", "code": 400}},
        ("/solr/admin/info/system?wt=json", {"lucene": {"solr-spec-version": "9.9.0"}}, "9.9.0"),
    ),
    "vespa": Preset(
        "/search/", vespa,
        {"root": {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 0},
                  "errors": [{"code": 3, "summary": "Illegal query", "message": "No such index 'x'"}]}},
        ("/state/v1/version", {"version": "8.560.1"}, "8.560.1"),
    ),
    "algolia": Preset(
        "/1/indexes/docs/query", algolia, {"message": "Index docs does not exist", "status": 404}, ("", None, ""),
    ),
}  # fmt: skip


def asked_engine(name: str, reply: Any, **settings: Any) -> tuple[Fetched, list[Asked]]:
    """What is fetched from an engine that gives these replies to searches, one after another."""
    preset, replies = PRESETS[name], iter(reply if isinstance(reply, list) else [reply] * 20)

    def answer(request: Asked) -> Any:
        return preset.version[1] if request.method == "GET" else next(replies)

    with serving(answer) as server:
        fetched = fetch(TOPICS, server.url, engine=name, index="docs", parallel=1, **settings)  # type: ignore[arg-type]
    return fetched, [request for request in server.asked if request.method == "POST"]


@pytest.fixture(params=PRESETS)
def name(request: pytest.FixtureRequest) -> str:
    """Each engine in turn."""
    return request.param


def test_results_are_read(name: str) -> None:
    fetched, asked = asked_engine(name, PRESETS[name].whole())
    first, second = (document["document"] for document in fetched.results.records()[:2])
    assert (first, second) == (("id:ns:doc::d2", "id:ns:doc::d1") if name == "vespa" else ("d2", "d1"))
    scores = [row.score for row in fetched.results[:2]]
    assert scores == ([100.0, 99.0] if name == "algolia" else [1.5, 0.5])
    assert [row.title for row in fetched.results[:2]] == ["Two", None]
    assert [request.path for request in asked] == [PRESETS[name].path] * 2
    assert fetched.version == PRESETS[name].version[2]
    assert fetched.passed
    assert fetched.provenance.settings["engine"] == name


def test_queries_arrive_unchanged(name: str) -> None:
    _, asked = asked_engine(name, PRESETS[name].whole())
    assert [TOPICS[query] in str(request.content).replace("\\", "") for query, request in zip("12", asked)] == [
        True
    ] * 2
    assert 100 in asked[0].content.values()
    assert asked[0].headers["content-type"] == "application/json"


def test_errors_are_told(name: str) -> None:
    fetched, _ = asked_engine(name, (400, PRESETS[name].error))
    said = {"solr": "undefined field text", "vespa": "No such index 'x'", "algolia": "Index docs does not exist"}
    assert not fetched.passed
    assert fetched.failed == ("1", "2")
    assert said.get(name, "no such index [docs]") in str(fetched.queries[0].error)
    assert "failed on 2 of 2 queries" in fetched.answer
    assert len(fetched.results) == 0


def test_a_busy_engine_is_asked_again(name: str) -> None:
    whole = PRESETS[name].whole()
    fetched, asked = asked_engine(name, [(429, {"message": "slower"}), (503, b"starting"), whole, whole])
    assert fetched.passed
    assert len(asked) == 4
    assert len(fetched.results) == 4


def test_an_engine_that_stays_busy_fails(name: str) -> None:
    fetched, asked = asked_engine(name, (429, {"message": "too many requests"}), tries=3)
    assert len(asked) == 6
    assert fetched.queries[1].error is not None
    assert "status 429" in fetched.queries[1].error


FAILURE = {"shard": 1, "index": "docs", "reason": {"type": "exception", "reason": "disk is full"}}
SHARDS = {"total": 2, "successful": 1, "skipped": 0, "failed": 1, "failures": [FAILURE]}
UNALLOCATED = {"total": 2, "successful": 1, "skipped": 0, "failed": 0}
DEGRADED = {"match-phase": False, "timeout": True, "adaptive-timeout": False, "non-ideal-state": False}
TIMED_OUT = {"coverage": 40, "documents": 1, "full": False, "nodes": 1, "results": 1, "resultsFull": 0}
TIMED_OUT |= {"degraded": DEGRADED}
PARTIAL = [
    ("elasticsearch", lucene(timed_out=True), "timed out"),
    ("elasticsearch", lucene(_shards=SHARDS), "1 of 2 shards failed: disk is full"),
    ("opensearch", lucene(_shards=UNALLOCATED), "1 of 2 shards are not allocated"),
    ("opensearch", lucene(terminated_early=True), "terminated early"),
    ("solr", solr(partialResults=True), "results are partial"),
    ("solr", solr(partialResults=True, partialResultsDetails="Time allowed"), "results are partial: Time allowed"),
    ("vespa", vespa(coverage=TIMED_OUT), "40 % of the documents were searched (timeout)"),
    ("vespa", vespa(errors=[{"code": 12, "summary": "Timed out", "message": "no answer"}]), "Timed out: no answer"),
    ("algolia", algolia(timeoutHits=True), "timed out"),
    ("algolia", algolia(hitsPerPage=2, nbHits=50), "the key allows only 2 results per query, not 100"),
]


@pytest.mark.parametrize(("name", "reply", "said"), PARTIAL, ids=lambda one: one if isinstance(one, str) else "")
def test_partial_results_fail(name: str, reply: Any, said: str) -> None:
    fetched, _ = asked_engine(name, [reply, PRESETS[name].whole()])
    assert said in str(fetched.queries[0].error)
    assert fetched.queries[1].error is None
    assert not fetched.passed


def test_a_match_phase_that_a_rank_profile_asks_for_is_no_failure() -> None:
    degraded = DEGRADED | {"match-phase": True, "timeout": False}
    fetched, _ = asked_engine("vespa", vespa(coverage=TIMED_OUT | {"degraded": degraded}))
    assert fetched.passed


EMPTY = {
    "elasticsearch": lucene(hits={"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []}),
    "opensearch": lucene(hits={"total": {"value": 0, "relation": "eq"}, "max_score": None, "hits": []}),
    "solr": solr() | {"response": {"numFound": 0, "start": 0, "numFoundExact": True, "docs": []}},
    "vespa": vespa(children=None, fields={"totalCount": 0}),
    "algolia": algolia(hits=[], nbHits=0),
}


def test_no_results_are_not_a_failure_but_said(name: str) -> None:
    fetched, _ = asked_engine(name, [EMPTY[name], PRESETS[name].whole()])
    assert fetched.passed
    assert fetched.queries[0].n == 0
    assert "query 1 has no results" in " ".join(fetched.notes)


def test_an_answer_of_something_else_fails(name: str) -> None:
    for reply in ({"hello": "world"}, b"<html>login</html>", [1, 2], "text", None):
        fetched, _ = asked_engine(name, [reply, PRESETS[name].whole()])
        assert fetched.failed == ("1",), reply
        assert "answer" in str(fetched.queries[0].error)


def test_an_index_is_needed() -> None:
    with pytest.raises(BadSetting, match="solr needs index"):
        fetch(TOPICS, "http://127.0.0.1:1", engine="solr")


def test_algolia_has_a_largest_number_of_results() -> None:
    with pytest.raises(BadSetting, match=r"at most 1,000 results per query, not 1,001"):
        fetch(TOPICS, "http://127.0.0.1:1", engine="algolia", index="docs", k=1001)


def test_the_client_is_closed() -> None:
    client = Caller("http://127.0.0.1:1", RULES, Secrets(), timeout=1, tries=1, rate=None, parallel=1)
    with client:
        pass
    assert client._http.is_closed
