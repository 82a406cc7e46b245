"""Every route × every role: what is allowed, stated here by hand, route by route."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.routing import Mount

from campaign.web.campaign import Campaign, judge_all, pooled
from campaign_server import Person, serving
from cranfield.campaign.store.database import Store
from cranfield.campaign.web.application import Settings, create_app
from cranfield.campaign.web.route_table import ROUTES

PEOPLE = ("nobody", "stranger", "vera", "ann", "pia", "carla", "ada")  # nobody is not signed in; ada administrates
ALL = set(PEOPLE)
SIGNED_IN = ALL - {"nobody"}
MEMBERS = SIGNED_IN - {"stranger"}
COORDINATING = {"carla", "ada"}
# who may use a route, before the results are released
ALLOWED: dict[tuple[str, str], set[str]] = {
    ("GET", "/setup/{secret}"): ALL,
    ("POST", "/setup/{secret}"): ALL,
    ("GET", "/login"): ALL,
    ("POST", "/login"): ALL,
    ("GET", "/join/{secret}"): ALL,
    ("POST", "/join/{secret}"): ALL,
    ("POST", "/logout"): SIGNED_IN,
    ("GET", "/account"): SIGNED_IN,
    ("POST", "/account/password"): SIGNED_IN,
    ("POST", "/account/sign-out"): SIGNED_IN,
    ("POST", "/account/tokens"): SIGNED_IN,
    ("POST", "/account/tokens/{token}/revoke"): SIGNED_IN,
    ("GET", "/"): SIGNED_IN,
    ("GET", "/history"): SIGNED_IN,
    ("POST", "/benchmarks"): {"ada"},
    ("GET", "/b/{slug}"): MEMBERS,
    ("GET", "/b/{slug}/topics"): MEMBERS,
    ("GET", "/b/{slug}/topics/file"): MEMBERS,
    ("GET", "/b/{slug}/documents/file"): MEMBERS,
    ("POST", "/b/{slug}/topics"): COORDINATING,
    ("POST", "/b/{slug}/documents"): COORDINATING,
    ("GET", "/b/{slug}/proposals"): COORDINATING | {"pia"},
    ("POST", "/b/{slug}/proposals"): COORDINATING | {"pia"},
    ("POST", "/b/{slug}/proposals/{proposal}/accept"): COORDINATING,
    ("POST", "/b/{slug}/proposals/{proposal}/decline"): COORDINATING,
    ("GET", "/b/{slug}/runs"): COORDINATING | {"pia"},
    ("POST", "/b/{slug}/runs"): COORDINATING | {"pia"},
    ("POST", "/b/{slug}/runs/fetched"): COORDINATING,
    ("POST", "/b/{slug}/runs/{run}/withdraw"): COORDINATING | {"pia"},
    ("GET", "/b/{slug}/runs/{run}/file"): COORDINATING | {"pia"},
    ("GET", "/b/{slug}/pool"): COORDINATING,
    ("GET", "/b/{slug}/pool/file"): COORDINATING,
    ("POST", "/b/{slug}/pool"): COORDINATING,
    ("GET", "/b/{slug}/pool/cost"): COORDINATING,
    ("GET", "/b/{slug}/pool/quality"): COORDINATING,
    ("GET", "/b/{slug}/pool/separation"): COORDINATING,
    ("POST", "/b/{slug}/assignments"): COORDINATING,
    ("GET", "/b/{slug}/judge"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/judge/queue"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/judge/items/{assignment}"): MEMBERS - {"vera"},
    ("POST", "/b/{slug}/judge/events"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/prefer"): MEMBERS - {"vera"},
    ("POST", "/b/{slug}/prefer"): MEMBERS - {"vera"},
    ("POST", "/b/{slug}/prefer/undo"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/preferences"): COORDINATING,
    ("POST", "/b/{slug}/preferences"): COORDINATING,
    ("GET", "/b/{slug}/preferences/file"): COORDINATING,
    ("POST", "/b/{slug}/judge/passages"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/passages"): COORDINATING,
    ("POST", "/b/{slug}/judge/answers"): MEMBERS - {"vera"},
    ("GET", "/b/{slug}/machines"): COORDINATING,
    ("POST", "/b/{slug}/machines"): COORDINATING,
    ("GET", "/b/{slug}/machines/{account}"): COORDINATING,
    ("POST", "/b/{slug}/machines/{account}/assign"): COORDINATING,
    ("POST", "/b/{slug}/machines/{account}/sample"): COORDINATING,
    ("POST", "/b/{slug}/machines/{account}/disable"): COORDINATING,
    ("GET", "/b/{slug}/agreement"): COORDINATING,
    ("GET", "/b/{slug}/conflicts"): COORDINATING,
    ("GET", "/b/{slug}/conflicts/{document}"): COORDINATING,
    ("POST", "/b/{slug}/conflicts/{document}"): COORDINATING,
    ("POST", "/b/{slug}/conflicts/{document}/undo"): COORDINATING,
    ("POST", "/b/{slug}/assignments/back"): COORDINATING,
    ("POST", "/b/{slug}/pool/{wave}/delete"): COORDINATING,
    ("POST", "/b/{slug}/assignments/further"): COORDINATING,
    ("GET", "/b/{slug}/audit"): COORDINATING,
    ("GET", "/b/{slug}/audit/file"): COORDINATING,
    ("GET", "/b/{slug}/results"): COORDINATING,
    ("GET", "/b/{slug}/results/report"): COORDINATING,
    ("GET", "/b/{slug}/results/compare"): COORDINATING,
    ("GET", "/b/{slug}/results/runs/{run}"): COORDINATING,
    ("GET", "/b/{slug}/results/topics/{topic}"): COORDINATING,
    ("GET", "/b/{slug}/results/topics/{topic}/document"): COORDINATING,
    ("GET", "/b/{slug}/boards/{digest}"): COORDINATING,
    ("GET", "/b/{slug}/boards/{digest}/{file_format}"): COORDINATING,
    ("POST", "/b/{slug}/qrels"): COORDINATING,
    ("GET", "/b/{slug}/qrels/{version}"): COORDINATING,
    ("POST", "/b/{slug}/release"): COORDINATING,
    ("GET", "/b/{slug}/settings"): COORDINATING,
    ("POST", "/b/{slug}/settings"): COORDINATING,
    ("GET", "/b/{slug}/people"): COORDINATING,
    ("POST", "/b/{slug}/people"): COORDINATING,
    ("POST", "/b/{slug}/people/{account}"): COORDINATING,
    ("POST", "/b/{slug}/people/{account}/remove"): COORDINATING,
    ("POST", "/b/{slug}/invitations/{invitation}/withdraw"): COORDINATING,
}
RELEASED = {("GET", "/b/{slug}/results"), ("GET", "/b/{slug}/qrels/{version}")}
REFUSALS = {401, 403, 404}
NO_PAGE = {(route.method, route.path) for route in ROUTES if not route.page}


def test_every_route_of_the_application_is_in_the_matrix(tmp_path: Path) -> None:
    store = Store(tmp_path)
    served = set()
    for route in create_app(store, Settings("x")).routes:
        if isinstance(route, Mount):
            assert route.path == "/static"
        elif route.path != "/api/openapi.json":  # type: ignore[attr-defined]
            path = re.sub(r"^/api(/|$)", "/", route.path)  # type: ignore[attr-defined]
            served |= {(method, path) for method in route.methods - {"HEAD"}}  # type: ignore[attr-defined]
    store.close()
    assert served == set(ALLOWED) == {(route.method, route.path) for route in ROUTES}


@pytest.fixture(scope="module")
def campaign(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Campaign, dict[str, Person]]]:
    store = Store(tmp_path_factory.mktemp("campaigns"))
    with serving(store) as served:
        made = pooled(served)
        judge_all(made.people["ann"], {"d1": 3})
        made.ada.ok("/benchmarks", {"name": "Other", "slug": "other"})
        stranger = served.invited(made.ada, "other", "coordinator", "stranger")
        people = made.people | {"ada": made.ada, "nobody": served.visitor(), "stranger": stranger}
        yield made, people
    store.close()


def asked(person: Person, method: str, path: str, prefix: str) -> int:
    """The status of a request without a body: whoever may, gets as far as being told what is missing."""
    filled = path.replace("{slug}", "py").replace("{secret}", "no-such")
    filled = re.sub(r"\{\w+\}", "999999", filled)
    address = (prefix + filled).rstrip("/") or "/"
    if method == "GET":
        return person.get(address).status_code
    return person.http.post(address, headers={"x-csrf-token": person.csrf}, data={"csrf": person.csrf}).status_code


HARMLESS = [key for key in ALLOWED if key[1] not in ("/logout", "/account/sign-out", "/b/{slug}/qrels")]


@pytest.mark.parametrize("prefix", ["", "/api"])
@pytest.mark.parametrize(("method", "path"), [key for key in HARMLESS if "{secret}" not in key[1]], ids=" ".join)
def test_only_the_allowed_people_get_through(campaign: Any, method: str, path: str, prefix: str) -> None:
    if not prefix and (method, path) in NO_PAGE:
        return  # no page
    for name, person in campaign[1].items():
        if name not in PEOPLE:
            continue
        status = asked(person, method, path, prefix)
        if name in ALLOWED[method, path]:
            missing = (
                {404} if "{" in path.replace("{slug}", "") or path.endswith(("/compare", "/report")) else set()
            )  # no qrels yet
            assert status in {200, 201, 303, 422} | missing, (name, status)
        elif name == "nobody" and not prefix and method == "GET":
            assert status == 303, (name, status)
        else:
            expected = 401 if name == "nobody" else 404 if name == "stranger" and "{slug}" in path else 403
            assert status == expected, (name, status)


def test_changes_by_people_without_the_right_change_nothing(campaign: Any) -> None:
    made, people = campaign
    before = made.ada.get("/api/b/py/results").json()["versions"]
    for name in ("nobody", "stranger", "vera", "ann", "pia"):
        assert asked(people[name], "POST", "/b/{slug}/qrels", "/api") in REFUSALS
    assert made.ada.get("/api/b/py/results").json()["versions"] == before


def test_members_see_results_once_they_are_released_and_others_never(campaign: Any) -> None:
    made, people = campaign
    version = made.ada.ok("/api/b/py/qrels", {}).json()["version"]
    made.ada.ok("/b/py/release", {"released": "true"})
    for name in ("vera", "ann", "pia"):
        assert people[name].get("/api/b/py/results").status_code == 200
        assert people[name].get(f"/b/py/qrels/{version}").status_code == 200
        assert people[name].get("/b/py/runs/1/file").status_code == 200
    assert people["stranger"].get(f"/api/b/py/qrels/{version}").status_code == 404
    assert people["nobody"].get(f"/api/b/py/qrels/{version}").status_code == 401
    made.ada.ok("/b/py/release", {"released": "false"})
    assert people["ann"].get("/api/b/py/results").status_code == 403


def test_participants_see_their_own_runs_only(campaign: Any) -> None:
    made, _ = campaign
    quinn = made.served.invited(made.ada, "py", "participant", "quinn")
    assert quinn.get("/api/b/py/runs").json()["runs"] == []
    run = made.ada.get("/api/b/py/runs").json()["runs"][0]
    assert quinn.post(f"/b/py/runs/{run['id']}/withdraw").status_code == 422
    assert made.ada.get("/api/b/py/runs").json()["runs"][0]["withdrawn"] is None
    assert quinn.get(f"/b/py/runs/{run['id']}/file").status_code == 404


def test_assessors_are_blind(campaign: Any) -> None:
    """No response to an assessor holds a run, a team, a rank, a score, or what another assessor says."""
    people = campaign[1]
    ann, bob = people["ann"], people["bob"]
    secret = "a note of Ann that nobody else may see"
    first = ann.get("/api/b/py/judge/queue").json()["items"][0]["assignment"]
    sent = {"key": "blindness-1", "assignment": first, "kind": "grade", "grade": 3, "note": secret}
    assert ann.http.post("/api/b/py/judge/events", json=sent, headers={"x-csrf-token": ann.csrf}).status_code == 201
    pages = ["", "/topics", "/judge", "/judge/queue", "/runs", "/pool", "/results", "/qrels/1", "/people", "/proposals"]
    pages += [
        "/topics/file",
        "/documents/file",
        "/runs/1/file",
        "/pool/file",
        "/results/compare?first=1&second=2",
        "/results/runs/1",
        "/results/topics/1",
    ]
    pages += ["/results/topics/1/document?name=d1", "/results/report", "/pool/quality", "/pool/separation"]
    pages += ["/agreement", "/machines", "/conflicts", *(f"/conflicts/{key}" for key in range(1, 9))]
    items = bob.get("/api/b/py/judge/queue").json()["items"]
    pages += [f"/judge/items/{one['assignment']}" for one in items]
    answers = "\n".join(bob.get(f"{prefix}/b/py{page}").text for page in pages for prefix in ("", "/api"))
    for hidden in (secret, "bm25", "dense", "secretrun", "Team P", "ann@example.org", '"rank"', '"score"', "stratum"):
        assert hidden not in answers
    assert all(one["kind"] is None and one["grade"] is None for one in items)
