"""What a file of lines is, told from its first lines: which field is what, and whether it is what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Literal, NamedTuple

from cranfield.errors import BadInput
from cranfield.tables.names import decode
from cranfield.tables.roles import NUMBERS, is_header, is_number, roles
from cranfield.tables.text import Layout, csv_reader, shown, stripped

Shape = Literal["run", "qrels", "prefs"]
Fields = list[bytes]

_RUN = Layout(
    "TREC run", ("query", "", "document", "", "score", ""), least=6, spare=True, more="query Q0 document rank score tag"
)
_SCORED = Layout(
    "run of query document rank score", ("query", "document", "", "score"), more="query document rank score"
)
_PAIRS = Layout("run of query document score", ("query", "document", "score"), more="query document score")
_RANKED = Layout("run of query document rank", ("query", "document", "rank"), more="query document rank")
_QRELS = Layout("TREC qrels", ("query", "group", "document", "grade"), more="query iteration document grade")
_GRADED = Layout("qrels of query document grade", ("query", "document", "grade"), more="query document grade")
_PREFS = Layout(
    "TREC preferences",
    ("query", "group", "subgroup", "document", "grade"),
    more="query group subgroup document grade",
)

_BY_WIDTH: dict[Shape, dict[int, Layout]] = {
    "run": {3: _PAIRS, 4: _SCORED, 6: _RUN},
    "qrels": {3: _GRADED, 4: _QRELS},
    "prefs": {5: _PREFS},
}
_CALLED: dict[Shape, str] = {"run": "a run", "qrels": "qrels", "prefs": "preferences"}
_NO_JUDGE = (b"0", b"Q0")
_MANY = 10  # so many values that count up are ranks, not grades


class Head(NamedTuple):
    """The first lines of a file that hold something, with their numbers; `cut` if the file goes on."""

    name: str
    suffix: str
    lines: list[tuple[int, bytes]]
    cut: bool

    @property
    def where(self) -> str:
        """The place of the first line."""
        return f"{self.name}, line {self.lines[0][0]}"

    @property
    def first(self) -> bytes:
        """The first line."""
        return self.lines[0][1].strip()


def layout(head: Head, shape: Shape) -> tuple[Layout, bool]:
    """The layout of a file of lines, and whether its first line is a header."""
    headed = _headed(head, shape)
    if headed:
        return headed, True
    found = _delimited(head, shape)
    rows = [_fields(line, found) for _, line in head.lines]
    _refuse_unknown_header(head, rows, shape)
    if shape == "run":
        return _checked_run(head, rows, found), False
    if shape == "qrels":
        _refuse_ranks(head, rows)
    return found, False


def _headed(head: Head, shape: Shape) -> Layout | None:
    for delimiter, name in (("\t", "TSV"), (",", "CSV"), (";", "CSV"), (" ", "text")):
        strict = delimiter != " "
        cells = _fields(head.first, Layout(name, (), delimiter, strict=strict, quoted=strict))
        columns = [decode(cell) for cell in cells]
        if not is_header(columns):
            continue
        found = {place: role for role, place in roles(columns, _kind(shape), head.where).items()}
        named = tuple(found.get(place, "") for place in range(len(columns)))
        more = delimiter.join(columns)
        return Layout(f"{name} with a header", named, delimiter, strict=strict, quoted=strict, more=more)
    return None


def _kind(shape: Shape) -> Literal["run", "qrels"]:
    return "run" if shape == "run" else "qrels"


def _delimited(head: Head, shape: Shape) -> Layout:
    """The first layout that has so many fields, and numbers where numbers belong; or at least so many fields."""
    found = list(_candidates(head, shape))
    sound = [layout for layout, fields in found if _sound(layout, fields)]
    if sound or found:
        return sound[0] if sound else found[0][0]
    expected = " or ".join(f"{width} ({known.more})" for width, known in reversed(_BY_WIDTH[shape].items()))
    fields = head.first.split()
    raise BadInput(
        f"{head.where}: {len(fields)} fields where {_CALLED[shape]} must have {expected}; "
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
    """The delimiters there may be: any blanks unless the ending of the file's name speaks for another."""
    if head.suffix == ".csv":
        yield from ((",", True), (";", True))
    if head.suffix == ".tsv" and len(head.first.split()) != len(head.first.split(b"\t")):
        yield "\t", True
    yield ("\t" if b"\t" in head.first and b" " not in head.first else " "), False
    yield from (("\t", True), (",", True), (";", True))


def _of_width(width: int, shape: Shape) -> Layout | None:
    if shape == "run" and width > len(_RUN.roles):
        return replace(_RUN, roles=_RUN.roles + ("",) * (width - len(_RUN.roles)))
    return _BY_WIDTH[shape].get(width)


def _sound(layout: Layout, fields: Fields) -> bool:
    numbers = all(is_number(field) for role, field in zip(layout.roles, fields, strict=True) if role in NUMBERS)
    return numbers and (layout.roles != _SCORED.roles or fields[2].isdigit())


def _fields(line: bytes, layout: Layout) -> Fields:
    if not layout.strict:
        return line.split()
    return stripped(next(csv_reader([line.strip(b"\r\n").decode("latin-1")], layout), []))


def _look(fields: Fields, shape: Shape) -> str:
    """What a line looks like that is not what was asked for."""
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


def _refuse_unknown_header(head: Head, rows: list[Fields], shape: Shape) -> None:
    """Refuse a first line without a number where others like it have some: names of columns, but not known ones."""
    alike = [row for row in rows[1:] if len(row) == len(rows[0])]
    if not any(map(is_number, rows[0])) and any(is_number(field) for row in alike for field in row):
        where = f"{head.where}: without a number, this was taken for the names of columns"
        roles([decode(field) for field in rows[0]], _kind(shape), where)


def _checked_run(head: Head, rows: list[Fields], layout: Layout) -> Layout:
    if len(layout.roles) == 4 and _judged(rows):
        raise BadInput(
            f"{head.where}: this looks like qrels ({_QRELS.more}), where a run is expected: {shown(head.first)}"
        )
    if len(layout.roles) == 3 and _ranked(head, rows):
        more = layout.more.replace("score", "rank")
        return replace(layout, form=layout.form.replace("score", "rank"), roles=_RANKED.roles, more=more)
    return layout


def _judged(rows: list[Fields]) -> bool:
    """Whether rows of four fields are judgments: no rank in the third, or no document in the second."""
    whole = [row for row in rows if len(row) == 4]
    constant = any(len(query) > 1 and len({row[1] for row in query}) == 1 for query in _queries(whole))
    return constant or all(row[1] in _NO_JUDGE for row in whole) or not all(row[2].isdigit() for row in whole)


def _ranked(head: Head, rows: list[Fields]) -> bool:
    """Whether the third field is a rank: in every query it counts up from 1, or from 0."""
    queries = _queries([row for row in rows if len(row) == 3])
    values = [_whole_numbers(query) for query in (queries[:-1] if head.cut and len(queries) > 1 else queries)]
    if not all(sorted(value) in _counts(len(value)) for value in values):
        return False
    if all(value == sorted(value) for value in values):
        return True
    if all(value == sorted(value, reverse=True) for value in values):
        return False
    raise BadInput(
        f"{head.name}: the third field may be a rank or a score (its values are 1, 2, 3 … in some order); "
        "say which with a first line that names the columns: query document rank, or query document score"
    )


def _refuse_ranks(head: Head, rows: list[Fields]) -> None:
    """Refuse rows whose third field counts up as ranks do, and whose second differs as documents do."""
    for query in _queries([row for row in rows if len(row) in (3, 4)]):
        different = len({row[1] for row in query}) == len(query) >= _MANY
        if different and _whole_numbers(query) in _counts(len(query)):
            raise BadInput(
                f"{head.where}: this looks like a run (query document rank …), where qrels are expected: "
                f"{shown(head.first)}"
            )


def _queries(rows: list[Fields]) -> list[list[Fields]]:
    return [list(query) for _, query in groupby(rows, key=lambda row: row[0])]


def _whole_numbers(rows: list[Fields]) -> list[int]:
    """The third fields; -1 for what is not a whole number."""
    return [int(row[2]) if row[2].isdigit() else -1 for row in rows]


def _counts(size: int) -> tuple[list[int], list[int]]:
    return list(range(1, size + 1)), list(range(size))
