"""The comment of the GitHub Action, against a server on this machine that answers as GitHub does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "packaging" / "action" / "comment.py"
COMMENTS = "/repos/us/it/issues/7/comments"


@dataclass
class GitHub:
    """Comments on pull request 7."""

    address: str = ""
    refused: int = 0
    comments: list[dict[str, Any]] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def add(self, body: str, kind: str) -> None:
        self.comments.append({"id": len(self.comments) + 1, "body": body, "user": {"type": kind}})


@pytest.fixture
def github() -> Iterator[GitHub]:
    made = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            address = urlsplit(self.path)
            sent = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "{}")
            made.requests.append(f"{self.command} {self.path}")
            assert self.headers["Authorization"] == "Bearer the-token"
            status: int = made.refused or 200
            answer: Any = {}
            if status == 200 and self.command == "GET":
                asked = parse_qs(address.query)
                size, page = int(asked["per_page"][0]), int(asked["page"][0])
                answer = made.comments[(page - 1) * size : page * size]
            elif status == 200 and self.command == "POST":
                assert address.path == COMMENTS
                made.add(sent["body"], "Bot")
            elif status == 200:
                number = int(address.path.removeprefix("/repos/us/it/issues/comments/"))
                made.comments[number - 1]["body"] = sent["body"]
            content = json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = answer  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield made
    server.shutdown()
    thread.join()
    server.server_close()


def commented(
    github: GitHub, folder: Path, table: str | None, event: str = '{"pull_request": {"number": 7}}'
) -> subprocess.CompletedProcess[str]:
    """Run the script on a summary of the gates, if there is one."""
    summary = folder / "summary.md"
    summary.unlink(missing_ok=True)
    if table is not None:
        summary.write_text(table)
    (folder / "event.json").write_text(event)
    environment = {
        "GITHUB_API_URL": github.address,
        "GITHUB_SERVER_URL": "https://host",
        "GITHUB_REPOSITORY": "us/it",
        "GITHUB_RUN_ID": "12",
        "GITHUB_SHA": "0123456789abcdef",
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_TOKEN": "the-token",
        "NO_PROXY": "127.0.0.1",
        "PATH": os.environ["PATH"],
    }
    command = [sys.executable, str(SCRIPT), str(summary), "Release gates", "4"]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_the_first_run_writes_a_comment_and_later_ones_update_it(github: GitHub, tmp_path: Path) -> None:
    github.add("Looks good.", "User")
    assert commented(github, tmp_path, "**1 of 1 gates failed**\n").returncode == 0
    assert commented(github, tmp_path, "**All gates passed**\n").returncode == 0
    assert [comment["body"] for comment in github.comments] == [
        "Looks good.",
        "<!-- cranfield check: Release-gates -->\n### Release gates\n\n**All gates passed**\n\n"
        "[Run](https://host/us/it/actions/runs/12) on 0123456789ab",
    ]


def test_the_comment_is_found_among_hundreds(github: GitHub, tmp_path: Path) -> None:
    for number in range(250):
        github.add(f"Remark {number}", "User")
    github.add("<!-- cranfield check: Release-gates -->\nearlier", "Bot")
    commented(github, tmp_path, "**All gates passed**")
    assert len(github.comments) == 251
    assert "All gates passed" in github.comments[-1]["body"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [("<!-- cranfield check: Release-gates -->\nmine", "User"), ("<!-- cranfield check: Nightly -->\nother", "Bot")],
)
def test_comments_of_people_and_other_workflows_are_left_alone(
    github: GitHub, tmp_path: Path, body: str, kind: str
) -> None:
    github.add(body, kind)
    commented(github, tmp_path, "**All gates passed**")
    assert [comment["body"].partition("\n")[0] for comment in github.comments] == [
        body.partition("\n")[0],
        "<!-- cranfield check: Release-gates -->",
    ]
    assert github.comments[0]["body"] == body


def test_without_a_table_the_comment_says_so(github: GitHub, tmp_path: Path) -> None:
    commented(github, tmp_path, None)
    assert "could not be decided: `cranfield check` ended with status 4" in github.comments[0]["body"]


def test_a_long_table_ends_at_a_line(github: GitHub, tmp_path: Path) -> None:
    commented(github, tmp_path, "| a gate | passed |\n" * 5000)
    body = github.comments[0]["body"]
    assert len(body) < 65_536
    assert "| a gate | passed |\n\nThe rest is in the summary of the run." in body


def test_no_pull_request_no_comment(github: GitHub, tmp_path: Path) -> None:
    done = commented(github, tmp_path, "**All gates passed**", event='{"ref": "refs/heads/main"}')
    assert (done.returncode, github.requests) == (0, [])


def test_a_token_that_may_not_comment_does_not_fail_the_run(github: GitHub, tmp_path: Path) -> None:
    github.refused = 403
    done = commented(github, tmp_path, "**All gates passed**")
    assert done.returncode == 0
    assert "the token may write none (403)" in done.stdout


def test_an_error_of_the_server_fails_the_run(github: GitHub, tmp_path: Path) -> None:
    github.refused = 500
    assert commented(github, tmp_path, "**All gates passed**").returncode == 1
