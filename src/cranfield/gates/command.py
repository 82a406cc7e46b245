"""`cranfield check`: is a system good enough to release?"""

from __future__ import annotations

import os
from typing import Any

import click

from cranfield.commands import options as o
from cranfield.commands.command import command
from cranfield.commands.output import STANDARD_OUTPUT, Answer, require_place, write
from cranfield.errors import BadSetting
from cranfield.releases.options import RECORDING

CHECK_EXAMPLES = """
  cranfield check gates.toml
  cranfield check gates.toml --junit gates.xml --summary summary.md
  cranfield check gates.toml --record quality --release 1.5
  cranfield check gates.toml --format json
"""


@command("check", o.GATES, o.JUNIT, o.SUMMARY, *RECORDING, o.FORMAT, o.OUTPUT, o.DIGITS, examples=CHECK_EXAMPLES)
def check_command(gates: str, *, junit: str | None = None, summary: str | None = None, **recording: Any) -> Answer:
    """Check a system against release gates: values to reach, and comparisons with a baseline.

    A gate is passed, failed, or undecided if the evidence allows no verdict. The exit status is 4 unless all pass. With
    --record, the runs are added to a store of releases if all pass.
    """
    from cranfield.gates.check import check, files_named_in

    outputs = [click.get_current_context().params["output"], *(path for path in (junit, summary) if path is not None)]
    files = [path for path in outputs if path not in STANDARD_OUTPUT]
    for path in files:
        require_place(path, gates, *files_named_in(gates))
    if len(set(map(os.path.realpath, files))) < len(files):
        raise BadSetting("--junit, --summary and -o must be different files")
    if len(files) < len(outputs) - 1:
        raise BadSetting("only one of the table, --junit and --summary can go to standard output; add -o FILE")
    checked = check(gates, **recording)
    if junit is not None:
        write(checked.to_junit(), junit)
    if summary in STANDARD_OUTPUT[1:]:
        write(checked.to_markdown() + "\n", summary)
    elif summary is not None:
        with open(summary, "a", encoding="utf-8") as file:  # GitHub may have started it
            file.write(checked.to_markdown() + "\n")
    return Answer(checked)
