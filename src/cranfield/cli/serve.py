"""`cranfield serve`: campaigns in the browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from cranfield.cli import campaign_options as c
from cranfield.cli.command import command, of_campaigns
from cranfield.cli.parameters import imported
from cranfield.errors import BadInput

EXAMPLES = """
  cranfield serve
  cranfield serve demo-campaign --demo
  cranfield serve campaigns --port 8080
  cranfield serve campaigns --database postgresql://localhost/cranfield --address https://judge.example.org
"""


@command(c.CAMPAIGNS, c.DEMO, c.HOST, c.PORT, c.DATABASE, c.ADDRESS, examples=EXAMPLES)
def run(folder: str, *, demo: bool, **settings: Any) -> None:
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
    serve = of_campaigns("cranfield.web.server:serve", "the server needs")
    settings = {"database": None, "address": ""} | settings
    serve(Path(folder), **settings, announce=lambda line: click.echo(line))
