"""`cranfield api`: a page of a benchmark as JSON, or a form sent from the shell."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cranfield.cli.campaign_options import BENCHMARK, FORM_FIELDS, PAGE
from cranfield.commands.command import command
from cranfield.commands.output import write
from cranfield.errors import BadInput
from cranfield.web.client import BenchmarkClient, token_of_environment

API_EXAMPLES = """
  export CRANFIELD_TOKEN=…   # from your account on the server
  cranfield api https://judge.example.org/b/python-search conflicts
  cranfield api https://judge.example.org/b/python-search conflicts/17 grade=2 "reason=The text names the function."
  cranfield api https://judge.example.org/b/python-search /benchmarks slug=python-search "name=Python search"
  cranfield api https://judge.example.org/b/python-search topics file=@topics.xml
  cranfield api https://judge.example.org/b/python-search pool method=depth depth=10
  cranfield api https://judge.example.org/b/python-search qrels rule=majority ties=unresolved
"""


@command("api", BENCHMARK, PAGE, FORM_FIELDS, examples=API_EXAMPLES)
def api_command(benchmark: str, page: str = "", fields: Sequence[str] = ()) -> None:
    """Print a page of a benchmark as JSON, or send a form.

    Everything that can be seen and done in the browser is available here too. Without fields, the page is printed; with
    fields, they are sent as its form, and `file=@PATH` uploads a file. Set the environment variable CRANFIELD_TOKEN to
    a token from your account page.
    """
    client = BenchmarkClient(benchmark, token_of_environment())
    values: dict[str, str] = {}
    for field in fields:
        name, equals, value = field.partition("=")
        if not equals:
            raise BadInput(f"{field!r} is not a field; write NAME=VALUE, such as depth=10")
        if name in values:
            raise BadInput(f"the field {name!r} is given twice")
        values[name] = value
    answer = _sent(client, page, values) if values else client.get(page)
    write(f"{answer if isinstance(answer, str) else json.dumps(answer, indent=2, ensure_ascii=False)}\n", None)


def _sent(client: BenchmarkClient, page: str, values: dict[str, str]) -> Any:
    """The response to a form; `file=@PATH` sends a file with it."""
    if values.get("file", "").startswith("@"):
        return client.upload(page, values.pop("file")[1:], values)
    return client.post(page, values)
