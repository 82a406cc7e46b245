"""Ids as collections have them: of all lengths and scripts, some of them bytes that are no text.

An id that is not UTF-8 is a text with surrogates, as `os.fsdecode` makes it; `encoded` gives its bytes. No id holds a
blank or a NUL, since the formats of lines cannot, and none begins with `#`, which begins a comment there.
"""

from __future__ import annotations

import random
from collections.abc import Callable

Style = Callable[[random.Random], str]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:/"
AROUND_WORDS = (1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 60)
PECULIAR = (  # what some parser takes for a number, for nothing, or for a quote
    *("NA", "null", "nan", "NaN", "None", "inf", "true", "-", "0", "00", "1", "01", "1.0", "1e5", "0x1A", "1_0", "+1"),
    *('"', '"quoted"', "it's", "a,b", "a;b", "a\\b", "a|b", "{a}", "[a]", "<a>", "&amp;", "=1+1", "q#1", "%20"),
)


def _number(source: random.Random) -> str:
    return str(source.randrange(10 ** source.randrange(1, 20)))


def _padded(source: random.Random) -> str:
    width = source.choice((2, 5, 8, 10, 16))
    return f"{source.randrange(10**2):0{width}}"


def _words(alphabet: str) -> Style:
    return lambda source: "".join(source.choices(alphabet, k=source.randrange(1, 9)))


def _of_a_length(source: random.Random) -> str:
    return "".join(source.choices(LETTERS, k=source.choice(AROUND_WORDS)))


def _alike(source: random.Random) -> str:
    """Ids that differ only in their length or in one place."""
    length = source.choice(AROUND_WORDS)
    place = source.randrange(length)
    return "x" * place + source.choice("xy") + "x" * (length - place - 1)


def _not_text(source: random.Random) -> str:
    data = bytes(source.choice(range(0x21, 0x100)) for _ in range(source.choice((1, 2, 7, 8, 9, 16, 17))))
    return data.replace(b"\x7f", b"\xff").decode("utf-8", "surrogateescape")


def _latin(source: random.Random) -> str:
    return (
        "".join(source.choices("éüñøßa", k=source.randrange(1, 6))).encode("latin-1").decode("utf-8", "surrogateescape")
    )


STYLES: dict[str, Style] = {
    "d1": lambda source: f"d{source.randrange(30)}",
    "FBIS3-10082": lambda source: f"{source.choice(('FBIS3', 'FT911', 'LA'))}-{source.randrange(10**5)}",
    "clueweb": lambda source: (
        f"clueweb09-en{source.randrange(3):04}-{source.randrange(3):02}-{source.randrange(99):05}"
    ),
    "MS MARCO": _number,
    "padded": _padded,
    "UUID": lambda source: (
        f"{source.randrange(16**8):08x}-{source.randrange(16**4):04x}-4000-8000-{source.randrange(16**12):012x}"
    ),
    "URL": lambda source: f"https://example.org/{source.randrange(50)}?a={source.randrange(9)}&b=c,d;e",
    "CJK": _words("漢字仮名交文書検索東京北京上海서울"),
    "Cyrillic, Arabic, emoji": _words("абвгдежабв🙂👍🏽אבגدوةé"),
    "around words": _of_a_length,
    "alike": _alike,
    "peculiar": lambda source: source.choice(PECULIAR),
    "not UTF-8": _not_text,
    "latin-1": _latin,
}


def encoded(name: str) -> bytes:
    """The bytes of an id."""
    return name.encode("utf-8", "surrogateescape")


def is_text(name: str) -> bool:
    """Whether the bytes of an id are UTF-8."""
    return not any(0xD800 <= ord(character) <= 0xDFFF for character in name)


def ids(source: random.Random, number: int, *, text: bool = False) -> list[str]:
    """So many different ids: of one style, or of several in one column; with `text` none that is not UTF-8."""
    styles = [source.choice(list(STYLES))] if source.random() < 0.5 else source.sample(list(STYLES), 4)
    found: dict[str, None] = {}
    while len(found) < number:
        if source.random() < 0.1:
            styles.append(source.choice(list(STYLES)))  # a style may have too few
        name = STYLES[source.choice(styles)](source)
        if not name.startswith(("#", "\ufeff")) and (is_text(name) or not text):
            found[name] = None
    return list(found)


def spaced_ids(source: random.Random, number: int) -> list[str]:
    """Ids with blanks, line ends, delimiters and quotes in them, which lines of fields cannot hold but cells can."""
    joints = (" ", "  ", "\t", "\n", "\r\n", ",", ";", '"', '""', '","', "|", " # ")
    words = ids(source, 2 * number, text=True)
    return [first + source.choice(joints) + second for first, second in zip(words[::2], words[1::2], strict=True)]
