"""`cranfield fetch`: the run of a live engine."""

from __future__ import annotations

import os
from typing import Any

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.inputs import quiet
from cranfield.commands.output import Answer, show
from cranfield.commands.parameters import InputFile, argument, is_given, option
from cranfield.commands.progress import progress_shown
from cranfield.errors import BadInput, BadSetting

FETCH_EXAMPLES = """
  cranfield fetch topics.tsv --engine opensearch --url http://127.0.0.1:9200 --index docs -o new.run
  cranfield fetch topics.tsv --engine solr --url http://127.0.0.1:8983 --index docs --template query.json -o new.run
  cranfield fetch topics.tsv --url http://127.0.0.1:8080 --request 'GET /find?q={{query}}' --ids 'hits[*].id' -o a.run
  cranfield fetch topics.tsv --config engine.toml --repeat 3 -o new.run
"""
_TOPICS = argument(
    "topics", type=InputFile(), metavar="TOPICS",
    help="The queries: TSV or CSV with id and query, JSON Lines, TREC or INEX topics.")  # fmt: skip
_URL = option("--url", metavar="URL", help="Address of the engine, such as http://127.0.0.1:9200.")
_CONFIG = option(
    "--config", type=InputFile(), metavar="FILE",
    help="A TOML file with url and these settings, such as k = 100; options replace them.")  # fmt: skip
_RUN = option(
    "output", "-o", "--output", metavar="FILE", required=True,
    help="The run to write. Beside it: NAME.latency.csv, NAME.system.csv, NAME.titles.jsonl and NAME.fetch.json.",
)  # fmt: skip


_SETTINGS = o.options_of("cranfield.fetching.fetch:fetch")


@command("fetch", _TOPICS, _URL, _CONFIG, _SETTINGS, _RUN, examples=FETCH_EXAMPLES)
def fetch_command(
    topics: str, *, output: str, url: str | None = None, config: str | None = None, **settings: Any
) -> Answer:
    """Fetch the results of a search engine for each query, and write them as a run.

    If the command is interrupted, repeating it asks only for what is missing. The exit status is 4 if queries failed,
    unless --allow-failures is set.
    """
    from cranfield.fetching.fetch import fetch, from_file
    from cranfield.fetching.files import UNFINISHED, write
    from cranfield.present.rendering import answered, tables_of

    if config is not None:
        explicit = {name: value for name, value in settings.items() if is_given(name)}
        settings |= from_file(config) | explicit
        url = url or settings.pop("url", None)
    if url is None:
        raise BadSetting("give the address of the engine: --url")
    unfinished = output + UNFINISHED
    if not os.path.isdir(os.path.dirname(output) or "."):
        raise BadInput(f"{output}: there is no folder {os.path.dirname(output)!r} to write to")
    with progress_shown(1, quiet()) as progress:
        fetched = fetch(topics, url, unfinished=unfinished, progress=progress, **settings)
    if fetched.passed:
        closing = f"Written: {', '.join(write(fetched, output))}"
        os.unlink(unfinished)
    else:
        closing = "No run is written. Repeat the command to ask failed queries again, or allow them: --allow-failures."
    show([*answered(fetched), *tables_of(fetched)], "table", None, closing + "\n")
    return Answer(fetched)
