"""What does the engine return? The results of queries, fetched over HTTP."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from itertools import pairwise
from typing import Annotated, Any
from urllib.parse import urlsplit

import numpy as np

from cranfield.errors import BadInput, BadSetting
from cranfield.fetching.engines import ENGINES, Engine, EngineName, reason, version_in
from cranfield.fetching.journal import Journal, Ranked
from cranfield.fetching.paths import NotThere, Path, list_path, values_at
from cranfield.fetching.requests import Filled, Request, filled, request_line, require_placeholders, within
from cranfield.fetching.requests import header as header_of
from cranfield.fetching.requests import login as user_of
from cranfield.fetching.requests import template as template_in
from cranfield.frozen import frozen
from cranfield.outgoing import AskingRules, Caller, Failure, ReplyTooLarge, Secrets, require_httpx
from cranfield.results.provenance import Caution, Origin, Provenance
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import Count, Means, Positive
from cranfield.tables.collections.topics import Topic, read_topic_file
from cranfield.text import counted, plural
from cranfield.verb import settings_of, verb

ANSWERS = Schema(
    "queries",
    "Queries",
    (*texts("query"), *figures("n", "milliseconds", digits=0), *texts("error", optional=True),
     Field("stable", "the same again", kind="flag", optional=True)),
)  # fmt: skip
LATENCY = Schema("latency", "Latency", figures("mean", "p50", "p95", "p99", "max", digits=1))
RESULTS = Schema("results", "Results", (*texts("query", "document"), *figures("score"), *texts("title", optional=True)))
TITLES = {"json": "The engine", "elasticsearch": "Elasticsearch", "opensearch": "OpenSearch", "solr": "Solr",
          "vespa": "Vespa", "algolia": "Algolia"}  # fmt: skip
SHOWN = 5  # failed queries that are listed
RULES = AskingRules(
    passing=frozenset({429, 502, 503, 504}), errors=("TimeoutException", "NetworkError", "RemoteProtocolError"),
    first_pause=0.5, longest_wait=None, largest=64 << 20,
)  # fmt: skip
_SMALL = 20  # queries without results that are named
_ASKING_VERSION = 5.0  # seconds


@frozen(eq=False)
class Fetched(AnnotatedResult):
    """The results of an engine: `results` is the run, `queries` says what became of each query."""

    kind = "fetched"

    name: str
    latency: Columns
    queries: Columns
    results: Columns
    version: str = ""
    allow_failures: bool = False

    @property
    def failed(self) -> tuple[str, ...]:
        """The queries that the engine did not answer."""
        return tuple(row.query for row in self.queries if row.error is not None)

    @property
    def passed(self) -> bool:
        """Whether every query was answered, or failures are allowed."""
        return self.allow_failures or not self.failed

    @property
    def title(self) -> str:
        """The kind of engine."""
        return TITLES[self.settings["engine"]]

    @property
    def answer(self) -> str:
        """What was fetched, in a sentence."""
        n, failed, n_results = len(self.queries), len(self.failed), len(self.results)
        engine = " ".join(filter(None, [self.title, self.version]))
        returned = f"with {counted(n_results, 'result')}"
        if failed:
            return f"{engine} failed on {failed:,} of {counted(n, 'query')}; it answered {n - failed:,} {returned}."
        return f"{engine} answered {'all ' * (n > 1)}{counted(n, 'query')} {returned}."

    def about(self) -> dict[str, Any]:
        """The engine's version, and the settings."""
        return {"version": self.version} | super().about()

    def run(self) -> dict[str, dict[str, float]]:
        """The run, as `evaluate` reads it."""
        ranked: dict[str, dict[str, float]] = {}
        for row in self.results:
            ranked.setdefault(row.query, {})[row.document] = row.score
        return ranked


@verb
def fetch(
    topics: Any,
    url: str,
    *,
    engine: Annotated[
        EngineName,
        Means('The kind of engine. `"json"` is any HTTP API that answers JSON; it needs `request` and `ids`.'),
    ] = "json",
    index: Annotated[str | None, Means("The index, collection or core to search.")] = None,
    template: Annotated[
        str | None,
        Means("A JSON file: the body of the request. `{{query}}` in its texts is replaced by the query, `{{k}}` by "
              "`k`; also `{{id}}`, `{{description}}`, `{{narrative}}` and `{{keywords}}` of the topic.",
              metavar="FILE", default="a plain query on all fields"),
    ] = None,
    request: Annotated[
        str | None,
        Means("Method and path of the request, such as `'GET /search?q={{query}}&size={{k}}'`.",
              default="that of the engine"),
    ] = None,
    ids: Annotated[
        str | None,
        Means("Where the answer has the ids of the documents, such as `hits[*].id` or `body.records[*][0]`.",
              metavar="PATH", default="that of the engine"),
    ] = None,
    scores: Annotated[
        str | None,
        Means("Where it has their scores. Without any, scores follow the order of the results.", metavar="PATH",
              default="that of the engine"),
    ] = None,
    titles: Annotated[
        str | None,
        Means("Where it has their titles, which reports show.", metavar="PATH", default="that of the engine"),
    ] = None,
    k: Annotated[Count, Means("Number of results to fetch for each query.", letter="-k")] = 100,
    header: Annotated[
        Sequence[str] | None,
        Means("A header, such as `'Authorization: ApiKey {{env:ENGINE_KEY}}'`: secrets come from a variable of the "
              "environment, or from a file, `{{file:PATH}}`.", metavar="HEADER"),
    ] = None,
    login: Annotated[
        str | None, Means("User and password, such as `'admin:{{env:ENGINE_PASSWORD}}'`.", metavar="USER:REFERENCE")
    ] = None,
    parallel: Annotated[Count, Means("Number of requests at the same time.")] = 4,
    rate: Annotated[Positive | None, Means("Largest number of requests per second.", default="no limit")] = None,
    timeout: Annotated[Positive, Means("Seconds to wait for an answer.")] = 30.0,
    tries: Annotated[
        Count, Means("How often a query is asked while the engine is too busy (status 429, 502, 503 or 504) or cannot "
                     "be reached.")
    ] = 5,
    certificates: Annotated[
        str | None,
        Means("Certificates to trust, in a PEM file, for an engine with its own.", metavar="FILE",
              default="those of public authorities"),
    ] = None,
    repeat: Annotated[Count, Means("Ask every query so often, to see whether the engine is deterministic.")] = 1,
    allow_failures: Annotated[bool, Means("Queries may fail: the run has those that were answered.")] = False,
    unfinished: str | None = None,
    allowed: Callable[[str], bool] | None = None,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Fetched:  # fmt: skip
    """The results of an engine for each topic, with the latency of each query.

    A query fails if the engine answers with an error, with partial results (a shard failed, or the time was over), or
    with something else than results. Failed queries are listed, and never counted as queries without results.

    Parameters
    ----------
    topics
        A file of topics, in any format that campaigns read, or `{id: query}`.
    url
        The address of the engine, such as `http://127.0.0.1:9200`.
    unfinished
        A file in which answers are kept until all queries are answered: a second call asks only for those that are
        missing.
    allowed
        Which addresses may be asked, as a function; by default, all.
    progress
        Called with a name, the number of answers so far, and the number of requests.

    Returns
    -------
    Fetched
        `results` is the run: query, document, score and title; `queries` has the number of results, the latency and
        the error of each query; `run()` is the run for `evaluate`.

    Examples
    --------
    >>> fetch("topics.tsv", "http://127.0.0.1:9200", engine="opensearch", index="docs")  # doctest: +SKIP
    """
    require_httpx("fetching needs")
    settings = {name: value for name, value in locals().items() if name in settings_of(fetch)}
    address, headers = _address(url), list(header or ())
    kind, question = _question(engine, index, template, request, headers)
    if kind.most is not None and k > kind.most:
        raise BadSetting(f"{engine} returns at most {kind.most:,} results per query, not {k:,}")
    places = _places(kind, engine, ids, scores, titles)
    user = () if login is None else user_of(login)
    listed, origin = _topics(topics)
    secrets = Secrets()
    hashed = hashlib.sha256(question.text.encode()).hexdigest()
    what = {"url": address, "request": hashed, "topics": origin.digest or _digest(listed), "k": k,
            "paths": [place and place.text for place in places]}  # fmt: skip
    started = time.time()
    requests = {
        topic.id: filled(question, _fields(topic), k, secrets, user) for topic in listed
    }  # secrets are missing now
    journal = Journal(unfinished, what)
    with Caller(
        address, RULES, secrets, timeout=timeout, tries=tries, rate=rate, parallel=parallel, certificates=certificates,
        allowed=allowed, proxies=allowed is None,
    ) as client:  # fmt: skip
        version = _version(client, kind, requests, listed)
        errors = _answered(client, kind, places, requests, journal, k, repeat, parallel, secrets, progress)
    known = settings | {"template": template and os.path.basename(template)}
    known |= {"header": [one.partition(":")[0] for one in headers], "login": login and login.partition(":")[0]}
    known |= {"url": address, "version": version, "request_hash": hashed, "time": _written(started)}
    return _result(listed, journal, errors, known, origin, version, k, repeat, allow_failures, _name(engine, index))


def from_file(path: str) -> dict[str, Any]:
    """The settings of `fetch` in a TOML file; files that it names are relative to it."""
    try:
        with open(path, "rb") as file:
            content = tomllib.load(file)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: not a TOML file: {error}") from None
    return checked_settings(content, path, os.path.dirname(path))


def checked_settings(content: Mapping[str, Any], where: str, folder: str) -> dict[str, Any]:
    """Settings of `fetch` from a file, with known names, and files relative to the folder."""
    known = ("url", *settings_of(fetch))
    unknown = next((name for name in content if name not in known), None)
    if unknown is not None:
        raise BadInput(f"{where}: there is no setting {unknown!r}; available: {', '.join(known)}")
    settings = {name: within(value, folder) for name, value in content.items()}
    return settings | {
        name: os.path.join(folder, str(content[name])) for name in ("template", "certificates") if name in content
    }


def _address(url: str) -> str:
    """The address of an engine without a final slash; one with a password is refused."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadSetting(f"url must be the address of the engine, such as http://127.0.0.1:9200, not {url!r}")
    if parts.username or parts.password:
        raise BadSetting("url must not contain a password: use login='user:{{env:NAME}}'")
    if parts.query or parts.fragment:
        raise BadSetting("url is the address of the engine only; parameters belong to request")
    return url.rstrip("/")


def _name(engine: str, index: str | None) -> str:
    return index or engine


def _digest(topics: Sequence[Topic]) -> str:
    return hashlib.sha256(json.dumps([_fields(topic) for topic in topics]).encode()).hexdigest()


def _written(moment: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))


def _question(
    name: EngineName, index: str | None, template: str | None, request: str | None, header: Sequence[str]
) -> tuple[Engine, Request]:
    """The kind of engine, and the request with placeholders."""
    kind = ENGINES[name]
    if name == "json" and request is None:
        raise BadSetting("engine 'json' needs request, such as 'GET /search?q={{query}}&size={{k}}', and ids")
    if request is None and "{index}" in kind.request and not index:
        raise BadSetting(f"{name} needs index, the name of what to search")
    line = request or kind.request.replace("{index}", index or "")
    method, target = request_line(line)
    body = template_in(template) if template is not None else kind.body if request is None or method == "POST" else None
    if body is not None and method == "GET":
        raise BadSetting("a request with a template is a POST request: write 'POST /…'")
    question = Request(method, target, body, tuple(map(header_of, header)))
    require_placeholders(question)
    return kind, question


def _places(
    kind: Engine, name: str, ids: str | None, scores: str | None, titles: str | None
) -> tuple[Path, Path | None, Path | None]:
    """The paths of ids, scores and titles; those of the engine do not apply to results at another place."""
    if not (ids or kind.ids):
        raise BadSetting(f"engine {name!r} needs ids, the path of the document ids, such as 'hits[*].id'")
    place = list_path(ids or kind.ids)
    usual = bool(kind.ids) and place.of_rows == list_path(kind.ids).of_rows
    others = [text or (default if usual else "") for text, default in ((scores, kind.scores), (titles, kind.titles))]
    of_scores, of_titles = (list_path(text) if text else None for text in others)
    return place, of_scores, of_titles


def _topics(topics: Any) -> tuple[tuple[Topic, ...], Origin]:
    """The topics, and where they come from."""
    if isinstance(topics, Mapping):
        pairs = topics.items()
        listed = tuple(one if isinstance(one, Topic) else Topic(str(name), str(one)) for name, one in pairs)
        if not listed:
            raise BadInput("there are no topics")
        return listed, Origin("topics", "topics", "dict", _digest(listed))
    path = os.fspath(topics)
    listed = read_topic_file(path)
    odd = next((topic.id for topic in listed if len(topic.id.split()) != 1), None)
    if odd is not None:
        raise BadInput(f"{path}: the topic id {odd!r} has blanks, which runs separate fields with")
    with open(path, "rb") as file:
        return listed, Origin(
            "topics", os.path.basename(path), "topics", hashlib.file_digest(file, "sha256").hexdigest()
        )


def _fields(topic: Topic) -> dict[str, str]:
    return {"query": topic.title, "id": topic.id, "description": topic.description, "narrative": topic.narrative,
            "keywords": topic.keywords}  # fmt: skip


def _version(client: Caller, kind: Engine, requests: Mapping[str, Filled], topics: Sequence[Topic]) -> str:
    """The version of the engine, if it tells."""
    if not kind.version[0]:
        return ""
    headers = {name: value for name, value in requests[topics[0].id].headers.items() if name != "Content-Type"}
    try:
        answer = client.ask("GET", kind.version[0], None, headers)
        return version_in(kind, json.loads(answer.content)) if answer.status == 200 else ""
    except (Failure, ValueError, RecursionError):
        return ""


def _answered(
    client: Caller, kind: Engine, places: tuple[Path, Path | None, Path | None], requests: Mapping[str, Filled],
    journal: Journal, k: int, repeat: int, parallel: int, secrets: Secrets,
    progress: Callable[[str, int, int | None], None] | None,
) -> dict[str, str]:  # fmt: skip
    """The errors of queries; the answers go to the journal."""
    waiting = [(query, turn) for turn in range(repeat) for query in requests if (query, turn) not in journal.answers]
    errors: dict[str, str] = {}
    total, stop = len(requests) * repeat, threading.Event()

    def one(query: str, turn: int) -> str | None:
        if stop.is_set() or query in errors:
            return None
        try:
            journal.add(query, turn, _ranked(client, kind, places, requests[query], k))
        except Failure as failure:
            return secrets.hidden(str(failure))
        return None

    with ThreadPoolExecutor(parallel) as pool:
        try:
            asking = {pool.submit(one, query, turn): query for query, turn in waiting}
            for done, future in enumerate(as_completed(asking), total - len(waiting) + 1):
                if (error := future.result()) is not None:
                    errors.setdefault(asking[future], error)
                if progress is not None:
                    progress("fetching", done, total)
        except BaseException:
            stop.set()
            client.stop()
            pool.shutdown(cancel_futures=True)
            raise
    return errors


def _ranked(
    client: Caller, kind: Engine, places: tuple[Path, Path | None, Path | None], request: Filled, k: int
) -> Ranked:
    """The results of one request."""
    try:
        answer = client.ask(request.method, request.target, request.body, request.headers)
    except ReplyTooLarge as error:
        raise Failure(f"{error}; ask for fewer results or fields") from None
    try:
        content = json.loads(answer.content)
    except (ValueError, RecursionError):
        start = answer.content[:60].decode(errors="replace").strip()
        raise Failure(f"status {answer.status}, and the answer is not JSON: {start!r}") from None
    if answer.status != 200:
        text = reason(kind, content)
        raise Failure(f"status {answer.status}" + (f": {text}" if text else ""))
    try:
        if isinstance(content, dict) and (missing := kind.lacks(content, k)):
            raise Failure(missing)
        ids, scores, titles = _values(content, *places)
    except NotThere as missing_place:
        text = reason(kind, content)
        raise Failure(f"the answer has no results: {text or missing_place}") from None
    except (AttributeError, TypeError, KeyError, LookupError):
        raise Failure("the answer is not in the format of this engine") from None
    documents = tuple(map(_document, ids))
    if len(set(documents)) < len(documents):
        twice = next(one for one in documents if documents.count(one) > 1)
        raise Failure(f"the document {twice!r} is there twice; are there several indexes? choose other ids")
    return Ranked(
        documents[:k], _scores(scores)[:k] if scores else None, tuple(map(_title, titles))[:k], answer.milliseconds
    )


def _values(
    content: Any, ids: Path, scores: Path | None, titles: Path | None
) -> tuple[list[Any], list[Any], list[Any]]:
    """The ids, and the scores and titles in the same order; those of missing titles are None."""
    try:
        rows = list(values_at(ids.of_rows, content))
    except NotThere:
        if _is_empty_result(content, ids):  # Vespa leaves the list out
            return [], [], []
        raise
    listed = [next(values_at(ids.within_row, row)) for row in rows]
    return listed, _beside(content, rows, ids, scores, False), _beside(content, rows, ids, titles, True)


def _is_empty_result(content: Any, ids: Path) -> bool:
    if ids.text != "root.children[*].id" or not isinstance(content, dict):
        return False
    root = content.get("root")
    return isinstance(root, dict) and "children" not in root and "fields" in root


def _beside(content: Any, rows: Sequence[Any], ids: Path, place: Path | None, optional: bool) -> list[Any]:
    if place is None:
        return []
    if place.of_rows != ids.of_rows:
        values = list(values_at(place.steps, content))
        if len(values) != len(rows):
            raise Failure(f"{place.text} has {len(values)} values, and {ids.text} {len(rows)}")
        return values
    values = []
    for row in rows:
        try:
            values.append(next(values_at(place.within_row, row)))
        except NotThere:
            if not optional:
                raise
            values.append(None)
    return values


def _document(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise Failure(f"a document id is {value!r:.40}, which is neither text nor an integer")
    text = str(value)
    if len(text.split()) != 1 or text.split()[0] != text:
        raise Failure(f"the document id {text!r:.60} is empty or has blanks, which runs separate fields with")
    return text


def _scores(values: Sequence[Any]) -> tuple[float, ...]:
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int | float) or not np.isfinite(value):
            raise Failure(
                f"a score is {value!r:.40}, which is not a number; without the path of scores, the order counts"
            )
    return tuple(map(float, values))


def _title(value: Any) -> str | None:
    if isinstance(value, list):  # of a field with several values
        value = value[0] if value else None
    return " ".join(value.split()) or None if isinstance(value, str) else None


def _result(
    topics: Sequence[Topic], journal: Journal, errors: Mapping[str, str], settings: dict[str, Any], origin: Origin,
    version: str, k: int, repeat: int, allow_failures: bool, name: str,
) -> Fetched:  # fmt: skip
    queries: list[tuple[Any, ...]] = []
    results, unordered, tied, empty, unstable = [], [], [], [], []
    times = []
    for topic in topics:
        turns = [journal.answers[topic.id, turn] for turn in range(repeat) if (topic.id, turn) in journal.answers]
        if topic.id in errors or not turns:
            queries.append((topic.id, None, None, errors.get(topic.id, "not asked"), None))
            continue
        first = turns[0]
        taken = float(np.median([turn.milliseconds for turn in turns]))
        stable = len({turn.documents for turn in turns}) == 1
        unstable += [topic.id] * (not stable)
        empty += [topic.id] * (not first.documents)
        times.append(taken)
        queries.append((topic.id, len(first.documents), taken, None, stable if repeat > 1 else None))
        scores = first.scores
        if scores is not None and any(a < b for a, b in pairwise(scores)):
            unordered.append(topic.id)
            scores = None
        elif scores is not None and len(set(scores)) < len(scores):
            tied.append(topic.id)
        scores = scores or tuple(float(k - place) for place in range(len(first.documents)))
        titles = first.titles or (None,) * len(first.documents)
        results += [(topic.id, *row) for row in zip(first.documents, scores, titles, strict=True)]
    known = np.array(times) if times else np.array([np.nan])
    latency = [(known.mean(), *np.percentile(known, [50, 95, 99]), known.max())]
    cautions = tuple(_cautions(unordered, tied, empty, unstable, repeat, len(topics)))
    return Fetched(
        name, LATENCY.of(latency), ANSWERS.of(queries), RESULTS.of(results), version, allow_failures,
        settings=settings, notes=tuple(map(str, cautions)),
        provenance=Provenance(inputs=(origin,), settings=settings, warnings=cautions),
    )  # fmt: skip


def _cautions(
    unordered: list[str], tied: list[str], empty: list[str], unstable: list[str], repeat: int, n: int
) -> Iterator[Caution]:
    if empty:
        message = f"{_named(empty)} no results, which count as a ranking without documents"
        yield Caution("no-results", message, tuple(empty))
    if unordered:
        message = f"results are not in the order of their scores for {_of(unordered, n)}: the run has scores by rank"
        yield Caution("not-by-score", message, tuple(unordered))
    if tied:
        message = f"documents are tied for {_of(tied, n)}; --ties given evaluates the order of the engine"
        yield Caution("ties", message, tuple(tied))
    if unstable:
        other = f"asked {repeat} times, {_of(unstable, n)} returned other results or another order"
        message = f"the engine is not deterministic: {other}; the run has the first answers"
        yield Caution("unstable", message, tuple(unstable))
    elif repeat > 1:
        yield Caution("stable", f"asked {repeat} times, every query returned the same results in the same order")


def _named(queries: list[str]) -> str:
    more = f" and {len(queries) - _SMALL} more" if len(queries) > _SMALL else ""
    verb_ = "has" if len(queries) == 1 else "have"
    return f"{plural('query') if len(queries) > 1 else 'query'} {', '.join(queries[:_SMALL])}{more} {verb_}"


def _of(queries: list[str], n: int) -> str:
    return f"{len(queries):,} of {counted(n, 'query')}"
