"""Where the output of a command goes: the terminal, a pipe or a file.

Decided here: whether an output file may be written (not if it is an input).
"""

from __future__ import annotations

import codecs
import os
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from typing import TYPE_CHECKING

from cranfield.errors import BadInput, CranfieldWarning, readable
from cranfield.present.table import visible
from cranfield.results.atomic_files import save

if TYPE_CHECKING:
    from rich.console import Console

    from cranfield.present.table import Table
    from cranfield.results.verb_result import Format

MOST = 12  # maximum number of warnings
STANDARD_OUTPUT = (None, "-", "/dev/stdout")


def show(tables: Iterable[Table], format: Format, output: str | None, closing: str) -> None:  # noqa: A002
    """Print the tables, in colour on a terminal, and the closing text below them."""
    if format == "table" and output is None and sys.stdout.isatty():
        _on_terminal(tables)
        write(f"\n{closing}" if closing else "", output)
    else:
        from cranfield.present.rendering import renderer

        write("\n".join([*map(renderer(format), tables), *([closing] if closing else [])]), output)


def _on_terminal(tables: Iterable[Table]) -> None:
    from cranfield.present.terminal import printed

    screen = console()
    with named_as_output():
        for place, table in enumerate(tables):
            if place:
                screen.print()
            printed(table, screen)


def console(width: int | None = None) -> Console:
    """Standard output for Rich: in colour on a terminal, bold without colour if NO_COLOR is set; plain elsewhere."""
    from rich.console import Console

    without = bool(os.environ.get("NO_COLOR"))
    return Console(color_system="auto" if width is None else None, no_color=without, width=width, highlight=False)


def require_place(output: str | None, *inputs: str | None) -> None:
    """Refuse an output file that cannot be written, or that is also an input, before the work starts."""
    if output is None:
        return
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise BadInput(f"{output}: there is no folder {folder!r} to write to")
    if os.path.isdir(output):
        raise BadInput(f"{output}: this is a folder; give the name of a file")
    files = (file for path in inputs if path is not None for file in _files(path))
    same = next((file for file in files if _is_same(output, file)), None)
    if same is not None:
        raise BadInput(f"{output}: this would overwrite the input {same}; choose another output file")


def _files(path: str) -> Iterable[str]:
    """The file itself, or all files in a folder, which may be a collection or a set of results."""
    if not os.path.isdir(path):
        return [path]
    return (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)


def _is_same(output: str, path: str) -> bool:
    """Whether two paths refer to the same file on disk; a terminal is not one."""
    try:
        return os.path.isfile(output) and os.path.samefile(output, "/dev/stdin" if path == "-" else path)
    except OSError:  # one of them does not exist
        return False


def write(text: str, output: str | None) -> None:
    """Write the text to a file or to standard output; control characters are removed for a terminal."""
    if output not in STANDARD_OUTPUT:
        save(output, text)
        return
    with named_as_output():
        sys.stdout.write("\n".join(map(visible, text.split("\n"))) if sys.stdout.isatty() else text)
        sys.stdout.flush()


@contextmanager
def named_as_output() -> Iterator[None]:
    """Name standard output in errors while it is written to, as files are named."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from None


def tell(message: str) -> None:
    """Print a message on standard error: one line without control characters, shortened in the middle if long."""
    with suppress(OSError):  # whether it can be written does not change how a command ends
        print(f"cranfield: {visible(readable(message))}", file=sys.stderr, flush=True)


@contextmanager
def warnings_told(quiet: bool) -> Iterator[None]:
    """Print each warning once after the work, up to a limit."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CranfieldWarning)
        try:
            yield
        finally:
            messages = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, CranfieldWarning))
            if not quiet:
                _tell_all(list(messages))


def _tell_all(messages: list[str]) -> None:
    shown = messages if len(messages) <= MOST else messages[: MOST - 1]
    for message in shown:
        tell(f"warning: {message}")
    if len(shown) < len(messages):
        tell(f"warning: {len(messages) - len(shown)} more such warnings (--format json lists them all)")


def escape_what_is_not_encodable() -> None:
    """Escape characters outside the streams' encoding as in JSON (é as \\u00e9), so JSON output stays valid."""
    codecs.register_error("cranfield", _as_in_json)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="cranfield")


def _as_in_json(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    import json  # rarely needed

    return json.dumps(error.object[error.start : error.end])[1:-1], error.end
