"""Text from strangers is shown as text: nothing that is stored in any field runs on any page."""

from __future__ import annotations

from typing import Any

from campaign.web.campaign import DOCUMENTS, RUNS, lines, run_file
from campaign_server import PASSWORD, Served
from time_limits import HANGS

EVIL = "\"'><img src=x onerror=window.ran=1><script>window.ran=1</script>{{ 7 * 7 }}"


def hostile(served: Served) -> None:
    """A campaign in which every text field would run if it were taken for markup."""
    ada = served.administrator()
    ada.ok("/benchmarks", {"name": EVIL, "slug": "py", "purpose": EVIL})
    settings = {"purpose": EVIL, "guidelines": EVIL + "\n\n[x](javascript:window.ran=1)", "relevant_from": 1}
    ada.ok("/b/py/settings", settings | {"scale": f"0, no {EVIL.replace(',', '')}, 0\n1, yes, 1", "measures": "AP"})
    fields = dict.fromkeys(("title", "description", "narrative", "keywords"), EVIL)
    topics = [{"id": name} | fields for name in ("09", "9")]
    ada.ok("/b/py/topics", files={"file": ("topics.jsonl", lines(topics))})
    texts = [{"id": one["id"], "title": EVIL, "text": EVIL} for one in DOCUMENTS]
    ada.ok("/b/py/documents", files={"file": ("documents.jsonl", lines(texts))})
    pia = served.invited(ada, "py", "participant", "pia", team=EVIL)
    pia.ok("/b/py/proposals", {"title": EVIL, "description": EVIL, "narrative": EVIL})
    card = {"description": EVIL, "system": EVIL, "tags": EVIL, "models": EVIL}
    for name in RUNS:
        pia.ok("/b/py/runs", card | {"name": name}, files={"file": (f"{name}.run", run_file(name))})
    ada.ok("/account/tokens", {"name": EVIL})
    ada.ok("/b/py/people", {"role": "viewer", "note": EVIL})
    ada.ok("/b/py/machines", {"name": EVIL})
    people = [served.invited(ada, "py", "assessor", name) for name in ("ann", "bob")]
    ada.ok("/b/py/pool", {"depth": 2})
    ada.ok("/b/py/assignments", {"double": 100})
    ada.ok("/b/py/preferences", {"most": 2, "judges": 2})
    for grade, person in enumerate(people):
        for place, one in enumerate(person.get("/api/b/py/judge/queue").json()["items"]):
            sent = {"key": f"evil-{place:06}", "assignment": one["assignment"], "kind": "grade", "grade": grade}
            person.http.post(
                "/api/b/py/judge/events", json=sent | {"note": EVIL}, headers={"x-csrf-token": person.csrf}
            )
    key = ada.get("/api/b/py/conflicts").json()["conflicts"][0]["id"]
    ada.ok(f"/b/py/conflicts/{key}", {"grade": 1, "reason": EVIL})
    ada.ok("/b/py/qrels", {"ties": "higher"})


def test_nothing_that_is_stored_runs_on_any_page(served: Served, browser: Any) -> None:
    hostile(served)
    context = browser.new_context(base_url=served.address)
    context.set_default_timeout(1000 * HANGS)
    page, complaints = context.new_page(), []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("dialog", lambda dialog: complaints.append(dialog.message))
    for who, paths in (
        ("ada", ["/", "/account", "", "/topics", "/proposals", "/runs", "/pool", "/agreement", "/conflicts", "/audit",
                 "/machines", "/preferences", "/passages", "/results", "/people", "/settings", "/results/runs/1",
                 "/results/compare?first=1&second=2", "/results/topics/1", "/results/topics/1/document?name=d1",
                 "/pool/quality", "/pool/separation"]),
        ("ann", ["/judge", "/prefer", ""]),
    ):  # fmt: skip
        context.clear_cookies()
        page.goto("/login")
        page.fill("#email", f"{who}@example.org")
        page.fill("#password", PASSWORD)
        page.click("main button")
        page.wait_for_url(served.address + "/")
        for path in paths:
            page.goto(path if path in ("/", "/account") else f"/b/py{path}")
            if path in ("/judge", "/prefer", "/pool"):  # more is fetched
                page.wait_for_load_state("networkidle")
            assert page.evaluate("window.ran") is None, path
            assert page.locator("img").count() == 0, path
            assert "49" not in page.title(), path
    context.close()
    assert complaints == []
