"""`cranfield backup`: an archive of a campaign."""

from __future__ import annotations

from pathlib import Path

from cranfield.cli.campaign_options import ARCHIVE, DATABASE, SERVED_FOLDER
from cranfield.commands.command import command, of_campaigns
from cranfield.commands.output import write

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
    backup = of_campaigns("cranfield.store.backups:backup", "backups need")
    written = backup(Path(folder), database, Path(archive))
    size = f"{written.size / 1e6:,.1f} MB unpacked"
    write(f"{archive}: {written.n_rows['event']:,} judgments, {written.n_runs} runs, {size}\n", None)
