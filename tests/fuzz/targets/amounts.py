"""Predicted values from files, through Python and the command: against the reference."""

from __future__ import annotations

import contextlib
import io
import json
import math
from fractions import Fraction
from typing import Any

from cranfield import examine, regress
from cranfield.cli.main import main
from fuzz.target import assume, target
from fuzz.targets.answers import strict, written
from generators.amounts import Amounts, amounts
from reference import residuals as reference
from reference.labels import read

NORMAL = 2.0**-1022  # below which numbers have fewer digits


def require_close(found: float | None, value: Fraction | None, size: Fraction, what: str) -> None:
    """Refuse a figure that is further from the one expected than the rounding of numbers of its size."""
    undefined = found is None or math.isnan(found)
    assert undefined == (value is None), f"{what}: {found}, not {value}"
    if found is None or value is None or undefined:
        return
    if math.isinf(found):
        assert abs(value) > Fraction(1e300), f"{what}: {found}"  # or its sum is, where there are weights
        return
    assert abs(Fraction(found) - value) <= Fraction(1e-9) * max(abs(value), size) + 8 * Fraction(5e-324), (
        f"{what}: {found}, not {float(value)}"
    )


@target(amounts, seeds=40)
def predicted_values_are_measured_as_in_the_reference(case: Amounts) -> None:
    """Every measure of errors, whatever the size of the values; no warning but cranfield's own."""
    assume(case.is_valid)
    weight = "weight" if case.weighted else None
    given = reference.predicted(read(case.file()), weight)
    with strict(), written(case.file()) as path:
        own = regress("actual", "predicted", data=str(path), weight=weight, measures=list(reference.MEASURES))
        shown = printed(str(path), weight)
        for name, measure in reference.MEASURES.items():
            expected = measure(given)
            size = {"Bias": given.mean([abs(error) for error in given.errors])}.get(name, Fraction(0))
            if name.partition("(")[0] in ("R2", "ExplainedVariance", "Correlation", "D2Pinball"):
                if rounded_away(given):
                    continue
                size = Fraction(1)
            require_close(own[name], expected, size, name)
            if not math.isinf(own[name]) and not math.isnan(own[name]):
                assert shown[name] == own[name]
        examine(own)


def rounded_away(given: reference.Predicted) -> bool:
    """Whether the spread of the values is no more than the rounding of their mean."""
    sides = (given.actual, given.predicted, given.errors)
    return any(0 < max(side) - min(side) < Fraction(1e-6) * max(map(abs, side)) + Fraction(NORMAL) for side in sides)


def printed(path: str, weight: str | None) -> dict[str, Any]:
    """What the command prints as JSON."""
    out = io.StringIO()
    options = [*(["--weight", weight] if weight else []), *(f"-m{name}" for name in reference.MEASURES)]
    with contextlib.redirect_stdout(out):
        assert main(["regress", path, "-a", "actual", "-p", "predicted", *options, "-f", "json", "--quiet"]) == 0
    (system,) = json.loads(out.getvalue())["systems"].values()
    return dict(system["measures"])


@target(amounts, seeds=15)
def outputs_are_measured_one_by_one(case: Amounts) -> None:
    """Two outputs in one file have the bits that each has alone, and their mean where both are finite."""
    assume(case.is_valid)
    settings: dict[str, Any] = {"weight": "weight" if case.weighted else None, "measures": list(reference.MEASURES)}
    sides = ["actual", "predicted"]
    with strict(), written(case.file()) as path:
        both = regress(sides, {"swapped": sides[::-1]}, data=str(path), **settings)
        alone = [regress(one, other, data=str(path), **settings) for one, other in (sides, sides[::-1])]
    for name in reference.MEASURES:
        values = [result[name] for result in alone]
        found = list(both.by_output.per_query(name).values())
        assert found == values or str(found) == str(values), f"{name}: {found}, not {values}"
        if all(map(math.isfinite, values)) and math.isfinite(sum(values)):
            assert math.isclose(both[name], sum(values) / 2, rel_tol=1e-12, abs_tol=5e-324), name
