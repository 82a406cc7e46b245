"""Faults that others had, as tests: public advisories of labelling and evaluation tools, each with its name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from campaign.web.campaign import Campaign, judge_one, run_file

XSS = '<img src=x onerror="alert(1)">"><script>alert(2)</script>'
SHOWN = XSS.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&#34;")


@pytest.mark.sqlite
@pytest.mark.parametrize(
    "path", ["/static/../guard.py", "/static/..%2fguard.py", "/static/%2e%2e/guard.py", "/static//etc/passwd"]
)
def test_paths_out_of_the_static_files(unchanged: Campaign, path: str) -> None:
    """GHSA-cpmr-mw4j-99r7: path traversal."""
    answer = unchanged.ada.get(path)
    assert answer.status_code == 404
    assert "import" not in answer.text


def test_the_secret_of_the_first_link_is_new_with_every_start(tmp_path: Path) -> None:
    """GHSA-f475-x83m-rx5m: a secret key in the code."""

    def link() -> str:
        start = "from cranfield.commands.process import main; main()"
        command = [sys.executable, "-c", start, "serve", str(tmp_path / "new"), "--port", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            process.stdout.readline()
            words = process.stdout.readline()
            process.kill()
        return words.partition("/setup/")[2].split(" ")[0]

    first, second = link(), link()
    assert len(first) >= 40
    assert first != second


def test_queries_cannot_filter_by_columns_that_are_not_shown(unchanged: Campaign) -> None:
    """GHSA-6hjj-gq77-j4qw: a leak through filters of the database."""
    asked = {"password__startswith": "$argon2", "account.password": "x", "order_by": "password", "fields": "password"}
    for page in ("/api/b/py/people", "/api/b/py/runs", "/api/b/py/conflicts"):
        assert unchanged.ada.get(page, params=asked).json() == unchanged.ada.get(page).json()
    assert "argon2" not in unchanged.ada.get("/api/b/py/people").text


@pytest.mark.sqlite
@pytest.mark.parametrize("page", ["topics", "documents", "runs"])
def test_nothing_is_fetched_from_an_address(campaign: Campaign, page: str) -> None:
    """GHSA-p59w-9gqw-wj8r, CVE-2022-36551: imports from a URL reach the inside of the network."""
    for sent in ({"file": "http://127.0.0.1:1/x"}, {"url": "http://169.254.169.254/latest/meta-data"}):
        assert campaign.ada.post(f"/api/b/py/{page}", sent).status_code == 422
    content = b'{"id": "1", "title": "x", "text": "x", "url": "file:///etc/passwd"}'
    answer = campaign.ada.post(f"/api/b/py/{page}", files={"file": ("http://127.0.0.1:1/x", content)})
    assert "root:" not in answer.text + campaign.ada.get("/api/b/py/topics").text


def test_nobody_registers_without_an_invitation(unchanged: Campaign) -> None:
    """CVE-2022-36551: self-registration that is open by default."""
    values = {"name": "Eve", "email": "eve@example.org", "password": "correct horse battery"}
    for path in ("/join/", "/join/guess", "/setup/the-setup-secret", "/register", "/signup", "/api/accounts"):
        assert unchanged.served.visitor().post(path, values).status_code in (404, 405)


def pages_of(campaign: Campaign) -> str:
    paths = ["", "/topics", "/proposals", "/runs", "/pool", "/judge", "/agreement", "/conflicts", "/machines"]
    paths += ["/people", "/settings", "/results"]
    return "\n".join(campaign.ada.get(f"/b/py{path}").text for path in paths) + campaign.ada.get("/account").text


def test_text_of_strangers_is_shown_and_never_runs(campaign: Campaign) -> None:
    """CVE-2023-47115, CVE-2024-26152, CVE-2025-25296, CVE-2025-47783: stored XSS, in every field that is shown."""
    ada, pia = campaign.ada, campaign.people["pia"]
    card = {"name": "xss", "description": XSS, "system": XSS, "tags": XSS, "models": XSS}
    pia.ok("/b/py/runs", card, files={"file": (XSS, run_file("bm25"))})
    pia.ok("/b/py/proposals", {"title": XSS, "description": XSS, "narrative": XSS, "keywords": XSS})
    topic = json.dumps({"id": "77", "title": XSS, "description": XSS}).encode()
    ada.ok("/b/py/topics", files={"file": ("t", topic)})
    ada.ok("/b/py/machines", {"name": XSS})
    ada.ok("/account/tokens", {"name": XSS})
    scale = f"0, No\n1, {XSS.replace(',', ' ')}"
    ada.ok("/b/py/settings", {"scale": scale, "relevant_from": 1, "measures": "AP", "purpose": XSS, "guidelines": XSS})
    judge_one(campaign.people["ann"], 1)
    ada.ok("/b/py/qrels", {})
    shown = pages_of(campaign)
    assert SHOWN[:20] in shown
    assert "<img src=x" not in shown
    assert "<script>alert" not in shown
    refused = campaign.served.visitor().get(f"/no-such/{XSS}")
    assert "<script>alert" not in refused.text


def test_settings_of_others_cannot_be_written(campaign: Campaign) -> None:
    """CVE-2026-22033: XSS through custom hotkeys and access to others' accounts: keys are kept in the browser alone."""
    ann, bob = campaign.people["ann"], campaign.people["bob"]
    token = ann.ok("/api/account/tokens", {"name": "mine"}).json()["tokens"][0]["id"]
    bob.post(f"/api/account/tokens/{token}/revoke")
    assert [one["id"] for one in ann.get("/api/account").json()["tokens"]] == [token]
    for field in ("hotkeys", "custom_hotkeys", "account", "administrator"):
        bob.post("/api/account/tokens", {"name": "x", field: XSS})
    assert XSS not in bob.get("/api/account").text
    assert bob.post("/api/benchmarks", {"name": "x", "slug": "x"}).status_code == 403


def test_submissions_of_others_are_not_reached_by_their_number(campaign: Campaign) -> None:
    """Codabench #1824, #2525, #2555: access to others' submissions by counting."""
    quinn = campaign.served.invited(campaign.ada, "py", "participant", "quinn")
    for run in campaign.ada.get("/api/b/py/runs").json()["runs"]:
        assert quinn.post(f"/api/b/py/runs/{run['id']}/withdraw").status_code == 422
        for page in (f"results/runs/{run['id']}", f"results/compare?first={run['id']}&second=1"):
            assert quinn.get(f"/api/b/py/{page}").status_code == 403
    assert all(run["withdrawn"] is None for run in campaign.ada.get("/api/b/py/runs").json()["runs"])


FORMULAS = ("=HYPERLINK(1)", "+1", "@x", "-1+1")


@pytest.mark.sqlite
@pytest.mark.parametrize("name", FORMULAS)
def test_no_run_is_called_like_a_formula(unchanged: Campaign, name: str) -> None:
    """Formulas in exported tables."""
    answer = unchanged.ada.post("/api/b/py/runs", {"name": name}, files={"file": ("x", run_file("bm25"))})
    assert answer.status_code == 422
    assert "begins with a letter" in answer.text


@pytest.mark.sqlite
def test_a_full_disk_refuses_an_upload_in_words_and_keeps_nothing(tmp_path: Path) -> None:
    """Nothing is acknowledged that is not on the disk, and the server goes on."""
    script = tmp_path / "full.py"
    script.write_text(FULL)
    done = subprocess.run([sys.executable, str(script), str(tmp_path / "c")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"refused": "File too large", "left": [], "again": 3}


FULL = """
import io, json, resource, signal, sys
from pathlib import Path
from fastapi import UploadFile
from cranfield.errors import NotSaved
from cranfield.campaign.store.database import Store
from cranfield.campaign.web.uploads import received
store = Store(Path(sys.argv[1]))
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
words = ""
try:
    with received(store, UploadFile(io.BytesIO(b"x" * (3 << 20)))):
        pass
except NotSaved as error:
    words = str(error).rpartition(": ")[2]
left = [path.name for path in (store.folder / "uploads").iterdir()]
with received(store, UploadFile(io.BytesIO(b"abc")), keep=False) as (_, _, size):
    pass
print(json.dumps({"refused": words, "left": left, "again": size}))
"""
