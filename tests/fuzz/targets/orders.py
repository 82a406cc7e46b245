"""Rank correlation, from a table and from dicts, against every pair, prefix and way to break ties."""

from __future__ import annotations

import contextlib
import io
import json
import math
import tempfile
from fractions import Fraction
from itertools import combinations
from pathlib import Path

from cranfield import correlate
from cranfield.cli.main import main
from fuzz.target import assume, target
from generators.orders import Orders, orders
from reference import orders as reference

NAMES = [*reference.COEFFICIENTS, *reference.OVERLAPS]
P = Fraction(4, 5)


@target(orders, seeds=60)
def orders_are_as_alike_as_in_the_reference(case: Orders) -> None:
    """Every coefficient of every two orders, in Python and from the command; ties are what the numbers say."""
    assume(case.is_valid and all(len(set(row)) > len(row) - 4 for row in case.scores))
    given = reference.read(case.file())
    wanted = [
        (first, second, name, reference.COEFFICIENTS[name](given[first], given[second]))
        if name in reference.COEFFICIENTS
        else (first, second, name, reference.OVERLAPS[name](given[first], given[second], P))
        for first, second in combinations(given, 2)
        for name in NAMES
    ]
    scores = {name: {system: float(score) for system, score in order.items()} for name, order in given.items()}
    found = correlate(scores, coefficients=NAMES, p=float(P)).records()["correlations"]
    for row, (*key, value) in zip(found, wanted, strict=True):
        assert [row["first"], row["second"], row["coefficient"]] == key
        assert (row["value"] is None) == (value is None), (key, row)
        assert value is None or math.isclose(row["value"], value, rel_tol=1e-9, abs_tol=1e-9), (
            key,
            row["value"],
            value,
        )
        assert bool(row["note"]) == (value is None)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as out:
        path = Path(folder, "scores.csv")
        path.write_bytes(case.file())
        asked = [word for name in NAMES for word in ("--coefficient", name)]
        assert main(["correlate", "--orders", str(path), *asked, "--persistence", str(float(P)), "-f", "json"]) == 0
    printed = json.loads(out.getvalue())
    assert printed["correlations"] == found
    assert printed["systems"] == case.names
