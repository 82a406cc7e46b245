"""Keep one comment with the table of gates on a pull request: `comment.py SUMMARY TITLE STATUS`.

The comment is found again by its first line, which readers do not see. What GitHub says about the run (address of the
API, repository, event, token) is in the environment.
"""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

LONGEST = 60_000  # characters; GitHub accepts 65,536
PER_PAGE = 100


def main(summary: str, title: str, status: str) -> None:
    """Update the comment, or write it."""
    number = pull_request()
    if number is None:
        print("This run does not belong to a pull request: no comment.")
        return
    comments = f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/{number}/comments"
    text = body(Path(summary), title, status)
    try:
        known = own_comment(comments, title)
        if known is None:
            request("POST", comments, {"body": text})
        else:
            request("PATCH", f"/repos/{os.environ['GITHUB_REPOSITORY']}/issues/comments/{known}", {"body": text})
    except urllib.error.HTTPError as error:
        if error.code not in (401, 403, 404):
            raise
        print(f"::notice::No comment: the token may write none ({error.code}); the summary of the run has the table.")


def pull_request() -> int | None:
    """The number of the pull request that the run belongs to."""
    event = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text("utf-8"))
    number = event.get("pull_request", {}).get("number")
    return int(number) if number is not None else None


def marker(title: str) -> str:
    """The first line of the comment."""
    return f"<!-- cranfield check: {re.sub('[^A-Za-z0-9]+', '-', title)} -->"


def body(summary: Path, title: str, status: str) -> str:
    """The comment: the summary of the gates, or that there is none."""
    if summary.exists():
        text = summary.read_text("utf-8").strip()
    else:
        text = f"The gates could not be decided: `cranfield check` ended with status {status}."
    if len(text) > LONGEST:
        text = f"{text[:LONGEST].rpartition(chr(10))[0]}\n\nThe rest is in the summary of the run."
    return f"{marker(title)}\n### {title}\n\n{text}\n\n{link()}"


def link() -> str:
    """Where the run can be seen, and what it checked."""
    server, repository = os.environ["GITHUB_SERVER_URL"], os.environ["GITHUB_REPOSITORY"]
    return f"[Run]({server}/{repository}/actions/runs/{os.environ['GITHUB_RUN_ID']}) on {os.environ['GITHUB_SHA'][:12]}"


def own_comment(comments: str, title: str) -> int | None:
    """The number of the comment that an earlier run wrote."""
    page = 1
    while found := request("GET", f"{comments}?per_page={PER_PAGE}&page={page}"):
        for comment in found:
            # a person could begin a comment with the same line, but only an app or a bot wrote this one
            if comment["user"]["type"] == "Bot" and comment["body"].startswith(marker(title)):
                return int(comment["id"])
        if len(found) < PER_PAGE:
            return None
        page += 1
    return None


def request(method: str, path: str, content: dict[str, str] | None = None) -> Any:
    """What GitHub answers."""
    asked = urllib.request.Request(
        os.environ["GITHUB_API_URL"] + path,
        method=method,
        data=None if content is None else json.dumps(content).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
        },
    )
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


if __name__ == "__main__":
    main(*sys.argv[1:])
