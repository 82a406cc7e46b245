"""`cranfield serve`: campaigns in the browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from cranfield.cli.campaign_options import ADDRESS, CAMPAIGNS, DATABASE, DEMO, HOST, PORT
from cranfield.commands.command import command, of_campaigns
from cranfield.commands.parameters import imported
from cranfield.errors import BadInput

SERVE_EXAMPLES = """
  cranfield serve
  cranfield serve demo-campaign --demo
  cranfield serve campaigns --port 8080
  cranfield serve campaigns --database postgresql://localhost/cranfield --address https://judge.example.org
"""


@command("serve", CAMPAIGNS, DEMO, HOST, PORT, DATABASE, ADDRESS, examples=SERVE_EXAMPLES)
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
    serve = of_campaigns("cranfield.web.server:serve", "the server needs")
    settings = {"database": None, "address": ""} | settings
    serve(Path(folder), **settings, announce=lambda line: click.echo(line))
