"""Predicted distributions from files, through Python and the command: against the reference."""

from __future__ import annotations

import contextlib
import io
import json
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from cranfield import examine, regress
from cranfield.cli.main import main
from fuzz.target import assume, target
from fuzz.targets.answers import strict, written
from generators.forecasts import LEVELS, QUANTILES, Predicted, predicted
from reference import forecasts as reference

Row = dict[str, float]
CENTRAL = {Fraction(9, 10): ("q05", "q95"), Fraction(1, 2): ("q25", "q75")}


def interval(row: Row, level: Fraction) -> tuple[float, float]:
    low, high = CENTRAL[level]
    return row[low], row[high]


def score(level: Fraction) -> Callable[[Row], Fraction]:
    return lambda row: reference.interval_score(*interval(row, level), row["actual"], level)


def inside(level: Fraction) -> Callable[[Row], Fraction]:
    return lambda row: Fraction(interval(row, level)[0] <= row["actual"] <= interval(row, level)[1])


def weighted_interval_score(row: Row) -> Fraction:
    bounds = {level: interval(row, level) for level in CENTRAL}
    return reference.weighted_interval_score(bounds, row["q50"], row["actual"])


OF_QUANTILES: dict[str, Callable[[Row], Fraction]] = {
    "WIS": weighted_interval_score,
    "IntervalScore@0.9": score(Fraction(9, 10)),
    "IntervalScore@0.5": score(Fraction(1, 2)),
    "IntervalCoverage@0.9": inside(Fraction(9, 10)),
    "IntervalCoverage@0.5": inside(Fraction(1, 2)),
    "IntervalWidth@0.9": lambda row: Fraction(row["q95"]) - Fraction(row["q05"]),
    "Pinball(quantile=0.25)": lambda row: reference.pinball(row["q25"], row["actual"], Fraction(1, 4)),
    "QuantileCoverage@0.95": lambda row: Fraction(row["actual"] <= row["q95"]),
}


def members(row: Row) -> list[float]:
    return [value for name, value in row.items() if name.startswith("member")]


OF_SAMPLES: dict[str, Callable[[Row], Fraction]] = {
    "CRPS": lambda row: reference.crps_of_samples(members(row), row["actual"]),
    "CRPS(fair=True)": lambda row: reference.fair_crps(members(row), row["actual"]),
}


def rows_of(case: Predicted) -> list[Row]:
    return [dict(zip(case.columns, map(float, row), strict=True)) for row in case.rows]


def weights(case: Predicted) -> list[Fraction]:
    return [Fraction(row["weight"]) if case.weighted else Fraction(1) for row in rows_of(case)]


def mean(values: Sequence[Fraction], weight: Sequence[Fraction]) -> Fraction:
    return sum((w * v for w, v in zip(weight, values, strict=True)), Fraction(0)) / sum(weight)


def require_mean(found: float, case: Predicted, one: Callable[[Row], Fraction], what: str) -> None:
    """Refuse a figure further from the mean of a score than the rounding of the largest numbers in the rows."""
    rows, weight = rows_of(case), weights(case)
    size = max((abs(Fraction(v)) for row, w in zip(rows, weight, strict=True) if w for v in row.values()))
    wanted = mean([one(row) for row in rows], weight)
    scale = Fraction(1) if "Coverage" in what else 20 * size
    assert abs(Fraction(found) - wanted) <= Fraction(1e-12) * max(scale, abs(wanted)) + Fraction(1e-320), (
        f"{what}: {found}, not {float(wanted)}"
    )


@target(predicted, seeds=20)
def predicted_distributions_are_scored_as_in_the_reference(case: Predicted) -> None:
    """Scores of quantiles and of samples, whatever the size of the values; the command prints the same."""
    assume(case.is_valid)
    weight = "weight" if case.weighted else None
    levels = dict(zip(map(float, LEVELS), QUANTILES, strict=True))
    samples = [name for name in case.columns if name.startswith("member")]
    with strict(), written(case.file()) as path:
        quantiles = regress("actual", data=str(path), weight=weight, quantiles=levels, measures=list(OF_QUANTILES))
        ensemble = regress("actual", data=str(path), weight=weight, samples=samples, measures=list(OF_SAMPLES))
        examine(quantiles)
        options = [f"--quantile={level}={name}" for level, name in zip(LEVELS, QUANTILES, strict=True)]
        shown = printed(str(path), weight, options, list(OF_QUANTILES))
        shown |= printed(str(path), weight, ["--member=member*"], list(OF_SAMPLES))
    for result, scores in ((quantiles, OF_QUANTILES), (ensemble, OF_SAMPLES)):
        for name, one in scores.items():
            require_mean(result[name], case, one, name)
            assert shown[name] == result[name], f"{name}: {shown[name]}, not {result[name]}"


def printed(path: str, weight: str | None, options: list[str], measures: list[str]) -> dict[str, Any]:
    """What the command prints as JSON."""
    out = io.StringIO()
    options = [*options, *(["--weight", weight] if weight else []), *(f"-m{name}" for name in measures)]
    with contextlib.redirect_stdout(out):
        assert main(["regress", path, "-a", "actual", *options, "-f", "json", "--quiet"]) == 0
    (system,) = json.loads(out.getvalue())["systems"].values()
    return dict(system["measures"])


@target(predicted, seeds=10)
def normal_distributions_are_scored_as_in_the_reference(case: Predicted) -> None:
    """CRPS and intervals of a normal distribution; without spread, the absolute error."""
    assume(case.is_valid)
    weight = "weight" if case.weighted else None
    with strict(), written(case.file()) as path:
        result = regress("actual", "q50", data=str(path), weight=weight, deviation="sd", measures=["CRPS"])
    rows = rows_of(case)
    size = max(abs(row[name]) for row in rows for name in ("actual", "q50", "sd"))
    wanted = mean([Fraction(_crps(row)) for row in rows], weights(case))
    room = 1e-9 * size + 1e-320  # the smallest numbers have few digits
    assert math.isclose(result["CRPS"], wanted, rel_tol=1e-6, abs_tol=room), f"{result['CRPS']}, not {wanted}"


def _crps(row: Row) -> float:
    """By integration; for errors far beyond the spread, by the limit for large errors."""
    error = abs(row["actual"] - row["q50"])
    if error >= 10 * row["sd"]:
        return error - row["sd"] / math.sqrt(math.pi)
    assume(row["sd"] > 1e-300)  # else the standard library cannot integrate
    scaled = reference.crps_of_normal(0, 1, error / row["sd"], steps=400)
    return scaled * row["sd"]
