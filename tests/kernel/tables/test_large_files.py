"""Large files of predictions, read in batches: the same as reading them as a whole, bit for bit and word for word."""

from __future__ import annotations

import gzip
import json
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cranfield
from cranfield.classification.result import Classification
from cranfield.errors import BadInput
from cranfield.tables import disk as spilled_counts
from cranfield.tables import large_files as counted_files
from cranfield.tables import large_files as score_counts
from cranfield.tables.disk import SpillFile, distinct_rows
from cranfield.tables.large_files import ScoreCounts
from cranfield.tables.readers import recognition
from cranfield.tables.readers import text as blocks
from cranfield.tables.readers.formats import arrow_files
from cranfield.tables.readers.streams import limits

pytestmark = pytest.mark.filterwarnings("ignore::cranfield.errors.CranfieldWarning")

N = 5_000
Classify = Callable[..., Classification]


@pytest.fixture
def in_batches(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Read every file in batches of this many rows, or of bytes if it is text."""

    def set_size(size: int) -> None:
        for module, name, value in (
            (counted_files, "_SMALL", 0),
            (recognition, "MANY_ROWS", 0),
            (recognition, "MANY_BYTES", 0),
            (arrow_files, "BATCH", size),
            (blocks, "BLOCK", size),
            (score_counts, "_FEW", 50),
        ):
            monkeypatch.setattr(module, name, value)

    return set_size


def items() -> pa.Table:
    """Labels that look alike, scores of all kinds, and groups."""
    random = np.random.default_rng(8)
    yes = random.random(N) < 0.3
    score = np.round(random.normal(size=N) + yes, 2)
    score[7], score[13] = 12_345.678, -0.0
    said = np.where(random.random(N) < 0.8, yes, ~yes)
    return pa.table(
        {
            "spam": yes.astype(np.int8),
            "text": np.where(yes, "01", "1").tolist(),
            "said": said.astype(np.int8),
            "name": np.array(["cat", 'hat, "red"', "文"])[random.integers(0, 3, N)].tolist(),
            "guess": np.array(["cat", 'hat, "red"', "文"])[random.integers(0, 3, N)].tolist(),
            "second": np.array(["cat", 'hat, "red"', "文"])[random.integers(0, 3, N)].tolist(),
            "score": score,
            "narrow": random.random(N).astype(np.float32),
            "p": np.round(random.random(N), 3),
            "whole": random.integers(-5, 6, N),
        }
    )


def write(table: pa.Table, path: Path) -> None:
    if path.name.endswith(".parquet"):
        pa.parquet.write_table(table, path, row_group_size=700)
    elif path.name.endswith((".arrow", ".stream")):
        new = pa.ipc.new_file if path.suffix == ".arrow" else pa.ipc.new_stream
        with pa.OSFile(str(path), "wb") as file, new(file, table.schema) as writer:
            writer.write_table(table, max_chunksize=900)
    elif ".jsonl" in path.name:
        data = "".join(f"{json.dumps(row)}\n\n" for row in table.to_pylist())
        path.write_bytes(gzip.compress(data.encode()) if path.suffix == ".gz" else data.encode())
    else:
        sign = "\t" if path.suffix == ".tsv" else ","
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(delimiter=sign))


FORMATS = ("parquet", "arrow", "stream", "csv", "tsv", "jsonl", "jsonl.gz")
SETTINGS: tuple[dict[str, Any], ...] = (
    {"actual": "spam", "score": "score"},
    {"actual": "spam", "score": "narrow", "threshold": 0.7},
    {"actual": "spam", "score": {"a": "whole", "b": "score"}, "by": "name"},
    {"actual": "spam", "probability": "p", "invert": True},
    {"actual": "spam", "probability": {"a": "p", "b": "narrow"}},
    {"actual": "text", "positive": "01", "score": "p", "by": "said"},
    {"actual": "spam", "predicted": "said", "score": "p", "positive": 0},
    {"actual": "name", "predicted": "guess"},
    {"actual": "name", "predicted": {"a": "guess", "b": "second"}, "by": "spam"},
    {"actual": "name", "predicted": "guess", "collapse": "文"},
)


def content(result: Classification) -> Any:
    """The items in any order, and the values of the measures, for each system."""
    systems = []
    for one in result.evaluated:
        predictions = one.predictions.each_item
        columns = (predictions.actual, predictions.predicted, predictions.score, predictions.group)
        rows = Counter(zip(*(column.tolist() for column in columns if column is not None), strict=True))
        systems.append((predictions.system, predictions.labels, predictions.positive, predictions.groups, rows))
    return systems, repr(result.result.values.tolist()), result.systems, result.notes, dict(result.settings)


@pytest.mark.parametrize("form", [
    pytest.param(form, marks=pytest.mark.thorough if form in ("tsv", "jsonl.gz") else ()) for form in FORMATS
])  # fmt: skip
def test_every_format_gives_the_same_in_batches(form, tmp_path, in_batches):
    path = tmp_path / f"items.{form}"
    write(items(), path)
    whole = [cranfield.classify(**how, data=path) for how in SETTINGS]
    in_batches(1200 if form in FORMATS[:3] else 40_000)
    for how, expected in zip(SETTINGS, whole, strict=True):
        result = cranfield.classify(**how, data=path)
        assert result.evaluated[0].predictions.count is not None, how
        assert result.origins == expected.origins  # with the digest of the file
        assert content(result) == content(expected), how


@pytest.mark.parametrize("size", [1, 7, 1000, 4999, 10**6])
def test_batches_of_any_size_give_the_same_bits(size, tmp_path, in_batches):
    path = tmp_path / "items.parquet"
    table = items().slice(0, 60) if size == 1 else items()
    write(table, path)
    how = {"actual": "spam", "probability": {"a": "p", "b": "narrow"}}
    whole = cranfield.classify(**how, data=path, measures=["AUC", "AP", "LogLoss", "Brier", "ECE(by=count)", "MCC"])
    in_batches(size)
    parts = cranfield.classify(**how, data=path, measures=whole.measures)
    assert parts.result.values.tobytes() == whole.result.values.tobytes()
    assert parts.interval("AUC", "a") == whole.interval("AUC", "a")
    assert parts.compare_areas("a", "b") == whole.compare_areas("a", "b")


@given(
    st.lists(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40), max_size=8),
    st.integers(1, 2),
    st.sets(st.integers(0, 7)),
    st.sets(st.integers(0, 7)),
    st.sampled_from([3, 1000]),
)
def test_counted_rows_are_those_of_a_counter(batches, n_columns, merged, spilled, few):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(score_counts, "_FEW", few)
        counts, file = ScoreCounts(), SpillFile()
        patch.setattr(spilled_counts, "_PIECE", 2)
        for place, batch in enumerate(batches):
            columns = [np.array(column, np.float64) for column in list(zip(*batch, strict=True))[:n_columns]]
            counts.add(*distinct_rows(columns, None))
            if place in merged:
                counts.merge()
            if place in spilled:
                counts.spill(file)
        most, taken = counts.settle(file), list(counts.taken())
    expected = sorted(Counter(row[:n_columns] for batch in batches for row in batch).items())
    assert [row for rows, _ in taken for row in zip(*(column.tolist() for column in rows), strict=True)] == [
        row for row, _ in expected
    ]
    assert [n for _, count in taken for n in count.tolist()] == [n for _, n in expected]
    assert len(expected) <= most


def changed(row: int, **values: Any) -> list[dict[str, Any]]:
    rows = items().select(["spam", "name", "score", "p"]).to_pylist()
    rows[row] |= values
    return rows


BAD: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a missing score": ({"score": None}, {"score": "score"}),
    "a score that is no number": ({"score": "high"}, {"score": "score"}),
    "an infinite score": ({"score": "inf"}, {"score": "score"}),
    "a probability above 1": ({"p": 1.5}, {"probability": "p"}),
    "a missing label": ({"spam": None}, {"score": "score"}),
    "a label that is not listed": ({"spam": 7}, {"score": "score", "labels": [0, 1]}),
    "a missing group": ({"name": None}, {"score": "score", "by": "name"}),
    "a label that is a score": ({"spam": 0.5}, {"score": "score"}),
}


@pytest.mark.parametrize("problem", BAD)
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
def test_errors_name_the_row_as_if_the_file_were_read_as_a_whole(problem, form, tmp_path, in_batches):
    values, how = BAD[problem]
    rows, path = changed(4321, **values), tmp_path / f"items.{form}"
    try:
        table = pa.Table.from_pylist(rows)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if form == "parquet":
            pytest.skip("a column of one type cannot hold this")
        table = None
    if form == "jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    elif form == "csv":
        cells = [
            ["" if cell is None else str(cell).replace('hat, "red"', "hat") for cell in row.values()] for row in rows
        ]
        path.write_text("\n".join(map(",".join, [list(rows[0]), *cells])))
    else:
        write(table, path)
    messages = []
    for size in (None, 50_000):
        if size is not None:
            in_batches(size if form != "parquet" else 999)
        with pytest.raises(BadInput) as refused:
            cranfield.classify("spam", data=path, **how)
        messages.append(str(refused.value))
    if "before it" not in messages[0]:  # where the example before it is the first of a batch
        assert messages[0] == messages[1]
    assert {"csv": "line 4323", "jsonl": "line 4322", "parquet": "row 4321"}[form] in messages[1]


def test_lines_with_too_few_fields_are_named(tmp_path, in_batches):
    path = tmp_path / "items.csv"
    path.write_text("spam,score\n" + "0,0.5\n1,0.6\n" * 2000 + "0\n" + "1,0.7\n" * 9)
    with pytest.raises(BadInput) as whole:
        cranfield.classify("spam", score="score", data=path)
    in_batches(5000)
    with pytest.raises(BadInput, match="line 4002: 1 field, but the header has 2") as parts:
        cranfield.classify("spam", score="score", data=path)
    assert str(whole.value) == str(parts.value)


@pytest.mark.parametrize("text", [
    'spam,note,score\n' + '0,"a\nb",0.5\n1,"c, ""d""",0.75\n\n' * 900,
    'spam,note,score\n' + '0,5" disk,0.5\n1,x,0.75\n' * 900,
    '"spa\nm",score\n'.replace("spa\nm", "spam") + "0,0.5\r\n1,0.75\r\n" * 900,
    "spam;score\n" + "0;0.5\n1;0.75\n" * 900,
    "spam score\n" + "0 0.5\n1 0.75\n" * 900,
    "\ufeffspam,score\n" + "0,0.5\n1,0.75\n" * 900,
    "\r\n\nspam,score\n" + "0,0.5\n1,0.75\n" * 900,
], ids=["quoted lines", "a quote in a text", "CR LF", "semicolons", "blanks", "mark", "empty lines"])  # fmt: skip
def test_text_of_every_kind(text, tmp_path, in_batches, monkeypatch):
    path = tmp_path / "items.csv"
    path.write_text(text, encoding="utf-8", newline="")
    whole = cranfield.classify("spam", score="score", data=path)
    in_batches(3000)
    monkeypatch.setattr(limits, "line", 100_000)
    parts = cranfield.classify("spam", score="score", data=path)
    assert content(parts) == content(whole)
    assert len(parts.evaluated[0].predictions) == 1800


@pytest.mark.parametrize("how", [
    {"score": "score", "weight": "p"},
    {"score": "score", "item": "id"},
    {"probability": {"0": "p0", "1": "p"}},
    {"probability": {0: "p0", 1: "p"}},
    {"score": "large"},
    {"score": "score", "by": "id"},
], ids=str)  # fmt: skip
def test_what_needs_single_items_is_read_as_a_whole(how, tmp_path, in_batches):
    path, table = tmp_path / "items.parquet", items()
    table = table.append_column("id", pa.array(range(N))).append_column(
        "large", pa.array(range(2**53, 2**53 + 2 * N, 2))
    )
    write(table.append_column("p0", pa.array(1 - table["p"].to_numpy())), path)
    how = {"measures": "AUC"} | how if "score" in how else {"measures": "Accuracy"} | how
    whole = cranfield.classify("spam", data=path, **how)
    in_batches(1000)
    parts = cranfield.classify("spam", data=path, **how)
    assert parts.evaluated[0].predictions.count is None
    assert content(parts) == content(whole)


def test_types_that_change_between_lines_are_refused_as_in_a_whole_file(tmp_path, in_batches):
    path = tmp_path / "items.jsonl"
    lines = ['{"spam": 0, "score": 0.5}', '{"spam": 1, "score": 1}'] * 500 + ['{"spam": "1", "score": 0.1}']
    path.write_text("\n".join(lines))
    with pytest.raises(BadInput) as whole:
        cranfield.classify("spam", score="score", data=path)
    in_batches(4000)
    with pytest.raises(BadInput, match="line 1001") as parts:
        cranfield.classify("spam", score="score", data=path)
    assert str(whole.value) == str(parts.value)


@pytest.mark.parametrize("label", [1, 2], ids=["known", "new"])
def test_numbers_that_become_text_between_batches_are_refused_as_in_a_whole_file(label, tmp_path, in_batches):
    path = tmp_path / "items.jsonl"
    lines = ['{"spam": 0, "score": 0.5}\n', '{"spam": 1, "score": 1.5}\n'] * 50
    path.write_text("".join([*lines, f'{{"spam": {label}, "score": "1"}}\n' * 100]))
    with pytest.raises(BadInput, match=r"line 101: score is '1', but 0\.5 before it") as whole:
        cranfield.classify("spam", score="score", positive=1, data=path)
    in_batches(10 * len(lines[0]))  # a batch ends where the text begins
    with pytest.raises(BadInput) as parts:
        cranfield.classify("spam", score="score", positive=1, data=path)
    assert str(whole.value) == str(parts.value)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("zeros", [(0.0, -0.0), (-0.0, 0.0)])
def test_negative_zeros_are_zeros_whatever_their_order(kind, zeros, tmp_path, in_batches):
    path = tmp_path / "items.parquet"
    score = np.array([*zeros, -1, *zeros, 1], kind)
    write(pa.table({"spam": [0, 1, 0, 1, 0, 1], "score": score}), path)

    def shown() -> list[str]:
        how = {"score": "score", "data": path, "threshold": 0}
        return [str(cranfield.classify("spam", **how, invert=invert)) for invert in (False, True)]

    texts = [*shown(), str(cranfield.classify([0, 1, 0, 1, 0, 1], score=score, threshold=0))]
    in_batches(2)
    texts += shown()
    assert all(re.search(r"scores of 0 and above|^ +0 ", text, re.MULTILINE) for text in texts)
    assert not any(re.search(r"-0\b(?!\.)", text) for text in texts)


def test_scores_in_single_precision_may_be_large_in_some_batches(tmp_path, in_batches):
    path, table = tmp_path / "items.parquet", items()
    score = np.round(table["narrow"].to_numpy(), 1)
    score[4321] = -3.4e38  # as for masked scores
    write(table.append_column("masked", pa.array(score)), path)
    whole = cranfield.classify("spam", score="masked", data=path)
    in_batches(1000)
    parts = cranfield.classify("spam", score="masked", data=path)
    assert parts.evaluated[0].predictions.count is not None
    assert content(parts) == content(whole)


def test_columns_and_classes_are_checked(tmp_path, in_batches):
    path = tmp_path / "items.parquet"
    write(items().append_column("one", pa.array([1] * N)), path)
    for how in ({"score": "scor"}, {"score": "score", "actual": "one"}, {"score": "score", "positive": 3}):
        messages = []
        for size in (None, 1000):
            if size is not None:
                in_batches(size)
            with pytest.raises(BadInput) as refused:
                cranfield.classify(**({"actual": "spam", "data": path} | how))  # type: ignore[arg-type]
            messages.append(str(refused.value))
        assert messages[0] == messages[1]


@pytest.mark.parametrize("form", FORMATS)
def test_progress_is_in_bytes(form, tmp_path, in_batches):
    path, calls = tmp_path / f"items.{form}", []
    write(items(), path)
    cranfield.classify("spam", score="score", data=path, progress=lambda *call: calls.append(call))
    assert not calls  # a small file
    in_batches(1000 if form in FORMATS[:3] else 50_000)
    cranfield.classify("spam", score="score", data=path, progress=lambda *call: calls.append(call))
    names, done, total = zip(*calls, strict=True)
    assert set(names) == {str(path)}
    assert set(total) == {path.stat().st_size}
    assert list(done) == sorted(done)
    assert done[-1] == path.stat().st_size or form in ("arrow", "stream")  # estimated from the rows
    assert len(calls) > 1
