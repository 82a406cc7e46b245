"""The known engines: how each is asked, where its answer has the results, and how it says that some are missing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from cranfield.fetching.paths import NotThere, path, values_at
from cranfield.frozen import frozen

EngineName = Literal["json", "elasticsearch", "opensearch", "solr", "vespa", "algolia"]


def _nothing(_: Any, __: int) -> str:
    return ""


@frozen
class Engine:
    """A kind of engine; `{index}` in a request is the name of the index."""

    request: str = ""
    body: Any = None
    ids: str = ""
    scores: str = ""
    titles: str = ""
    version: tuple[str, str] = ("", "")  # where it is asked for, and the path in the answer
    error: str = ""  # the path of the reason in an answer that is an error
    lacks: Callable[[Any, int], str] = _nothing  # why results of an answer are missing, if they are
    most: int | None = None  # the largest number of results


def _of_lucene(answer: Any, _: int) -> str:
    """Elasticsearch and OpenSearch answer 200 when shards fail, time out, or are not allocated."""
    if answer.get("timed_out"):
        return "the search timed out, and results are partial"
    shards = answer.get("_shards", {})
    total, successful, failed = (shards.get(name, 0) for name in ("total", "successful", "failed"))
    if failed:
        reasons = [_at("reason.reason", failure) for failure in shards.get("failures", ())]
        because = f": {reasons[0]}" if reasons and reasons[0] else ""
        return f"{failed} of {total} shards failed{because}"
    if successful + failed < total:
        return f"{total - successful} of {total} shards are not allocated"
    return "the search was terminated early" if answer.get("terminated_early") else ""


def _of_solr(answer: Any, _: int) -> str:
    header = answer.get("responseHeader", {})
    if header.get("partialResults"):
        details = header.get("partialResultsDetails")
        return "results are partial" + (f": {details}" if details else " (a shard failed, or timeAllowed was exceeded)")
    return f"status {header['status']}" if header.get("status") else ""


def _of_vespa(answer: Any, _: int) -> str:
    root = answer.get("root", {})
    if errors := root.get("errors"):
        first = errors[0]
        return ": ".join(str(first[name]) for name in ("summary", "message") if first.get(name)) or "an error"
    coverage = root.get("coverage", {})
    degraded = [name for name, is_so in coverage.get("degraded", {}).items() if is_so is True]
    if coverage.get("full") is False and degraded != ["match-phase"]:  # which a rank profile asks for
        because = f" ({', '.join(degraded)})" if degraded else ""
        return f"{coverage.get('coverage')} % of the documents were searched{because}"
    return ""


def _of_algolia(answer: Any, k: int) -> str:
    if answer.get("timeoutHits"):
        return "the search timed out, and results are partial"
    hits, page, total = len(answer.get("hits", ())), answer.get("hitsPerPage", k), answer.get("nbHits", 0)
    return f"the key allows only {page} results per query, not {k}" if page < k and hits < min(k, total) else ""


_LUCENE = Engine(
    request="POST /{index}/_search",
    body={"query": {"multi_match": {"query": "{{query}}"}}, "size": "{{k}}", "_source": ["title"]},
    ids="hits.hits[*]._id",
    scores="hits.hits[*]._score",
    titles="hits.hits[*]._source.title",
    version=("/", "version.number"),
    error="error.root_cause[0].reason",
    lacks=_of_lucene,
)
ENGINES: Mapping[str, Engine] = {
    "json": Engine(),
    "elasticsearch": _LUCENE,
    "opensearch": _LUCENE,
    "solr": Engine(
        request="POST /solr/{index}/query",
        body={
            "query": "{{query}}",
            "limit": "{{k}}",
            "fields": ["id", "score", "title"],
            "params": {"defType": "edismax"},
        },
        ids="response.docs[*].id",
        scores="response.docs[*].score",
        titles="response.docs[*].title",
        version=("/solr/admin/info/system?wt=json", "lucene.solr-spec-version"),
        error="error.msg",
        lacks=_of_solr,
    ),
    "vespa": Engine(
        request="POST /search/",
        body={"yql": "select * from sources * where userQuery()", "query": "{{query}}", "hits": "{{k}}"},
        ids="root.children[*].id",
        scores="root.children[*].relevance",
        titles="root.children[*].fields.title",
        version=("/state/v1/version", "version"),
        error="root.errors[0].message",
        lacks=_of_vespa,
    ),
    "algolia": Engine(
        request="POST /1/indexes/{index}/query",
        body={"query": "{{query}}", "hitsPerPage": "{{k}}", "attributesToRetrieve": ["title"],
              "attributesToHighlight": []},
        ids="hits[*].objectID",
        titles="hits[*].title",
        error="message",
        lacks=_of_algolia,
        most=1000,
    ),
}  # fmt: skip


def reason(engine: Engine, answer: Any) -> str:
    """What an answer that is an error says; empty if it says nothing at a known place."""
    usual = ("error.reason", "error.message", "error.msg", "header.error.message", "message", "error", "detail")
    for place in filter(None, (engine.error, *usual)):
        text = _at(place, answer)
        if isinstance(text, str) and text:
            return text
    return ""


def version_in(engine: Engine, answer: Any) -> str:
    """The version in the answer to the question for it."""
    text = _at(engine.version[1], answer)
    return str(text) if isinstance(text, str | int | float) else ""


def _at(place: str, content: Any) -> Any:
    try:
        return next(values_at(path(place).steps, content), None)
    except NotThere:
        return None
