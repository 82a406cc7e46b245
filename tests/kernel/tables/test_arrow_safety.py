"""Arrow data that point outside themselves are refused before anything looks at them, whichever way they come in."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pytest

import cranfield
from cranfield.errors import BadInput
from cranfield.tables.values import read_values

N = 6


def beyond(values: list[str]) -> pa.Array:
    """Texts, one of which ends a kilobyte after the bytes that there are."""
    end = np.cumsum([0, *map(len, values)]).astype(np.int32)
    end[3] += 1024
    return pa.Array.from_buffers(
        pa.string(), len(values), [None, pa.py_buffer(end), pa.py_buffer("".join(values).encode())]
    )


def unknown(values: list[str]) -> pa.Array:
    """The same as codes, one of which stands for nothing."""
    code = pa.array([*range(len(values) - 1), 10_000], pa.int32())
    return pa.DictionaryArray.from_arrays(code, pa.array(values), safe=False)


def not_utf_8(values: list[str]) -> pa.Array:
    """Texts, one of which is none."""
    held = pa.array([*(value.encode() for value in values[:-1]), b"\xff\xfe"], pa.binary())
    return pa.Array.from_buffers(pa.string(), len(held), held.buffers())


BROKEN = pytest.mark.parametrize("broken", [beyond, unknown, not_utf_8], ids=lambda made: made.__name__)


def table(broken: Any, **others: list[Any]) -> pa.Table:
    """A table whose column of labels, documents and items is broken."""
    names = [f"n{place}" for place in range(N)]
    columns = {name: broken(names) for name in ("label", "document", "item")}
    return pa.table(columns | {name: pa.array(values) for name, values in others.items()})


class Capsule:
    """An object that only speaks Arrow's C stream, as any library's may."""

    def __init__(self, held: pa.Table) -> None:
        self._held = held

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._held.__arrow_c_stream__(requested_schema)


@BROKEN
@pytest.mark.parametrize("way", [lambda held: held, Capsule, lambda held: held.to_batches()[0]])
def test_frames_are_validated(broken: Any, way: Any) -> None:
    held = table(broken, query=["q"] * N, score=[1.5] * N, grade=[1] * N, rater=["a", "b"] * 3, category=["x"] * N)
    qrels = {"q": {"n1": 1}}
    with pytest.raises(BadInput, match="damaged"):
        cranfield.evaluate(qrels, way(held.select(["query", "document", "score"])), "AP")
    with pytest.raises(BadInput, match="damaged"):
        cranfield.evaluate(way(held.select(["query", "document", "grade"])), {"q": {"n1": 1.0}}, "AP")
    with pytest.raises(BadInput, match="damaged"):
        cranfield.agree(way(held.select(["item", "rater", "category"])))
    with pytest.raises(BadInput, match="damaged"):
        cranfield.classify("label", "label", data=way(held))
    with pytest.raises(BadInput, match="damaged"):
        cranfield.compare(way(held.select(["label", "score", "grade"])))


@BROKEN
def test_columns_are_validated(broken: Any) -> None:
    held = table(broken)["label"]
    for column in (held, held.chunk(0)):
        with pytest.raises(BadInput, match="damaged"):
            cranfield.classify(column, ["n1"] * N)


def crafted(kind: str) -> bytes:
    """A sound file in which the end of the last text is then set far beyond the data, as an attacker would."""
    table = pa.table({"query": ["q"] * N, "document": ["n"] * N, "score": [1.5] * N, "label": ["y"] * N})
    sink = io.BytesIO()
    with (pa.ipc.new_file if kind == "file" else pa.ipc.new_stream)(sink, table.schema) as writer:
        writer.write_table(table)
    ends = np.arange(N + 1, dtype=np.int32)
    data = sink.getvalue()
    assert data.count(ends.tobytes()) == 3
    return data.replace(ends.tobytes(), np.array([*ends[:-1], 4096], np.int32).tobytes())


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_files_are_validated(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "crafted.arrow"
    path.write_bytes(crafted(kind))
    with pytest.raises(BadInput, match=r"crafted\.arrow: the Arrow data are damaged"):
        cranfield.evaluate({"q": {"n": 1}}, path, "AP")
    with pytest.raises(BadInput, match=r"crafted\.arrow: the Arrow data are damaged"):
        cranfield.classify("label", "label", data=path)
    with pytest.raises(BadInput, match=r"crafted\.arrow: the Arrow data are damaged"):
        read_values(path)


@pytest.mark.parametrize("kind", ["file", "stream"])
def test_names_of_columns_are_validated(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "crafted.arrow"
    path.write_bytes(crafted(kind).replace(b"document", b"doc\xff\xfeent").replace(b"label", b"l\xff\xfeel"))
    for read in (lambda: cranfield.evaluate({"q": {"n": 1}}, path, "AP"), lambda: read_values(path)):
        with pytest.raises(BadInput, match="damaged"):
            read()
