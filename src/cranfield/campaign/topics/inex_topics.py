"""INEX topics in XML, content-only (CO) and content-and-structure (CAS), and similar TREC topics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from cranfield.campaign.markup import End, Start, xml_events
from cranfield.campaign.topics.topic import Condition, Kind, StructuredTitle, Topic
from cranfield.errors import BadInput
from cranfield.tables.readers.streams import Stream

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
