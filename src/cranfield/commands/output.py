"""Where the output of a command goes: the terminal, a pipe or a file.

Decided here: whether an output file may be written (not if it is an input).

Decided here: in which formats a result is delivered.
"""

from __future__ import annotations

import codecs
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol

from cranfield.errors import BadInput, BadSetting, CranfieldWarning, readable
from cranfield.present.table import visible
from cranfield.results.writing import save

if TYPE_CHECKING:
    from rich.console import Console

    from cranfield.present.table import Table
    from cranfield.results.verb_result import Format, VerbResult
    from cranfield.results.verb_result import Format as Layout


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


# How a command's result is delivered: format, file, number of decimals, and findings below it


DIGITS = 4
FileFormat = Literal["table", "csv", "json", "markdown", "latex", "html"]
SUFFIXES: dict[str, FileFormat] = {"": "table", ".txt": "table", ".csv": "csv", ".json": "json", ".md": "markdown",
                               ".tex": "latex", ".html": "html"}  # fmt: skip


class Deliverable(Protocol):
    """A result that can be delivered in every format."""

    def csv(self, digits: int | None) -> str:
        """One row per value."""

    def json(self, digits: int | None, findings: bool) -> Any:
        """Everything as plain values."""

    def tables(self, digits: int) -> Iterable[Table]:
        """Tables for readers."""

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """The texts printed below the tables."""


class Answer:
    """Results of verbs; options such as per_query, and the findings and rows, apply to the first."""

    def __init__(
        self, first: VerbResult, *others: VerbResult, of_tables: Mapping[str, Any] | None = None, **options: Any
    ) -> None:
        self._of_tables = of_tables or {}  # options that CSV and JSON do not have
        self._first, self._others, self._options = first, others, options

    @property
    def passed(self) -> bool:
        """Whether all release gates are passed; true of results without gates."""
        return getattr(self._first, "passed", True)

    def csv(self, digits: int | None) -> str:
        """The main records of the first result."""
        return self._first.to_csv(digits=digits, **self._options)

    def json(self, digits: int | None, findings: bool) -> dict[str, Any]:
        """All results in one document."""
        document = self._first.to_dict(digits=digits, findings=findings, **self._options)
        for other in self._others:
            more = other.to_dict(digits=digits)
            notes = {"notes": list(dict.fromkeys([*document["notes"], *more.get("notes", ())]))}
            document = {**more, **document, **notes}
        return document

    def tables(self, digits: int) -> Iterable[Table]:
        """The tables of all results."""
        from cranfield.present.rendering import answered, tables_of

        yield from answered(self._first, **self._options)
        yield from tables_of(self._first, digits=digits, **self._options, **self._of_tables)
        for other in self._others:
            yield from tables_of(other, digits=digits)

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """The findings if requested; in text, otherwise the first in one line each, and what else there is."""
        from cranfield.present.rendering import more_of

        shows = self._first.shows_findings and format == "table"
        if not (findings or shows):
            more = more_of(self._first) if format == "table" else ""
            return [f"{more}\n"] if more else []
        from cranfield.present.findings import tables as texts

        all_findings = self._first.findings()
        if format != "table":
            return [getattr(texts, format)(all_findings)]
        import shutil

        wide = shutil.get_terminal_size((texts.WIDTH, 0)).columns if sys.stdout.isatty() else texts.WIDTH
        wide = min(wide, texts.WIDTH)
        if findings:
            return [texts.plain(all_findings, wide)]
        more = more_of(self._first, len(texts.by_rule(all_findings)), len(texts.first(all_findings)))
        return list(filter(None, (texts.brief(all_findings, wide), f"{more}\n" if more else "")))


class Listing(NamedTuple):
    """Records that no verb computes, such as a catalogue: rows for CSV, tables for readers, a document for JSON."""

    records: Sequence[dict[str, Any]]
    tables_shown: Iterable[Table]
    document: Any = None  # the records, if there is no more

    def csv(self, digits: int | None) -> str:
        """One row per record."""
        from cranfield.results.writing import comma_separated

        return comma_separated(list(self.records[0]), [list(map(str, record.values())) for record in self.records])

    def json(self, digits: int | None, findings: bool) -> Any:
        """The document, or the records."""
        return self.document or self.records

    def tables(self, digits: int) -> Iterable[Table]:
        """The tables."""
        return self.tables_shown

    def below(self, format: Layout, findings: bool) -> list[str]:  # noqa: A002
        """No text."""
        return []


class Delivery(NamedTuple):
    """The format, the file, the number of decimals, and whether findings are shown."""

    format: FileFormat
    output: str | None
    digits: int | None
    findings: bool

    @classmethod
    def requested(cls, values: dict[str, Any]) -> Delivery:
        """The delivery requested by the options, which are removed from the values and checked in advance."""
        output, findings = values.pop("output"), values.pop("findings", False)
        format_ = values.pop("format") or _format_of(output)
        if findings and format_ == "csv":
            raise BadSetting("CSV has one row per value and no place for findings; use --format json")
        return cls(format_, output, values.pop("digits"), findings)

    def prepared(self, answer: Deliverable) -> Callable[[], None]:
        """Prepare the output; the returned function writes it."""
        if self.format == "csv":
            return partial(write, answer.csv(self.digits), self.output)
        if self.format == "json":
            from cranfield.results.writing import json_text

            return partial(write, json_text(answer.json(self.digits, self.findings)), self.output)
        tables = list(answer.tables(DIGITS if self.digits is None else self.digits))
        return partial(show, tables, self.format, self.output, "\n".join(answer.below(self.format, self.findings)))


def _format_of(output: str | None) -> FileFormat:
    """The format for a file extension."""
    suffix = os.path.splitext(output or "")[1].lower()
    if suffix not in SUFFIXES:
        endings = ", ".join(filter(None, SUFFIXES))
        raise BadSetting(f"{output}: no format has the extension {suffix!r}; use one of {endings}, or --format")
    return SUFFIXES[suffix]
