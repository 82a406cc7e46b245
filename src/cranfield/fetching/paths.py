"""Paths into JSON, such as `hits.hits[*]._id` and `body.records[*][0]`: names, places, slices and `[*]`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from cranfield.errors import BadSetting
from cranfield.frozen import frozen

Step = str | int | slice
_STEP = re.compile(
    r"""(?P<name>(?:^|\.)[^.\[\]]+)|\[(?:(?P<place>-?\d+)|(?P<from>\d+):|(?P<all>\*)|(?P<q>['"])(?P<quoted>.+?)(?P=q))\]"""
)


class NotThere(Exception):
    """A step of a path that the JSON does not have, in words."""


@frozen
class Path:
    """A path; `[*]` and `[2:]` go through all elements of a list, or those from a place."""

    text: str
    steps: tuple[Step, ...]

    @property
    def _last_list(self) -> int:
        """The number of steps up to the last that goes through a list."""
        return max((place for place, step in enumerate(self.steps, 1) if isinstance(step, slice)), default=0)

    @property
    def of_rows(self) -> tuple[Step, ...]:
        """The steps to the list of results."""
        return self.steps[: self._last_list]

    @property
    def within_row(self) -> tuple[Step, ...]:
        """The steps from one result to its value."""
        return self.steps[self._last_list :]


def path(text: str) -> Path:
    """The path that a text describes.

    >>> path("hits[*].fields['doc.id']").steps
    ('hits', slice(None, None, None), 'fields', 'doc.id')
    """
    steps: list[Step] = []
    end = 0
    for match in _STEP.finditer(text):
        if match.start() != end:
            break
        end = match.end()
        if match["name"]:
            steps.append(match["name"].lstrip("."))
        elif match["place"]:
            steps.append(int(match["place"]))
        else:
            steps.append(match["quoted"] or slice(None if match["all"] else int(match["from"]), None))
    if end != len(text) or not steps:
        raise BadSetting(
            f"{text!r} is not a path into JSON: {text[end:]!r} is neither a name, a place [0], nor a list [*]; "
            "write it like hits[*].id or body.records[*][0]"
        )
    return Path(text, tuple(steps))


def list_path(text: str) -> Path:
    """A path that goes through a list."""
    made = path(text)
    if not made.of_rows:
        raise BadSetting(f"the path {text!r} leads to one value; write [*] after the name of the list of results")
    return made


def values_at(steps: Sequence[Step], content: Any) -> Iterator[Any]:
    """The values to which the steps lead; a step that is missing raises `NotThere`."""
    for number, step in enumerate(steps):
        if isinstance(step, slice):
            if not isinstance(content, list):
                raise NotThere(f"{_words(steps[:number])} is {_kind(content)}, not a list")
            for element in content[step]:
                yield from values_at(steps[number + 1 :], element)
            return
        content = _one(content, step, steps[:number])
    yield content


def _one(content: Any, step: str | int, before: Sequence[Step]) -> Any:
    if isinstance(step, str):
        if isinstance(content, dict) and step in content:
            return content[step]
        has = (
            f"has {', '.join(list(content)[:8]) or 'nothing'}" if isinstance(content, dict) else f"is {_kind(content)}"
        )
        raise NotThere(f"there is no {step!r}: {_words(before)} {has}")
    if isinstance(content, list) and -len(content) <= step < len(content):
        return content[step]
    raise NotThere(f"there is no element {step}: {_words(before)} is {_kind(content)}")


def _words(steps: Sequence[Step]) -> str:
    text = ""
    for step in steps:
        if isinstance(step, str):
            text += f".{step}" if text else step
        else:
            text += f"[{step}]" if isinstance(step, int) else "[*]"
    return text or "the answer"


def _kind(content: Any) -> str:
    if isinstance(content, list):
        return f"a list of {len(content)}"
    kinds = {dict: "an object", str: "a text", bool: "true or false", int: "a number", float: "a number"}
    return kinds.get(type(content), "null")
