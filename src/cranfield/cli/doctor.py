"""`cranfield doctor`: are a campaign's data intact?"""

from __future__ import annotations

from pathlib import Path

from cranfield.cli.campaign_options import DATABASE, SERVED_FOLDER
from cranfield.commands.command import command, of_campaigns
from cranfield.commands.output import write
from cranfield.errors import BadInput

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
    examined = of_campaigns("cranfield.store.health:examined", "campaigns need")
    checks = list(examined(Path(folder), database))
    write("".join(f"{check.state:<8} {check.words}\n" for check in checks), None)
    if n_faults := sum(check.state == "fault" for check in checks):
        raise BadInput(f"{folder}: {n_faults} of {len(checks)} checks failed; restore a backup")
