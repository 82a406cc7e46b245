"""Fetching runs from engines that the administrator listed, and from no other address; the history of releases."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from campaign.web.campaign import RUNS, TOPICS, Campaign, set_up
from campaign_server import Served, serving
from cranfield.campaign.store.database import Store
from cranfield.campaign.web.engines import Engines, only_at, read_engines
from cranfield.errors import BadInput
from engine_server import Asked
from engine_server import serving as engine_serving
from releases.stores import noisy, stored

TITLES = {topic["title"]: topic["id"] for topic in TOPICS}


def engines(url: str, **more: Any) -> Engines:
    """The settings of one engine, called search."""
    settings = {"url": url, "request": "GET /find?q={{query}}&n={{k}}", "ids": "hits[*].id"}
    return {"search": settings | more}


def found(request: Asked) -> Any:
    """The documents of the run bm25 for a topic."""
    from urllib.parse import parse_qs, urlsplit

    topic = TITLES[parse_qs(urlsplit(request.path).query)["q"][0]]
    return {"hits": [{"id": document} for document in RUNS["bm25"][topic]]}


@pytest.fixture
def campaign(tmp_path: Path) -> Iterator[Campaign]:
    """A benchmark with topics and people."""
    store = Store(tmp_path / "campaigns")
    with serving(store) as served:
        yield set_up(served)
    store.close()


def allow(served: Served, listed: Mapping[str, Any], history: str = "") -> None:
    """Serve with these engines and this store of releases."""
    app = served.app
    app.state.engines, app.state.history = listed, history


@pytest.mark.sqlite
def test_a_coordinator_fetches_a_run_from_a_listed_engine(campaign: Campaign) -> None:
    with engine_serving(found) as server:
        allow(campaign.served, engines(server.url))
        carla = campaign.people["carla"]
        assert "Fetch a run" in carla.get("/b/py/runs").text
        answer = carla.post("/api/b/py/runs/fetched", {"engine": "search", "name": "live", "k": 7})
    assert answer.status_code == 201, answer.text
    assert answer.json()["name"] == "live"
    assert {f"n={one.path.rpartition('=')[2]}" for one in server.asked} == {"n=7"}
    (run,) = carla.get("/api/b/py/runs").json()["runs"]
    assert (run["name"], run["n_topics"]) == ("live", 2)
    assert run["description"].startswith("fetched from search, 20")
    lines = carla.get(f"/b/py/runs/{run['id']}/file").text.splitlines()
    assert [line.split()[2] for line in lines] == [*RUNS["bm25"]["09"], *RUNS["bm25"]["9"]]


@pytest.mark.sqlite
def test_only_listed_engines_are_asked(campaign: Campaign) -> None:
    with engine_serving(found) as server:
        carla = campaign.people["carla"]
        assert "Fetch a run" not in carla.get("/b/py/runs").text
        for name in ("search", server.url, "http://169.254.169.254/"):
            answer = carla.post("/api/b/py/runs/fetched", {"engine": name, "url": server.url})
            assert answer.status_code == 422
            assert "the administrator listed: none" in answer.json()["error"]
        assert server.asked == []


@pytest.mark.sqlite
def test_participants_may_not_fetch(campaign: Campaign) -> None:
    with engine_serving(found) as server:
        allow(campaign.served, engines(server.url))
        for name in ("pia", "ann", "vera"):
            person = campaign.people[name]
            assert person.post("/api/b/py/runs/fetched", {"engine": "search"}).status_code == 403
        assert "Fetch a run" not in campaign.people["pia"].get("/b/py/runs").text
        assert server.asked == []


@pytest.mark.sqlite
def test_redirects_to_other_servers_are_not_followed(campaign: Campaign) -> None:
    with engine_serving(found) as other:
        elsewhere: Any = lambda one: (307, {}, {"Location": other.url + one.path})  # noqa: E731
        with engine_serving(elsewhere) as server:
            allow(campaign.served, engines(server.url))
            answer = campaign.people["carla"].post("/api/b/py/runs/fetched", {"engine": "search"})
    assert answer.status_code == 422
    assert other.asked == []
    assert "refused" in answer.json()["error"]
    assert only_at("http://a:1/x")("http://a:1/y")
    assert not any(map(only_at("http://a:1"), ("https://a:1/", "http://b:1/", "http://a:2/", "http://a@b:1/")))


@pytest.mark.sqlite
def test_failures_and_secrets_are_told_apart(campaign: Campaign, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_KEY", "s3cret")
    echo: Any = lambda one: (400, {"error": f"no index; {one.headers['x-key']}"})  # noqa: E731
    with engine_serving(echo) as server:
        allow(campaign.served, engines(server.url, header=["X-Key: {{env:ENGINE_KEY}}"]))
        answer = campaign.people["carla"].post("/api/b/py/runs/fetched", {"engine": "search"})
    assert answer.status_code == 422
    assert "status 400: no index; ***" in answer.json()["error"]
    assert campaign.people["carla"].get("/api/b/py/runs").json()["runs"] == []


@pytest.mark.sqlite
def test_one_run_is_fetched_at_a_time(campaign: Campaign) -> None:
    held, going = threading.Event(), threading.Event()

    def slow(one: Asked) -> Any:
        going.set()
        held.wait(60)
        return found(one)

    with engine_serving(slow) as server:
        allow(campaign.served, engines(server.url))
        first = threading.Thread(
            target=campaign.people["carla"].post, args=("/b/py/runs/fetched", {"engine": "search"})
        )
        first.start()
        assert going.wait(60)
        answer = campaign.ada.post("/api/b/py/runs/fetched", {"engine": "search", "name": "second"})
        held.set()
        first.join()
    assert answer.status_code == 503
    assert "another run is being fetched" in answer.json()["error"]


def test_the_file_of_engines_is_checked(tmp_path: Path) -> None:
    file = tmp_path / "engines.toml"
    file.write_text(
        '[docs]\nurl = "http://127.0.0.1:1"\nengine = "solr"\ntemplate = "q.json"\nlogin = "a:{{file:key}}"\n'
    )
    listed = read_engines(str(file))
    assert listed["docs"]["template"] == str(tmp_path / "q.json")
    assert listed["docs"]["login"] == "a:{{file:%s}}" % (tmp_path / "key")
    for text, said in (("x", "not a TOML"), ("url = 1", "is not a table"), ("[a]\nulr = 1", "no setting 'ulr'"),
                       ("[a]\nk = 1", "url is missing")):  # fmt: skip
        file.write_text(text)
        with pytest.raises(BadInput, match=said):
            read_engines(str(file))


@pytest.mark.sqlite
def test_the_history_of_releases_is_a_page(campaign: Campaign, tmp_path: Path) -> None:
    vera = campaign.people["vera"]
    assert vera.get("/history").status_code == 422
    assert "History of releases" not in vera.get("/").text
    store = stored(tmp_path, dict(zip(("1.0", "1.1"), noisy([0.5, 0.6]), strict=True)))
    allow(campaign.served, {}, store.folder)
    page = vera.get("/history")
    assert page.status_code == 200
    assert "AP rose by 0.1" in page.text.replace("<b>AP</b>", "AP")
    assert page.headers["content-security-policy"].startswith("sandbox")
    assert 'href="/history"' in vera.get("/").text
    assert campaign.served.visitor().get("/history").status_code in (303, 401)
