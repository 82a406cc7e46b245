"""Arguments and options of pools and campaigns, each declared once."""

from __future__ import annotations

from functools import partial

import click

from cranfield.commands.options import COUNT, RUNS
from cranfield.commands.parameters import argument, option

# a server and its data
CAMPAIGNS = argument("folder", default="campaigns", metavar="[FOLDER]", help="Folder for all data.")
HOST = option(
    "--host",
    default="127.0.0.1",
    metavar="HOST",
    help="Address to listen on; by default, only this machine can connect.",
)
PORT = option(
    "--port", type=click.IntRange(0, 65535), default=8000, metavar="N", help="Port to listen on; 0 chooses a free one."
)
ADDRESS = option(
    "--address",
    metavar="URL",
    show_default="HOST and PORT",
    help="Public address, such as https://judge.example.org, if the server is behind a proxy.",
)
DATABASE = option(
    "--database",
    metavar="URL",
    show_default="SQLite in FOLDER",
    help="A PostgreSQL database, as in postgresql://user@host/name.",
)
SERVE = option("--serve", is_flag=True, help="Instead, serve a campaign on the same collection with judging under way.")
DEMO = option(
    "--demo",
    is_flag=True,
    help="Start with a small benchmark in progress, including runs, people and judgments; FOLDER must be new.",
)
SERVED_FOLDER = argument("folder", metavar="FOLDER", help="The folder that `cranfield serve` was started with.")
ARCHIVE = argument("archive", metavar="ARCHIVE", help="The file to write, as in campaigns.zip.")
BACKUP = argument("archive", metavar="ARCHIVE", help="The file that `cranfield backup` wrote.")
NEW_FOLDER = argument("folder", metavar="FOLDER", help="A new folder for the campaigns.")

# requests to a server
BENCHMARK = argument(
    "benchmark", metavar="BENCHMARK", help="Address of the benchmark, as in https://judge.example.org/b/NAME."
)
SUBMITTED = partial(RUNS, help="Runs to submit; each is named after its file.")
DESCRIPTION = option("--description", metavar="TEXT", help="What the system does.")
SOFTWARE = option("--software", "system", metavar="NAME", help="The retrieval system that produced the runs.")
USES = option(
    "--uses", multiple=True, metavar="MODEL", help="A language or embedding model of the system; may be repeated."
)
TAGS = option("--tag", "tags", multiple=True, metavar="TAG", help="A tag for the runs; may be repeated.")
MANUAL = option("--manual", is_flag=True, help="A manual run: people intervened, for example by writing queries.")
ENDPOINT = option(
    "--endpoint", required=True, metavar="URL", help="An OpenAI-compatible endpoint, as in http://127.0.0.1:8080/v1."
)
LLM = option("--llm", required=True, metavar="NAME", help="The language model to request from the endpoint.")
MOST = option("--most", type=COUNT, metavar="N", show_default="all", help="Judge at most N documents.")
PAGE = argument("page", required=False, default="", metavar="[PAGE]", help="The page, such as conflicts.")
FORM_FIELDS = argument("fields", nargs=-1, metavar="[NAME=VALUE…]", help="Fields of the form to send.")
