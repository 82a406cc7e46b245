"""`cranfield api`: a page of a benchmark as JSON, or a form sent from the shell."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from cranfield.campaign.web.client import BenchmarkClient, token_of_environment
from cranfield.commands.command import command, of_campaigns
from cranfield.commands.options import COUNT, RUNS, options_of
from cranfield.commands.output import write
from cranfield.commands.parameters import argument, imported, option
from cranfield.errors import BadInput
from cranfield.labelling.command import ENDPOINT, PRICE

# Arguments and options of pools and campaigns, each declared once


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
PROXY = option(
    "--proxy",
    metavar="ADDRESSES",
    default="",
    show_default="none",
    help="Addresses of reverse proxies, separated by commas, whose X-Forwarded-For and X-Forwarded-Proto are believed.",
)
DATABASE = option(
    "--database",
    metavar="URL",
    show_default="SQLite in FOLDER",
    help="A PostgreSQL database, as in postgresql://user@host/name.",
)
ENGINES = option(
    "--engines",
    metavar="FILE",
    help="Engines from which coordinators may fetch runs: a TOML file with a table for each, with url and the settings "
    "of cranfield fetch. The server asks no other address.",
)
RELEASES = option(
    "history", "--releases", metavar="STORE", help="Show the history of releases in this store at /history."
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
LLM = option("--llm", required=True, metavar="NAME", help="The language model to request from the endpoint.")
MOST = option("--most", type=COUNT, metavar="N", show_default="all", help="Judge at most N documents.")
PAGE = argument("page", required=False, default="", metavar="[PAGE]", help="The page, such as conflicts.")
FORM_FIELDS = argument("fields", nargs=-1, metavar="[NAME=VALUE…]", help="Fields of the form to send.")


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


# `cranfield backup`: an archive of a campaign


BACKUP_EXAMPLES = """
  cranfield backup campaigns campaigns-2026-11-17.zip
  cranfield backup campaigns team.zip --database postgresql://localhost/cranfield
"""


@command("backup", SERVED_FOLDER, ARCHIVE, DATABASE, examples=BACKUP_EXAMPLES)
def backup_command(folder: str, archive: str, *, database: str | None = None) -> None:
    """Back up all campaigns in FOLDER to an archive, even while they are served.

    The archive contains a consistent snapshot of the database and the files of the runs, with the hash of each. It
    includes e-mail addresses and password hashes, so only its owner can read it.
    """
    backup = of_campaigns("cranfield.campaign.store.backups:backup", "backups need")
    written = backup(Path(folder), database, Path(archive))
    size = f"{written.size / 1e6:,.1f} MB unpacked"
    write(f"{archive}: {written.n_rows['event']:,} judgments, {written.n_runs} runs, {size}\n", None)


# `cranfield doctor`: are a campaign's data intact?


DOCTOR_EXAMPLES = """
  cranfield doctor campaigns
  cranfield doctor campaigns --database postgresql://localhost/cranfield
"""


@command("doctor", SERVED_FOLDER, DATABASE, examples=DOCTOR_EXAMPLES)
def doctor_command(folder: str, *, database: str | None = None) -> None:
    """Check the data of campaigns, even while they are served, without changing anything.

    Verifies the database, the files of the runs and the versions of the qrels, by their hashes. The exit status is 1 if
    anything is damaged.
    """
    examined = of_campaigns("cranfield.campaign.store.health:examined", "campaigns need")
    checks = list(examined(Path(folder), database))
    write("".join(f"{check.state:<8} {check.words}\n" for check in checks), None)
    if n_faults := sum(check.state == "fault" for check in checks):
        raise BadInput(f"{folder}: {n_faults} of {len(checks)} checks failed; restore a backup")


# `cranfield restore`: restore campaigns from an archive


RESTORE_EXAMPLES = """
  cranfield restore campaigns-2026-11-17.zip restored
  cranfield restore campaigns-2026-11-17.zip restored --database postgresql://localhost/empty
"""


@command("restore", BACKUP, NEW_FOLDER, DATABASE, examples=RESTORE_EXAMPLES)
def restore_command(archive: str, folder: str, *, database: str | None = None) -> None:
    """Restore an archive written by `cranfield backup` into a new folder and an empty database.

    All hashes are verified, and what `doctor` checks, before anything is written. An archive made with SQLite can be
    restored to PostgreSQL, and vice versa. All users have to sign in again.
    """
    restore = of_campaigns("cranfield.campaign.store.backups:restore", "backups need")
    restored = restore(Path(archive), Path(folder), database)
    click.echo(f"{folder}: {restored.n_rows['event']:,} judgments, {restored.n_runs} runs; all hashes match")


# `cranfield serve`: campaigns in the browser


SERVE_EXAMPLES = """
  cranfield serve
  cranfield serve demo-campaign --demo
  cranfield serve campaigns --port 8080
  cranfield serve campaigns --engines engines.toml --releases quality
  cranfield serve campaigns --database postgresql://localhost/cranfield --address https://judge.example.org
"""


@command("serve", CAMPAIGNS, DEMO, HOST, PORT, DATABASE, ADDRESS, PROXY, ENGINES, RELEASES, examples=SERVE_EXAMPLES)
def serve_command(folder: str, *, demo: bool, **settings: Any) -> None:
    """Serve campaigns: topics, runs, pools and judgments in the browser.

    All data are stored in FOLDER. The first start prints a link for creating the administrator account.
    """
    if demo:
        settings["prepare"] = lambda store: imported("cranfield.demo.served_campaign:prepare")(store)
    serve_campaigns(folder, **settings)


def serve_campaigns(folder: str, **settings: Any) -> None:
    """Serve the campaigns in a folder until interrupted; `prepare` fills it first."""
    if not hasattr(os, "fork"):
        raise BadInput("the server reads uploaded files in forked processes, which need Linux or macOS")
    serve = of_campaigns("cranfield.campaign.web.server:serve", "the server needs")
    settings = {"database": None, "address": ""} | settings
    serve(Path(folder), **settings, announce=lambda line: click.echo(line))


# `cranfield submit`: send runs to a benchmark


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


# `cranfield judge`: have a language model judge


JUDGE_EXAMPLES = """
  export CRANFIELD_TOKEN=…   # of the machine assessor
  cranfield judge https://judge.example.org/b/python-search --endpoint http://127.0.0.1:8080/v1 --llm my-model
  cranfield judge https://judge.example.org/b/python-search --endpoint URL --llm my-model --prompt umbrela
"""
JUDGE_SETTINGS = ("prompt", "temperature", "longest", "rate", "timeout", "budget")


@command(
    "judge",
    BENCHMARK, ENDPOINT, LLM, MOST, options_of("cranfield.labelling.label:label", *JUDGE_SETTINGS), PRICE,
    examples=JUDGE_EXAMPLES,
)  # fmt: skip
def judge_command(benchmark: str, **settings: Any) -> None:
    """Have a language model judge the documents of a machine assessor.

    Asks an OpenAI-compatible endpoint about each document that is not yet judged. The server stores the model, the hash
    of the prompt and the verbatim answer; an answer without a grade is asked for once more, and then counts as "cannot
    tell". Set CRANFIELD_TOKEN to the token of the machine assessor, and CRANFIELD_ENDPOINT_KEY to the key of the
    endpoint if it needs one.
    """
    imported("cranfield.campaign.judge:judge")(benchmark, **settings)
