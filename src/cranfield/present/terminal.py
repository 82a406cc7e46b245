"""Tables on a terminal: coloured, and split into blocks if they are wider than the window."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

from cranfield.frozen import frozen
from cranfield.present.table import GAP, Row, Table, cell_len, line_width, padding, visible

_HEAD = 24  # a longer column name is wrapped unless its numbers are as wide
_LEAST = 12  # minimum width of a text column
_NAME = 24  # a longer word is broken if the table then needs a single block

_HEADING, _BEST, _ASIDE, _PLAIN = (
    Style(color="cyan", bold=True),
    Style(color="green", bold=True),
    Style(dim=True),
    Style(),
)


def printed(table: Table, console: Console) -> None:
    """Print the table."""
    if table.title:
        console.print(Text(visible(table.title), style="bold"), end="\n\n")
    for paragraph in table.lead:
        console.print(Text(visible(paragraph)), end="\n\n")
    for place, block in enumerate(blocks(table, console.width)):
        if place:
            console.print()
        console.print(block, soft_wrap=True)
    if table.notes and table.columns:
        console.print()
    for note in table.notes:
        console.print(Text(visible(note), style=_ASIDE))


def blocks(table: Table, width: int) -> Iterator[Drawing]:
    """The table in blocks no wider than the window, each with the columns that name its rows; none without columns."""
    if not table.columns:
        return
    wide = widths(table, width)
    named = [place for place, column in enumerate(table.columns) if not column.numeric] or [0]
    start = used = sum(wide[place] + len(GAP) for place in named)
    taken: list[int] = []
    for place in (place for place in range(len(table.columns)) if place not in named):
        if taken and used + wide[place] > width:
            yield _block(table, wide, sorted(named + taken))
            taken, used = [], start
        taken, used = [*taken, place], used + wide[place] + len(GAP)
    yield _block(table, wide, sorted(named + taken))


def _block(table: Table, wide: list[int], places: Sequence[int]) -> Drawing:
    def part(rows: tuple[Row, ...]) -> tuple[Row, ...]:
        return tuple(tuple(row[place] for place in places) for row in rows)

    columns = tuple(table.columns[place] for place in places)
    narrowed = replace(table, columns=columns, rows=part(table.rows), summary=part(table.summary))
    return Drawing(narrowed, [wide[place] for place in places])


def widths(table: Table, width: int) -> list[int]:
    """The width of each column; text columns are narrowed if the window is too small."""
    longest = min(_HEAD, width // 3)
    heads = [min(cell_len(c.name), longest) if c.numeric else cell_len(c.name) for c in table.columns]
    rows = (_sizes(table, row) for part in table.parts for row in part)
    wide = [max(column) for column in zip(heads, *rows, strict=True)]
    texts = [place for place, column in enumerate(table.columns) if not column.numeric]
    for longest_word in (width, _NAME):
        if whole := _narrowed(table, wide, texts, width, longest_word):
            return whole
    widest = max((wide[place] for place in range(len(wide)) if place not in texts), default=-len(GAP))
    for place in sorted(texts, key=lambda place: -wide[place]):
        excess = sum(wide[text] + len(GAP) for text in texts) + widest - width
        wide[place] = max(min(wide[place], _LEAST), wide[place] - max(excess, 0))
    return wide


def _narrowed(table: Table, wide: list[int], texts: list[int], width: int, longest_word: int) -> list[int]:
    """Column widths with which the table fits if its texts are wrapped between words, and longer words are broken;
    empty if there are none.
    """
    narrow = [*wide]
    for place in sorted(texts, key=lambda place: -wide[place]):
        excess = line_width(narrow) - width
        least = max(_LEAST, min(_longest_word(table, place), longest_word))
        narrow[place] = max(min(wide[place], least), wide[place] - max(excess, 0))
    return narrow if line_width(narrow) <= width else []


def _longest_word(table: Table, place: int) -> int:
    """The width of the longest word in a column."""
    column = table.columns[place]
    cells = (column.shown(row[place].value) for part in table.parts for row in part)
    return max(cell_len(word) for text in (column.name, *cells) for word in text.split() or [""])


def _sizes(table: Table, row: Row) -> list[int]:
    lines = [[text for text, _, _ in table.shown(row)], *([below] if (below := table.below(row)) else [])]
    wide = [max(map(cell_len, texts)) for texts in zip(*lines, strict=True)]
    return [width + len(marks) for width, marks in zip(wide, table.beside(row), strict=True)]


@frozen
class Drawing:
    """A table rendered line by line; Rich's tables take ten times as long, noticeable above a thousand rows."""

    table: Table
    wide: list[int]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        rule = Segment(("-" if options.ascii_only else "─") * line_width(self.wide))
        yield from self._heading(console)
        for part in self.table.parts:
            yield rule
            yield Segment.line()
            for row in part:
                yield from self._row(row, console)

    def _heading(self, console: Console) -> Iterator[Segment]:
        names = self._folded([visible(column.name) for column in self.table.columns], console)
        height = max(map(len, names))
        for line in zip(*([""] * (height - len(name)) + name for name in names), strict=True):
            yield from self._line(line, [_HEADING] * len(line), [""] * len(line))

    def _row(self, row: Row, console: Console) -> Iterator[Segment]:
        texts = self._folded([text for text, _, _ in self.table.shown(row)], console)
        styles, marks = [_BEST if cell.best else _PLAIN for cell in row], list(self.table.beside(row))
        height = max(map(len, texts))
        for line in zip(*(text + [""] * (height - len(text)) for text in texts), strict=True):
            yield from self._line(line, styles, marks)
        if below := self.table.below(row):
            yield from self._line(below, [_ASIDE] * len(row), [" " * len(mark) for mark in marks])

    def _folded(self, texts: list[str], console: Console) -> list[list[str]]:
        return [
            [text]
            if cell_len(text) <= width
            else [line.plain.rstrip() for line in Text(text).wrap(console, width, overflow="fold")]
            for text, width in zip(texts, self.wide, strict=True)
        ]

    def _line(self, texts: Sequence[str], styles: list[Style], marks: list[str]) -> Iterator[Segment]:
        marked = [text + mark for text, mark in zip(texts, marks, strict=True)]
        blanks = padding(marked, self.table.columns, self.wide)
        for place, (before, after) in enumerate(blanks):
            yield Segment(GAP + before if place else before)
            yield from (Segment(texts[place], styles[place]), Segment(marks[place], _ASIDE))
            yield Segment(after if place < len(texts) - 1 else "")
        yield Segment.line()
