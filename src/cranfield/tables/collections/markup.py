"""Untrusted XML: a stream of elements, without document type definitions, entities or unlimited nesting."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.readers.streams import Stream

DEEPEST = 100  # deepest nesting
LONGEST_TAG = 1 << 20  # bytes of a tag with its attributes, or of a comment
_WINDOW = 1 << 16
_DECLARATION = re.compile(r"\s*<\?xml\b[^>]*\?>")
_ENCODING = re.compile(rb"""^\s*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_MISMATCH, _NO_ELEMENT, _UNDEFINED, _INVALID = 7, 3, 11, 4  # codes of expat's errors
_ROOT = "cranfield-root"


@frozen
class Start:
    """The start tag of an element, with names in lower case."""

    tag: str
    attributes: dict[str, str]
    line: int


@frozen
class End:
    """The end tag of an element."""

    tag: str
    line: int


Event = Start | End | str  # a str is text


def decoded_text(stream: Stream) -> Iterator[str]:
    """The text of a file in chunks, decoded by its byte order mark or XML declaration, otherwise as UTF-8."""
    start = stream.peek(_WINDOW)
    encoding = _encoding(start, stream.name)
    decoder = codecs.getincrementaldecoder(encoding)()
    n_lines = 1
    data = b"-"
    while data:
        data = stream.read(_WINDOW)
        try:
            text = decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            line = n_lines + error.object[: error.start].count(b"\n")
            raise BadInput(
                f"{stream.name}, line {line}: byte {error.object[error.start]:#04x} is not {encoding}; "
                "save the file as UTF-8"
            ) from None
        except UnicodeError:  # for example UTF-16 that is declared in ASCII
            raise BadInput(f"{stream.name}, line {n_lines}: not {encoding}; save the file as UTF-8") from None
        if "\0" in text:
            raise BadInput(
                f"{stream.name}, line {n_lines + text[: text.index(chr(0))].count(chr(10))}: a NUL character"
            )
        n_lines += text.count("\n")
        if text:
            yield text


def _encoding(start: bytes, name: str) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if start.startswith(mark):
            return encoding
    declared = _ENCODING.match(start)
    encoding = declared[1].decode("ascii") if declared else "utf-8"
    try:
        codecs.getincrementaldecoder(encoding)
        "".encode(encoding)
    except (LookupError, UnicodeError):
        raise BadInput(f"{name}, line 1: unknown encoding {encoding!r}; save the file as UTF-8") from None
    return encoding


def xml_events(stream: Stream) -> Iterator[Event]:
    """Start tags, text and end tags; the file may contain several top-level elements."""
    parser = _Parser(stream.name)
    parser.feed(f"<{_ROOT}>")
    first = True
    for text in decoded_text(stream):
        if first:
            text = _DECLARATION.sub(lambda declaration: "\n" * declaration[0].count("\n"), text, count=1)
            first = False
        yield from parser.feed(text)
    yield from parser.finish()


@dataclass
class _Parser:
    """An expat parser that collects events; text is fed in chunks, so memory stays bounded.

    Everything is wrapped in an extra element, inside which XML allows no document type definition and so no entities.
    """

    name: str
    events: list[Event] = field(default_factory=list)
    open: list[Start] = field(default_factory=list)
    n_bytes: int = 0

    def __post_init__(self) -> None:
        self.expat = expat.ParserCreate("utf-8")
        self.expat.buffer_text = True
        self.expat.StartElementHandler = self._start
        self.expat.EndElementHandler = self._end
        self.expat.CharacterDataHandler = self.events.append

    def feed(self, text: str) -> list[Event]:
        """The events of the next chunk of text."""
        data = text.encode("utf-8", "surrogatepass")
        self._parse(data, final=False)
        self.n_bytes += len(data)
        if self.n_bytes - self.expat.CurrentByteIndex > LONGEST_TAG:  # expat reads an unterminated tag again and again
            raise BadInput(f"{self.name}, line {self._line}: a tag or comment is longer than {LONGEST_TAG:,} bytes")
        events, self.events[:] = list(self.events), []
        return events

    def finish(self) -> list[Event]:
        """The events at the end of the text."""
        if len(self.open) > 1:
            self._refuse_unclosed("the end of the file")
        self._parse(f"</{_ROOT}>".encode(), final=True)
        return list(self.events)

    def _parse(self, data: bytes, *, final: bool) -> None:
        try:
            self.expat.Parse(data, final)
        except expat.ExpatError as error:
            place = self.expat.ErrorByteIndex - self.n_bytes
            if error.code == _INVALID and b"<!" in data[max(0, place - 3) : place + 3]:  # a declaration
                self._refuse_doctype()
            self._refuse(error)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.open.append(Start(tag.lower(), {name.lower(): value for name, value in attributes.items()}, self._line))
        if len(self.open) > DEEPEST:
            raise BadInput(f"{self.name}, line {self._line}: elements are nested more than {DEEPEST} deep")
        if len(self.open) > 1:
            self.events.append(self.open[-1])

    def _end(self, tag: str) -> None:
        self.open.pop()
        if self.open:
            self.events.append(End(tag.lower(), self._line))

    @property
    def _line(self) -> int:
        return self.expat.CurrentLineNumber

    def _refuse_doctype(self) -> NoReturn:
        raise BadInput(
            f"{self.name}, line {self._line}: document type definitions (<!DOCTYPE …>) are not allowed; remove it"
        )

    def _refuse(self, error: expat.ExpatError) -> NoReturn:
        if error.code in (_MISMATCH, _NO_ELEMENT) and len(self.open) > 1:
            self._refuse_unclosed(f"line {error.lineno}")
        words = expat.ErrorString(error.code)
        hint = {
            _INVALID: "; write a literal < or & as &lt; or &amp;, and no space after the < of a tag",
            _UNDEFINED: "; write the character itself",
        }.get(error.code, "")
        if error.code == _MISMATCH:
            words = "an end tag without a start tag"
        raise BadInput(f"{self.name}, line {error.lineno}: not well-formed XML ({words}){hint}")

    def _refuse_unclosed(self, where: str) -> NoReturn:
        innermost = self.open[-1]
        raise BadInput(f"{self.name}, line {innermost.line}: element <{innermost.tag}> is not closed by {where}")
