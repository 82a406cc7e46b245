"""Documents of a collection and their elements."""

from __future__ import annotations

import html
import lzma
import os
import re
import stat
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import PurePath, PurePosixPath

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.collections.markup import End, Event, Start, decoded_text, xml_events
from cranfield.tables.collections.rows import FieldRow, delimited_rows, field_id, field_text, json_rows, lines_of
from cranfield.tables.columns import fields
from cranfield.tables.readers.streams import ReplayedPipe, Stream, limits, opened, source


@frozen
class Element:
    """An element of a document: its path, such as `/article[1]/bdy[1]/sec[2]`, and its position in the text."""

    path: str
    start: int
    end: int


@frozen
class Document:
    """A document: plain text, the file and line it came from, and its elements if it is structured."""

    id: str
    title: str
    text: str
    source: str = ""
    line: int | None = None
    elements: tuple[Element, ...] = ()

    @property
    def digest(self) -> str:
        """SHA-256 of title and text; identical contents are stored once."""
        return sha256(f"{len(self.title)}\n{self.title}\n{self.text}".encode("utf-8", "surrogateescape")).hexdigest()


# A zipped folder, read file by file without extracting anything to disk


MOST = 1_000_000  # most files in an archive
_MAGIC, _EMPTY = b"PK\x03\x04", b"PK\x05\x06"
_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(NotImplementedError, RuntimeError, EOFError, OSError, ValueError),
)


def is_archive(path: str) -> bool:
    """Whether a file is a ZIP archive."""
    try:
        with open(path, "rb") as file:
            return file.read(len(_MAGIC)) in (_MAGIC, _EMPTY)
    except OSError:  # the reader reports what is wrong
        return False


def archived(path: str) -> Iterator[tuple[Stream, str]]:
    """The content and name of each file, sorted by name; hidden files are skipped."""
    try:
        with zipfile.ZipFile(path) as archive:
            for entry in _checked(archive, path):
                where = f"{path}: {entry.filename}"
                with archive.open(entry) as file, opened(ReplayedPipe(file, where)) as stream:
                    if stream.peek(len(_MAGIC)).startswith(_MAGIC):
                        raise BadInput(f"{where}: archives inside an archive are not supported; extract it first")
                    yield stream, entry.filename
    except BadInput:
        raise
    except _DAMAGED as error:
        raise BadInput(f"{path}: the ZIP archive is damaged or not supported ({error})") from None


def _checked(archive: zipfile.ZipFile, path: str) -> list[zipfile.ZipInfo]:
    """The files of an archive, after checking that all paths stay inside it and that their sizes are plausible."""
    entries = [entry for entry in archive.infolist() if not entry.is_dir()]
    if len(entries) > MOST:
        raise BadInput(f"{path}: more than {MOST:,} files in the archive")
    packed = sum(entry.compress_size for entry in entries)
    limits.require_ratio(sum(entry.file_size for entry in entries), packed, path)
    for entry in entries:
        name = PurePosixPath(entry.filename)
        if name.is_absolute() or ".." in name.parts or "\\" in entry.filename:
            raise BadInput(f"{path}: the path {entry.filename!r} leads outside the archive")
        if stat.S_ISLNK(entry.external_attr >> 16):
            raise BadInput(f"{path}: {entry.filename} is a symbolic link; pack the file itself")
        if entry.flag_bits & 1:
            raise BadInput(f"{path}: {entry.filename} is encrypted; pack it without a password")
    visible = (entry for entry in entries if not any(part.startswith(".") for part in entry.filename.split("/")))
    return sorted(visible, key=lambda entry: entry.filename)


# INEX articles in XML: <article> with <fm>, <bdy> (of <sec>) and <bm>; every element can be judged as a component


INLINE = frozenset({"it", "b", "tt", "sub", "super", "scp", "ref", "en", "rm", "u", "ss", "bu", "fnm", "snm", "url"})
_IDS = ("id", "fno", "docno")


@dataclass
class _Article:
    """An article being read: its text so far and the open elements."""

    start: Start
    parts: list[str] = field(default_factory=list)
    size: int = 0
    last: str = "\n"
    open: list[tuple[str, str, int, Counter[str]]] = field(default_factory=list)  # tag, path, start, children so far
    elements: list[Element] = field(default_factory=list)
    number: str = ""
    title: str = ""

    def add(self, text: str) -> None:
        """The text with runs of white space replaced by single spaces."""
        words = " ".join(text.split())
        if not words:
            words = " " if text else ""
        else:
            words = (" " if text[:1].isspace() else "") + words + (" " if text[-1:].isspace() else "")
        if self.last in " \n":
            words = words.lstrip(" ")
        self._append(words)

    def _append(self, text: str) -> None:
        if text:
            self.parts.append(text)
            self.size += len(text)
            self.last = text[-1]

    def words_from(self, start: int) -> str:
        """The text from an offset on, with single spaces."""
        return " ".join("".join(self.parts)[start:].split())

    def new_line(self) -> None:
        """Start a new line for the next element."""
        if self.last != "\n":
            self._append("\n")


def inex_articles(stream: Stream, file_id: str) -> Iterator[Document]:
    """The articles of a file, one after another; the first gets the id of the file if it has none itself."""
    article: _Article | None = None
    n_articles = 0
    for event in xml_events(stream):
        if article is None:
            if isinstance(event, Start) and event.tag == "article":
                article = _Article(event)
                _begin(article, event)
            continue
        if _advanced(article, event):
            n_articles += 1
            yield _finished(article, stream.name, file_id if n_articles == 1 else "")
            article = None
        elif article.size > limits.line:
            raise BadInput(
                f"{stream.name}, line {article.start.line}: <article> is longer than {limits.line:,} characters"
            )
    if not n_articles:
        raise BadInput(f"{stream.name}: no <article>")


def _begin(article: _Article, event: Start) -> None:
    if event.tag not in INLINE:
        article.new_line()
    siblings = article.open[-1][3] if article.open else Counter[str]()
    siblings[event.tag] += 1
    path = f"{article.open[-1][1] if article.open else ''}/{event.tag}[{siblings[event.tag]}]"
    article.open.append((event.tag, path, article.size, Counter()))


def _advanced(article: _Article, event: Event) -> bool:
    """Process an event; whether it ends the article."""
    if isinstance(event, Start):
        _begin(article, event)
    elif isinstance(event, End):
        tag, path, start, _ = article.open.pop()
        article.elements.append(Element(path, start, article.size))
        if tag == "atl" and not article.title:
            article.title = article.words_from(start)
        if tag == "fno" and not article.number:
            article.number = article.words_from(start)
        if tag not in INLINE:
            article.new_line()
        return not article.open
    else:
        article.add(event)
    return False


def _finished(article: _Article, name: str, file_id: str) -> Document:
    attributes = article.start.attributes
    number = next((attributes[one] for one in _IDS if one in attributes), article.number) or file_id
    if not number:
        line = article.start.line
        raise BadInput(f"{name}, line {line}: the article has no id; add the attribute id, or put it in its own file")
    text = "".join(article.parts)
    trimmed = (_trimmed(element, text) for element in article.elements)
    elements = sorted(trimmed, key=lambda element: (element.start, -element.end, element.path))
    return Document(number, article.title, text, name, article.start.line, tuple(elements))


def _trimmed(element: Element, text: str) -> Element:
    """The element without white space at its end."""
    content = text[element.start : element.end]
    return Element(element.path, element.start, element.start + len(content.rstrip()))


# TREC documents in SGML: <DOC> with <DOCNO>, a title and <TEXT>; other tags are removed, their text is kept


_DOC = re.compile(r"<(/?)DOC>", re.IGNORECASE)
_TITLES = ("title", "headline", "head", "hl", "ti")
_CLOSED = re.compile(rf"<(/?)(docno|text|{'|'.join(_TITLES)})>", re.IGNORECASE)  # these need an end tag; <P> does not
_TAG = re.compile(r"</?[A-Za-z][^<>]*>|<!--.*?-->", re.DOTALL)


def trec_documents(stream: Stream) -> Iterator[Document]:
    """The documents of a file, one after another."""
    began, size = 0, 0
    parts: list[str] = []
    for number, line in lines_of(stream):
        place = 0
        for match in _DOC.finditer(line):
            before = line[place : match.start()]
            place = match.end()
            if not match[1]:
                if began:
                    raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed before the next in line {number}")
                began, parts, size = number, [], 0
            elif not began:
                raise BadInput(f"{stream.name}, line {number}: </DOC> without <DOC>")
            else:
                yield _document("".join([*parts, before]), stream.name, began)
                began, parts = 0, []
        if began:
            parts.append(line[place:])
            size += len(line)
            if size > limits.line:
                raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed within {limits.line:,} characters")
    if began:
        raise BadInput(f"{stream.name}, line {began}: <DOC> is not closed by the end of the file")


def _document(content: str, name: str, line: int) -> Document:
    fields = _fields(content, name, line)
    number = " ".join(fields.get("docno", "").split())
    if not number:
        raise BadInput(f"{name}, line {line}: the document has no <DOCNO>")
    title = next((fields[tag] for tag in _TITLES if tag in fields), "")
    text = fields["text"] if "text" in fields else fields[""]
    return Document(number, _plain(title).replace("\n", " "), _plain(text), name, line)


def _fields(content: str, name: str, line: int) -> dict[str, str]:
    """The content of the relevant elements; text outside them is under the empty name."""
    fields: dict[str, str] = {"": ""}
    inside, place, began = "", 0, line
    for match in _CLOSED.finditer(content):
        tag, closing = match[2].lower(), bool(match[1])
        if inside and closing and tag == inside:
            fields[inside] = fields.get(inside, "") + content[place : match.start()]
            inside, place = "", match.end()
        elif not inside and not closing:
            fields[""] += content[place : match.start()]
            inside, place = tag, match.end()
            began = line + content[: match.start()].count("\n")
    if inside:
        raise BadInput(f"{name}, line {began}: element <{inside.upper()}> is not closed by </DOC>")
    fields[""] += content[place:]
    return fields


def _plain(text: str) -> str:
    """The text without tags, one paragraph per line."""
    lines = (" ".join(line.split()) for line in html.unescape(_TAG.sub(" ", text)).split("\n"))
    return "\n".join(lines).strip("\n")


# Collections in files and folders, read as a stream: only one document at a time, and the ids, are in memory


DOCUMENT_FORMATS = "TREC documents, INEX articles, JSON Lines, CSV, or a zipped folder of text or HTML files"
_START = 1 << 16
_PACKED = (".gz", ".zst", ".bz2", ".lz4", ".xz")


def read_documents(path: str, name: str = "") -> Iterator[Document]:
    """The documents of a file or folder; duplicate ids are refused.

    `name` is the user's name for the file if it is stored under another one; articles without an id are named after it.
    """
    seen: set[bytes] = set()
    for document in _documents(path, name or path):
        digest = sha256(document.id.encode("utf-8", "surrogateescape")).digest()[:16]  # takes less memory than long ids
        if digest in seen:
            raise BadInput(f"{document.source}, line {document.line}: duplicate document {document.id!r}")
        seen.add(digest)
        yield document
    if not seen:
        raise BadInput(f"{path}: no documents")


def _documents(path: str, name: str) -> Iterator[Document]:
    if os.path.isdir(path):
        return _in_folder(path)
    return _in_archive(path) if is_archive(path) else _in_file(path, name)


def _in_file(path: str, name: str) -> Iterator[Document]:
    with opened(source(path)) as stream:
        start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
        lower = start.lower()
        if start[:1] == b"{":
            yield from (_from_row(row, stream.name) for row in json_rows(stream))
        elif b"<doc>" in lower:
            yield from trec_documents(stream)
        elif b"<article" in lower:
            yield from inex_articles(stream, _unpacked(PurePath(name)).stem)
        elif start[:1] == b"<":
            raise BadInput(f"{path}: neither TREC documents (<DOC>) nor INEX articles (<article>)")
        else:
            yield from (_from_row(row, stream.name) for row in delimited_rows(stream))


def _from_row(row: FieldRow, name: str) -> Document:
    number = field_id(row, "document id", name)
    if not fields(row.fields, "document text"):
        raise BadInput(f"{name}, line {row.line}: document {number!r} has no text; it needs a field text")
    title = " ".join(field_text(row, "document title", name).split())
    return Document(number, title, field_text(row, "document text", name), name, row.line)


def _in_folder(folder: str) -> Iterator[Document]:
    """Text files, HTML files and INEX articles, sorted by path; hidden files are skipped."""
    for parent, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(parent, name)
            if name.startswith("."):
                continue
            if os.path.islink(path):
                raise BadInput(f"{path}: symbolic links are not followed; copy the file into the folder")
            with opened(source(path)) as stream:
                yield from _of_folder(stream, PurePath(os.path.relpath(path, folder)))


def _in_archive(path: str) -> Iterator[Document]:
    """The files of a zipped folder, as if it were extracted."""
    for stream, name in archived(path):
        yield from _of_folder(stream, PurePosixPath(name))


def _of_folder(stream: Stream, relative: PurePath) -> Iterator[Document]:
    relative = _unpacked(relative)
    number = relative.with_suffix("").as_posix()
    start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if relative.suffix.lower() == ".xml" or start.startswith(b"<article"):
        for document in inex_articles(stream, relative.stem):
            yield replace(document, id=number) if document.id == relative.stem else document
    elif relative.suffix.lower() in (".html", ".htm", ".xhtml") or start.startswith((b"<!doctype html", b"<html")):
        yield _from_html(stream, number)
    else:
        text = _whole(stream)
        yield Document(number, text.lstrip().partition("\n")[0].strip()[:200], text, stream.name, 1)


def _unpacked(path: PurePath) -> PurePath:
    """The name of a file without the endings of compression."""
    while path.suffix.lower() in _PACKED:
        path = path.with_suffix("")
    return path


def _whole(stream: Stream) -> str:
    parts, size = [], 0
    for text in decoded_text(stream):
        parts.append(text)
        size += len(text)
        if size > limits.line:
            raise BadInput(f"{stream.name}: longer than {limits.line:,} characters; a document must fit in memory")
    return "".join(parts)


def _from_html(stream: Stream, number: str) -> Document:
    page = _Page()
    page.feed(_whole(stream))
    page.close()
    lines = (" ".join(line.split()) for line in "".join(page.text).split("\n"))
    text = "\n".join(line for line in lines if line)
    return Document(number, " ".join("".join(page.title).split()), text, stream.name, 1)


class _Page(HTMLParser):
    """The title and visible text of a page."""

    HIDDEN = frozenset({"script", "style", "template", "noscript"})
    BLOCKS = frozenset({"p", "div", "br", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "pre"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title: list[str] = []
        self.text: list[str] = []
        self._hidden: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        """Record where the title or hidden text begins."""
        if tag in self.HIDDEN:
            self._hidden.append(tag)
        self._in_title = tag == "title"
        if tag in self.BLOCKS:
            self.text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        """Record where the title or hidden text ends."""
        if tag in self._hidden:
            self._hidden.remove(tag)
        if tag == "title":
            self._in_title = False
        if tag in self.BLOCKS:
            self.text.append("\n")

    def handle_data(self, data: str) -> None:
        """Collect visible text."""
        if self._in_title:
            self.title.append(data)
        elif not self._hidden:
            self.text.append(data)
