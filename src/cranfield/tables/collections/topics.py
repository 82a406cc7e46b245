"""Topics: statements of an information need."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args

from cranfield.errors import BadInput
from cranfield.frozen import frozen
from cranfield.tables.collections.markup import End, Start, xml_events
from cranfield.tables.collections.rows import FieldRow, delimited_rows, field_id, field_text, json_rows, lines_of
from cranfield.tables.readers.streams import Stream, opened, source

Kind = Literal["", "CO", "CAS"]  # INEX topics: content-only, content-and-structure; others have none


@frozen
class Condition:
    """A condition: element `path` (any if empty) must be about `words`, or must not be, if negated."""

    words: str
    path: str = ""
    negated: bool = False


@frozen
class StructuredTitle:
    """The title of a content-and-structure topic: the element to retrieve, and conditions on its content."""

    target: str
    conditions: tuple[Condition, ...]


@frozen
class Topic:
    """An information need. The id is text: "09" and "9" are different topics."""

    id: str
    title: str
    description: str = ""
    narrative: str = ""
    keywords: str = ""
    kind: Kind = ""
    structure: StructuredTitle | None = None
    candidate: str = ""  # its number among the proposed topics (INEX's ct-no)
    line: int | None = None


def structured_title(fields: Mapping[str, Any] | None) -> StructuredTitle | None:
    """A structured title from the dict produced by `asdict`."""
    if not fields:
        return None
    return StructuredTitle(fields["target"], tuple(Condition(**one) for one in fields["conditions"]))


# INEX topics in XML, content-only (CO) and content-and-structure (CAS), and similar TREC topics


_TOPICS = ("inex-topic", "inex_topic", "topic", "top")
_FIELDS = {
    "title": "title", "query": "title", "description": "description", "desc": "description",
    "narrative": "narrative", "narr": "narrative", "keywords": "keywords", "num": "num",
}  # fmt: skip
_IDS = ("topic-id", "topic_id", "number", "id")


@dataclass
class _Open:
    """A topic being read: the texts of its fields, and the parts of its structured title in order."""

    start: Start
    texts: dict[str, list[str]] = field(default_factory=dict)
    parts: list[tuple[str, str, int]] = field(default_factory=list)  # te, cw or ce, its text, and its line


def inex_topics(stream: Stream) -> Iterator[Topic]:
    """The topics of an XML file."""
    topic: _Open | None = None
    inside: list[Start] = []
    for event in xml_events(stream):
        if isinstance(event, Start):
            if topic is None and event.tag in _TOPICS:
                topic, inside = _Open(event), []
            elif topic is not None:
                inside.append(event)
                _begun(topic, inside, stream.name)
        elif isinstance(event, End):
            if topic is not None and not inside:
                yield _finished(topic, stream.name)
                topic = None
            elif topic is not None:
                inside.pop()
        elif topic is not None and inside:
            _collected(topic, inside, event)


def _begun(topic: _Open, inside: Sequence[Start], name: str) -> None:
    element = inside[-1]
    if len(inside) == 1 and element.tag in _FIELDS:
        field_name = _FIELDS[element.tag]
        if field_name in topic.texts:
            raise BadInput(f"{name}, line {element.line}: the topic has a second <{element.tag}>")
        topic.texts[field_name] = []
    if len(inside) == 2 and element.tag in ("te", "cw", "ce"):
        topic.parts.append((element.tag, "", element.line))


def _collected(topic: _Open, inside: Sequence[Start], text: str) -> None:
    field_name = _FIELDS.get(inside[0].tag)
    if field_name is not None:
        topic.texts[field_name].append(text)
    if len(inside) == 2 and inside[1].tag in ("te", "cw", "ce"):
        tag, before, line = topic.parts[-1]
        topic.parts[-1] = (tag, before + text, line)


def _finished(topic: _Open, name: str) -> Topic:
    start, where = topic.start, f"{name}, line {topic.start.line}"
    texts = {field_name: " ".join("".join(parts).split()) for field_name, parts in topic.texts.items()}
    number = next(
        (start.attributes[attribute] for attribute in _IDS if attribute in start.attributes), texts.get("num", "")
    ).strip()
    if not number:
        raise BadInput(f"{where}: the topic has no id; <{start.tag}> needs the attribute topic-id")
    kind = _kind(start, where)
    structure = _structured(topic.parts, where) if kind == "CAS" else None
    if kind == "CO":
        _check_content_only(topic.parts, name)
    if topic.parts:
        texts["title"] = " ".join(" ".join(text.split()) for tag, text, _ in topic.parts if tag == "cw")
    if not texts.get("title"):
        raise BadInput(f"{where}: topic {number!r} has no title")
    fields: dict[str, Any] = {field_name: text for field_name, text in texts.items() if field_name != "num"}
    candidate = start.attributes.get("ct-no", start.attributes.get("ct_no", ""))
    return Topic(number, **fields, kind=kind, structure=structure, candidate=candidate, line=start.line)


def _kind(start: Start, where: str) -> Kind:
    text = start.attributes.get("query-type", start.attributes.get("query_type", ""))
    for kind in get_args(Kind):
        if text == kind:
            return kind
    raise BadInput(f"{where}: query-type must be CO or CAS, not {text!r}")


def _check_content_only(parts: Sequence[tuple[str, str, int]], name: str) -> None:
    for tag, _, line in parts:
        if tag != "cw":
            raise BadInput(f"{name}, line {line}: the title of a CO topic may contain only <cw>, not <{tag}>")


def _structured(parts: Sequence[tuple[str, str, int]], where: str) -> StructuredTitle:
    """The target element and the conditions: each <cw> applies to the <ce> that follows it, or to any element."""
    targets = [" ".join(text.split()) for tag, text, _ in parts if tag == "te"]
    if len(targets) != 1 or not targets[0]:
        raise BadInput(f"{where}: the title of a CAS topic needs one target element <te>; it has {len(targets)}")
    conditions: list[Condition] = []
    words: str | None = None
    for tag, text, line in parts:
        content = " ".join(text.split())
        if tag == "cw":
            conditions += _conditions(words or "", "")
            words = content
        elif tag == "ce":
            if words is None:
                raise BadInput(f"{where}: <ce> in line {line} follows no <cw> that it could apply to")
            conditions += _conditions(words, content)
            words = None
    conditions += _conditions(words or "", "")
    if not conditions:
        raise BadInput(f"{where}: the title of a CAS topic needs a <cw> that states what the element is about")
    return StructuredTitle(targets[0], tuple(conditions))


def _conditions(words: str, path: str) -> Iterator[Condition]:
    """The words asked for and, separately, the words ruled out (those that begin with -)."""
    included = [word for word in words.split() if not (word.startswith("-") and len(word) > 1)]
    if included:
        yield Condition(" ".join(included), path)
    for word in words.split():
        if word not in included:
            yield Condition(word[1:], path, negated=True)


# TREC topic files: <top> with <num>, <title>, <desc> and <narr>, which have no end tags


_TAG = re.compile(r"<(/?)(top|num|title|desc|narr|head|dom|con|fac|def|smry|nat|time)>", re.IGNORECASE)
_LABEL = re.compile(r"^\s*(Number|Topic|Description|Narrative|Concept\(s\)|Summary|Domain)\s*:", re.IGNORECASE)


def trec_topics(stream: Stream) -> Iterator[Topic]:
    """The topics of a TREC topic file."""
    fields: dict[str, str] | None = None
    began, current = 0, ""
    for number, line in lines_of(stream):
        place = 0
        for match in _TAG.finditer(line):
            if fields is not None and current:
                fields[current] += line[place : match.start()]
            place = match.end()
            closing, tag = bool(match[1]), match[2].lower()
            if tag == "top" and not closing:
                if fields is not None:
                    raise BadInput(f"{stream.name}, line {began}: <top> is not closed before the next in line {number}")
                fields, began, current = {}, number, ""
            elif fields is None:
                raise BadInput(f"{stream.name}, line {number}: {match[0]} outside of <top>")
            elif tag == "top":
                yield _topic(fields, stream.name, began)
                fields, current = None, ""
            else:
                current = "" if closing else tag
                if current:
                    fields[current] = fields.get(current, "")
        if fields is not None and current:
            fields[current] += line[place:]
    if fields is not None:
        raise BadInput(f"{stream.name}, line {began}: <top> is not closed by the end of the file")


def _topic(fields: dict[str, str], name: str, line: int) -> Topic:
    texts = {tag: " ".join(_LABEL.sub("", text).split()) for tag, text in fields.items()}
    for tag in ("num", "title"):
        if not texts.get(tag):
            raise BadInput(f"{name}, line {line}: the topic has no <{tag}>")
    description, narrative, keywords = (texts.get(tag, "") for tag in ("desc", "narr", "con"))
    return Topic(texts["num"], texts["title"], description, narrative, keywords, line=line)


# Topics in files


TOPIC_FORMATS = "INEX or TREC topics, JSON Lines, CSV or TSV"
_START = 1 << 16
_CLOSED = re.compile(rb"</(num|title|desc)>", re.IGNORECASE)
_TEXTS = ("topic title", "description", "narrative", "keywords")


def read_topic_file(path: str) -> tuple[Topic, ...]:
    """The topics of a file; duplicate ids are refused."""
    with opened(source(path)) as stream:
        topics = tuple(_topics(stream))
    seen: dict[str, Topic] = {}
    for topic in topics:
        if topic.id in seen:
            first = seen[topic.id].line
            raise BadInput(f"{path}, line {topic.line}: duplicate topic {topic.id!r} (first on line {first})")
        seen[topic.id] = topic
    if not topics:
        raise BadInput(f"{path}: no topics; supported: {TOPIC_FORMATS}")
    return topics


def _topics(stream: Stream) -> Iterator[Topic]:
    start = stream.peek(_START).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"{":
        return (_from_row(row, stream.name) for row in json_rows(stream))
    if start[:1] == b"<" or start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        is_trec = b"<top>" in start.lower() and not _CLOSED.search(start)
        return trec_topics(stream) if is_trec else inex_topics(stream)
    return (_from_row(row, stream.name) for row in delimited_rows(stream))


def _from_row(row: FieldRow, name: str) -> Topic:
    number = field_id(row, "topic id", name)
    title, description, narrative, keywords = (" ".join(field_text(row, role, name).split()) for role in _TEXTS)
    if not title:
        raise BadInput(f"{name}, line {row.line}: topic {number!r} has no title; it needs a field title or query")
    return Topic(number, title, description, narrative, keywords, line=row.line)


# Topics as sentences, and pairs of similar topics


ALIKE = 0.6  # proportion of common words at which two topics are reported
_WORD = re.compile(r"\w+")
_STOP = frozenset({"a", "an", "and", "as", "at", "by", "for", "from", "in", "is", "of", "on", "or", "the", "to"})


def in_words(topic: Topic) -> str:
    """A sentence describing what a topic asks for."""
    if topic.structure is None:
        return f"Retrieve documents or components about “{topic.title}”."
    conditions = "; ".join(_condition(condition) for condition in topic.structure.conditions)
    return f"Retrieve the element {topic.structure.target}: {conditions}."


def _condition(condition: Condition) -> str:
    about = "not about" if condition.negated else "about"
    where = f"in {condition.path}" if condition.path else "anywhere"
    return f"{about} “{condition.words}” {where}"


class NearDuplicate(NamedTuple):
    """Two topics and the proportion of words they have in common."""

    first: str
    second: str
    likeness: float


def near_duplicates(topics: Sequence[Topic]) -> list[NearDuplicate]:
    """Pairs of topics whose titles or texts have many words in common, most similar first."""
    words = [(_words(topic.title), _words(f"{topic.title} {topic.description} {topic.keywords}")) for topic in topics]
    pairs = []
    for (first, first_words), (second, second_words) in combinations(zip(topics, words, strict=True), 2):
        likeness = max(_jaccard(first_words[0], second_words[0]), _jaccard(first_words[1], second_words[1]))
        if likeness >= ALIKE:
            pairs.append(NearDuplicate(first.id, second.id, likeness))
    return sorted(pairs, key=lambda pair: -pair.likeness)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold())) - _STOP


def _jaccard(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 0.0
