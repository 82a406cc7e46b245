"""Where the output of a command goes: the terminal, a pipe or a file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from cranfield.errors import BadInput

if TYPE_CHECKING:
    from cranfield.present.table import Table

Drawn = Literal["table", "markdown", "latex", "html"]


def show(tables: Iterable[Table], format: Drawn, output: str | None, closing: str = "") -> None:  # noqa: A002
    """Draw the tables, coloured on a terminal, plain and as wide as they are elsewhere, and a text below them."""
    if format == "table" and output is None and sys.stdout.isatty():
        _on_terminal(tables)
        write(f"\n{closing}" if closing else "", output)
    else:
        draw = renderer(format)
        write("\n".join([*map(draw, tables), *([closing] if closing else [])]), output)


def renderer(format: Drawn) -> Callable[[Table], str]:  # noqa: A002
    """The function that draws a table in a format."""
    if format == "markdown":
        from cranfield.present.markdown import markdown

        return markdown
    if format == "latex":
        from cranfield.present.latex import latex

        return latex
    if format == "html":
        from cranfield.present.html import html

        return html
    from cranfield.present.plain import aligned

    return aligned


def _on_terminal(tables: Iterable[Table]) -> None:
    from rich.console import Console

    from cranfield.present.terminal import printed

    console = Console(color_system=None if os.environ.get("NO_COLOR") else "auto", highlight=False)
    for place, table in enumerate(tables):
        if place:
            console.print()
        printed(table, console)


def require_place(output: str | None) -> None:
    """Refuse a file that cannot be written, before the work is done rather than after."""
    if output is not None and not Path(output).parent.is_dir():
        raise BadInput(f"{output}: there is no folder {str(Path(output).parent)!r} to write to")
    if output is not None and Path(output).is_dir():
        raise BadInput(f"{output}: this is a folder, and a file is needed to write to")


def write(text: str, output: str | None) -> None:
    """Write the text to a file, or to standard output."""
    if output is not None:
        Path(output).write_text(text, encoding="utf-8")
        return
    sys.stdout.write(text)
    sys.stdout.flush()
