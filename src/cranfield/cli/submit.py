"""`cranfield submit`: send runs to a benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from cranfield.cli.campaign_options import BENCHMARK, DESCRIPTION, MANUAL, SOFTWARE, SUBMITTED, TAGS, USES
from cranfield.commands.command import command
from cranfield.errors import BadInput
from cranfield.web.client import BenchmarkClient, token_of_environment

SUBMIT_EXAMPLES = """
  export CRANFIELD_TOKEN=…   # from your account on the server
  cranfield submit https://judge.example.org/b/python-search bm25.run dense.run.gz
  cranfield submit https://judge.example.org/b/python-search dense.run --software Faiss --uses my-encoder --tag dense
"""


@command("submit", BENCHMARK, SUBMITTED, DESCRIPTION, SOFTWARE, USES, TAGS, MANUAL, examples=SUBMIT_EXAMPLES)
def submit_command(
    benchmark: str, runs: Sequence[str], *, description: str = "", system: str = "", uses: Sequence[str] = (),
    tags: Sequence[str] = (), manual: bool,
) -> None:  # fmt: skip
    """Submit runs to a benchmark.

    The server checks each run and reports any problems. Set the environment variable CRANFIELD_TOKEN to a token from
    your account page.
    """
    client = BenchmarkClient(benchmark, token_of_environment())
    card = {"description": description, "kind": "manual" if manual else "automatic", "system": system}
    card |= {"models": ", ".join(uses), "tags": ", ".join(tags)}
    for path in runs:
        try:
            answer = client.upload("runs", path, {"name": Path(path).name.partition(".")[0]} | card)
        except BadInput as error:
            raise BadInput(f"{path}: {error}") from None
        click.echo(
            f"{answer['name']}: {answer['n_rows']:,} rows, {answer['n_topics']} topics, SHA-256 {answer['hash']}"
        )
        for remark in answer["remarks"]:
            click.echo(f"  {remark}")
