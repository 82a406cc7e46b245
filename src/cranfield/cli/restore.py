"""`cranfield restore`: restore campaigns from an archive."""

from __future__ import annotations

from pathlib import Path

import click

from cranfield.cli.campaign_options import BACKUP, DATABASE, NEW_FOLDER
from cranfield.commands.command import command, of_campaigns

RESTORE_EXAMPLES = """
  cranfield restore campaigns-2026-11-17.zip restored
  cranfield restore campaigns-2026-11-17.zip restored --database postgresql://localhost/empty
"""


@command("restore", BACKUP, NEW_FOLDER, DATABASE, examples=RESTORE_EXAMPLES)
def restore_command(archive: str, folder: str, *, database: str | None = None) -> None:
    """Restore an archive written by `cranfield backup` into a new folder and an empty database.

    All hashes are verified before anything is written. An archive made with SQLite can be restored to PostgreSQL, and
    vice versa. All users have to sign in again.
    """
    restore = of_campaigns("cranfield.store.backups:restore", "backups need")
    restored = restore(Path(archive), Path(folder), database)
    click.echo(f"{folder}: {restored.n_rows['event']:,} judgments, {restored.n_runs} runs; all hashes match")
