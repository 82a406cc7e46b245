"""`cranfield judge`: have a language model judge the documents of a machine assessor."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import click

from cranfield.campaign.web.client import BenchmarkClient, token_of_environment
from cranfield.labelling.asking import LimitReached, Limits, answered
from cranfield.labelling.command import price_of
from cranfield.labelling.endpoint import Endpoint
from cranfield.labelling.label import question_about
from cranfield.labelling.model_answers import LONGEST_ANSWER
from cranfield.labelling.prompts import Pair, Prompt, prompt_of
from cranfield.labelling.result import taken
from cranfield.labelling.scale import Grade, Scale


def judge(
    benchmark: str, *, endpoint: str, llm: str, prompt: str, longest: int, timeout: float, temperature: float = 0.0,
    rate: float | None = None, most: int | None = None, price: Sequence[float] | None = None,
    budget: float | None = None,
) -> None:  # fmt: skip
    """Ask the model about the documents that wait for the assessor, send its answers, and print how many there were."""
    client = BenchmarkClient(benchmark, token_of_environment())
    described = client.get()
    grades = tuple(Grade(**grade) for grade in described["scale"]["grades"])
    scale = Scale(grades, described["scale"]["relevant_from"])
    complete = prompt_of(prompt, scale=scale, guidelines=described["guidelines"], longest=longest)
    waiting = [one["assignment"] for one in client.get("judge/queue")["items"] if one["kind"] is None][:most]
    kinds, limits = [], Limits(price_of(price), budget, None)
    with Endpoint(endpoint, llm, rate=rate, seconds=timeout) as model:
        for assignment in waiting:
            item = client.get(f"judge/items/{assignment}")
            try:
                kinds.append(judged(client, item, complete, model, temperature, limits)["kind"])
            except LimitReached:
                break
    graded = f"{len(kinds):,} documents judged by {llm}, {kinds.count('grade'):,} with a grade"
    click.echo(", ".join(filter(None, (graded, taken(limits.spent()) if kinds else "", limits.reached))))


def judged(
    client: BenchmarkClient, item: dict[str, Any], prompt: Prompt, model: Endpoint, temperature: float, limits: Limits
) -> dict[str, Any]:
    """The server's interpretation of the model's answer."""
    question = question_about(prompt, Pair(item["topic"], item["document"]), {})
    answer = answered(model, question, limits, temperature=temperature)
    took = answer.completion
    key = hashlib.sha256(f"{item['assignment']} {model.model} {prompt.digest}".encode()).hexdigest()  # idempotent
    sent = {"key": key, "assignment": item["assignment"], "answer": took.text[:LONGEST_ANSWER], "model": model.model}
    settings = {
        "temperature": temperature,
        "prompt": prompt.name,
        "tokens_in": took.tokens_in,
        "tokens_out": took.tokens_out,
        "cost": limits.cost(took.tokens_in, took.tokens_out),
    }
    sent |= {"prompt": prompt.digest, "settings": settings, "milliseconds": took.milliseconds}
    accepted: dict[str, Any] = client.send("judge/answers", sent)
    return accepted
