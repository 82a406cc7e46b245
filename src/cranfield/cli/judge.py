"""`cranfield judge`: have a language model judge the documents of a machine assessor."""

from __future__ import annotations

import hashlib
import json
import os
import time
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import click

from cranfield.campaign.machine import LONGEST_ANSWER, instructions, messages, prompt_hash
from cranfield.campaign.scale import Grade, Scale
from cranfield.cli.campaign_options import BENCHMARK, ENDPOINT, LLM, MOST
from cranfield.commands.command import command
from cranfield.errors import BadInput
from cranfield.web.client import BenchmarkClient, connected, token_of_environment

KEY = "CRANFIELD_ENDPOINT_KEY"
TRIES = 3
LARGEST_REPLY = 1 << 22
JUDGE_EXAMPLES = """
  export CRANFIELD_TOKEN=…   # of the machine assessor
  cranfield judge https://judge.example.org/b/python-search --endpoint http://127.0.0.1:8080/v1 --llm my-model
"""


@command("judge", BENCHMARK, ENDPOINT, LLM, MOST, examples=JUDGE_EXAMPLES)
def judge_command(benchmark: str, *, endpoint: str, llm: str, most: int | None = None) -> None:
    """Have a language model judge the documents of a machine assessor.

    Asks an OpenAI-compatible endpoint about each document that is not yet judged. The server stores the model, the hash
    of the prompt and the verbatim answer; an answer without a grade counts as "cannot tell". Set CRANFIELD_TOKEN to the
    token of the machine assessor, and CRANFIELD_ENDPOINT_KEY to the key of the endpoint if it needs one.
    """
    client = BenchmarkClient(benchmark, token_of_environment())
    described = client.get()
    grades = tuple(Grade(**grade) for grade in described["scale"]["grades"])
    system = instructions(Scale(grades, described["scale"]["relevant_from"]), described["guidelines"])
    waiting = [one["assignment"] for one in client.get("judge/queue")["items"] if one["kind"] is None][:most]
    n_graded = 0
    for assignment in waiting:
        item = client.get(f"judge/items/{assignment}")
        n_graded += judged(client, item, system, endpoint, llm)["kind"] == "grade"
    click.echo(f"{len(waiting):,} documents judged by {llm}, {n_graded:,} with a grade")


def judged(client: BenchmarkClient, item: dict[str, Any], system: str, endpoint: str, model: str) -> dict[str, Any]:
    """The server's interpretation of the model's answer."""
    question, start = messages(system, item["topic"], item["document"]), time.monotonic()
    answer = completed(endpoint, {"model": model, "temperature": 0, "messages": question})
    taken = round(1000 * (time.monotonic() - start))
    prompt = prompt_hash(system)
    key = hashlib.sha256(f"{item['assignment']} {model} {prompt}".encode()).hexdigest()  # idempotent
    sent = {"key": key, "assignment": item["assignment"], "answer": answer[:LONGEST_ANSWER], "model": model}
    sent |= {"prompt": prompt, "settings": {"temperature": 0}, "milliseconds": taken}
    accepted: dict[str, Any] = client.send("judge/answers", sent)
    return accepted


def completed(endpoint: str, request_body: dict[str, Any]) -> str:
    """The text of a chat completion; a busy or failing endpoint is retried a few times."""
    for attempt in range(1, TRIES + 1):
        status, reply = _posted(endpoint, request_body)
        if status < 400:
            return _content(endpoint, reply)
        if attempt == TRIES or status not in (429, 500, 502, 503, 504):
            raise BadInput(f"the endpoint {endpoint} returned status {status}: {reply[:200].decode(errors='replace')}")
        time.sleep(attempt)
    raise AssertionError


def _posted(endpoint: str, request_body: dict[str, Any]) -> tuple[int, bytes]:
    address = urlsplit(endpoint)
    if address.scheme not in ("http", "https") or not address.hostname:
        raise BadInput(f"{endpoint!r} is not the address of an endpoint, such as http://127.0.0.1:8080/v1")
    headers = {"Content-Type": "application/json"}
    if key := os.environ.get(KEY):
        headers["Authorization"] = f"Bearer {key}"
    connection = connected(address)
    try:
        path = f"{address.path.rstrip('/')}/chat/completions"
        connection.request("POST", path, json.dumps(request_body).encode(), headers)
        response = connection.getresponse()
        return response.status, response.read(LARGEST_REPLY)
    except (OSError, HTTPException) as error:
        raise BadInput(f"the endpoint {endpoint} cannot be reached: {error}") from None
    finally:
        connection.close()


def _content(endpoint: str, reply: bytes) -> str:
    """The text of a reply; empty if the model gave none, for example because it refused: the label is "cannot tell"."""
    try:
        text = json.loads(reply)["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        text = False
    if text is not None and not isinstance(text, str):
        raise BadInput(f"the endpoint {endpoint} does not answer in OpenAI's chat completions format")
    return text or ""
