"""May judging stop? Bounds of a difference after each unit, valid at every look."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np

from cranfield.arrays import Mask
from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import is_number
from cranfield.frozen import frozen
from cranfield.results.samples import Lower, bounds_of, not_geometric, paired, require_below_range
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult
from cranfield.settings import Baseline, Means, Positive, Significance
from cranfield.statistics.sequences import confidence_sequence
from cranfield.text import interval, listed, percent, plural, signed
from cranfield.verb import verb

_NAMES = texts("measure", "system", "baseline")
_STATE = (
    Field("n", digits=0),
    *figures("difference", "low", "high"),
    Field("e", digits=2),  # e-value of no difference
    Field("p", probability=True),  # always valid
)
PAIRS = Schema(
    "pairs",
    "Monitored differences",
    (
        *_NAMES,
        *_STATE,
        *texts("verdict"),
        Field("decided_after", "decided after", digits=0),  # number of units after which 0 was excluded
        Field("precise_after", "precise after", digits=0, optional=True),  # after which the interval was short enough
    ),
)
LOOKS = Schema("looks", "Each look", (*_NAMES, *_STATE), in_tables=False)


@frozen(eq=False)
class Monitoring(AnnotatedResult):
    """Confidence sequences of the differences between systems, in the order in which units were judged.

    `rows` has the state of each pair after all units, and `looks` after each number of them.
    """

    kind = "monitoring"

    rows: Columns
    looks: Columns

    @property
    def enough(self) -> bool:
        """Whether every pair is decided, or its interval as short as requested."""
        return all(row.decided_after is not None or row.precise_after is not None for row in self.rows)

    def about(self) -> dict[str, Any]:
        """The settings, the notes, and whether enough was judged."""
        return super().about() | {"enough": self.enough}

    @property
    def answer(self) -> str:
        """Which systems are better or worse on the first measure, and whether judging may stop."""
        first = [row for row in self.rows if row.measure == self.rows[0].measure]
        told = [
            f"{row.system} is {row.verdict} than {row.baseline} ({signed(row.difference)}, decided after "
            f"{row.decided_after:,})"
            for row in first
            if row.verdict != "undecided"
        ]
        told += [
            f"{row.system} and {row.baseline} are undecided ({interval(row.low, row.high)})"
            for row in first
            if row.verdict == "undecided"
        ]
        units = plural(self.settings["units"])
        done = f"Enough {units} are judged." if self.enough else f"Judge more {units}."
        return f"After {first[0].n:,} {units}, in {first[0].measure}, {listed(told)}. {done}"

    @property
    def explanations(self) -> tuple[str, ...]:
        """How the bounds, p-values and verdicts are to be read."""
        units, half_width = plural(self.settings["units"]), self.settings["half_width"]
        return (
            f"low, high: {percent(1 - self.settings['level'])} confidence sequence of each difference, valid at every "
            "look; e: e-value of no difference; p: always valid",
            f"{units} must be in random order; p-values are not adjusted for the number of pairs",
            f"decided after: number of {units} after which 0 was excluded",
            *(
                [f"precise after: number of {units} after which the interval was ± {half_width:g}"]
                if half_width
                else []
            ),
        )


@verb
def monitor(
    data: Any,
    baseline: Baseline = None,
    *,
    bounds: tuple[float, float] | None = None,
    level: Significance = 0.05,
    half_width: Annotated[
        Positive | None,
        Means("Also report the number of queries after which the interval of the difference was ± this number."),
    ] = None,
    lower_is_better: Lower = (),
) -> Monitoring:
    """Differences between systems that may be looked at after every query, and whether enough were judged.

    A significance test is valid for one look at the data. Testing after every new query until something is significant
    finds differences where there are none. A confidence sequence is valid for all numbers of queries at once, so
    judging may stop as soon as it excludes 0, or is short enough.

    Parameters
    ----------
    data
        As for `compare`, with queries in the order in which they were judged, which must be random.
    bounds
        The lowest and the highest possible value; known for measures such as AP and nDCG.
    lower_is_better
        For plain values: True, or the names of the measures for which lower is better.

    Returns
    -------
    Monitoring
        One row per pair and measure after all queries (`rows`), and one for each number of queries (`looks`); `enough`
        tells whether all are decided or precise.

    Examples
    --------
    >>> values = {"new": [0.9, 0.8, 0.9, 0.7] * 10, "old": [0.2, 0.3, 0.1, 0.2] * 10}
    >>> row = monitor(values, "old", bounds=(0, 1)).rows[0]
    >>> row.verdict, row.decided_after
    ('better', 14)
    """
    limits = None if bounds is None else _range(bounds)
    source = paired(data, lower_is_better)
    rows, looks, notes, ranges = [], [], dict[str, None](), {}
    for measure, samples in source.samples.items():
        low, high = ranges[measure] = limits or bounds_of(measure, samples)
        if not np.isfinite([low, high]).all():
            raise BadSetting(f"{measure} has no bounds; pass its lowest and highest values, such as bounds=(0, 1)")
        if samples.values.min() < low or samples.values.max() > high:
            raise BadInput(f"{measure}: values lie outside the bounds {low:g} and {high:g}")
        notes |= dict.fromkeys(samples.notes)
        require_below_range("half_width", half_width, measure, samples)
        pairs = samples.pairs(baseline)
        up, down = ("worse", "better") if samples.lower_is_better else ("better", "worse")
        for place, names in enumerate(pairs.names):
            difference = pairs.difference[:, place]
            after = confidence_sequence(difference, (low - high, high - low), level, 0.0)
            n = np.arange(1, pairs.n_units + 1)
            looks += [
                (measure, *names, *state)
                for state in zip(n, np.cumsum(difference) / n, after.low, after.high, after.e, after.p, strict=True)
            ]
            verdict = up if after.low[-1] > 0 else down if after.high[-1] < 0 else "undecided"
            decided = _first((after.low > 0) | (after.high < 0))
            precise = _first((after.high - after.low) / 2 <= (half_width or -1.0))
            bounded = (after.low[-1], after.high[-1], after.e[-1], after.p[-1])
            rows.append((measure, *names, pairs.n_units, pairs.mean[place], *bounded, verdict, decided, precise))
    unit = next(iter(source.samples.values())).unit
    return Monitoring(
        PAIRS.of(rows),
        LOOKS.of(looks),
        settings={
            "baseline": baseline,
            "units": unit,
            "level": level,
            "half_width": half_width,
            "bounds": {measure: [*ends] for measure, ends in ranges.items()},
        },
        notes=(*notes, *not_geometric(source.samples)),
        provenance=source.provenance,
    )


def _first(reached: Mask) -> int | None:
    """The number of units after which something was reached."""
    return int(np.argmax(reached)) + 1 if reached.any() else None


def _range(bounds: object) -> tuple[float, float]:
    """The lowest and the highest value, if they are two numbers in this order."""
    if isinstance(bounds, Sequence | np.ndarray) and len(bounds) == 2 and all(map(is_number, bounds)):
        low, high = float(bounds[0]), float(bounds[1])
        if -np.inf < low < high < np.inf:
            return low, high
    raise BadSetting(f"bounds must be the lowest and the highest possible value, such as (0, 1), not {bounds!r}")
