"""JSON parsing, with errors that name the line: the one place where JSON is parsed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranfield.arrays import Mask
from cranfield.errors import BadInput
from cranfield.tables.numbers import as_written_if_too_large
from cranfield.tables.readers.text import shown

DEEPEST = 64  # levels of nesting; the fast line parser would crash at a few thousand
TOO_DEEP = f"JSON nested more than {DEEPEST} levels deep"

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[][{}]')

Hook = Callable[[list[tuple[str, Any]]], Any]


def json_value(data: bytes, name: str, line: int = 1, hook: Hook | None = None) -> Any:
    """The value of a JSON text that begins on this line of a file; `hook` creates its objects.

    A number that is too large for floating point stays text.
    """
    try:
        text = data.decode("utf-8", "surrogateescape")
        return json.loads(text, object_pairs_hook=hook, parse_float=as_written_if_too_large)
    except BadInput:  # raised by the hook
        raise
    except json.JSONDecodeError as error:
        place, what = error.lineno, f"this is not JSON ({error.msg} at character {error.colno})"
    except RecursionError:
        place, what = _line(data, _deep_place(data)), TOO_DEEP
    except ValueError:  # Python's error for an integer with too many digits
        long = re.search(rb"[0-9]{%d,}" % sys.get_int_max_str_digits(), data)
        place, what = _line(data, long.start() if long else 0), "a number has too many digits"
    lines = data.split(b"\n", place)
    raise BadInput(f"{name}, line {line + place - 1}: {what}: {shown(lines[place - 1])}")


def _line(data: bytes, place: int) -> int:
    return data.count(b"\n", 0, place) + 1


def _deep_place(data: bytes) -> int:
    """The position at which a text first exceeds the nesting limit."""
    depth = 0
    for token in _TOKEN.finditer(data):
        depth += {b"[": 1, b"{": 1, b"]": -1, b"}": -1}.get(token[0], 0)
        if depth > DEEPEST:
            return token.start()
    return 0


def require_shallow_lines(data: bytes, name: str, line: int = 1) -> None:
    """Refuse JSON lines nested too deeply for the fast parser; `line` is the number of the first line.

    Only lines with many brackets, or with unbalanced ones, are checked one by one.
    """
    text = np.frombuffer(data, np.uint8)
    end = np.append(np.flatnonzero(text == ord("\n")), len(text))
    opening = _per_line((text == ord("[")) | (text == ord("{")), end)
    closing = _per_line((text == ord("]")) | (text == ord("}")), end)
    for place in np.flatnonzero((opening > DEEPEST) | (opening != closing)).tolist():
        start = end[place - 1] + 1 if place else 0
        value = json_value(data[start : end[place]], name, line + place)
        require_shallow(value, f"{name}, line {line + place}")


def _per_line(marked: Mask, end: NDArray[np.intp]) -> NDArray[np.intp]:
    return np.diff(np.searchsorted(np.flatnonzero(marked), end), prepend=0)


def require_shallow(value: Any, where: str) -> None:
    """Refuse a value that is nested too deeply."""
    level = [value]
    for _ in range(DEEPEST):
        level = [inner for outer in level for inner in _inner(outer) if isinstance(inner, dict | list)]
        if not level:
            return
    raise BadInput(f"{where}: {TOO_DEEP}")


def _inner(value: Any) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
