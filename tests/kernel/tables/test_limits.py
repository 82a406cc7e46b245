"""Nothing is read without end."""

from __future__ import annotations

import bz2
import gzip
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

import cranfield
from cranfield.errors import BadInput, BadSetting
from cranfield.tables.raters import as_ratings
from cranfield.tables.readers.files import read_topics
from cranfield.tables.readers.sheets import read_sheet
from cranfield.tables.readers.streams import SMALL, Limits, limits, readable_size
from time_limits import HANGS

SIZE = 80 << 20
READERS: dict[str, Callable[[str], Any]] = {
    "run": lambda path: cranfield.evaluate({"q": {"d": 1}}, path, "AP"),
    "qrels": lambda path: cranfield.evaluate(path, {"q": {"d": 1.0}}, "AP"),
    "sheet": read_sheet,
    "ratings": as_ratings,
    "topics": read_topics,
}
HEADERS = {"run": b"query,document,score", "qrels": b"query,document,grade"}
EACH = pytest.mark.parametrize("read", READERS.values(), ids=READERS)


def header(read: Callable[[str], Any]) -> bytes:
    """What a table for this reader begins with."""
    return next((HEADERS[name] for name in HEADERS if READERS[name] is read), b"item,rater,category")


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = vars(limits).copy()
    yield
    vars(limits).update(before)


@cache
def bomb(pack: Callable[[bytes], bytes]) -> bytes:
    return pack(b" " * SIZE)


@EACH
@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lambda data: pa.compress(data, "zstd", asbytes=True)])
def test_a_bomb_is_refused(read: Callable[[str], Any], pack: Any, tmp_path: Path) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(pack(header(read) + b"\n") + bomb(pack))
    with pytest.raises(BadInput, match=r"bomb.*: (decompresses to more than 200 times its size|.*longer than 64 MB)"):
        read(str(path))


def test_what_unpacks_to_little_may_be_packed_well(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q Q0 d 1 1 t\n" + b"\n" * (1 << 20)))
    assert cranfield.evaluate({"q": {"d": 1}}, path, "AP").values[0] == 1


LONG = "d" * (1 << 20)
CODES = pa.array(np.zeros(200_000, np.int32))  # 200 GB, once every row has its name


def coded_names() -> pa.Array:
    return pa.DictionaryArray.from_arrays(CODES, pa.array([LONG]))


def views_of_a_name() -> pa.Array:
    """Views of text that all have the same bytes."""
    view = np.array([len(LONG), int.from_bytes(b"dddd", "little"), 0, 0], np.int32)
    views = pa.py_buffer(np.tile(view, len(CODES)))
    return pa.Array.from_buffers(pa.string_view(), len(CODES), [None, views, pa.py_buffer(LONG.encode())])


def wide(kind: str, names: pa.Array) -> dict[str, pa.Array]:
    """A table that this reader takes."""
    ones = pa.array(np.ones(len(names)))
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(len(names), np.int8)), ["r"])
    columns = {"query": same, "document": names, "item": names, "rater": same, "category": same}
    return columns | ({"score": ones} if kind == "run" else {"grade": ones})


def parquet(folder: Path, columns: dict[str, pa.Array]) -> str:
    pa.parquet.write_table(pa.table(columns), folder / "t.parquet", store_schema=False, data_page_size=1 << 26)
    return str(folder / "t.parquet")


def arrow_stream(folder: Path, columns: dict[str, pa.Array]) -> str:
    table = pa.table(columns)
    with pa.ipc.new_stream(folder / "t.arrows", table.schema) as stream:
        stream.write_table(table)
    return str(folder / "t.arrows")


def names_of_one_size() -> pa.Array:
    return pa.DictionaryArray.from_arrays(CODES, pa.array([b"d" * 1000], pa.binary(1000)))


WIDE: dict[str, Callable[[str, Path], Any]] = {
    "Parquet": lambda kind, folder: parquet(folder, wide(kind, coded_names())),
    "Parquet, names of one size": lambda kind, folder: parquet(folder, wide(kind, names_of_one_size())),
    "Arrow, codes": lambda kind, folder: arrow_stream(folder, wide(kind, coded_names())),
    "Arrow, views": lambda kind, folder: arrow_stream(folder, wide(kind, views_of_a_name())),
    "a table of codes": lambda kind, _: pa.table(wide(kind, coded_names())),
    "a table of views": lambda kind, _: pa.table(wide(kind, views_of_a_name())),
}


def classified(data: Any, column: str) -> Any:
    return cranfield.classify(column, column, data=data)


@pytest.mark.parametrize("write", WIDE.values(), ids=WIDE)
@pytest.mark.parametrize("kind", ["run", "qrels", "ratings", "classify", "classify in batches"])
def test_a_name_stored_once_is_counted_as_often_as_it_occurs(
    kind: str, write: Callable[[str, Path], Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = write(kind, tmp_path)
    if kind == "classify in batches":
        monkeypatch.setattr("cranfield.tables.readers.recognition.MANY_ROWS", 1000)
    read = READERS.get(kind, lambda data: classified(data, "item"))
    with pytest.raises(BadInput, match=r"decompresses to more than 200 times its size|too large for .* of memory"):
        read(given)


@pytest.mark.parametrize("kind", ["list", "large_list"])
def test_labels_in_lists_are_counted_too(kind: str, tmp_path: Path) -> None:
    offsets = np.arange(len(CODES) + 1)
    lists = (pa.ListArray if kind == "list" else pa.LargeListArray).from_arrays(offsets, coded_names())
    for given in (pa.table({"labels": lists}), parquet(tmp_path, {"labels": lists})):
        with pytest.raises(BadInput, match=r"decompresses to more than 200 times|too large for .* of memory"):
            classified(given, "labels")


def test_long_names_that_fit_are_read_from_their_codes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cranfield.tables.readers.formats.arrow_files._WRITTEN_OUT", 1 << 10)
    names = pa.array(["d" * 5000, "e", "d" * 4999, "d" * 5000, None][:4]).dictionary_encode()
    table = {"query": ["q1", "q1", "q1", "q2"], "document": names, "score": [3.0, 2.0, 1.0, 0.5]}
    pa.parquet.write_table(pa.table(table), tmp_path / "run.parquet", row_group_size=3)
    result = cranfield.evaluate({"q1": {"d" * 4999: 1}, "q2": {"d" * 5000: 1}}, str(tmp_path / "run.parquet"), "RR")
    assert result.values.ravel().tolist() == [1 / 3, 1]
    sheet = read_sheet(str(tmp_path / "run.parquet"))
    assert sheet.names("document") == names.to_pylist()


@EACH
def test_a_line_without_end_is_refused(read: Callable[[str], Any], tmp_path: Path) -> None:
    limits.line = 1 << 20
    path = tmp_path / "line"
    path.write_bytes(header(read) + b"\na,b,3\n" + b"x" * (6 << 20))
    with pytest.raises(BadInput, match=r"line 3: the line is longer than 1 MB; CRANFIELD_MAX_LINE sets the limit"):
        read(str(path))


def test_a_document_of_json_may_be_one_long_line(tmp_path: Path) -> None:
    limits.line = 1 << 16
    path = tmp_path / "run.json"
    path.write_text('{"q": {' + ", ".join(f'"d{place}": {-place}' for place in range(100_000)) + "}}")
    assert cranfield.evaluate({"q": {"d0": 1}}, path, "AP").values[0] == 1


@pytest.mark.parametrize("read", [READERS["sheet"], READERS["ratings"], READERS["topics"]])
def test_what_does_not_fit_into_memory_is_refused(read: Callable[[str], Any], tmp_path: Path) -> None:
    limits.memory = 1 << 20
    path = tmp_path / "large.csv"
    path.write_text("item,rater,category\n" + "i,r,c\n" * 100_000)
    with pytest.raises(BadInput, match=r"too large for 1 MB of memory; CRANFIELD_MAX_MEMORY sets the limit"):
        read(str(path))


def test_a_pipe_without_end_is_refused() -> None:
    script = """
import sys, cranfield
from cranfield.tables.readers.streams import limits
limits.memory = 1 << 24
try:
    cranfield.evaluate({"q": {"d": 1}}, "-", "AP")
except cranfield.errors.BadInput as error:
    sys.exit(str(error))
"""
    endless = subprocess.Popen(["seq", "--format=q Q0 d%.0f 1 1 t", "1e15"], stdout=subprocess.PIPE)
    done = subprocess.run(
        [sys.executable, "-c", script], stdin=endless.stdout, capture_output=True, text=True, check=False
    )
    endless.kill()
    endless.communicate()
    assert done.stderr.startswith("standard input: too large")


@pytest.mark.parametrize("command", ["eval /dev/zero run", "eval run /dev/zero", "classify /dev/zero -a x -p y"])
def test_a_device_without_end_is_refused(command: str, tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 d 1 1 t\n")
    program = "import sys; from cranfield.commands.process import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *command.split()], cwd=tmp_path, capture_output=True, timeout=HANGS, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count(b"\n") == 1


def test_the_environment_sets_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_MAX_MEMORY", "8G")
    monkeypatch.setenv("CRANFIELD_MAX_LINE", "512 kB")
    monkeypatch.setenv("CRANFIELD_MAX_RATIO", "1000")
    assert Limits() == Limits(memory=8 << 30, line=512 << 10, ratio=1000)


@pytest.mark.parametrize("text", ["much", "-1", "0", "1.5G", "8 parsecs"])
def test_a_limit_must_be_a_size(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRANFIELD_MAX_LINE", text)
    with pytest.raises(BadSetting, match="CRANFIELD_MAX_LINE"):
        Limits()


def test_the_memory_of_a_command_is_limited(tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_bytes(b"x,y\n" + b"a,b\n" * 5_000_000)
    program = "import sys; from cranfield.commands.process import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "classify", "large.csv", "-a", "x", "-p", "y"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"CRANFIELD_MAX_MEMORY": "300M"},
        check=False,
    )
    assert done.returncode == 1
    assert "CRANFIELD_MAX_MEMORY sets the limit" in done.stderr


@pytest.mark.parametrize(("memory", "status"), [("12M", 1), ("250M", 0)])
def test_a_small_limit_neither_hangs_nor_crashes(memory: str, status: int, tmp_path: Path) -> None:
    (tmp_path / "values.csv").write_text("query,a,b\n1,0.5,0.3\n2,0.6,0.1\n3,0.4,0.4\n")
    program = "import sys; from cranfield.commands.process import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, "compare", "--values", "values.csv", "--test", "wilcoxon"],  # loads SciPy
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=os.environ | {"CRANFIELD_MAX_MEMORY": memory},
        timeout=HANGS,
        check=False,
    )
    refusal = f"cranfield: more than {memory[:-1]} MB of memory is needed; CRANFIELD_MAX_MEMORY sets the limit\n"
    assert (done.returncode, done.stderr) == (status, refusal if status else "")


def test_by_default_a_fifth_of_the_memory_is_left() -> None:
    assert Limits().memory <= 0.8 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(
    ("n_bytes", "text"), [(1, "1 B"), (1 << 10, "1 KB"), (64 << 20, "64 MB"), (3 << 29, "1.5 GB"), (1 << 45, "32 TB")]
)
def test_sizes_are_said_as_one_would(n_bytes: int, text: str) -> None:
    assert readable_size(n_bytes) == text


def repeated(n_rows: int) -> pa.Table:
    """A table of one row, again and again."""
    row = pa.table({"qid": ["q"], "docno": ["d"], "score": [1.0], "label": ["a"]})
    return row.take(pa.array(np.zeros(n_rows, np.int64)))


@pytest.mark.parametrize("ending", ["parquet", "arrow", "arrows"])
@pytest.mark.parametrize("reader", ["run", "qrels", "sheet", "ratings"])
def test_tables_that_unpack_to_far_more_are_refused(ending: str, reader: str, tmp_path: Path) -> None:
    path, table = str(tmp_path / f"bomb.{ending}"), repeated(3_000_000)
    if ending == "parquet":
        pa.parquet.write_table(table, path)
    else:
        made = pa.ipc.new_file if ending == "arrow" else pa.ipc.new_stream
        with made(path, table.schema, options=pa.ipc.IpcWriteOptions(compression="zstd")) as writer:
            writer.write_table(table)
    limits.ratio = SMALL // os.path.getsize(path) // 2
    with pytest.raises(
        BadInput, match=r"decompresses to more than \d+ times its size; CRANFIELD_MAX_RATIO sets the limit"
    ):
        READERS[reader](path)
