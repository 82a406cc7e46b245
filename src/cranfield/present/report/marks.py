"""The marks of an SVG image, with tooltip texts and the system that each belongs to."""

from __future__ import annotations

import re
from html import escape, unescape

_LABELLED = re.compile(r"<[a-z]+ [^>]*aria-label=[^>]*>")
_LABEL = re.compile(r' aria-label="([^"]*)"')
_KIND = re.compile(r' aria-roledescription="([^"]*)"')
_ARIA = re.compile(r' (?:role|aria-[a-z]+)="[^"]*"')
_LONG_NUMBER = re.compile(r"^-?\d+\.\d{5,}(?:e-?\d+)?$")
_CONNECTED = ("line mark", "area mark", "trail mark")  # one path for many rows, described by the first
_HIDDEN = ("place", "at", "jitter", "index", "order")  # fields used only for positions


def described(svg: str) -> str:
    """The SVG with a tooltip (`data-tip`) and a system (`data-system`) for each mark, without ARIA labels."""
    return _ARIA.sub("", _LABELLED.sub(lambda tag: _described(tag[0]), svg))


def _described(tag: str) -> str:
    label, kind = _LABEL.search(tag), _KIND.search(tag)
    if label is None or kind is None or kind[1] in ("axis", "title", "subtitle", "legend", "header"):
        return tag
    fields = _fields(unescape(label[1]))
    system = fields.get("system", fields.get("text") if kind[1] == "text mark" else None)
    tip = _tip(fields, connected=kind[1] in _CONNECTED) if kind[1] != "text mark" else ""
    added = (f' data-tip="{escape(tip)}"' if tip else "") + (f' data-system="{escape(system)}"' if system else "")
    return re.sub(r"^<[a-z]+", lambda start: start[0] + added, tag)


def _fields(label: str) -> dict[str, str]:
    """The fields of a label such as `rank: 1; DCG: 3; system: bm25`."""
    parts = (part.partition(": ") for part in label.split("; "))
    return {name: value for name, colon, value in parts if colon}


def _tip(fields: dict[str, str], *, connected: bool) -> str:
    """One line per field, the system first; only the system for connected marks."""
    if connected:
        return fields.get("system", "")
    texts = {name: _short(text) for name, text in fields.items() if name not in _HIDDEN and text != "null"}
    system = texts.pop("system", "")
    lines = [f"{name}: {text}" for name, text in texts.items() if not _repeated(name, text, texts)]
    return "\n".join([system, *lines] if system else lines)


def _repeated(name: str, text: str, texts: dict[str, str]) -> bool:
    """Whether a column repeats the value of an axis, which has a better title."""
    return name in ("value", "mean") and list(texts.values()).count(text) > 1


def _short(text: str) -> str:
    return f"{float(text):.4g}" if _LONG_NUMBER.match(text) else text
