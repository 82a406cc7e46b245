"""Prompts: files with checked placeholders, and the messages about a document that follow from them.

Whatever comes from topics and documents enters a message as JSON, so no content can end its string, add a message or
close a tag around it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple

from cranfield.errors import BadInput, did_you_mean
from cranfield.frozen import cached_property, frozen
from cranfield.labelling.scale import FOUR_GRADES, Grade, Scale

LONGEST_TEXT = 24_000  # characters of a document to send
FIELDS = ("title", "description", "narrative", "keywords", "words")  # words: the title of an INEX topic as a sentence
PRESETS = ("cranfield", "umbrela", "trec", "binary")
PLACEHOLDERS = {
    "topic": "the topic as a JSON object, without empty fields",
    "title": "the title of the topic as a JSON string",
    "description": "its description as a JSON string",
    "narrative": "its narrative as a JSON string",
    "document": "the document as a JSON object: title, text, and whether the text is cut",
    "document_title": "the title of the document as a JSON string",
    "text": "the text of the document as a JSON string",
    "grades": "the grades of the scale, one per line",
    "values": "the numbers of the grades",
    "guidelines": "guidelines for assessors, if there are any",
    "examples": "judged documents, if examples are requested",
    "form": "the form of the answer: one JSON object",
}
OF_PAIRS = ("topic", "title", "description", "narrative", "document", "document_title", "text")
FORM = """\
Answer with one JSON object and nothing else: {"grade": N, "reason": "one sentence"}, where N is one of VALUES. \
If you cannot determine the grade, answer {"grade": null, "reason": "why"}."""
_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_SECTION = re.compile(r"^\[(grades|system|user)\]\s*$", re.MULTILINE)
_GRADE = re.compile(r"(\d+)\s+(\S.*)")
_FROM = re.compile(r"relevant from (\d+)")

Message = dict[str, str]


class Pair(NamedTuple):
    """A topic and a document as text, by field."""

    topic: Mapping[str, Any]
    document: Mapping[str, Any]


class Example(NamedTuple):
    """A judged document that shows how to grade."""

    pair: Pair
    grade: int


@frozen
class Prompt:
    """A prompt with its scale: everything that is the same for all documents."""

    name: str
    system: str
    user: str
    scale: Scale
    guidelines: str = ""
    examples: tuple[Example, ...] = ()
    longest: int = LONGEST_TEXT

    @cached_property
    def instructions(self) -> str:
        """The system message."""
        return filled(self.system, self._shared)

    @cached_property
    def _shared(self) -> dict[str, str]:
        values = ", ".join(str(grade.value) for grade in self.scale.grades)
        shown = f"\nGuidelines for assessors:\n{self.guidelines}\n" if self.guidelines else ""
        examples = "".join(
            as_json(
                {"topic": shown_topic(one.pair.topic), "document": self._shown(one.pair.document), "grade": one.grade}
            )
            + "\n"
            for one in self.examples
        )
        return {
            "grades": "\n".join(f"{grade.value}: {grade.label}" for grade in self.scale.grades),
            "values": values,
            "guidelines": shown,
            "examples": f"\nExamples of grades, one JSON object per line:\n{examples}" if examples else "",
            "form": FORM.replace("VALUES", values),
        }

    def messages(self, pair: Pair) -> list[Message]:
        """The messages sent to the model about a document."""
        topic, document = pair.topic, self._shown(pair.document)
        texts = {"topic": as_json(shown_topic(topic)), "document": as_json(document)}
        texts |= {name: as_json(topic.get(name) or "") for name in ("title", "description", "narrative")}
        texts |= {"document_title": as_json(document["title"]), "text": as_json(document["text"])}
        user = {"role": "user", "content": filled(self.user, self._shared | texts)}
        return [{"role": "system", "content": self.instructions}, user] if self.system else [user]

    @property
    def form(self) -> str:
        """The form of the answer, in words."""
        return self._shared["form"]

    def is_cut(self, document: Mapping[str, Any]) -> bool:
        """Whether a document is too long to be sent whole."""
        return len(document.get("text") or "") > self.longest

    def _shown(self, document: Mapping[str, Any]) -> dict[str, Any]:
        return shown_document(document, self.longest)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that is the same for all documents."""
        return hashlib.sha256(as_json([self.instructions, self.user, list(FIELDS), self.longest]).encode()).hexdigest()

    def record(self) -> dict[str, Any]:
        """What is stored once for all labels with this prompt."""
        grades = [[grade.value, grade.label] for grade in self.scale.grades]
        return {"prompt": self.digest, "name": self.name, "system": self.instructions, "user": self.user,
                "grades": grades, "relevant_from": self.scale.relevant_from, "longest": self.longest}  # fmt: skip


def prompt_of(name: str, *, scale: Scale | None = None, **settings: Any) -> Prompt:
    """The preset of this name, or the prompt in a file; the scale is that of the file unless another is given."""
    if name in PRESETS:
        text = (resources.files("cranfield.labelling") / "presets" / f"{name}.txt").read_text("utf-8")
        return parsed(text, name, scale, **settings)
    if not os.path.exists(name):
        raise BadInput(f"{name!r} is neither a file nor a preset ({', '.join(PRESETS)}){did_you_mean(name, PRESETS)}")
    with open(name, encoding="utf-8") as file:
        return parsed(file.read(), name, scale, **settings)


def parsed(text: str, name: str, scale: Scale | None = None, **settings: Any) -> Prompt:
    """The prompt in a text with sections [grades], [system] and [user]; without sections, all is the user message."""
    parts = sections(text, name)
    system, user = parts.get("system", ""), parts.get("user", "")
    declared = scale_of_lines(parts["grades"], name) if "grades" in parts else FOUR_GRADES
    require_placeholders(system, user, name)
    return Prompt(os.path.basename(name), system, user, scale or declared, **settings)


def sections(text: str, name: str) -> dict[str, str]:
    """The sections of a prompt by name; without any, all is the user message."""
    first, *others = _SECTION.split(text)
    if others and first.strip():
        raise BadInput(f"{name}: text before the first section; begin with [system], [user] or [grades]")
    parts = dict(zip(others[::2], (part.strip() for part in others[1::2]), strict=True)) or {"user": text.strip()}
    if len(parts) < len(others) // 2:
        raise BadInput(f"{name}: a section occurs twice")
    return parts


def require_placeholders(system: str, user: str, name: str) -> None:
    """Refuse unknown placeholders, those of a document outside the user message, and prompts that lack one."""
    for place, text in (("system", system), ("user", user)):
        for word in _PLACEHOLDER.findall(text):
            if word not in PLACEHOLDERS:
                known = ", ".join(f"{{{one}}}" for one in PLACEHOLDERS)
                raise BadInput(
                    f"{name}: unknown placeholder {{{word}}}{did_you_mean(word, PLACEHOLDERS)}; known: {known}"
                )
            if place == "system" and word in OF_PAIRS:
                raise BadInput(
                    f"{name}: {{{word}}} belongs in the section [user]; [system] is the same for all documents"
                )
    used = set(_PLACEHOLDER.findall(user))
    if not used & {"document", "text"}:
        raise BadInput(f"{name}: the section [user] needs {{document}} or {{text}}")
    if not used & {"topic", "title", "description", "narrative"}:
        raise BadInput(f"{name}: the section [user] needs {{topic}} or {{title}}")
    if "form" not in used | set(_PLACEHOLDER.findall(system)):
        raise BadInput(f"{name}: {{form}} is missing: the form of the answer, which is needed to read it")


def scale_of_lines(text: str, name: str) -> Scale:
    """The scale in lines `GRADE LABEL` and, optionally, `relevant from GRADE`."""
    grades, lowest = [], None
    for number, line in enumerate(filter(None, map(str.strip, text.splitlines())), 1):
        if match := _FROM.fullmatch(line):
            lowest = int(match[1])
        elif match := _GRADE.fullmatch(line):
            grades.append(Grade(int(match[1]), match[2], float(match[1])))
        else:
            raise BadInput(f"{name}, grade {number}: {line!r} is not a grade and its label, such as '1 Relevant'")
    try:
        return Scale(tuple(grades), grades[1].value if lowest is None and len(grades) > 1 else lowest or 0)
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None


def read_scale(path: str) -> Scale:
    """The scale in a file."""
    with open(path, encoding="utf-8") as file:
        return scale_of_lines(file.read(), path)


def schema_of(scale: Scale) -> dict[str, Any]:
    """The JSON schema of an answer, for endpoints that can enforce one."""
    grade = {"enum": [*(one.value for one in scale.grades), None]}
    properties = {"grade": grade, "reason": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": ["grade", "reason"], "additionalProperties": False}


def tokens_of(messages: Sequence[Message]) -> int:
    """A rough estimate of the tokens of messages: one per four bytes."""
    return sum(len(message["content"].encode("utf-8", "replace")) // 4 + 4 for message in messages)


def filled(template: str, texts: Mapping[str, str]) -> str:
    """A template with texts in place of its placeholders."""
    return _PLACEHOLDER.sub(lambda match: texts[match[1]], template)


def shown_document(document: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """A document with at most this many characters of its text."""
    text = document.get("text") or ""
    return {"title": document.get("title") or "", "text": text[:longest], "cut": len(text) > longest}


def shown_topic(topic: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a topic that are not empty."""
    return {name: topic[name] for name in FIELDS if topic.get(name)}


def as_json(value: Any) -> str:
    """The value as JSON in which no text can close a tag or begin a control token of a chat."""
    text = json.dumps(value, ensure_ascii=False).replace("</", "<\\/").replace("<|", "\\u003c|")
    return text.encode("utf-8", "replace").decode()  # ids and texts may be any bytes
