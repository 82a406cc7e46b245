"""Access: the one-time link, passwords, sessions, invitations, tokens, and forms from other sites."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select, update

from campaign_server import PASSWORD, Person, Served
from cranfield.campaign.store import schema


def created(served: Served) -> Person:
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": "Sleep", "slug": "sleep"})
    return ada


def test_the_setup_link_works_once(served: Served) -> None:
    served.administrator()
    again = served.visitor()
    assert again.get(f"/setup/{served.secret}").status_code == 404
    values = {"name": "Eve", "email": "eve@example.org", "password": PASSWORD}
    assert again.post(f"/setup/{served.secret}", values).status_code == 404


def test_the_setup_link_cannot_be_guessed(served: Served) -> None:
    assert served.visitor().get("/setup/guess").status_code == 404


def test_short_passwords_are_refused(served: Served) -> None:
    answer = served.visitor().post("/setup/the-setup-secret", {"name": "A", "email": "a@b.c", "password": "short"})
    assert answer.status_code == 422
    assert "at least 12 characters" in answer.text


def test_people_who_are_not_signed_in_are_asked_to(served: Served) -> None:
    answer = served.visitor().get("/account")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/login?following=/account"
    assert served.visitor().get("/api/account").json() == {"error": "sign in first"}


def test_signing_in_starts_a_new_session(served: Served) -> None:
    first = served.administrator().http.cookies["cranfield_session"]
    person = served.visitor()
    person.http.cookies.set("cranfield_session", "fixed by somebody else")
    answer = person.post("/login", {"email": "ADA@example.org", "password": PASSWORD})
    assert answer.status_code == 303
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=lax" in cookie
    assert first not in cookie
    assert "fixed" not in cookie


@pytest.mark.sqlite
@pytest.mark.parametrize("following", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:1"])
def test_nobody_is_sent_to_another_site(served: Served, following: str) -> None:
    served.administrator()
    values = {"email": "ada@example.org", "password": PASSWORD, "following": following}
    assert served.visitor().post("/login", values).headers["location"] == "/"


def test_unknown_addresses_and_wrong_passwords_look_the_same(served: Served) -> None:
    served.administrator()
    answers = [
        served.visitor().post("/api/login", {"email": email, "password": "wrong password"})
        for email in ("ada@example.org", "nobody@example.org")
    ]
    assert [answer.status_code for answer in answers] == [403, 403]
    assert answers[0].text == answers[1].text


def test_passwords_cannot_be_tried_without_end(served: Served) -> None:
    served.administrator()
    person = served.visitor()
    tried = [person.post("/login", {"email": "ada@example.org", "password": "x"}).status_code for _ in range(11)]
    assert tried == [403] * 10 + [429]
    assert person.post("/login", {"email": "ada@example.org", "password": PASSWORD}).status_code == 429


def test_signing_out_ends_the_session_on_the_server(served: Served) -> None:
    ada = served.administrator()
    cookie = ada.http.cookies["cranfield_session"]
    ada.ok("/logout")
    thief = served.visitor()
    thief.http.cookies.set("cranfield_session", cookie)
    assert thief.get("/api/account").status_code == 401


def test_a_new_password_ends_all_sessions(served: Served) -> None:
    ada, elsewhere = served.administrator(), served.visitor()
    elsewhere.post("/login", {"email": "ada@example.org", "password": PASSWORD})
    ada.ok("/account/password", {"password": PASSWORD, "new_password": "another long password"})
    assert elsewhere.get("/api/account").status_code == 401
    assert ada.get("/api/account").status_code == 200


def test_changes_need_the_token_of_the_session(served: Served) -> None:
    ada = served.administrator()
    ada.csrf = "guessed"
    assert ada.post("/benchmarks", {"name": "x", "slug": "x"}).status_code == 403
    plain = ada.http.post("/benchmarks", data={"name": "x", "slug": "x"})
    assert plain.status_code == 403
    assert ada.get("/api").json()["benchmarks"] == []


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "headers", [{"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}]
)
def test_forms_of_other_sites_are_refused(served: Served, headers: dict[str, str]) -> None:
    ada = served.administrator()
    answer = ada.http.post("/logout", headers=headers | {"x-csrf-token": ada.csrf})
    assert answer.status_code == 403
    assert ada.get("/api/account").status_code == 200


def test_an_invitation_makes_one_member_once(served: Served) -> None:
    ada = created(served)
    page = ada.ok("/b/sleep/people", {"role": "assessor"})
    link = re.search(r"/join/[\w-]+", page.text)[0]  # type: ignore[index]
    bob = served.visitor()
    values = {"name": "Bob", "email": "bob@example.org", "password": PASSWORD}
    assert bob.post(link, values).headers["location"] == "/b/sleep"
    assert bob.get("/api").json()["benchmarks"][0]["role"] == "assessor"
    assert served.visitor().post(link, values | {"email": "eve@example.org"}).status_code == 404
    assert served.visitor().post("/login", {"email": "eve@example.org", "password": PASSWORD}).status_code == 403


def test_a_benchmark_is_invisible_to_others(served: Served) -> None:
    ada = created(served)
    ada.ok("/benchmarks", {"name": "Other", "slug": "other"})
    bob = served.invited(ada, "other", "coordinator", "bob")
    hidden, missing = bob.get("/api/b/sleep/people"), bob.get("/api/b/no-such/people")
    assert (hidden.status_code, hidden.text) == (missing.status_code, missing.text) == (404, missing.text)


def test_tokens_have_a_scope_an_end_and_a_last_use_and_make_no_tokens(served: Served) -> None:
    ada = served.administrator()
    secrets = {scope: ada.ok("/api/account/tokens", {"name": scope, "scope": scope}).json()["secret"]
               for scope in ("act", "read")}  # fmt: skip
    reads, acts = served.program(secrets["read"]), served.program(secrets["act"])
    assert "this token can only read" in reads.post("/api/benchmarks", data={"name": "x", "slug": "x"}).text
    assert acts.post("/api/benchmarks", data={"name": "x", "slug": "x"}).status_code == 201
    assert reads.get("/api/b/x").status_code == 200
    for path, values in (("tokens", {"name": "more"}), ("password", {"password": PASSWORD, "new_password": "y" * 20})):
        answer = acts.post(f"/api/account/{path}", data=values)
        assert (answer.status_code, "a token cannot change its account" in answer.text) == (403, True)
    listed = {one["name"]: one for one in ada.get("/api/account").json()["tokens"]}
    assert listed["act"]["expires"] - listed["act"]["created"] == 90 * 24 * 3600 * 1000
    assert listed["act"]["used"] >= listed["act"]["created"]
    assert "reads only; expires" in ada.get("/account").text
    served.store.write(lambda connection: connection.execute(update(schema.token).values(expires=1)))
    assert acts.get("/api/b/x").status_code == 401


def test_the_host_header_does_not_get_into_an_invitation(served: Served) -> None:
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": "x", "slug": "x"})
    headers = {"host": "evil.example.com", "x-csrf-token": ada.csrf, "x-forwarded-host": "evil.example.com"}
    page = ada.http.post("/api/b/x/people", data={"role": "viewer"}, headers=headers)
    assert page.json()["links"][0]["link"].startswith(f"{served.address}/join/")


def test_forwarded_addresses_are_believed_only_from_a_proxy_that_was_named(tmp_path: Path) -> None:
    """Who guesses passwords with a new X-Forwarded-For each time is stopped, unless a proxy says so."""
    for proxy, expected in ((), 429), (("--proxy", "127.0.0.1"), 403):
        start = "from cranfield.commands.process import main; main()"
        folder = tmp_path / "-".join(("new", *proxy))
        command = [sys.executable, "-c", start, "serve", str(folder), "--port", "0", *proxy]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            try:
                assert process.stdout
                address = process.stdout.readline().rpartition(" at ")[2].strip()
                process.stdout.readline()
                for n in range(12):
                    values = {"email": "eve@example.org", "password": "guess"}
                    answer = httpx.post(f"{address}/login", data=values, timeout=30, trust_env=False,
                                        headers={"x-forwarded-for": f"10.0.0.{n}"})  # fmt: skip
            finally:
                process.kill()
        assert answer.status_code == expected


def test_tokens_are_for_programs_and_can_be_revoked(served: Served) -> None:
    ada = served.administrator()
    secret = ada.ok("/api/account/tokens", {"name": "laptop"}).json()["secret"]
    program = served.program(secret)
    listed = program.get("/api/account").json()
    assert listed["secret"] is None
    assert program.post("/api/benchmarks", data={"name": "By program", "slug": "p"}).status_code == 201
    ada.ok(f"/account/tokens/{listed['tokens'][0]['id']}/revoke")
    assert program.get("/api/account").status_code == 401


def test_no_secret_is_in_the_database(served: Served) -> None:
    ada = created(served)
    secret = ada.ok("/api/account/tokens", {"name": "laptop"}).json()["secret"]
    link = ada.ok("/api/b/sleep/people", {"role": "viewer"}).json()["links"][0]["link"].rpartition("/")[2]
    cookie = ada.http.cookies["cranfield_session"]
    with served.store.read() as connection:
        rows = [row for table in schema.metadata.sorted_tables for row in connection.execute(select(table))]
    stored = "\n".join(map(str, rows))
    assert "ada@example.org" in stored
    assert not any(text in stored for text in (secret, link, cookie, PASSWORD))


def test_every_response_carries_the_policy(served: Served) -> None:
    for path in ("/login", "/static/site.css", "/no-such-page", "/api/account"):
        headers = served.visitor().get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"


def test_the_styles_that_pages_link_are_served(served: Served) -> None:
    sheets = re.findall(r'rel="stylesheet" href="([^"]+)"', served.visitor().get("/login").text)
    assert {"/static/site.css", "/static/tokens.css"} <= set(sheets)  # the latter is that of reports, too
    assert {path: served.visitor().get(path).status_code for path in sheets} == dict.fromkeys(sheets, 200)


def test_large_forms_are_refused(served: Served) -> None:
    answer = served.visitor().post("/login", {"email": "a" * (2 << 20), "password": "x"})
    assert answer.status_code == 413


def test_names_are_shown_as_text_and_without_hidden_characters(served: Served) -> None:
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": "<script>alert(1)</script>\u202e\x07", "slug": "evil"})
    page = ada.get("/").text
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "\u202e" not in page
