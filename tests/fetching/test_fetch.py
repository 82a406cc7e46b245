"""How an engine is asked: paths into JSON, secrets, retries, redirects, limits, and what becomes of answers."""

from __future__ import annotations

import json
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from cranfield import evaluate
from cranfield.errors import BadInput, BadSetting
from cranfield.fetching.fetch import RULES, Fetched, fetch
from cranfield.fetching.paths import NotThere, path, values_at
from engine_server import Asked, EngineServer, serving

TOPICS = {"q1": "one", "q2": "two", "q3": "three"}
REQUEST = "GET /find?q={{query}}&n={{k}}"
HITS: dict[str, Any] = {"hits": [{"id": "a", "score": 2}, {"id": "b", "score": 1}]}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between tries, which are not made."""
    made: list[float] = []
    clock = SimpleNamespace(monotonic=lambda: sum(made), perf_counter=time.perf_counter, time=time.time)
    monkeypatch.setattr("cranfield.outgoing.time", clock)
    monkeypatch.setattr("cranfield.outgoing.Pace.sleep", lambda _, seconds: made.append(seconds))
    return made


def fetched_from(server: EngineServer, **settings: Any) -> Fetched:
    """What is fetched from a server of the tests."""
    known: dict[str, Any] = {"request": REQUEST, "ids": "hits[*].id", "scores": "hits[*].score", "parallel": 1}
    return fetch(settings.pop("topics", TOPICS), server.url, **known | settings)


def query_of(request: Asked) -> str:
    """The query in the parameters of a request."""
    return parse_qs(urlsplit(request.path).query)["q"][0]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("a.b[*].c", [1, 2]),
        ("a['b'][1].c", [2]),
        ("a.b[1:].c", [2]),
        ("a.b[-1].c", [2]),
        ('["x.y"]', ["z"]),
        ("rows[*][0]", ["r", "s"]),
        ("rows[*][*]", ["r", 1, "s", 2]),
    ],
)
def test_paths_lead_to_values(text: str, values: list[Any]) -> None:
    content = {"a": {"b": [{"c": 1}, {"c": 2}]}, "x.y": "z", "rows": [["r", 1], ["s", 2]]}
    assert list(values_at(path(text).steps, content)) == values


@pytest.mark.parametrize("text", ["", "a..b", "a[", "a[x]", "[*", "a[*]b", "a]"])
def test_what_is_no_path_is_refused(text: str) -> None:
    with pytest.raises(BadSetting, match="not a path into JSON"):
        path(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hits[*].id", "there is no 'hits': the answer has took, found"),
        ("found.hits[*].name", "there is no 'hits': found is a list of 1"),
        ("found[3]", "there is no element 3: found is a list of 1"),
        ("took[*]", "took is a number, not a list"),
    ],
)
def test_what_is_not_there_is_said(text: str, said: str) -> None:
    with pytest.raises(NotThere, match=said.replace("[", r"\[")):
        list(values_at(path(text).steps, {"took": 1, "found": [{"id": 1}]}))


def test_the_run_is_that_of_the_engine() -> None:
    with serving(lambda request: HITS if query_of(request) == "one" else {"hits": []}) as server:
        fetched = fetched_from(server)
    assert fetched.run() == {"q1": {"a": 2.0, "b": 1.0}}
    assert evaluate({"q1": {"b": 1}}, {"engine": fetched.run()}, "RR")["engine", "RR"] == 0.5
    assert [query.n for query in fetched.queries] == [2, 0, 0]
    assert all(query.milliseconds > 0 for query in fetched.queries)


def test_values_of_parameters_are_encoded() -> None:
    with serving(lambda _: HITS) as server:
        fetched_from(server, topics={"q": "a&b=c #é/?"}, k=7)
    assert server.asked[0].path == "/find?q=a%26b%3Dc%20%23%C3%A9%2F%3F&n=7"


def test_templates_are_json(tmp_path: Path) -> None:
    body = {"text": 'about: {{query}} "{{id}}"', "size": "{{k}}", "deep": [{"q": "{{query}}"}, 5, None]}
    (tmp_path / "query.json").write_text(json.dumps(body))
    with serving(lambda _: HITS) as server:
        fetched_from(
            server, topics={"q1": 'say "hi" \\ {{k}}'}, request="POST /find", template=str(tmp_path / "query.json")
        )
    said = 'say "hi" \\ {{k}}'
    assert server.asked[0].content == {"text": f'about: {said} "q1"', "size": 100, "deep": [{"q": said}, 5, None]}


def test_lists_beside_each_other_are_paired() -> None:
    with serving(lambda _: {"ids": [7, 8], "scores": [0.5, 0.25]}) as server:
        fetched = fetched_from(server, ids="ids[*]", scores="scores[*]")
    assert fetched.run()["q1"] == {"7": 0.5, "8": 0.25}
    with serving(lambda _: {"ids": [7, 8], "scores": [0.5]}) as server:
        fetched = fetched_from(server, ids="ids[*]", scores="scores[*]")
    assert fetched.queries[0].error == "scores[*] has 1 values, and ids[*] 2"


@pytest.mark.parametrize(
    ("hits", "said"),
    [
        ([{"id": "a", "score": 1}, {"id": "a", "score": 0}], "'a' is there twice"),
        ([{"id": None, "score": 1}], "None, which is neither text nor an integer"),
        ([{"id": "a b", "score": 1}], "has blanks"),
        ([{"id": "", "score": 1}], "empty"),
        ([{"id": "a", "score": None}], "not a number"),
        ([{"id": "a"}], "there is no 'score'"),
        ([{"score": 1}], "there is no 'id'"),
        ("text", "not a list"),
    ],
)
def test_answers_that_are_no_results_fail(hits: Any, said: str) -> None:
    with serving(lambda _: {"hits": hits}) as server:
        assert said in str(fetched_from(server).queries[0].error)


def test_scores_out_of_order_and_ties_are_told() -> None:
    rising = {"hits": [{"id": "a", "score": 1}, {"id": "b", "score": 2}]}
    tied = {"hits": [{"id": "a", "score": 1}, {"id": "b", "score": 1}]}
    with serving(lambda request: rising if query_of(request) == "one" else tied) as server:
        fetched = fetched_from(server, k=9)
    assert fetched.run()["q1"] == {"a": 9.0, "b": 8.0}
    assert "not in the order of their scores for 1 of 3 queries" in fetched.notes[0]
    assert "tied for 2 of 3 queries" in fetched.notes[1]


def test_more_results_than_requested_are_cut() -> None:
    with serving(lambda _: HITS) as server:
        assert list(fetched_from(server, k=1).run()["q1"]) == ["a"]


def test_repeated_fetches_tell_whether_the_engine_is_deterministic() -> None:
    with serving(lambda _: HITS) as server:
        assert "asked 3 times, every query returned the same results" in fetched_from(server, repeat=3).notes[0]
        assert len(server.asked) == 9
    turns = iter(range(100))

    def changing(request: Asked) -> Any:
        hits = HITS["hits"]
        return {"hits": [dict(hit, score=1) for hit in (hits if next(turns) % 2 else hits[::-1])]}

    with serving(changing) as server:
        fetched = fetched_from(server, repeat=2)
    assert "not deterministic: asked 2 times, 3 of 3 queries" in " ".join(fetched.notes)
    assert fetched.queries["stable"] == (False,) * 3


# secrets


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"header": ["Authorization: ApiKey abc"]}, "header Authorization looks like a secret"),
        ({"header": ["X-Api-Key: abc"]}, "header X-Api-Key looks like a secret"),
        ({"request": REQUEST + "&api_key=abc"}, "parameter api_key looks like a secret"),
        ({"login": "admin:abc"}, "a reference to the password"),
        ({"header": ["no colon"]}, "a header is written"),
        ({"header": ["Authorization: {{env:NOT_THERE}}"]}, "no variable NOT_THERE"),
    ],
)
def test_secrets_are_not_written_out(settings: dict[str, Any], said: str) -> None:
    with pytest.raises((BadSetting, BadInput), match=said) as refused:
        fetch(TOPICS, "http://127.0.0.1:1", **{"request": REQUEST, "ids": "hits[*].id"} | settings)
    assert "abc" not in str(refused.value)


@pytest.mark.parametrize("url", ["http://user:secret@127.0.0.1:1", "127.0.0.1:9200", "ftp://127.0.0.1", "http://x?a=1"])
def test_addresses_have_no_password_and_no_parameters(url: str) -> None:
    with pytest.raises(BadSetting) as refused:
        fetch(TOPICS, url, request=REQUEST, ids="hits[*].id")
    assert "secret@" not in str(refused.value)


def test_secrets_arrive_and_appear_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_KEY", 'k"3y/&é')
    monkeypatch.setenv("ENGINE_PASSWORD", "hunter2")
    (tmp_path / "token").write_text("t0ken\n")
    echoed: Callable[[Asked], Any] = lambda request: (403, {"message": f"{dict(request.headers)} {request.path}"})  # noqa: E731
    settings: dict[str, Any] = {
        "header": ["X-Token: {{file:%s}}" % (tmp_path / "token")],
        "login": "admin:{{env:ENGINE_PASSWORD}}",
        "request": REQUEST + "&key={{env:ENGINE_KEY}}",
        "unfinished": str(tmp_path / "part"),
    }
    with serving(echoed) as server:
        fetched = fetched_from(server, **settings)
    asked = server.asked[0]
    assert asked.headers["x-token"] == "t0ken"
    assert asked.headers["authorization"] == "Basic YWRtaW46aHVudGVyMg=="
    assert "key=k%223y%2F%26%C3%A9" in asked.path
    everything = fetched.to_json() + str(fetched) + (tmp_path / "part").read_text() + repr(vars(fetched))
    for secret in ("t0ken", "hunter2", "YWRtaW46aHVudGVyMg", "k%223y", 'k"3y', "3y/"):
        assert secret not in everything
    assert "***" in str(fetched.queries[0].error)


# failures of the network


def test_too_many_requests_are_repeated_after_the_pause_that_is_asked_for(pauses: list[float]) -> None:
    replies = iter([(429, {}, {"Retry-After": "3"}), (503, {}), (502, {}), *[HITS] * 3])
    with serving(lambda _: next(replies)) as server:
        assert fetched_from(server).passed
    assert pauses[0] == 3
    assert 0.5 <= pauses[1] <= 1
    assert 1 <= pauses[2] <= 2


def test_errors_that_do_not_pass_are_not_repeated() -> None:
    with serving(lambda _: (400, {"error": "bad query"})) as server:
        fetched = fetched_from(server)
    assert len(server.asked) == 3
    assert fetched.queries["error"] == ("status 400: bad query",) * 3


def test_an_engine_that_cannot_be_reached_is_said(pauses: list[float]) -> None:
    fetched = fetch({"q": "x"}, "http://127.0.0.1:1", request=REQUEST, ids="hits[*].id", tries=2)
    assert "http://127.0.0.1:1 cannot be reached (2 tries)" in str(fetched.queries[0].error)
    assert len(pauses) == 1


def test_a_slow_engine_times_out() -> None:
    with serving(lambda _: time.sleep(1) or HITS) as server:
        fetched = fetched_from(server, timeout=0.1, tries=1, topics={"q": "x"})
    assert fetched.queries[0].error == "no answer within 0.1 s"


@pytest.mark.parametrize(
    ("status", "location", "method", "said"),
    [
        (302, "http://localhost:{port}/find?q=one", "GET", "redirected from http://127.0.0.1:"),
        (307, "http://127.0.0.1:1/find", "GET", "which is refused"),
        (307, "ftp://127.0.0.1/find", "GET", "which is refused"),
        (302, "/other", "POST", "redirects POST requests"),
    ],
)
def test_redirects_to_others_are_refused(status: int, location: str, method: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "query.json").write_text('{"q": "{{query}}"}')
    port: list[str] = []
    with serving(lambda _: (status, {}, {"Location": location.format(port=port[0])})) as server:
        port.append(server.url.rpartition(":")[2])
        more = {"request": "POST /find", "template": str(tmp_path / "query.json")} if method == "POST" else {}
        fetched = fetched_from(server, **more)
    assert said in str(fetched.queries[0].error)
    assert len(server.asked) == 3


def test_redirects_within_the_host_are_followed_a_few_times() -> None:
    with serving(lambda one: HITS if one.path == "/there" else (308, {}, {"Location": "/there"})) as server:
        assert fetched_from(server).passed
    with serving(lambda one: (308, {}, {"Location": "/there"})) as server:
        assert "more than 3 redirects" in str(fetched_from(server).queries[0].error)


def test_addresses_that_are_not_allowed_are_never_asked() -> None:
    with serving(lambda _: HITS) as server:
        fetched = fetched_from(server, allowed=lambda address: False)
    assert server.asked == []
    assert "is not allowed" in str(fetched.queries[0].error)


def test_an_endless_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.fetching.fetch.RULES", replace(RULES, largest=1000))
    with serving(lambda _: b" " * 2000) as server:
        assert "larger than" in str(fetched_from(server).queries[0].error)


def test_requests_are_not_faster_than_the_rate() -> None:
    with serving(lambda _: HITS) as server:
        start = time.monotonic()
        fetched_from(server, rate=20, parallel=3, topics={str(n): "x" for n in range(11)})
        assert time.monotonic() - start >= 0.5


def test_requests_are_parallel_up_to_the_limit() -> None:
    now, most, lock = [0], [0], threading.Lock()

    def answer(_: Asked) -> Any:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1
        return HITS

    with serving(answer) as server:
        fetched_from(server, parallel=3, topics={str(n): "x" for n in range(12)})
    assert most[0] == 3


@pytest.fixture
def certified(tmp_path: Path) -> tuple[ssl.SSLContext, str]:
    """A server's TLS context, and its certificate that no authority signed."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=127.0.0.1"
    command = [*words.split(), "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate]
    subprocess.run(command, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context, str(certificate)


def test_certificates_are_verified(certified: tuple[ssl.SSLContext, str], pauses: list[float]) -> None:
    context, certificate = certified
    with serving(lambda _: HITS, context=context) as server:
        assert "certificate verify failed" in str(fetched_from(server, tries=1).queries[0].error)
        assert server.asked == []
        assert fetched_from(server, certificates=certificate).passed


# interrupted fetches


def test_after_an_interruption_only_what_is_missing_is_asked(tmp_path: Path) -> None:
    part = tmp_path / "new.run.part"
    with serving(lambda one: (500, {}) if query_of(one) == "two" else HITS) as server:
        first = fetched_from(server, unfinished=str(part))
        assert first.failed == ("q2",)
    with serving(lambda _: HITS) as again:
        settings = {"unfinished": str(part), "request": REQUEST, "ids": "hits[*].id", "scores": "hits[*].score"}
        part.write_text(part.read_text().replace(server.url, again.url) + '["q2", 0, ["a"')  # cut off by a kill
        second = fetched_from(again, **settings)
    assert [query_of(one) for one in again.asked] == ["two"]
    assert second.passed
    assert list(second.run()) == ["q1", "q2", "q3"]


def test_an_unfinished_fetch_of_another_request_is_refused(tmp_path: Path) -> None:
    part = str(tmp_path / "part")
    with serving(lambda _: HITS) as server:
        fetched_from(server, unfinished=part)
        with pytest.raises(BadInput, match="unfinished fetch with another k;"):
            fetched_from(server, unfinished=part, k=5)
        with pytest.raises(BadInput, match="unfinished fetch with another request;"):
            fetched_from(server, unfinished=part, request=REQUEST + "&x=1")


# settings


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"request": "GET /find?n={{k}}"}, "same for all queries"),
        ({"request": "GET /find?q={{words}}"}, r"no placeholder \{\{words\}\}"),
        ({"request": "DELETE /find?q={{query}}"}, "write a method and a path"),
        ({"request": "find?q={{query}}"}, "write a method and a path"),
        ({"request": None}, "needs request"),
        ({"ids": None}, "needs ids"),
        ({"ids": "hits.id"}, r"write \[\*\] after the name of the list"),
        ({"k": 0}, "k must be a positive integer"),
        ({"rate": 0}, "rate must be a number above 0"),
        ({"engine": "sphinx"}, "engine must be"),
    ],
)
def test_settings_are_checked_before_anything_is_asked(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(BadSetting, match=said):
        fetch(TOPICS, "http://127.0.0.1:1", **{"request": REQUEST, "ids": "hits[*].id"} | settings)


def test_topics_are_those_that_campaigns_read(tmp_path: Path) -> None:
    trec = tmp_path / "topics.txt"
    trec.write_text("<top>\n<num> Number: 301\n<title> one\n<desc> Description:\nabout one\n</top>\n")
    with serving(lambda _: HITS) as server:
        fetched_from(server, topics=trec, request="GET /find?q={{description}}")
        assert query_of(server.asked[0]) == "about one"
        (tmp_path / "topics.tsv").write_text("a b\tone\n")
        with pytest.raises(BadInput, match="has blanks"):
            fetched_from(server, topics=tmp_path / "topics.tsv")


def test_progress_is_told() -> None:
    told: list[tuple[str, int, int | None]] = []
    with serving(lambda _: HITS) as server:
        fetched_from(server, progress=lambda *done: told.append(done))
    assert told[-1] == ("fetching", 3, 3)
