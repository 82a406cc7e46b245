"""A score is infinite if it is written so, and refused if it is only too large; the same through every door."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas
import polars
import pyarrow as pa
import pytest

from cranfield.errors import BadInput
from cranfield.tables.numbers import number
from fuzz.targets.routes import figures
from generators.doors import QRELS, RUNS, Door, Row, columns

QUERIES = {"q": {"first": 1, "middle": 0, "last": 1, "日本": 2}}
TOO_LARGE = ("1e400", "-1e400", "9" * 309 + ".5", "1" + "0" * 400)
STAND_IN = "8.25"  # for a number that Python's writers of JSON would not write


def texts(rows: list[Row], value: str) -> dict[str, list[str]]:
    """The columns, numbers as they are written."""
    return columns([(query, document, "0") for query, document, _ in rows], value) | {value: [row[2] for row in rows]}


def in_memory(value: str) -> dict[str, Door]:
    """Doors for numbers that are texts."""
    return {
        "Arrow, text": Door(lambda _, rows: pa.table(texts(rows, value))),
        "pandas, text": Door(lambda _, rows: pandas.DataFrame(texts(rows, value))),
        "Polars, text": Door(lambda _, rows: polars.DataFrame(texts(rows, value))),
        "dict, text": Door(lambda _, rows: {rows[0][0]: {document: written for _, document, written in rows}}),
        "tuples, text": Door(lambda _, rows: list(rows)),
        "tuples, decimals": Door(lambda _, rows: [(query, name, Decimal(written)) for query, name, written in rows]),
    }


def written(door: str, doors: dict[str, Door], folder: Path, rows: list[Row]) -> Any:
    """The rows through a door that keeps how numbers are written."""
    if not door.startswith("JSON"):
        return doors[door].write(folder, rows)
    finite = [(query, name, STAND_IN if text in TOO_LARGE else text) for query, name, text in rows]
    path = doors[door].write(folder, finite)
    odd = next((text for _, _, text in rows if text in TOO_LARGE), STAND_IN)
    path.write_text(path.read_text().replace(STAND_IN, odd))
    return path


def are_text(doors: dict[str, Door]) -> list[str]:
    """The doors through which numbers go as text, whatever it spells."""
    return [name for name in doors if name.startswith(("TREC", "MS", "four", "three", "CSV", "TSV", "JSON"))]


RUN_TEXTS, QRELS_TEXTS = in_memory("score"), in_memory("relevance")


@pytest.mark.parametrize("text", TOO_LARGE)
def test_a_number_too_large_for_floating_point_is_no_number(text: str) -> None:
    for value in (text, text.encode(), f" {text}\n", Decimal(text)):
        with pytest.raises(ValueError, match="too large for floating point"):
            number(value)


@pytest.mark.parametrize("engine", ["local", "native"])
@pytest.mark.parametrize("text", TOO_LARGE, ids=lambda text: text[:6])
@pytest.mark.parametrize("door", [*are_text(RUNS), *RUN_TEXTS])
def test_a_score_too_large_is_refused(door: str, text: str, engine: str, tmp_path: Path) -> None:
    rows = [("q", "first", "3"), ("q", "middle", text), ("q", "last", "1.5")]
    run = written(door, RUNS | RUN_TEXTS, tmp_path, rows)
    with pytest.raises(BadInput, match=r"(score|rank) .* is too large for floating point") as refused:
        figures(QUERIES, run, engine)
    assert any(place in str(refused.value) for place in ("middle", "row 1 ", "line 2:", "line 3:"))


@pytest.mark.parametrize("text", [*TOO_LARGE, "inf", "-Infinity", "nan"], ids=lambda text: text[:6])
@pytest.mark.parametrize("door", [*are_text(QRELS), *QRELS_TEXTS])
def test_grades_are_finite(door: str, text: str, tmp_path: Path) -> None:
    rows = [("q", "first", "1"), ("q", "middle", text), ("q", "last", "2")]
    with pytest.raises(BadInput, match=r"grade .* (is too large for floating point|is not a finite number)"):
        figures(written(door, QRELS | QRELS_TEXTS, tmp_path, rows), {"q": {"first": 1}})


@pytest.mark.parametrize("engine", ["local", "native"])
@pytest.mark.parametrize("door", [*RUNS, *RUN_TEXTS])
def test_infinite_scores_rank_first_and_last(door: str, engine: str, tmp_path: Path) -> None:
    rows = [("q", "last", "-inf"), ("q", "middle", "1e308"), ("q", "first", "Infinity"), ("q", "日本", "-1e308")]
    finite = {"q": {"first": 4, "middle": 3, "日本": 2, "last": 1}}
    assert figures(QUERIES, (RUNS | RUN_TEXTS)[door].write(tmp_path, rows), engine) == figures(QUERIES, finite, engine)
