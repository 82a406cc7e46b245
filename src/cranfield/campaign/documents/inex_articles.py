"""INEX articles in XML: <article> with <fm>, <bdy> (of <sec>) and <bm>; every element can be judged as a component."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from cranfield.campaign.documents.document import Document, Element
from cranfield.campaign.markup import End, Event, Start, xml_events
from cranfield.errors import BadInput
from cranfield.tables.readers.limits import limits
from cranfield.tables.readers.streams import Stream

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
