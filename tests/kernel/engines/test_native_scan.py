"""The scan in C reads 64 bytes, eight digits and half a key at a time: where these end makes no difference."""

from __future__ import annotations

import math
import random
from dataclasses import asdict
from pathlib import Path

import pytest

from cranfield.engines import local, native
from cranfield.engines.protocol import Engine
from cranfield.errors import BadInput
from cranfield.tables.sources import as_judgments, as_run

pytestmark = pytest.mark.skipif(not native.is_built(), reason="the extension in C was not built")

Ranking = dict[str, str]  # scores as they are written


def told(engine: Engine, qrels: bytes, run: bytes, folder: Path) -> dict[str, object]:
    for name, data in (("qrels", qrels), ("run", run)):
        (folder / name).write_bytes(data)
    ranks = engine.judged_ranks(as_run(str(folder / "run")), as_judgments(str(folder / "qrels")))
    return {name: getattr(value, "tolist", lambda value=value: value)() for name, value in asdict(ranks).items()}


def ranks_in(run: bytes, documents: list[bytes], folder: Path) -> list[int]:
    """The ranks of documents of the query `q`, on which both engines agree."""
    qrels = b"".join(b"q 0 " + document + b" 1\n" for document in documents)
    found = told(native, qrels, run, folder)
    assert found == told(local, qrels, run, folder)
    return found["rank"]  # type: ignore[return-value]


@pytest.mark.parametrize("size", [*range(1, 9), *range(43, 60), *range(107, 124), 700])
def test_a_field_may_end_anywhere(size: int, tmp_path: Path) -> None:
    names = [b"%d" % place + b"x" * (size - 1) for place in range(5)]
    run = b"".join(b"q Q0 %s 1 %d.5 t\n" % (name, place) for place, name in enumerate(names))
    assert ranks_in(run, names, tmp_path) == [5, 4, 3, 2, 1]
    assert ranks_in(run[:-1], names, tmp_path) == [5, 4, 3, 2, 1]  # without the last line end


IRREGULAR = [b"\n", b"  \n", b"# a comment\n", b"q  Q0 {} 1 {} t\n", b"q\tQ0\t{}\t1\t{}\tt\n", b" q Q0 {} 1 {} t\n"]
IRREGULAR += [b"q Q0 {} 1 {} t \n", b"q Q0 {} 1 {} t\r\n", b"q Q0 {} 1 {} t more\n", b"q Q0 {} 1 {} \xc2\xa0\n"]


@pytest.mark.parametrize("seed", range(20))
def test_irregular_lines_may_stand_between_regular_ones(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed)
    lines, names = [], []
    while len(names) < 40:
        line = source.choice([b"q Q0 {} 1 {} t\n"] * 10 + IRREGULAR)
        if b"{}" in line:
            names.append(b"d%d" % len(names) + b"y" * source.randrange(60))
            score = b"%.*f" % (source.randrange(1, 10), 100 - len(names) / 3)
            line = line.replace(b"{}", names[-1], 1).replace(b"{}", score, 1)
        lines.append(line)
    assert ranks_in(b"".join(lines), names, tmp_path) == list(range(1, 41))


@pytest.mark.parametrize("n_digits", range(1, 20))
@pytest.mark.parametrize("end", [b"\n", b""], ids=["line end", "end of the file"])
def test_grades_and_scores_of_any_length_may_be_the_last_bytes(n_digits: int, end: bytes, tmp_path: Path) -> None:
    source = random.Random(n_digits)
    texts = [f"{source.randrange(3)}.{source.randrange(10**n_digits):0{n_digits}}" for _ in range(4)]
    qrels = "\n".join(f"q 0 d{place} {text}" for place, text in enumerate(texts)).encode() + end
    (tmp_path / "qrels").write_bytes(qrels)
    judged = as_judgments(str(tmp_path / "qrels"))
    assert judged.grades_of(0) == {b"d%d" % place: float(text) for place, text in enumerate(texts)}


@pytest.mark.parametrize("text", ["1./5", "1.:5", "1.5/", "1.2345678:", "1.\x7f5", "1.-5", "1.5\x805", "1.5e", "1..5"])
def test_what_is_almost_a_digit_is_none(text: str, tmp_path: Path) -> None:
    run = b"q Q0 a 1 2 t\nq Q0 b 2 " + text.encode("latin-1") + b" tag-that-is-long\n"
    messages = []
    for engine in (local, native):
        with pytest.raises(BadInput, match="line 2") as error:
            told(engine, b"q 0 a 1\n", run, tmp_path)
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def beside(value: float, steps: int) -> float:
    """A number that differs from another one in its last bits."""
    for _ in range(abs(steps)):
        value = math.nextafter(value, math.copysign(math.inf, steps))
    return value


ORDERS = {
    "in their lower half alone, rising": [beside(3.25, step) for step in range(300)],
    "in their lower half alone, mixed": [beside(-3.25, step * 7 % 300) for step in range(300)],
    "in both halves": [step * 13 % 101 + beside(0.1, step * 7 % 50) for step in range(300)],
    "in signs and zeros": [(-1) ** step * (step % 5) * 0.5 for step in range(300)],
    "by nearly nothing": [5e-324 * (step * 11 % 90 - 45) for step in range(300)],
    "by very much": [(-1) ** step * 10.0 ** (step % 31 - 200) for step in range(300)],
    "infinitely": [math.inf if step % 7 == 0 else -math.inf if step % 5 == 0 else step for step in range(300)],
    "by very little, but for one": [1e300 if step == 1 else beside(2.5, step * 7 % 300) for step in range(300)],
    "not at all": [1.5] * 300,
}


@pytest.mark.parametrize("n", [2, 31, 32, 33, 34, 300])
@pytest.mark.parametrize("kind", ORDERS)
def test_scores_are_sorted_whatever_they_differ_in(kind: str, n: int, tmp_path: Path) -> None:
    scores = ORDERS[kind][:n]
    texts = [repr(score) for score in scores]
    names = [b"d%03d" % place for place in range(n)]
    run = b"".join(b"q Q0 %s 1 %s t\n" % (name, text.encode()) for name, text in zip(names, texts, strict=True))
    order = sorted(range(n), key=lambda row: (scores[row], names[row]), reverse=True)
    assert ranks_in(run, names, tmp_path) == [order.index(row) + 1 for row in range(n)]


def test_thousands_of_scores_are_sorted_and_no_document_is_taken_for_another(tmp_path: Path) -> None:
    scores = [source.randrange(10**6) for source in [random.Random(1)] for _ in range(9000)]
    run = b"".join(b"q Q0 d%d 1 %d t\n" % (place, score) for place, score in enumerate(scores))
    highest = max(range(9000), key=lambda place: (scores[place], b"d%d" % place))
    assert ranks_in(run, [b"d%d" % highest], tmp_path) == [1]


@pytest.mark.parametrize("n", [2, 33, 1000, 9000])
def test_a_document_that_comes_twice_is_found_wherever_it_stands(n: int, tmp_path: Path) -> None:
    first, second = sorted(random.Random(n).sample(range(n), 2))
    names = [b"d%d" % place for place in range(n)]
    names[second] = names[first]
    run = b"".join(b"q Q0 %s 1 %d t\n" % (name, place) for place, name in enumerate(names))
    with pytest.raises(BadInput, match=f"line {second + 1}: .*d{first}\\b"):
        told(native, b"q 0 d0 1\n", run, tmp_path)


def test_many_and_few_judged_documents_are_found_in_the_same_run(tmp_path: Path) -> None:
    source = random.Random(5)
    qrels, run, wanted = [], [], []
    for query in range(12):
        n = (1, 2, 16, 17, 700, 3000)[query % 6]
        names = [f"{source.randrange(10**9)}-{place}" for place in range(n)]
        retrieved = source.sample(names, n - n // 3) + [f"u{place}" for place in range(n)]
        source.shuffle(retrieved)
        qrels += [f"q{query:02} 0 {name} 1\n" for name in names]
        run += [f"q{query:02} Q0 {name} 1 {-place} t\n" for place, name in enumerate(retrieved)]
        rank = {name: place + 1 for place, name in enumerate(retrieved)}
        wanted += [rank.get(name, 0) for name in names]
    found = told(native, "".join(qrels).encode(), "".join(run).encode(), tmp_path)
    assert found["rank"] == wanted
