"""Ways in which a file may be damaged, by accident or with intent."""

from __future__ import annotations

import datetime
import decimal
import random
import re
from collections.abc import Iterator

import pyarrow as pa

from hostile.files import Columns, Reader, arrow, columns_of, parquet_file

Case = tuple[str, bytes]  # what was done to the file, and what became of it

BINARY = ("parquet", "arrow", "arrows", "gz", "zst", "bz2", "zip")
DEEP = 10_000
LONG = 200_000  # more than what Python's reader of CSV takes for a field
HUGE = "9" * 5_000  # more digits than Python reads as a whole number

_NUMBER = re.compile(rb"(?<=[\s,:\t])-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?(?=[\s,}\]]|$)")
_NAME = re.compile(rb"d1(?=[\"\s,])|yes|(?<=[\"\n ,])q1(?=[\"\s,])|good|bm25")


def damaged(reader: Reader, seed: int = 0, n_flips: int = 15) -> Iterator[Case]:
    """Whatever may happen to the file of a reader."""
    yield from bytes_damaged(reader.data, seed, n_flips)
    form = reader.file.rpartition(".")[2]
    if form not in BINARY:
        yield from text_damaged(reader.data)
    if form in ("json", "jsonl"):
        yield from json_damaged(reader.data)
    if form == "toml":
        yield from toml_damaged(reader.data)
    columns = columns_of(reader.command)
    if form in ("parquet", "arrow") and columns is not None:
        yield from column_damaged(columns, form)


def bytes_damaged(data: bytes, seed: int, n_flips: int) -> Iterator[Case]:
    """Whatever can happen to bytes, whatever they mean."""
    yield "empty", b""
    yield "blank", b" \n\t\n"
    yield "zeros", bytes(1 << 16)
    for part in (1, 4, len(data) // 3, len(data) // 2, len(data) - 9, len(data) - 1):
        yield f"cut after {part} bytes", data[:part]
    yield "twice", data + data
    yield "something after it", data + b"\x00\xff\x00junk"
    yield "a byte order mark", b"\xef\xbb\xbf" + data
    yield "a byte order mark of UTF-16", b"\xff\xfe" + data
    for magic in (b"PAR1", b"ARROW1\0\0", b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh91AY&SY", b"PK\x03\x04", b"\xff" * 4):
        yield f"begins with {magic!r}", magic + data
        yield f"overwritten with {magic!r}", magic + data[len(magic) :]
    chance = random.Random(seed)
    for number in range(n_flips):
        yield f"bytes flipped, {number} of seed {seed}", flipped(data, chance)


def flipped(data: bytes, chance: random.Random) -> bytes:
    """The data with a few bytes changed."""
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 5])):
        place = chance.randrange(len(changed))
        changed[place] = chance.choice([0, 255, chance.randrange(256), changed[place] ^ (1 << chance.randrange(8))])
    return bytes(changed)


def text_damaged(data: bytes) -> Iterator[Case]:
    """What can happen to text."""
    text = data.decode()
    for encoding in ("utf-16", "utf-16-be", "utf-32", "latin-1", "cp037"):
        yield encoding, text.encode(encoding, "replace")
    yield "CR alone", data.replace(b"\n", b"\r")
    yield "mixed line ends", data.replace(b"\n", b"\r\n", 2).replace(b"\n", b"\n\r", 1)
    yield "no line ends", data.replace(b"\n", b" ")
    yield "blank lines", data.replace(b"\n", b"\n\n  \n")
    yield "a NUL within", data.replace(b"1", b"1\0", 1)
    yield "a NUL at the end", data + b"\0"
    yield "an open quote", data.replace(b"1", b'"1', 1)
    yield "quotes all over", data.replace(b",", b'","')
    yield "not UTF-8", data.replace(b"1", b"\xff\xfe", 2)
    yield "a line too many fields", data + b"a,b\tc d,e\tf g,h,i,j\n"
    yield "a comment", b"# hello\n" + data + b"# bye"
    yield "delimiters only", b",,,\n\t\t\t\n;;;\n"
    yield "one long line", b"x" * 3_000_000
    yield "many fields", b"x," * 300_000
    yield "many short lines", b"\n".join([b"x"] * 300_000)
    for name, value in WORDS.items():
        yield f"a number is {name}", _NUMBER.sub(lambda _, value=value: value, data, count=2)  # type: ignore[misc]
        yield f"a name is {name}", _NAME.sub(lambda _, value=value: value, data, count=2)  # type: ignore[misc]


_SPELLINGS = (
    *("nan", "NaN", "-nan", "inf", "-Infinity", "INF", "1e400", "-1e400", "1e-400", "1_0", "0x1", "1,5", "1 000"),
    *(
        "",
        '""',
        "null",
        "None",
        "NA",
        "true",
        "TRUE",
        "+1",
        "--1",
        "1e",
        ".",
        "-",
        "٣",
        "½",
        "1\u00a0000",
        "2020-01-01",
    ),
    *("12:30", "9" * 20, "-" + "9" * 25, HUGE, "0." + "9" * 5000, "=1+2", "[1]", '{"a": 1}', "1;2", "#1", "'1'"),
)
WORDS = {
    **{repr(word[:20]): word.encode() for word in _SPELLINGS},
    "of 200 KB": b"x" * LONG,
    "an escape": b"\x1b[2J\x1b]0;owned\x07",
    "written from right to left": "\u202edlrow\u2066".encode(),
    "a control of C1": "\u009b2J".encode(),
    "a lone surrogate": b"\xed\xa0\x80",
    "a sentinel": b"\xef\xbf\xbf",
}


def json_damaged(data: bytes) -> Iterator[Case]:
    """What can happen to JSON, besides what can happen to any text."""
    yield "nested deep", data + b"[" * DEEP + b"]" * DEEP
    yield "only nested lists", b"[" * DEEP + b"]" * DEEP
    yield "only nested objects", b'{"a":' * DEEP + b"1" + b"}" * DEEP
    yield "nested in objects", b'{"label": ' + b'{"a": ' * DEEP + b"1" + b"}" * (DEEP + 1) + b"\n" + data
    yield "open brackets", b"[" * DEEP
    yield "open objects", b'[{"a":' * DEEP
    for name, value in VALUES.items():
        yield f"a number is {name}", _NUMBER.sub(lambda _, value=value: value, data, count=1)  # type: ignore[misc]
        yield f"a text is {name}", re.sub(rb'"(d1|q1|yes|i1|ann)"', lambda _, value=value: value, data, count=1)  # type: ignore[misc]
        yield f"all texts are {name}", re.sub(rb'(?<=: )"[^"]*"', lambda _, value=value: value, data)  # type: ignore[misc]
        yield f"the whole is {name}", value
        yield f"it begins with {name}", value + b"\n" + data
        yield f"it is a list of {name}", b"[" + value + b"," + value + b"]"
    yield "a key twice", re.sub(rb'\{("[^"]*": [^,}]*)', rb"{\1, \1", data)
    yield "no keys", re.sub(rb'"[^"]*": ', b"", data)
    yield "comments", data.replace(b",", b", // no\n", 1)


def toml_damaged(data: bytes) -> Iterator[Case]:
    """Settings of other types, out of range or unknown, and deep nesting."""
    lines = data.split(b"\n")
    for place, line in enumerate(lines):
        key, found, _ = line.partition(b" = ")
        for value in _TOML if found else ():
            changed = [*lines[:place], key + b" = " + value, *lines[place + 1 :]]
            yield f"{key.decode()} is {value[:20].decode()}", b"\n".join(changed)
        if found:
            yield f"no {key.decode()}", b"\n".join([*lines[:place], *lines[place + 1 :]])
            yield f"not {key.decode()}", b"\n".join([*lines[:place], b"x" + line, *lines[place + 1 :]])
    yield "nested deep", b"deep = " + b"[" * DEEP + b"]" * DEEP + b"\n" + data


_TOML = (
    *(b"1", b"-1", b"0.5", b"nan", b"-inf", b"true", b"1979-05-27", b"12:30:00", b"9" * 18, b"[]", b"[1]", b"[[1]]"),
    *(b'["run.txt"]', b"{}", b"{a = 1}", b"{depth = 0}", b'{engine = "x"}', b'"x"', b'""', b'"."', b'"nowhere.txt"'),
    *(b'"\\u0000"', b'"irds:x"', b'"P@0"', b'"at least"', b'"better"', b'"\\u001b[2J"', b'"' + b"x" * LONG + b'"'),
)

VALUES = {
    "a list": b"[1, 2]",
    "an empty list": b"[]",
    "a list of texts": b'["a", "b"]',
    "a list of lists": b"[[1], [2, [3]]]",
    "a list of mixed things": b'[1, "a", null, {"b": []}]',
    "an object": b'{"a": 1}',
    "an empty object": b"{}",
    "a deep list": b"[" * DEEP + b"]" * DEEP,
    "a rather deep list": b"[" * 400 + b"]" * 400,
    "a deep object": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "null": b"null",
    "true": b"true",
    "NaN": b"NaN",
    "-Infinity": b"-Infinity",
    "1e999": b"1e999",
    "a huge integer": HUGE.encode(),
    "a large integer": b"123456789012345678901234567890",
    "2⁶³": b"9223372036854775808",
    "a number as text": b'"1.5"',
    "an empty text": b'""',
    "a lone surrogate": b'"\\ud800"',
    "a NUL": b'"\\u0000"',
    "an escape": b'"\\u001b[2J"',
    "a long text": b'"' + b"x" * LONG + b'"',
    "a fraction": b"1.5",
}


def column_damaged(columns: Columns, form: str) -> Iterator[Case]:
    """What may stand in a column of a table that has types."""
    write = parquet_file if form.endswith("parquet") else lambda table: arrow(table, "file")
    for name in columns:
        for kind, column in _odd_columns(len(columns[name])).items():
            table = pa.table(dict(columns)).set_column(list(columns).index(name), name, column)
            try:
                yield f"{name} is of {kind}", write(table)
            except (pa.ArrowException, NotImplementedError):  # this form has no such type
                continue
    yield "no rows", write(pa.table(dict(columns)).slice(0, 0))
    yield "no columns", write(pa.table({}))
    once = pa.table(dict(columns))
    yield "columns twice", write(pa.Table.from_arrays([*once.columns, *once.columns], names=[*once.column_names] * 2))


def _odd_columns(n: int) -> dict[str, pa.Array]:
    """Columns of so many rows, each of another type."""
    deep: object = 1.5
    for _ in range(50):
        deep = [deep]
    texts = [f"x{row}" for row in range(n)]
    return {
        "nulls": pa.nulls(n),
        "missing texts": pa.array([None, *texts[1:]]),
        "missing numbers": pa.array([None, *[1.5] * (n - 1)]),
        "truth values": pa.array([True] * n),
        "lists": pa.array([["a", "b"]] * n),
        "empty lists": pa.array([[]] * n, pa.list_(pa.string())),
        "nested lists": pa.array([[[1], []]] * n),
        "deep lists": pa.array([deep] * n),
        "fixed lists": pa.array([[1, 2]] * n, pa.list_(pa.int8(), 2)),
        "large lists": pa.array([["a"]] * n, pa.large_list(pa.string())),
        "structs": pa.array([{"a": 1, "b": "c"}] * n),
        "maps": pa.array([[("a", 1)]] * n, pa.map_(pa.string(), pa.int64())),
        "dates": pa.array([datetime.date(2020, 1, 1)] * n),
        "times": pa.array([datetime.datetime(2020, 1, 1)] * n),
        "durations": pa.array([datetime.timedelta(1)] * n),
        "decimals": pa.array([decimal.Decimal("1.5")] * n),
        "large decimals": pa.array([decimal.Decimal("9" * 60)] * n),
        "bytes": pa.array([b"\xff\xfe"] * n),
        "bytes of one size": pa.array([b"ab"] * n, pa.binary(2)),
        "views": pa.array(texts, pa.string_view()),
        "codes": pa.array(texts).dictionary_encode(),
        "codes of numbers": pa.array([1.5] * n).dictionary_encode(),
        "codes with a gap": pa.DictionaryArray.from_arrays(pa.array([None, *[0] * (n - 1)], pa.int8()), ["a"]),
        "codes of nothing": pa.DictionaryArray.from_arrays(pa.array([0] * n, pa.int8()), pa.array([None], pa.string())),
        "runs": pa.RunEndEncodedArray.from_arrays([n], ["x"]),
        "halves": pa.array([1.5] * n, pa.float16()),
        "NaN": pa.array([float("nan")] * n),
        "infinities": pa.array([float("inf")] * n),
        "unsigned numbers": pa.array([2**64 - 1 - row for row in range(n)], pa.uint64()),
        "denormal numbers": pa.array([5e-324] * n),
        "large numbers": pa.array(([1.7e308, -1.7e308] * n)[:n]),
        "fractions": pa.array([1.5] * n),
        "empty texts": pa.array([""] * n),
        "long texts": pa.array(["x" * LONG] * n),
        "escapes": pa.array([f"\x1b[2J\u202e{row}" for row in range(n)]),
    }
