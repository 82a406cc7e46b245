"""`--findings`: what the figures hide, said below the table."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from cranfield.cli.options import Format
from cranfield.errors import BadSetting

if TYPE_CHECKING:
    from cranfield.findings.finding import Finding

FindingsOption = Annotated[
    bool,
    typer.Option("--findings", help="Say below the table what the figures hide, why it matters and what to do."),
]


def require_room(wanted: bool, format: Format) -> None:  # noqa: A002
    """Refuse findings where there is no place for them, before the work is done rather than after."""
    if wanted and format == "csv":
        raise BadSetting("CSV has a row for each value and no place for findings; --format json has one")


def examined(wanted: bool, *things: Any) -> Sequence[Finding] | None:
    """What is found, or None if it is not wanted."""
    if not wanted:
        return None
    from cranfield.findings.examination import examine

    return examine(*things)


def records(found: Sequence[Finding] | None) -> dict[str, Any]:
    """The findings as a part of a JSON document, nothing if they are not wanted."""
    return {} if found is None else {"findings": [finding.to_dict() for finding in found]}


def closing(found: Sequence[Finding] | None, format: Format) -> str:  # noqa: A002
    """The findings as they stand below a table, nothing if they are not wanted."""
    if found is None or format in ("csv", "json"):
        return ""
    from cranfield.present import findings

    if format == "table":
        wide = shutil.get_terminal_size((findings.WIDTH, 0)).columns if sys.stdout.isatty() else findings.WIDTH
        return findings.plain(found, min(wide, findings.WIDTH))
    return {"markdown": findings.markdown, "latex": findings.latex, "html": findings.html}[format](found)
