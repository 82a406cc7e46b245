"""Numbers in text: one grammar, whichever door they come through."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from cranfield import agree, classify, compare, evaluate, regress
from cranfield.errors import BadInput
from cranfield.tables.numbers import is_number, merged, number

NUMBERS = {
    "1": 1.0,
    "+1": 1.0,
    "-0.5": -0.5,
    ".5": 0.5,
    "5.": 5.0,
    "1e3": 1000.0,
    "1E-3": 0.001,
    "007": 7.0,
    " 1 ": 1.0,
}
NO_NUMBERS = [
    "",
    " ",
    "1_0",
    "1 000",
    "1,000",
    "1'000",
    "１",
    "١",
    "0x1",
    "1e",
    ".",
    "e5",
    "1.2.3",
    "--1",
    "½",
    "1\xa0",
    "one",
]


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number(text: str) -> None:
    assert is_number(text)
    assert is_number(text.encode())
    assert number(text) == number(text.encode()) == NUMBERS[text]


@pytest.mark.parametrize("text", ["inf", "-Infinity", "+INF"])
def test_infinite(text: str) -> None:
    assert math.isinf(number(text))


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_number(text: str) -> None:
    assert not is_number(text)
    assert not is_number(text.encode())
    with pytest.raises(ValueError, match="is not a number"):
        number(text)


def run_file(folder: Path, score: str, ending: str) -> Path:
    path = folder / f"run.{ending}"
    rows = [("q", "d", score), ("q", "e", "0.25")]
    if ending == "trec":
        path.write_text("".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in rows))
    elif ending == "csv":
        path.write_text("qid,docno,score\n" + "".join(f'{q},{d},"{s}"\n' for q, d, s in rows))
    elif ending == "tsv":
        path.write_text("qid\tdocno\tscore\n" + "".join(f"{q}\t{d}\t{s}\n" for q, d, s in rows))
    elif ending == "jsonl":
        path.write_text("".join(json.dumps({"qid": q, "docno": d, "score": s}) + "\n" for q, d, s in rows))
    else:
        path.write_text(json.dumps({"q": {d: s for _, d, s in rows}}))
    return path


ENDINGS = ("trec", "csv", "tsv", "jsonl", "json")
IN_MEMORY: dict[str, Callable[[str], Any]] = {
    "dict": lambda score: {"q": {"d": score, "e": 0.25}},
    "rows": lambda score: [("q", "d", score), ("q", "e", 0.25)],
    "pandas": lambda score: pd.DataFrame({"qid": ["q", "q"], "docno": ["d", "e"], "score": [score, "0.25"]}),
}


@pytest.mark.parametrize("text", [text for text in NO_NUMBERS if text.strip()])
@pytest.mark.parametrize("route", [*ENDINGS, *IN_MEMORY])
def test_no_reader_of_runs_takes_it_for_a_number(tmp_path: Path, route: str, text: str) -> None:
    run = run_file(tmp_path, text, route) if route in ENDINGS else IN_MEMORY[route](text)
    with pytest.raises(BadInput):
        evaluate({"q": {"e": 1}}, run, "AP")


@pytest.mark.filterwarnings("ignore:.*not sorted by score")
@pytest.mark.parametrize("text", NUMBERS)
@pytest.mark.parametrize("route", [*ENDINGS, *IN_MEMORY])
def test_every_reader_of_runs_takes_it_for_the_same_number(tmp_path: Path, route: str, text: str) -> None:
    run = run_file(tmp_path, text, route) if route in ENDINGS else IN_MEMORY[route](text)
    assert evaluate({"q": {"e": 1}}, run, "AP")["AP"] == (0.5 if NUMBERS[text] > 0.25 else 1.0)


@pytest.mark.parametrize("text", [text for text in NO_NUMBERS if text.strip()])
def test_nor_does_any_other_reader(text: str) -> None:
    with pytest.raises(BadInput):
        evaluate({"q": {"e": text}}, {"q": {"e": 1}}, "AP")
    with pytest.raises(BadInput):
        classify([1, 0], score=["0.5", text])
    with pytest.raises(BadInput):
        classify([1, 0], score=[0.5, text])
    with pytest.raises(BadInput):
        regress([1, 2], [0.5, text])
    with pytest.raises(BadInput):
        compare({"a": ["1", text], "b": ["2", "3"]})


def test_categories_that_only_look_like_numbers_are_text() -> None:
    found = agree([("x", "ann", "1_0"), ("x", "bob", "10"), ("y", "ann", "10"), ("y", "bob", "10")])
    assert found["Agreement"] == 0.5  # 1_0 is not 10


@pytest.mark.parametrize(
    "line", ["q Q0 d 1 1 000 tag", "q\tQ0\td\t1\t1 000\ttag", "q\td\t1 000", "q Q0 d 1 12 345.5 tag"]
)
def test_a_score_with_grouped_digits_is_not_read_as_its_first_group(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.txt"
    path.write_text(f"{line}\n{line.replace('d', 'e', 1)}\n")
    with pytest.raises(BadInput, match=r"line 1: .*is not a number; write it without blanks"):
        evaluate({"q": {"e": 1}}, path, "AP")


def test_a_tag_of_several_words_is_still_a_tag(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("q Q0 d 1 0.5 my run\nq Q0 e 2 0.25 my run\n")
    assert evaluate({"q": {"e": 1}}, path, "AP")["AP"] == 0.5


def test_integers_that_floating_point_numbers_merge() -> None:
    large = [2**53, 2**53 + 1, 5]
    assert merged(np.array(large), np.array(large, np.float64)) == (0, 1)
    assert merged(large, np.array(large, np.float64)) == (0, 1)
    assert merged([str(value) for value in large], np.array(large, np.float64)) == (0, 1)
    assert merged([2**60, 2**60, 2.0**60, "1152921504606846976"], np.full(4, 2.0**60)) is None
    assert merged([0.1, "0.1"], np.array([0.1, 0.1])) is None


@pytest.mark.parametrize("lines", ["q a 1 000\n", "q a 3 999\nq b 1 345\n", "q a 1 234\nq b 1 100\nr a 1 500\n"])
def test_thousands_apart_from_the_rest_are_not_taken_for_ranks(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(lines)
    with pytest.raises(BadInput, match=r"run, line 1: the last two fields may be a rank and a score, or one number"):
        evaluate({"q": {"a": 1}}, path, "RR")


@pytest.mark.parametrize(
    "lines", ["q b 1 900\nq a 2 500\n", "q a 1 99.5\nq b 7 000\n", "query document rank score\nq a 9 000\n"]
)
def test_ranks_and_scores_of_three_digits_are_read(lines: str, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(lines)
    assert evaluate({"q": {"a": 1}}, path, "RR")["RR"] in (0.5, 1)
