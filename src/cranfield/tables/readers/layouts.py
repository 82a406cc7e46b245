"""The layout of a file of lines, recognised from its first lines: which field is which.

Decided here: which field of a line without a header is which, and whether a third column is a rank or a score.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from cranfield.errors import BadInput
from cranfield.frozen import cached_property, frozen
from cranfield.tables.columns import NUMBERS, is_header, kind_of, roles, tag_place
from cranfield.tables.names import decode
from cranfield.tables.numbers import is_grouped, is_number
from cranfield.tables.readers.recognition import Shape
from cranfield.tables.readers.text import Layout, csv_reader, first_line, lines_with_content, shown, stripped

Fields = list[bytes]

_WITH_TAG = "query Q0 document rank score tag"
TREC_RUN = Layout("TREC run", ("query", "", "document", "", "score", ""), least=6, spare=True, more=_WITH_TAG, tag=5)
_RANK_SCORE = "query document rank score"
_SCORED = Layout(f"run of {_RANK_SCORE}", ("query", "document", "", "score"), more=_RANK_SCORE)
_PAIRS = Layout("run of query document score", ("query", "document", "score"), more="query document score")
_RANKED = Layout("run of query document rank", ("query", "document", "rank"), more="query document rank")
TREC_QRELS = Layout("TREC qrels", ("query", "group", "document", "grade"), more="query iteration document grade")
_GRADED = Layout("qrels of query document grade", ("query", "document", "grade"), more="query document grade")
_OF_PREFS = ("query", "group", "subgroup", "document", "grade")
_PREFS = Layout("TREC preferences", _OF_PREFS, more=" ".join(_OF_PREFS))

_BY_WIDTH: dict[Shape, dict[int, Layout]] = {
    "run": {3: _PAIRS, 4: _SCORED, 6: TREC_RUN},
    "qrels": {3: _GRADED, 4: TREC_QRELS},
    "prefs": {5: _PREFS},
}
_CALLED: dict[Shape, str] = {"run": "a run", "qrels": "qrels", "prefs": "preferences"}
_NO_JUDGE = (b"0", b"Q0")
_MANY = 10  # at least this many consecutive values are ranks, not grades
_ENOUGH = 1 << 13  # bytes of judgments that are checked for looking like a run


@frozen
class Head:
    """The first whole lines of a file; `cut` if the file continues."""

    name: str
    suffix: str
    data: bytes
    cut: bool

    @cached_property
    def lines(self) -> list[tuple[int, bytes]]:
        """The non-empty lines with their numbers."""
        return lines_with_content(self.data)

    @property
    def some_lines(self) -> list[tuple[int, bytes]]:
        """The first non-empty lines, or all lines if the file begins with many empty ones."""
        return lines_with_content(self.data[: self.data.rfind(b"\n", 0, _ENOUGH) + 1]) or self.lines

    @cached_property
    def line(self) -> int:
        """The number of the first non-empty line."""
        return first_line(self.data)[0]

    @property
    def where(self) -> str:
        """The location of the first non-empty line."""
        return f"{self.name}, line {self.line}"

    @cached_property
    def first(self) -> bytes:
        """The first non-empty line."""
        return first_line(self.data)[1]


def layout(head: Head, shape: Shape) -> tuple[Layout, bool]:
    """The layout of a file of lines, and whether its first line is a header."""
    headed = _headed(head, shape)
    if headed:
        return headed, True
    recognised = _delimited(head, shape)
    if not recognised.strict:
        _refuse_grouped(head)
    first = _fields(head.first, recognised)
    if shape == "run" and len(recognised.roles) >= len(TREC_RUN.roles) and any(map(is_number, first)):
        return recognised, False  # unambiguous: the other lines need not be split
    rows = [_fields(line, recognised) for _, line in (head.lines if shape == "run" else head.some_lines)]
    _refuse_unknown_header(head, rows, shape)
    if shape == "run":
        return _checked_run(head, rows, recognised), False
    if shape == "qrels":
        _refuse_ranks(head, rows)
    return recognised, False


def _headed(head: Head, shape: Shape) -> Layout | None:
    for delimiter, name in (("\t", "TSV"), (",", "CSV"), (";", "CSV"), (" ", "text")):
        strict = delimiter != " "
        cells = _fields(head.first, Layout(name, (), delimiter, strict=strict, quoted=strict))
        columns = [decode(cell) for cell in cells]
        if not is_header(columns):
            continue
        role_of = {place: role for role, place in roles(columns, kind_of(shape), head.where).items()}
        named = tuple(role_of.get(place, "") for place in range(len(columns)))
        more, tag = delimiter.join(columns), tag_place(columns, kind_of(shape))
        return Layout(f"{name} with a header", named, delimiter, strict=strict, quoted=strict, more=more, tag=tag)
    return None


def _delimited(head: Head, shape: Shape) -> Layout:
    """The first layout with this number of fields and matching numeric fields, otherwise with this number of fields."""
    candidates = list(_candidates(head, shape))
    sound = [layout for layout, fields in candidates if _sound(layout, fields)]
    if sound or candidates:
        return sound[0] if sound else candidates[0][0]
    expected = " or ".join(f"{width} ({known.more})" for width, known in reversed(_BY_WIDTH[shape].items()))
    fields = head.first.split()
    raise BadInput(
        f"{head.where}: {len(fields)} field{'s' * (len(fields) != 1)}, but {_CALLED[shape]} must have {expected}; "
        f"{_look(fields, shape)}: {shown(head.first)}"
    )


def _candidates(head: Head, shape: Shape) -> Iterator[tuple[Layout, Fields]]:
    for delimiter, strict in _delimiters(head):
        fields = _fields(head.first, Layout("", (), delimiter, strict=strict, quoted=strict))
        known = _of_width(len(fields), shape)
        if known and strict:
            form = f"{'TSV' if delimiter == chr(9) else 'CSV'}, {known.form}"
            more = known.more.replace(" ", delimiter)
            quoted = delimiter != "\t"
            yield replace(known, form=form, delimiter=delimiter, strict=True, quoted=quoted, more=more), fields
        elif known:
            yield replace(known, delimiter=delimiter), fields


def _delimiters(head: Head) -> Iterator[tuple[str, bool]]:
    """The possible delimiters: any white space unless the file extension suggests another."""
    if head.suffix == ".csv":
        yield from ((",", True), (";", True))
    if head.suffix == ".tsv" and len(head.first.split()) != len(head.first.split(b"\t")):
        yield "\t", True
    yield ("\t" if b"\t" in head.first and b" " not in head.first else " "), False
    yield from (("\t", True), (",", True), (";", True))


def _of_width(width: int, shape: Shape) -> Layout | None:
    if shape == "run" and width > len(TREC_RUN.roles):
        return replace(TREC_RUN, roles=TREC_RUN.roles + ("",) * (width - len(TREC_RUN.roles)))
    return _BY_WIDTH[shape].get(width)


def _sound(layout: Layout, fields: Fields) -> bool:
    numbers = all(is_number(field) for role, field in zip(layout.roles, fields, strict=True) if role in NUMBERS)
    return numbers and (layout.roles != _SCORED.roles or fields[2].isdigit())


def _fields(line: bytes, layout: Layout) -> Fields:
    if not layout.strict:
        return line.split()
    try:
        return stripped(next(csv_reader([line.strip(b"\r\n").decode("latin-1")], layout), []))
    except csv.Error:  # a field of more than 128 KB, which does not occur in runs and judgments
        return [line]


def _look(fields: Fields, shape: Shape) -> str:
    """A guess at what an unexpected line is."""
    if fields[0][:1] == b"<":
        return "this looks like XML or HTML"
    if any(field.startswith(b"qid:") for field in fields[:2]):
        return "this looks like features for learning to rank"
    if len(fields) >= 6 and is_number(fields[4]):
        return "this looks like a run"
    if len(fields) == 5 and is_number(fields[4]):
        return (
            "is its tag missing?" if shape == "run" else "are these preferences (form='prefs', or --judgments prefs)?"
        )
    if len(fields) == 4 and is_number(fields[3]):
        return "this looks like qrels"
    return "this looks like neither a run nor judgments"


def _refuse_grouped(head: Head) -> None:
    """Refuse a number with blanks between its digits in a tab-separated field: it would be read as two fields."""
    for number, line in head.lines if b"\t" in head.data else ():
        if b"\t" not in line:
            continue
        odd = next((field for field in line.split(b"\t") if is_grouped(field.strip())), None)
        if odd is not None:
            raise BadInput(f"{head.name}, line {number}: {shown(odd)} is not a number; write it without blanks")


def _refuse_unknown_header(head: Head, rows: list[Fields], shape: Shape) -> None:
    """Refuse a first line without numbers followed by lines with numbers: unknown column names."""
    alike = [row for row in rows[1:] if len(row) == len(rows[0])]
    if not any(map(is_number, rows[0])) and any(is_number(field) for row in alike for field in row):
        where = f"{head.where}: this line contains no numbers, so it was read as column names"
        roles([decode(field) for field in rows[0]], kind_of(shape), where)


def _checked_run(head: Head, rows: list[Fields], layout: Layout) -> Layout:
    if len(layout.roles) == 4 and _judged(rows):
        raise BadInput(
            f"{head.where}: this looks like qrels ({TREC_QRELS.more}), but a run is expected: {shown(head.first)}"
        )
    if len(layout.roles) == 4 and not layout.strict and _maybe_grouped(head, rows):
        raise BadInput(
            f"{head.where}: the last two fields may be a rank and a score, or one number with a blank between its "
            f"digits; write scores without blanks, or add a first line that names the columns "
            f"({_SCORED.more}): {shown(head.first)}"
        )
    if len(layout.roles) == 3 and _ranked(head, rows):
        more = layout.more.replace("score", "rank")
        return replace(layout, form=layout.form.replace("score", "rank"), roles=_RANKED.roles, more=more)
    return layout


def _judged(rows: list[Fields]) -> bool:
    """Whether rows of four fields are judgments: no rank in the third field, or no document in the second."""
    whole = [row for row in rows if len(row) == 4]
    constant = any(len(query) > 1 and len({row[1] for row in query}) == 1 for query in _queries(whole))
    return constant or all(row[1] in _NO_JUDGE for row in whole) or not all(row[2].isdigit() for row in whole)


def _maybe_grouped(head: Head, rows: list[Fields]) -> bool:
    """Whether the last two of four fields may be one number with a space as thousands separator, such as 1 000."""
    whole = [row for row in rows if len(row) == 4]
    if not all(len(row[3]) == 3 and row[3].isdigit() for row in whole):
        return False
    counted = (sorted(_whole_numbers(query)) in _counts(len(query)) for query in _whole_queries(head, whole))
    return any(row[3].startswith(b"0") for row in whole) or not all(counted)


def _ranked(head: Head, rows: list[Fields]) -> bool:
    """Whether the third field is a rank: consecutive numbers from 1 or 0 in every query."""
    values = [_whole_numbers(query) for query in _whole_queries(head, [row for row in rows if len(row) == 3])]
    if not all(sorted(value) in _counts(len(value)) for value in values):
        return False
    if all(value == sorted(value) for value in values):
        return True
    if all(value == sorted(value, reverse=True) for value in values):
        return False
    raise BadInput(
        f"{head.name}: the third field may be a rank or a score (its values are 1, 2, 3 … in some order); "
        "add a first line that names the columns: query document rank, or query document score"
    )


def _refuse_ranks(head: Head, rows: list[Fields]) -> None:
    """Refuse rows whose third field looks like ranks and whose second field looks like documents."""
    for query in _queries([row for row in rows if len(row) in (3, 4)]):
        different = len({row[1] for row in query}) == len(query) >= _MANY
        if different and _whole_numbers(query) in _counts(len(query)):
            raise BadInput(
                f"{head.where}: this looks like a run (query document rank …), but qrels are expected: "
                f"{shown(head.first)}"
            )


def _queries(rows: list[Fields]) -> list[list[Fields]]:
    return [list(query) for _, query in groupby(rows, key=lambda row: row[0])]


def _whole_queries(head: Head, rows: list[Fields]) -> list[list[Fields]]:
    """The queries, without the last one if the file continues after these rows."""
    queries = _queries(rows)
    return queries[:-1] if head.cut and len(queries) > 1 else queries


def _whole_numbers(rows: list[Fields]) -> list[int]:
    """The third fields; -1 if not an integer."""
    return [int(row[2]) if row[2].isdigit() else -1 for row in rows]


def _counts(size: int) -> tuple[list[int], list[int]]:
    return list(range(1, size + 1)), list(range(size))
