"""How many queries does it take to detect a difference?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import groupby
from typing import Annotated, Any

from cranfield.errors import BadInput, BadSetting
from cranfield.evidence.samples import is_number
from cranfield.frozen import frozen
from cranfield.present.table import Table, listed
from cranfield.results.provenance import NOTHING_READ
from cranfield.results.samples import paired, require_below_range
from cranfield.results.shape import Columns, Field, Schema, figures, texts
from cranfield.results.verb_result import AnnotatedResult, Records
from cranfield.settings import Baseline, Count, Means, Power, Range, Significance
from cranfield.statistics.distributions import MOST_UNITS, Hypothesis
from cranfield.statistics.power import deviation_interval, smallest_difference, units_needed
from cranfield.statistics.power import power as power_of
from cranfield.text import counted, number, percent
from cranfield.verb import verb

CONFIDENCE = 0.95  # of the bounds from a pilot
MANY = 10  # pairs on a measure, of which all are listed
PLAN = Schema(
    "plan",
    "Queries needed",
    (
        *texts("measure", "system", "baseline", optional=True),  # whose differences have this deviation in the pilot
        Field("level", in_tables=False),  # of each comparison
        Field("difference", optional=True),  # to detect: given, or observed in the pilot
        Field("deviation"),
        *figures("deviation_low", "deviation_high", in_tables=False),
        Field("n", "queries", digits=0, optional=True),
        Field("power", digits=2, optional=True),  # of a paired t-test on n queries for a given difference
        Field("needed", digits=0, optional=True),  # queries needed to detect it with the desired power
        Field("needed_low", "low", digits=0, optional=True),  # at the lower bound of the deviation
        Field("needed_high", "high", digits=0, optional=True),  # at its upper bound; None if too many to compute
        Field("smallest", optional=True),  # smallest difference that n queries detect with that power
    ),
)


@frozen(eq=False)
class Plan(AnnotatedResult):
    """The plan for every pair of systems."""

    kind = "plan"

    rows: Columns

    def records(self, *, every: bool = False) -> Records:  # noqa: ARG002
        """One row per pair and measure, whether tables show every pair or not."""
        return super().records()

    @property
    def answer(self) -> str:
        """The number of queries needed, and the smallest difference that those at hand detect."""
        rows = [row for row in self.rows if row.measure == self.rows[0].measure]
        difference, n = self.settings["difference"], rows[0].n
        power, measure = f"power {self.settings['power']:g}", f" in {rows[0].measure}" if rows[0].measure else ""
        have = f" (you have {n:,})" if n is not None and rows[0].measure else ""
        needed = sorted(row.needed for row in rows if row.needed is not None)
        told = []
        if needed and len(rows) == 1:
            (row,) = rows
            size = f"the observed difference of {number(abs(row.difference))}"
            size = size if difference is None else f"a difference of {difference:g}"
            known = row.needed_high is not None
            bounds = f" ({row.needed_low:,} to {row.needed_high:,}, as the pilot is small)" if known else ""
            told.append(
                f"About {counted(row.needed, 'query')}{bounds} are needed to detect {size}{measure} with {power}"
            )
        elif needed:
            size = "the observed differences" if difference is None else f"a difference of {difference:g}"
            half, most = needed[(len(needed) - 1) // 2], f"all need at most {needed[-1]:,}"
            if len(needed) < len(rows):
                most = f"for {len(rows) - len(needed):,} of {len(rows):,} pairs over {MOST_UNITS:,} are needed"
            told.append(
                f"To detect {size}{measure} with {power}, half of the pairs need at most {half:,} queries; {most}"
            )
        smallest = [row.smallest for row in rows if row.smallest is not None]
        if smallest:
            low, high = number(min(smallest)), number(max(smallest))
            sizes = f"of {low} or more" if low == high else f"of {low} to {high} or more, depending on the pair,"
            queries = f"With {counted(n, 'query')}, differences {sizes}{'' if told else measure} are detected"
            told.append(f"{queries} with {'that power' if told else power}")
        return " ".join(f"{sentence}{have if place == 0 and needed else ''}." for place, sentence in enumerate(told))

    @property
    def explanations(self) -> tuple[str, ...]:
        """The test, its level, and what the columns mean."""
        return tuple(self._explained())

    def _explained(self) -> Iterator[str]:
        settings = self.settings
        yield f"deviation: standard deviation of the per-query differences; paired t-test, {settings['alternative']}"
        of_each = (
            f"{settings['level_of_each']:.4g}, {settings['level']:g} divided by {settings['comparisons']} comparisons"
        )
        single = settings["comparisons"] == 1
        yield f"level: {settings['level']:g}, for one comparison" if single else f"level: {of_each} (Bonferroni)"
        size = "the observed difference with " * (settings["difference"] is None)
        shown = {name for name in ("power", "needed", "needed_high", "smallest") if any(map(_known, self.rows[name]))}
        if "power" in shown:
            yield "power: probability of detecting the difference with this number of queries"
        if "needed" in shown:
            yield f"needed: number of queries for {size}power {settings['power']:g}"
        if "needed_high" in shown:
            yield (
                f"low, high: {percent(CONFIDENCE)} interval of the number of queries needed, since the pilot only "
                "estimates the deviation; from the chi-square interval of the variance, which assumes normal "
                "differences"
            )
        if "smallest" in shown:
            yield f"smallest: smallest difference detectable with power {settings['power']:g}"


def tables(plan: Plan, *, digits: int, every: bool = False) -> list[Table]:
    """One row per pair and measure; of many pairs, those with the smallest, median and largest deviation."""
    rows, summarised = [], False
    for _, group in groupby(plan.rows, key=lambda row: row.measure):
        pairs = list(group)
        if len(pairs) > MANY and not every:
            ordered = sorted(pairs, key=lambda row: row.deviation)
            pairs, summarised = [ordered[0], ordered[(len(ordered) - 1) // 2], ordered[-1]], True
        rows += pairs
    short = ["the pairs with the smallest, median and largest deviation; all: --all, or shown(every=True)"] * summarised
    return [listed(PLAN.of(rows), digits=digits, notes=(*short, *plan.explanations, *plan.notes))]


@verb
def plan(
    data: Any,
    difference: Annotated[
        float | None,
        Means("Mean difference to detect.", default="for the number of queries, the difference observed in the pilot"),
    ] = None,
    *,
    baseline: Baseline = None,
    queries: Annotated[
        int | None,
        Range("an integer of at least 2", low=2, whole=True),
        Means("Number of queries of the planned test.", default="that of the pilot"),
    ] = None,
    power: Power = 0.8,
    level: Significance = 0.05,
    comparisons: Annotated[
        Count, Means("Number of comparisons to correct for: each is planned at the level divided by this number.")
    ] = 1,
    alternative: Hypothesis = "two-sided",
) -> Plan:
    """Number of queries needed to detect a difference, and the power of those at hand.

    A small pilot estimates the variance of the differences poorly: `needed_low` and `needed_high` are the numbers
    needed at the bounds of its 95 % chi-square interval. The difference observed in a pilot is an estimate too; that
    it would take so many queries to detect does not show that it is there.

    Parameters
    ----------
    data
        A pilot: a result, samples, or `{system: values}`. Or a number: the standard deviation of the differences
        between two systems, if known.

    Returns
    -------
    Plan
        One row per pair and measure.

    Examples
    --------
    >>> pilot = {"new": [0.4, 0.6, 0.7, 0.5, 0.2], "old": [0.3, 0.5, 0.7, 0.3, 0.3]}
    >>> row = plan(pilot, 0.05).rows[0]
    >>> row.needed_low, row.needed, row.needed_high
    (17, 43, 339)
    >>> round(plan(0.1, queries=50).rows[0].smallest, 4)
    0.0404
    """
    test: dict[str, Any] = {"level": level / comparisons, "alternative": alternative}

    def needed(size: float | None, spread: float | None) -> int | None:
        return None if size is None or spread is None else units_needed(size, spread, power=power, **test)

    def planned(observed: float | None, spread: float, pilot: int | None = None) -> tuple[Any, ...]:
        """The figures for this deviation, for the queries of the pilot unless another number is given."""
        n = pilot if queries is None else queries
        low, high = (None, None) if pilot is None else deviation_interval(spread, pilot, CONFIDENCE)
        reached = None if n is None or difference is None else power_of(n, difference, spread, **test)
        most = needed(difference, spread) if difference is not None else _or_none(needed, observed, spread)
        return (
            *(test["level"], observed if difference is None else difference, spread, low, high, n, reached, most),
            *(_or_none(needed, difference, low), _or_none(needed, difference, high)),
            None if n is None else smallest_difference(n, spread, power=power, **test),
        )

    rows, notes, provenance = [], dict[str, None](), NOTHING_READ
    if is_number(data):
        if baseline is not None:
            raise BadSetting(f"baseline={baseline!r} does not apply to a deviation, which has no systems")
        if difference is None and queries is None:
            raise BadSetting("pass the difference to detect, or the number of queries")
        rows.append(("", "", "", *planned(None, float(data))))
    else:
        pilot = paired(data)
        provenance = pilot.provenance
        notes |= dict.fromkeys(note for samples in pilot.tested.values() for note in samples.notes)
        for measure, samples in pilot.tested.items():
            require_below_range("the difference", difference, measure, samples)
        for measure, samples in pilot.tested.items():
            samples.require_variance()
            pairs = samples.pairs(baseline)
            for names, observed, spread in zip(pairs.names, pairs.mean, pairs.deviation.tolist(), strict=True):
                if spread > 0:
                    rows.append((measure, *names, *planned(float(observed), spread, len(samples))))
                else:
                    notes[f"{measure}: {names[0]} and {names[1]} differ by a constant and are left out"] = None
        if not rows:
            raise BadInput("the differences are the same on every query, so their variance cannot be estimated")
    columns = PLAN.of(rows)
    for row in columns:
        if difference is not None and row.deviation_high is not None and row.needed_high is None:
            pair = f"{row.measure} {row.system} {row.baseline}"
            notes[f"{pair}: at the upper bound of the deviation, over {MOST_UNITS:,} are needed"] = None
    return Plan(
        columns,
        settings={
            "difference": difference,
            "power": power,
            "level": level,
            "test": "paired t-test",
            "alternative": alternative,
            "comparisons": comparisons,
            "level_of_each": level / comparisons,
            "interval": f"{CONFIDENCE:.0%}, from the chi-square interval of the variance of the differences",
        },
        notes=tuple(notes),
        provenance=provenance,
    )


def _or_none(needed: Callable[[float | None, float | None], int | None], *figures: float | None) -> int | None:
    """The number of queries; None if it is not known, or too large to compute."""
    with suppress(BadSetting):
        return needed(*figures)
    return None


def _known(figure: object) -> bool:
    return figure is not None
