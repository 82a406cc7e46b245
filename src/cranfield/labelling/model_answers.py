"""What a model's answer says: a grade on the scale, or why there is none.

An answer must contain one JSON object with a grade. A code fence, prose around the object, and a grade written as text
are forgiven; a grade is never guessed. Objects that are quoted from the document are not an answer.

Decided here: what the answer of a language model means.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from cranfield.frozen import frozen
from cranfield.labelling.scale import Scale

LONGEST_ANSWER = 20_000  # characters of an answer to read and to keep
_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_WHOLE = re.compile(r"\s*[0-9]{1,9}(\.0*)?\s*")


@frozen
class Reply:
    """A grade with the model's reason, or neither and the problem; without a problem, the model cannot tell."""

    grade: int | None = None
    reason: str = ""
    problem: str = ""


def reply_of(answer: str, scale: Scale, document: str = "") -> Reply:
    """The reply in an answer about a document."""
    objects = [
        candidate
        for candidate, text in _objects(answer)
        if "grade" in candidate and not _quoted(text, answer, document)
    ]
    if not objects:
        return Reply(problem="the answer has no JSON object with a grade")
    if any(candidate["grade"] != objects[0]["grade"] for candidate in objects):
        return Reply(problem="the answer has several grades")
    reason = objects[-1].get("reason")
    words = reason if isinstance(reason, str) else ""
    if objects[-1]["grade"] is None:
        return Reply(reason=words)
    grade = _whole(objects[-1]["grade"])
    if grade is None or grade not in scale:
        return Reply(problem="the grade is not on the scale")
    return Reply(grade, words)


def objects_in(text: str) -> list[dict[str, Any]]:
    """The outermost JSON objects in a text, in order; one in which a key occurs twice is none."""
    return [candidate for candidate, _ in _objects(text)]


def _objects(answer: str) -> Iterator[tuple[dict[str, Any], str]]:
    """The outermost JSON objects, each with its text."""
    text = _THOUGHTS.sub("", answer[:LONGEST_ANSWER])
    decoder = json.JSONDecoder(object_pairs_hook=_once)
    place = text.find("{")
    while place >= 0:
        try:
            candidate, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            place = text.find("{", place + 1)
            continue
        yield candidate, text[place:end]
        place = text.find("{", end)


def _quoted(candidate: str, answer: str, document: str) -> bool:
    """Whether an object is quoted from the document: it stands there, and it is not the whole answer."""
    return candidate in document and _unfenced(answer) != candidate


def _unfenced(answer: str) -> str:
    """The answer without thoughts and without a surrounding code fence."""
    text = _THOUGHTS.sub("", answer).strip()
    if text.startswith("```") and text.endswith("```") and "\n" in text:
        text = text[text.index("\n") : -3].strip()
    return text


def _whole(grade: Any) -> int | None:
    """The grade as an integer, which may be written as text."""
    if isinstance(grade, str) and _WHOLE.fullmatch(grade):
        grade = float(grade)
    if isinstance(grade, bool) or not isinstance(grade, int | float) or not float(grade).is_integer():
        return None
    return int(grade)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object with unique keys: if there are two grades, neither is used."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError("a key occurs twice")
    return dict(pairs)
