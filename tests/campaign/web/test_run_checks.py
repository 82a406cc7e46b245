"""A run is checked in the browser before it is sent, and what the server refuses is shown on the page."""

from __future__ import annotations

import gzip
from typing import Any

import pytest

from campaign.web.campaign import Campaign
from campaign.web.test_judging import Visit

MESSY = """09 Q0 d1 1 9.5 mine
09 Q0 d2 2 nine mine
09 Q0 d1 3 7 mine

9 Q0 d5 1 3
9 Q0 d6 2 5 mine
9 Q0 d7 3 6 mine
404 Q0 d1 1 1 mine
"""


def chosen(page: Any, name: str, content: bytes) -> None:
    page.set_input_files("#file", {"name": name, "mimeType": "text/plain", "buffer": content})
    page.wait_for_selector("#checks:visible")


def test_problems_are_listed_with_their_lines_and_text(campaign: Campaign, browser: Any) -> None:
    seen = Visit(browser, campaign, "pia")
    page = seen.page
    page.goto("/b/py/runs")
    chosen(page, "mine.run", MESSY.encode())
    assert page.locator("#checks-list li").all_inner_texts() == [
        "Line 2: the score is not a number that can be ranked: nine",
        "Line 3: the document already occurs on line 1 of this topic: d1",
        "Line 5: 5 fields instead of 6: 9 Q0 d5 1 3",
        "Line 7: a lower rank has a higher score; documents are ordered by score: 3 6",
        "Line 8: the benchmark has no such topic: 404",
    ]
    assert page.inner_text("#checks-words") == "7 lines, 3 topics. 5 problems."
    page.click("text=Check and submit")
    page.wait_for_selector("#checks-words:has-text('Not submitted')")
    assert "line 2" in page.inner_text("#checks-words")
    chosen(page, "mine.run", b"09 Q0 d1 1 9 mine\n")
    page.wait_for_selector("#checks-list:has-text('No documents for topic 9')")
    with page.expect_navigation():
        page.click("text=Check and submit")
    assert "topics missing from the run: 9" in page.inner_text("[aria-label=Runs]")
    assert [one for one in seen.complaints if "422" not in one] == []  # the browser reports the refusal
    seen.context.close()


@pytest.mark.sqlite
def test_an_error_repeats_only_a_part_of_a_long_field(unchanged: Campaign) -> None:
    run = f"09 Q0 d1 1 {'nine' * 50_000} x\n".encode()
    answer = unchanged.people["pia"].post("/api/b/py/runs", {"name": "long"}, files={"file": ("a.run", run)})
    assert answer.status_code == 422
    assert len(answer.json()["error"]) < 1_000


@pytest.mark.parametrize(
    "run", [b"09 Q0 d\xff 1 1 x\n", b"09 Q0 d1 1 1 x\n9\xb1 Q0 d1 1 1 x\n"], ids=["document", "topic"]
)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_ids_that_are_not_utf_8_are_refused(unchanged: Campaign, run: bytes, packed: bool) -> None:
    pia = unchanged.people["pia"]
    file = ("a.run.gz", gzip.compress(run)) if packed else ("a.run", run)
    answer = pia.post("/api/b/py/runs", {"name": "latin"}, files={"file": file})
    assert answer.status_code == 422
    assert answer.json()["error"].endswith("is not valid UTF-8")
    assert len(pia.get("/api/b/py/runs").json()["runs"]) == 3


def test_ids_in_any_script_are_accepted(campaign: Campaign) -> None:
    run = "09 Q0 文書-１ 1 2 x\n09 Q0 وثيقة 2 1 x\n9 Q0 d1 1 1 x\n".encode()
    answer = campaign.people["pia"].post("/api/b/py/runs", {"name": "scripts"}, files={"file": ("a.run", run)})
    assert answer.status_code == 201
    assert "文書-１" in answer.json()["remarks"][0]  # unknown to the collection
