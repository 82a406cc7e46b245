"""A column of names does what a list of bytes does, whatever the bytes are."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest

from cranfield.errors import BadInput
from cranfield.tables import names as module
from cranfield.tables.names import Names, TextNames, Texts, decode, encode, mixed, named
from cranfield.tables.rankings import concatenated

PREFIX = b"clueweb09-en0000-00-0000"  # three words of eight bytes
MESSY = [
    *(
        b"",
        b"\0",
        b"\0\0",
        b"a",
        b"a\0",
        b"b",
        b"d1",
        b"d10",
        b"D1",
        b"01",
        b"1",
        b"\xff",
        "文档".encode(),
        "ä1".encode(),
    ),
    *(b"x" * n for n in (7, 8, 9, 15, 16, 17, 23, 24, 25, 40)),
    *(b"x" * n + b"\0" for n in (7, 8, 15, 16)),
    *(PREFIX + b"%d" % n for n in (1, 2, 10, 123456789)),
    *(b"y" + PREFIX, b"z" + PREFIX),
    PREFIX,
]


def shuffled(seed: int) -> list[bytes]:
    """Messy names in any order, some of them twice or three times."""
    source = random.Random(seed)
    return source.sample([*MESSY, *source.choices(MESSY, k=20)], len(MESSY) + 20)


@pytest.mark.parametrize("given", [MESSY, [], [b""], [b"", b""], *map(shuffled, range(4))])
def test_names_that_differ_from_the_one_before(given: list[bytes]) -> None:
    twice = [name for name in given for _ in range(2)]  # each beside itself
    for names in (given, twice):
        changes = [place == 0 or name != names[place - 1] for place, name in enumerate(names)]
        assert Names.of(names).changes().tolist() == changes


@pytest.mark.parametrize("given", [[], [b""], [b"", b""], [b"b", b"a"], *map(shuffled, range(8))])
def test_names_in_the_order_of_their_bytes(given: list[bytes]) -> None:
    order, new = Names.of(given).ordered()
    wanted = sorted(given)
    assert [given[place] for place in order] == wanted
    assert sorted(order.tolist()) == list(range(len(given)))
    assert new.tolist() == [place == 0 or name != wanted[place - 1] for place, name in enumerate(wanted)]


def test_every_two_names_are_compared_by_all_their_bytes() -> None:
    column = Names.of(MESSY)
    here, there = (each.ravel() for each in np.indices((len(MESSY), len(MESSY))))
    assert np.array_equal(column.equal(here, column, there), here == there)
    assert np.array_equal(column.hash[here] == column.hash[there], here == there)


def hashed(name: bytes) -> int:
    """A hash, word by word in whole numbers of Python."""

    def spread(value: int) -> int:
        value = value * 0x9E3779B97F4A7C15 % 2**64
        return value ^ value >> 29

    value = spread(len(name))
    for start in range(0, len(name), 8):
        value = spread(value ^ int.from_bytes(name[start : start + 8], "little"))
    return value


def test_names_with_lengths_of_16_bits_are_compared_with_longer_ones() -> None:
    long = b"d" * (1 << 16) + b"d"
    short, longer = Names.of([b"d", long[2:]]), Names.of([b"d", long])
    assert short.length.dtype != longer.length.dtype
    for one, other in ((short, longer), (longer, short)):
        assert one.equal(np.arange(2), other, np.arange(2)).tolist() == [True, False]


@pytest.mark.parametrize("given", [MESSY, [], [b""], [b"x" * 8], [b"x" * 9, b"y" * 17], *map(shuffled, range(2))])
def test_hashes_are_computed_word_by_word(given: list[bytes]) -> None:
    assert Names.of(given).hash.tolist() == [hashed(name) for name in given]


def test_neighbours_are_spread_over_all_bits() -> None:
    values = mixed(np.arange(1 << 14, dtype=np.uint64))
    for bits in (values >> np.uint64(54), values & np.uint64(1023)):  # 16 to be expected of each of 1024 ends
        assert np.bincount(bits.astype(np.int64), minlength=1024).max() < 3 * 16


def test_columns_of_texts_and_of_bytes() -> None:
    texts, wanted = ["a", "ä", "文档", "d\udcff"], [b"a", "ä".encode(), "文档".encode(), b"d\xff"]
    for given in (texts, wanted, [texts[0], *wanted[1:]], [*wanted[:1], *texts[1:]], iter(texts)):
        column = Names.of(given)
        assert (column.tolist(), column.texts(), list(column)) == (wanted, texts, wanted)
    assert Names.of(["d1", "", "d10"]).tolist() == [b"d1", b"", b"d10"]
    assert Names.of(["d1", "", "d10"]).texts() == ["d1", "", "d10"]


@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.string(), pa.large_string()], ids=str)
def test_columns_of_arrow(kind: pa.DataType) -> None:
    given = ["before", "d1", "", "文档", "x" * 20, "after"]
    whole = pa.array(given, pa.string()).cast(kind)
    as_bytes = whole.cast(pa.large_binary() if "large" in str(kind) else pa.binary())
    for first, last in ((0, 6), (1, 5), (2, 3), (3, 3), (6, 6)):
        wanted = [encode(name) for name in given[first:last]]
        part = as_bytes.slice(first, last - first)
        for column in (part, pa.chunked_array([part]), pa.chunked_array([part.slice(0, 1), part.slice(1)])):
            assert Names.from_arrow(column).tolist() == wanted
            assert Names.from_arrow(column).hash.tolist() == [hashed(name) for name in wanted]


def test_a_column_equals_what_holds_the_same_names_in_the_same_order() -> None:
    column = Names.of(["a", "b"])
    assert column == Names.of([b"a", b"b"])
    assert column == [b"a", b"b"]
    assert column == (b"a", b"b")
    assert column != [b"b", b"a"]
    assert column != [b"a"]
    assert column != b"ab"
    assert column != {b"a": 1, b"b": 2}


def test_a_few_names_of_a_long_column_are_taken_out_of_it() -> None:
    many = Names.of([*MESSY, *(b"document %d" % number for number in range(20_000))])
    assert many.take(np.array([3, 0, 20_000])).tolist() == [MESSY[3], b"", b"document %d" % (20_000 - len(MESSY))]
    assert many.take(np.arange(len(MESSY))).tolist() == MESSY
    assert many.take(np.zeros(0, np.int64)).tolist() == []
    assert [many[place] for place in (1, -1)] == [MESSY[1], b"document 19999"]


def test_columns_are_joined_end_to_end() -> None:
    first, second = Names.of(MESSY), Names.of([b"d" * 30, b""]).take(np.array([1, 0]))
    joined = concatenated([first, second, Names.of([]), first])
    assert joined.tolist() == [*MESSY, b"", b"d" * 30, *MESSY]
    assert joined.hash.tolist() == [hashed(name) for name in joined.tolist()]
    assert concatenated([first]) is first
    assert concatenated([]).tolist() == []


def test_a_column_of_one_name_takes_the_memory_of_one_until_another_name_comes() -> None:
    same = Names.repeated(b"Q0", 1_000_000)
    assert same.is_repeated
    assert len(same) == 1_000_000
    assert same.take(np.array([7, 7, 3])).is_repeated
    assert same.take(np.array([7, 3])).tolist() == [b"Q0", b"Q0"]
    twice = concatenated([same, Names.repeated(b"Q0", 2)])
    assert twice.is_repeated
    assert len(twice) == 1_000_002
    few = Names.repeated(b"Q0", 2)
    for others in ([few, Names.of([b"Q0", b""])], [few, Names.repeated(b"Q1", 3)], [Names.of(MESSY), few], [few] * 3):
        joined = concatenated(others)
        assert joined.tolist() == [name for names in others for name in names.tolist()]
        assert joined.hash.tolist() == [hashed(name) for name in joined.tolist()]
        order, new = joined.ordered()
        assert joined.take(order).tolist() == sorted(joined.tolist())
        assert joined.take(order[new]).tolist() == sorted(set(joined.tolist()))


def test_packed_names_are_one_name_only_if_all_are() -> None:
    def packed(data: bytes, start: list[int], length: list[int]) -> Names:
        columns = np.array(start, np.int32).tobytes(), np.array(length, np.uint16).tobytes()
        return Names.packed(*map(bytearray, (data + bytes(8), *columns)))

    assert packed(b"Q0", [0, 0, 0], [2, 2, 2]).is_repeated
    assert packed(b"Q0", [0, 0, 0], [2, 2, 2]).tolist() == [b"Q0"] * 3
    assert packed(b"Q0Q", [0, 0, 2], [2, 2, 1]).tolist() == [b"Q0", b"Q0", b"Q"]
    assert packed(b"Q", [0, 0], [1, 1]).tolist() == [b"Q", b"Q"]
    assert packed(b"", [], []).tolist() == []


def test_offsets_are_as_wide_as_the_bytes_need(monkeypatch: pytest.MonkeyPatch) -> None:
    assert np.iinfo(np.int32).max == module._NARROW + 8
    monkeypatch.setattr(module, "_NARROW", 20)
    narrow, wide = Names.of(["x" * 20]), Names.of(["x" * 20, "y"])
    short = Names.of(["x"])  # nine bytes with the spare word
    for column, kind in (
        (narrow, np.int32),
        (wide, np.int64),
        (Names.from_arrow(pa.array([b"x" * 20])), np.int32),
        (Names.from_arrow(pa.array([b"x" * 20, b"y"])), np.int64),
        (concatenated([short, short]), np.int32),
        (concatenated([short, short, short]), np.int64),
        (concatenated([wide, short]), np.int64),
    ):
        assert (column.start.dtype, column.length.dtype) == (kind, np.uint16)
        assert column.hash.tolist() == [hashed(name) for name in column.tolist()]


def test_texts_are_a_sequence() -> None:
    given = ["d1", "文档", "d\udcff", ""]
    texts = Texts(Names.of(given))
    assert (len(texts), list(texts), texts[1], texts[-1], texts[1:3], texts[::-1]) == (
        *(4, given, "文档", ""),
        *(given[1:3], given[::-1]),
    )
    assert texts == given
    assert texts == tuple(given)
    assert texts != given[1:]
    assert texts != 4
    assert "文档" in texts


@pytest.mark.parametrize("n", [0, 2, 256, 257, 1234])
def test_long_columns_are_shown_in_part(n: int) -> None:
    given = [str(number) for number in range(n)]
    shown = ", ".join(map(repr, given[:256]))
    rest = "" if n <= 256 else f", … {n:,} in all"
    assert repr(Texts(Names.of(given))) == f"({shown}{rest})"


def test_spelled_names_become_bytes_when_asked_for() -> None:
    given = [decode(name) for name in MESSY]
    spelled, column = TextNames(given), Names.of(MESSY)
    assert (len(spelled), spelled[3], spelled.tolist(), spelled.texts()) == (len(MESSY), MESSY[3], MESSY, given)
    assert spelled.take(np.array([5, 3])).tolist() == [MESSY[5], MESSY[3]]
    for name in ("data", "start", "length", "hash"):
        assert np.array_equal(getattr(TextNames(given), name), getattr(column, name))
    assert not hasattr(spelled, "width")
    with pytest.raises(AttributeError, match="width"):
        _ = spelled.width


@pytest.mark.parametrize(
    ("value", "name"), [("d1", b"d1"), (b"d1", b"d1"), (7, b"7"), (np.int8(-7), b"-7"), (10**20, b"1" + b"0" * 20)]
)
def test_texts_and_whole_numbers_are_names(value: object, name: bytes) -> None:
    assert named(value) == name


@pytest.mark.parametrize("value", [True, False, 1.0, np.float64(1), None, ("a",), np.True_])
def test_other_values_are_no_names(value: object) -> None:
    with pytest.raises(BadInput, match=rf"\({type(value).__name__}\) is not an id"):
        named(value)


def test_half_of_a_surrogate_pair_is_no_name() -> None:
    with pytest.raises(BadInput, match=r"'a\\ud800' is not an id: it contains a lone surrogate"):
        encode("a\ud800")
    with pytest.raises(BadInput, match="surrogate"):
        Names.of(["a", "b\udbff"])
