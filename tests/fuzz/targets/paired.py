"""Paired tests from files and in Python, against the reference that counts in fractions."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
from itertools import combinations
from pathlib import Path
from typing import Any

import cranfield
from correlation.rank_pairs import correlate
from cranfield.cli.main import main
from fuzz.target import assume, target
from generators.paired import Table, tables
from reference import paired as reference

COUNTED = 12  # units that the reference goes through all exchanges of


def of_file(case: Table, test: str) -> tuple[int, Any]:
    """The status of `cranfield compare --values FILE`, and what it prints as JSON or says."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "values.csv")
        path.write_bytes(case.file())
        out, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(said):
            status = main(
                ["compare", "--values", str(path), "-t", test, "--alternative", case.alternative, "-f", "json"]
            )
    return status, json.loads(out.getvalue())["comparisons"] if status == 0 else said.getvalue()


def in_python(case: Table, test: str) -> list[dict[str, Any]]:
    """The same of lists of numbers."""
    values = {name: [float(row[place]) for row in case.rows] for place, name in enumerate(case.systems)}
    return cranfield.compare(values, test=test, alternative=case.alternative).records()["comparisons"]


def close(found: float | None, wanted: float | None, off: float = 1e-9) -> bool:
    """Whether two figures are the same but for rounding, or both missing."""
    if found is None or wanted is None:
        return found is wanted
    return math.isclose(found, wanted, rel_tol=off, abs_tol=1e-11)


def agrees(row: dict[str, Any], apart: list[Any], size: float, wanted: reference.Tested, test: str) -> None:
    """One pair as the reference has it."""
    assert (row["wins"], row["ties"], row["losses"]) == reference.signs(apart), row
    mean = float(sum(apart) / len(apart))
    assert math.isclose(row["difference"], mean, rel_tol=1e-9, abs_tol=1e-13 * size), (row["difference"], mean)
    spread = math.sqrt(sum((d - sum(apart) / len(apart)) ** 2 for d in apart))
    off = 1e-9 + 1e-13 * size / spread if test == "t" and spread else 1e-9  # what is left of values that nearly cancel
    assert close(row["p"], wanted.p, off), f"{test}: {row['p']}, not {wanted.p}"
    if test != "randomisation":
        assert close(row["statistic"], wanted.statistic, off), f"{test}: {row['statistic']}, not {wanted.statistic}"
    assert (row["p"] is None) == row["note"].startswith("no test"), row


def checked(case: Table, test: str) -> None:
    """A test from a file and in Python; fewer than two units are refused."""
    values = reference.read(case.file())
    status, rows = of_file(case, test)
    if len(case.rows) < 2:
        assert (status, "at least 2 queries are needed" in rows) == (1, True), rows
        return
    assert status == 0, rows
    pairs = list(combinations(case.systems, 2))
    wanted = []
    for (one, other), row in zip(pairs, rows, strict=True):
        apart = reference.differences(values[one], values[other])
        size = max(map(abs, (*values[one], *values[other])))
        wanted.append(reference.TESTS[test](apart, case.alternative))
        agrees(row, apart, float(size), wanted[-1], test)
    corrected = reference.holm([row["p"] for row in rows])
    assert all(close(row["adjusted_p"], p) for row, p in zip(rows, corrected, strict=True))
    assert all(row["significant"] == (p is not None and p < 0.05) for row, p in zip(rows, corrected, strict=True))
    for row, other in zip(rows, in_python(case, test), strict=True):
        assert {k: v for k, v in row.items() if k != "note"} == {
            k: "value" if k == "measure" else v for k, v in other.items() if k != "note"
        }


@target(tables, seeds=40)
def the_sign_test_is_as_in_the_reference(case: Table) -> None:
    """Wins against a coin."""
    assume(case.is_valid)
    checked(case, "sign")


@target(tables, seeds=40)
def wilcoxon_is_as_in_the_reference(case: Table) -> None:
    """Signed ranks, with ties and zeros, counted exactly or by the normal distribution."""
    assume(case.is_valid)
    checked(case, "wilcoxon")


@target(tables, seeds=40)
def the_t_test_is_as_in_the_reference(case: Table) -> None:
    """Student's t, or none where differences do not vary."""
    assume(case.is_valid)
    checked(case, "t")


@target(tables, seeds=40)
def randomisation_is_as_in_the_reference(case: Table) -> None:
    """All ways to exchange two systems."""
    assume(case.is_valid and len(case.rows) <= COUNTED)
    checked(case, "randomisation")


@target(tables, seeds=40)
def tau_b_is_as_in_the_reference(case: Table) -> None:
    """Orders of units by the sum over systems, which is rounded, and by one of them."""
    exact = reference.read(case.file()) if case.is_valid else {}
    assume(len(case.rows) >= 2 and bool(exact) and all(value >= 0 for row in exact.values() for value in row))
    rounded = [sum(map(float, row)) for row in case.rows], [float(row[0]) for row in case.rows]
    wanted = reference.tau_b([sum(row) for row in zip(*exact.values(), strict=True)], exact[case.systems[0]])
    found = correlate(*rounded)
    assert math.isnan(found) if wanted is None else close(found, wanted)
