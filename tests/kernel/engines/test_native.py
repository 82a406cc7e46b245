"""The native engine: chosen by name, never wrong about a number, and left out where names or lines are hostile."""

from __future__ import annotations

import importlib.util
import math
import random
import struct
import subprocess
import sys
import warnings
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cranfield.native as extension
from cranfield import evaluate
from cranfield.engines import local, native
from cranfield.engines.protocol import EngineName
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.hits import hits
from cranfield.evidence.judged_ranks import JudgedRanks
from cranfield.tables.names import decode, encode
from cranfield.tables.sources import as_judgments, as_run

QRELS = {"q": {"a": 1, "b": 0}}
built = pytest.mark.skipif(not native.is_built(), reason="the extension in C was not built")


LINES = (0, 2, 4, 6, True)
SETTINGS = (0, False, 4, 100)


def counted(data: bytes | bytearray, qrels: dict[str, dict[str, int]] | None = None) -> Any:
    """What is counted in lines of TREC's format; 0 if they are not plain."""
    return extension.native.count_block(native._index(as_judgments(qrels or QRELS)), data, LINES, SETTINGS)


def ranks(texts: list[str]) -> list[int] | None:
    """The ranks of documents with these scores."""
    lines = "".join(f"q Q0 d{row} 1 {text} t\n" for row, text in enumerate(texts))
    found = counted(lines.encode(), {"q": {f"d{row}": 1 for row in range(len(texts))}})
    return np.frombuffer(found[2], np.uint32).reshape(-1, 4)[:, 1].tolist() if found else None


def _between(source: random.Random) -> str:
    """The decimal digits halfway between two neighbouring doubles, or one unit of the last digit beside."""
    low = source.uniform(0.5, 1)
    exact = (int(low * 2**54) * 2 + source.choice((1, 1, 0))) * 5**55
    return f"{exact + source.choice((-1, 0, 0, 1)):054}e-55"


NUMBERS: dict[str, Callable[[random.Random], str]] = {
    "six decimals": lambda source: f"{source.random():.6f}",
    "as Python writes": lambda source: repr(source.uniform(-40, 40)),
    "any double": lambda source: repr(struct.unpack("d", source.randbytes(8))[0]),
    "seventeen digits": lambda source: f"{source.gauss(0, 1):.17g}",
    "nineteen digits": lambda source: f"{source.randrange(10**18, 10**19)}e-{source.randrange(15, 30)}",
    "twenty digits and more": lambda source: f"0.{source.randrange(10**30):030}",
    "exponents": lambda source: f"{source.randrange(-(10**6), 10**6)}E{source.randrange(-400, 9):+}",
    "halfway": _between,
    "spelled": lambda source: source.choice(("1.", ".5", "+1", "-0", "00.0", "-.0e-0", "1e-320", "4.9e-324", "1e-400")),
}


def neighbours(text: str) -> list[str]:
    """The digits of the double that a text is, and of the doubles beside it, unless they are too many."""
    value = float(text)
    each = [value, math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
    exact = [f"{Decimal(one):f}" for one in each if math.isfinite(one)]
    return [digits for digits in exact if len(digits) < 290]


@built
@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_are_the_doubles_that_float_gives(kind: str) -> None:
    source = random.Random(kind)
    some = [text for text in (NUMBERS[kind](source) for _ in range(500)) if abs(float(text)) < 2**53]
    texts = [each for text in some for each in (text, *neighbours(text))]
    order = sorted(range(len(texts)), key=lambda row: (float(texts[row]), f"d{row}"), reverse=True)
    assert ranks(texts) == [rank for _, rank in sorted(zip(order, range(1, len(order) + 1), strict=True))]


@built
@pytest.mark.parametrize(
    "text",
    ["nan", "1e", "e5", ".", "-", "+-1", "1_0", "0x10", "1.2.3", "１", "9007199254740992", "1d0", "1,5", "1e400"],
)
def test_whatever_else_stands_for_a_number_is_left_to_the_readers(text: str) -> None:
    assert ranks(["1", text]) is None
    assert extension.native.columns(f"q 0 a {text}\n".encode(), b"nnnd") is None


@built
@pytest.mark.parametrize(
    "data",
    [
        b"", b"\n", b"# only\n", b"q Q0 a 1 2\n", b"q Q0 a 1 2 t\nq Q0 a 2 1 t\n", b"q Q0 a 1 1 000 t\n", b"q", b"#",
        b"q Q0 a\0 1 2 t\n", b"q Q0 a 1 2 t\0", b"\0q Q0 a 1 2 t\n",
    ],
)  # fmt: skip
def test_blocks_that_are_not_plain_are_left_to_the_readers(data: bytes) -> None:
    assert counted(data) == extension.native.IRREGULAR


@built
@pytest.mark.parametrize("place", [-1, 6, 7, 2**31 - 1])
def test_a_field_that_no_line_has_is_not_looked_at(place: int) -> None:
    index = native._index(as_judgments(QRELS))
    for lines in ((0, 2, place, 6, True), (place, 2, 4, 6, True), (0, place, 4, 6, True), (0, 2, 4, 9, True)):
        assert extension.native.count_block(index, b"q Q0 a 1 2 t\n", lines, SETTINGS) == extension.native.IRREGULAR
        assert extension.native.gather_block(index, b"q Q0 a 1 2 t\n", lines) == extension.native.IRREGULAR
    assert extension.native.columns(b"a\n", b"n" * 8) is None


@built
def test_scattered_lines_are_gathered_by_the_names_of_queries() -> None:
    index = native._index(as_judgments({"q": {"a": 1, "b": 1}, "r": {"c": 1}}))
    first, second = b"r Q0 c 1 1 t\nq Q0 a 1 1 t\nr Q0 d 1 2 t\n", b"q Q0 b 1 5 t\nx Q0 a 1 1 t\n"
    assert extension.native.count_block(index, first, LINES, SETTINGS) == extension.native.SCATTERED
    blocks = [extension.native.gather_block(index, data, LINES) for data in (first, second)]
    rows = extension.native.gathered(index, blocks)
    data, rankings, hits, n_disordered, _, sample = extension.native.count_gathered(index, rows, (0, 1), SETTINGS)
    assert data == b"qrx"
    assert np.frombuffer(rankings, np.int32).tolist() == [0, 2, 0, 1, 1, 2, 1, 1, -1, 1, 2, 1]
    assert np.frombuffer(hits, np.uint32).reshape(-1, 4)[:, :2].tolist() == [[0, 2], [1, 1], [2, 2]]
    assert (n_disordered, sample) == (2, [(0, [b"a", b"b"]), (1, [b"c", b"d"])])
    assert extension.native.count_gathered(index, rows, (1, 3), SETTINGS)[0] == b"r"
    for share in ((3, 3), (-1, 3), (0, 0)):
        with pytest.raises(ValueError, match="no such share"):
            extension.native.count_gathered(index, rows, share, SETTINGS)
    with pytest.raises(ValueError):
        extension.native.gathered(index, [index])
    again = [extension.native.gather_block(index, data, LINES) for data in (first, b"q Q0 a 3 0 t\n")]
    rows = extension.native.gathered(index, again)
    assert extension.native.count_gathered(index, rows, (0, 1), SETTINGS) == extension.native.IRREGULAR


@built
def test_names_outside_their_data_are_refused() -> None:
    def index(start: int, length: int, end: int) -> object:
        first, one = np.array([0], np.int32), np.array([1], np.uint16)
        documents = b"d", np.array([start], np.int32), np.array([length], np.uint16)
        return extension.native.index(1, b"q", first, one, *documents, np.array([0, end], np.int32))

    assert index(0, 1, 1)
    for outside in ((9, 1, 1), (-1, 1, 1), (0, 2, 1), (0, 1, 2), (0, 1, -1)):
        with pytest.raises(ValueError, match="within their data"):
            index(*outside)


def colliding(n_pairs: int) -> list[str]:
    """Names that have the same hash whatever its seed, by changes to one word that the next one takes back."""
    same, other = b"a" * 16, b"aaaaaaa\xe1aaaaeaa\xe1"
    return [decode(b"".join(words)) for words in product((same, other), repeat=n_pairs)]


@built
def test_names_that_collide_are_left_to_the_local_engine(tmp_path: Path) -> None:
    names = colliding(11)
    assert native._index(as_judgments({"q": dict.fromkeys(names, 1)})) is None
    lines = [encode(f"q Q0 {name} 1 {row} t\n") for row, name in enumerate(names)]
    assert counted(b"".join(lines)) == extension.native.IRREGULAR
    assert counted(b"".join(lines[:500]))
    path = tmp_path / "run"
    path.write_bytes(b"".join(lines))
    judged = as_judgments({"q": {names[5]: 1}})
    assert native.judged_ranks(as_run(path), judged).rank.tolist() == [len(names) - 5]


@built
@pytest.mark.parametrize(
    "size", [65_535, 65_536, *(pytest.param(size, marks=pytest.mark.thorough) for size in (65_534, 70_000))]
)
def test_names_of_65535_bytes_are_looked_up_in_c_and_longer_ones_by_the_local_engine(size: int, tmp_path: Path) -> None:
    short, long = b"d" * (size - 65_530), b"d" * size
    (tmp_path / "qrels").write_bytes(b"q 0 %s 1\nq 0 %s 0\nq 0 x 1\n" % (long, short))
    (tmp_path / "run").write_bytes(b"q Q0 %s 1 3 t\nq Q0 %s 2 2 t\nq Q0 x 3 1 t\n" % (short, long))
    assert (native._index(as_judgments(tmp_path / "qrels")) is None) == (size > 65_535)
    for engine in ("native", "local"):
        result = evaluate(tmp_path / "qrels", tmp_path / "run", "AP", engine=engine)  # type: ignore[arg-type]
        assert result["AP"] == (1 / 2 + 2 / 3) / 2


@pytest.mark.parametrize("name", ["local", pytest.param("native", marks=built)])
def test_the_engine_that_ran_is_told(name: EngineName) -> None:
    result = evaluate(QRELS, {"q": {"a": 1.0}}, "AP", engine=name)
    assert result.provenance.engine == name
    assert result.provenance.to_dict()["versions"]["engine"] == name


def test_an_engine_that_is_not_there_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadSetting, match="engine must be one of 'auto', 'local', 'native', 'spark', not 'cluster'"):
        evaluate(QRELS, {"q": {"a": 1.0}}, "AP", engine="cluster")  # type: ignore[arg-type]
    monkeypatch.setattr(native, "is_built", lambda: False)
    assert evaluate(QRELS, {"q": {"a": 1.0}}, "AP").provenance.engine == "local"
    with pytest.raises(BadSetting, match="was not built"):
        evaluate(QRELS, {"q": {"a": 1.0}}, "AP", engine="native")


@built
def test_errors_name_the_line_on_either_engine(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2 t\n# note\nq Q0 b 2 x t\n")
    told = []
    for engine in (local, native):
        with pytest.raises(BadInput) as caught:
            engine.judged_ranks(as_run(path), as_judgments(QRELS))
        told.append(str(caught.value))
    assert told[0] == told[1]
    assert "line 3: score 'x' is not a number" in told[0]


@built
def test_plain_files_are_scanned_and_no_other_reader_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run"
    path.write_text("q Q0 b 1 2 t\r\n\n q\tQ0 a  2 1.5 t more\n# note\nother Q0 a 1 3 t")
    monkeypatch.setattr("cranfield.tables.adapters.chunks.RunChunk.__call__", None)
    with warnings.catch_warnings(action="ignore"):
        assert evaluate(QRELS, path, "RR", engine="native")["RR"] == 0.5


@built
def test_trec_text_is_evaluated_without_pyarrow(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("q 0 a 1\n")
    (tmp_path / "run").write_text("q Q0 a 1 2 t\n")
    (tmp_path / "other").write_text("q Q0 b 1 2 t\nr Q0 c 1 3 t\nq Q0 a 2 1 t\n")
    for argument in ("evaluate('qrels', 'run', 'AP')", "evaluate('qrels', ['run', 'other'], 'AP')"):
        program = f"import sys; from cranfield import evaluate; {argument}; print('pyarrow' in sys.modules)"
        found = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=tmp_path, capture_output=True)
        assert found.stdout == b"False\n", found.stderr


@built
def test_an_extension_of_another_version_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    assert extension._built() is extension.native
    monkeypatch.setattr(extension, "VERSION", extension.VERSION + 1)
    assert extension._built() is None


@built
def test_the_extension_can_be_loaded_again_and_shares_nothing_with_the_first() -> None:
    """Modules that are initialised in one phase are the same wherever they are loaded."""
    spec = extension.native.__spec__
    again = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(again)
    assert again.VERSION == extension.VERSION
    again.VERSION = 0
    assert extension.native.VERSION == extension.VERSION
    assert again.judged_dicts([{"a": 1}]) == extension.native.judged_dicts([{"a": 1}])


@built
def test_what_does_not_fit_together_is_refused() -> None:
    def counted(dicts: object, unit: object, texts: object = ["a"], starts: object = (0, 1)) -> object:
        return extension.native.count_dicts(
            texts, np.array(starts, np.int32), dicts, np.array(unit, np.int64), SETTINGS
        )

    for dicts, unit in (([{"a": 1.0}], [1]), ([{"a": 1.0}], [0, 0]), ([["a"]], [0])):
        assert counted(dicts, unit) == extension.native.IRREGULAR
    for texts, starts in ((["a"], [0, 2]), (["a", "b"], [0, 3, 2]), (["a"], []), (["a"], [1, 1]), ([b"a"], [0, 1])):
        assert counted([{"a": 1.0}], [0], texts, starts) == extension.native.IRREGULAR
    with pytest.raises(TypeError):
        counted({"a": 1.0}, [0])
    for grades in ([1], [{1: 1}], [{"a": True}], [{"a": float("nan")}], [{"a": float("inf")}], [{"a": 10**400}]):
        assert extension.native.judged_dicts(grades) is None


@built
@pytest.mark.parametrize("depth", [3, 40, 100_000])
def test_hits_are_put_in_order_in_c_as_in_python(depth: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(depth)
    qrels = {f"q{q}": {f"d{d}": source.randrange(4) for d in range(source.randrange(1, 60))} for q in range(30)}
    judged = as_judgments(qrels)
    rank = np.concatenate([source.sample(range(depth + 60), n) for n in np.diff(judged.starts)])
    ranks = JudgedRanks(np.full(30, depth + 60), rank, rank, np.ones_like(rank), np.ones(30, np.bool_))
    sorted_in_c = hits(judged, ranks)
    monkeypatch.setattr(extension, "native", None)
    sorted_in_python = hits(judged, ranks)
    for column in ("unit", "rank", "grade", "tie_start", "tie_size"):
        assert getattr(sorted_in_c, column).tolist() == getattr(sorted_in_python, column).tolist()


@built
@pytest.mark.parametrize("n_judged", [1, 2, 3])
@pytest.mark.parametrize("found", [0.0, 0.5, 1.0])
def test_a_query_of_many_with_few_documents_is_scored_alone(n_judged: int, found: float, tmp_path: Path) -> None:
    source = random.Random(f"{n_judged} {found}")
    ids = ["d", "D-1", "http://example.org/é", "x" * 8, "x" * 9, "0" * 24, "文書", "y" * 60]
    queries = [f"{'topic-' * (number % 3)}{number * 37 % 101}" for number in range(101)]
    qrels = {query: {name: source.randrange(1, 3) for name in source.sample(ids, n_judged)} for query in queries}
    names = {q: [name if source.random() < found else f"{name}~" for name in qrels[q]] for q in queries}
    run = {q: {name: source.choice((0.5, 1.0)) for name in names[q]} for q in source.sample(queries, 101)}
    run["another"] = {"d": 1.0}
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {g}\n" for q, row in qrels.items() for d, g in row.items()))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} 1 {s} t\n" for q, row in run.items() for d, s in row.items()))
    with warnings.catch_warnings(action="ignore"):
        in_c, in_python = (evaluate(tmp_path / "qrels", tmp_path / "run", engine=name) for name in ("native", "local"))
        alone = {q: evaluate({q: qrels[q]}, {q: run[q]}, engine="local") for q in queries}
    for measure in map(str, in_c.measures):
        values = {q: alone[q].per_query(measure)[q] for q in sorted(queries)}
        assert in_c.per_query(measure) == in_python.per_query(measure) == values


@built
@pytest.mark.parametrize("name", [b"q", b"unjudged"])
def test_a_query_whose_lines_are_apart_is_noticed_whether_it_is_judged_or_not(name: bytes) -> None:
    apart = b"%s Q0 a 1 3 t\nother Q0 b 1 2 t\n%s Q0 b 2 1 t\n"
    assert counted(apart % (name, name)) == extension.native.SCATTERED
    assert counted(apart % (name, b"third"))


@built
def test_columns_of_hits_that_do_not_fit_together_are_refused() -> None:
    def ranked(*columns: object) -> object:
        return extension.native.ranked(
            *(np.array(one, "f8" if place == 2 else "i4") for place, one in enumerate(columns))
        )

    ones = [1, 2], [1.0, 1.0], [1, 1], [1, 1]
    assert ranked([0, 2], *ones) is not None
    for starts in ([0, 1], [0, 3, 2], [1, 2]):
        assert ranked(starts, *ones) is None
    assert ranked([0, 2], [1, 1], *ones[1:]) is None  # two documents of the same rank
    assert ranked([0, 2], [9, 9], *ones[1:]) is None
    assert ranked([0, 2], [1, 2], [1], *ones[2:]) is None
    with pytest.raises(TypeError, match="at most five other columns"):
        ranked([0, 2])


MEMORY = """
import os
import numpy as np
import cranfield.native as extension

n = (1 << 20) + 1
data = np.char.mod("%07d", np.arange(n)).astype("S7").view(np.uint8)
names = [np.append(data, np.zeros(8, np.uint8)), np.arange(0, 7 * n, 7, np.int32), np.full(n, 7, np.uint16)]

def in_use():
    with open("/proc/self/statm") as statistics:
        return int(statistics.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

before = in_use()
index = extension.native.index(1, *names, *names, np.arange(n + 1, dtype=np.int32))
print((in_use() - before) / n)
"""


@built
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory in use is not known here")
def test_the_index_of_a_million_queries_takes_less_than_twenty_bytes_for_each() -> None:
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert 5 < float(done.stdout) < 20


@built
def test_lines_are_bytes_that_end_with_a_zero() -> None:
    lines = b"q Q0 b 1 2 t\nq Q0 a 2 1 t"
    expected = counted(lines)
    for _ in range(3):  # the same memory is used again
        assert counted(bytearray(lines))[1:] == expected[1:]
    longer = bytearray(lines + b"\nq Q0 c 3 0 t")
    del longer[len(lines) :]
    assert counted(longer)[1:] == expected[1:]
    for other in (memoryview(lines), "q Q0 b 1 2 t", np.frombuffer(lines, np.uint8)):
        with pytest.raises(TypeError, match="bytes or a bytearray"):
            counted(other)  # type: ignore[arg-type]


@built
def test_unjudged_queries_are_named_in_the_same_order_however_a_run_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lines of one query are in two blocks, of which the engines make one run in different ways."""
    (tmp_path / "run").write_text("z Q0 a 1 1 t\ny Q0 a 1 1 t\nx Q0 a 1 1 t\nz Q0 b 2 0 t\n")
    for size in (1, 20, 1000):
        monkeypatch.setattr("cranfield.tables.readers.text.BLOCK", size)
        for engine in (native, local):
            ranks = engine.judged_ranks(as_run(tmp_path / "run"), as_judgments(QRELS))
            assert ranks.strangers == (b"x", b"y", b"z")
