"""Agreement of raters, through every door: against the reference, whose fractions are exact."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl

from cranfield import agree
from cranfield.cli.main import main
from cranfield.errors import BadInput
from fuzz.target import assume, target
from generators.ratings import Counts, Ratings, counts, judgments, ratings
from reference import agreement as reference

Figures = dict[tuple[str, str, str], float | None]  # by measure, scope and name


def wanted(given: reference.Ratings, ordered: bool) -> Figures:
    """The coefficients of all, of every two raters and of every topic, as the reference has them."""
    of = {("all", "all"): given}
    of |= {("pair", f"{a} & {b}"): given.of_two(a, b) for a, b in combinations(given.raters, 2)}
    of |= {("topic", topic): given.topic(topic) for topic in {key[0] for key in given.said}}
    measures = reference.coefficients(given, ordered)
    return {
        (name, *which): None if (value := measure(each)) is None else float(value)
        for name, measure in measures.items()
        for which, each in of.items()
    }


def require_equal(found: Figures, expected: Figures) -> None:
    """Refuse figures that are not the same but for rounding."""
    assert found.keys() == expected.keys()
    for key, value in expected.items():
        own = found[key]
        same = own == value or (
            own is not None and value is not None and math.isclose(own, value, rel_tol=1e-9, abs_tol=1e-9)
        )
        assert same, f"{key}: {own}, not {value}"


def computed(data: Any, measures: list[str], **settings: Any) -> Figures:
    """The coefficients that `agree` finds."""
    rows = agree(data, measures, resamples=0, **settings).records()["agreement"]
    return {(row["measure"], row["scope"], row["name"]): row["value"] for row in rows}


def printed(path: Path, measures: list[str], *options: str) -> Figures:
    """The coefficients that the command prints."""
    asked = [word for measure in measures for word in ("-m", measure)]
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(["agree", str(path), *asked, "--resamples", "0", "-f", "json", *options]) == 0
    return {
        (row["measure"], row["scope"], row["name"]): row["value"] for row in json.loads(out.getvalue())["agreement"]
    }


def objects(case: Ratings) -> list[Any]:
    """The same ratings as objects of Python."""
    nested: dict[str, dict[str, Any]] = {}
    for topic, item, rater, category in case.rows:
        own = nested.setdefault(rater, {})
        (own.setdefault(topic, {}) if case.topics else own)[item] = category
    rows = [row[not case.topics :] for row in case.rows]
    names = ["item", "rater", "category"]
    frame = pd.DataFrame(rows, columns=["topic", *names] if case.topics else names)
    return [rows, nested, frame, pl.from_pandas(frame)]


@target(ratings, seeds=60)
def ratings_agree_as_in_the_reference(case: Ratings) -> None:
    """Every coefficient of all, of two and of a topic, from files long and wide, from objects and from the command."""
    assume(case.is_valid)
    scale: dict[str, Any] = {"order": case.scale} if case.scale else {}
    given = reference.ratings(reference.read(case.long(), "long"), case.scale)
    expected = wanted(given, bool(case.scale))
    measures = list(dict.fromkeys(key[0] for key in expected))
    first = computed(objects(case)[0], measures, counts=False, **scale)
    require_equal(first, expected)
    with tempfile.TemporaryDirectory() as folder:
        long, wide, spaced = (Path(folder, name) for name in ("long.csv", "wide.csv", "long.tsv"))
        long.write_bytes(case.long())
        wide.write_bytes(case.wide())
        spaced.write_bytes(case.long("\t"))
        assert reference.ratings(reference.read(case.wide(), "wide"), case.scale).said.keys() == given.said.keys()
        for data in (*objects(case)[1:], long, wide, spaced):
            assert computed(data, measures, counts=False, **scale) == first, f"{data!r:.60}"
        if not any("," in category for category in case.scale):
            options = ["--order", ",".join(case.scale)] if case.scale else []
            assert printed(long, measures, *options) == first


@target(judgments, seeds=20)
def judgments_by_several_agree_as_in_the_reference(case: Ratings) -> None:
    """Lines of topic, rater, document and grade; grades below 0 are none."""
    assume(case.is_valid and case.topics and all(reference.number(row[3]) is not None for row in case.rows))
    rows = reference.read(case.qrels(), "qrels")
    assume(Ratings(rows, True, []).is_valid and len({row[2] for row in rows}) > 1)
    expected = wanted(reference.ratings(rows), True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "judged.qrels")
        path.write_bytes(case.qrels())
        found = computed(path, list(dict.fromkeys(key[0] for key in expected)), counts=False)
    require_equal({key: found[key] for key in expected}, expected)
    assert {found[key] for key in found.keys() - expected.keys()} <= {None}  # topics and raters without a judgment


@target(counts, seeds=30)
def counts_agree_as_in_the_reference(case: Counts) -> None:
    """Items by categories, where it is said that these are counts; else they are refused if they could be."""
    assume(case.is_valid)
    rows, names = reference.read_counts(case.file())
    given = reference.ratings(rows, names, ordered=False, anonymous=True)
    measures = [name for name in reference.coefficients(given, False) if not name.startswith("Kappa")]
    expected = {key: value for key, value in wanted(given, False).items() if key[0] in measures}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "counts.csv")
        path.write_bytes(case.file())
        require_equal(computed(path, measures, counts=True), expected)
        assert printed(path, measures, "--counts") == computed(pd.read_csv(path), measures, counts=True)
        sums = {sum(row) for row in case.rows}
        if len(case.rows) > 1 and len(sums) == 1 and min(sums) > 1:
            with contextlib.suppress(BadInput):
                agree(path)
                raise AssertionError("counts were read as ratings")
